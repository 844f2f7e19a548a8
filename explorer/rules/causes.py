"""Why a gradient is lost: one row per cause, with what to write instead.

``title`` completes "the gradient is cut because ..."; ``remedy`` says what to write. ``weight`` ranks causes when
several ways lead from a source to the loss: the way with the smallest sum is shown, so plumbing (conditions, shapes)
must be heavy, or the blame would land on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from explorer.model.graph import Layer, Location


@dataclass(frozen=True)
class Cause:
    """One row of the table."""

    key: str
    title: str
    remedy: str
    weight: float = 1.0


_ROWS = (
    Cause(
        "integer_dtype",
        "the value becomes an integer or bool here, and integers have no gradient",
        "Keep the path in floating point: drop the cast, or use a float surrogate "
        "(tf.nn.softmax instead of argmax, x + tf.stop_gradient(tf.round(x) - x) for rounding).",
    ),
    Cause(
        "stop_gradient",
        "tf.stop_gradient cuts it on purpose",
        "Remove tf.stop_gradient on this line, or apply it only to the copy that must stay constant.",
    ),
    Cause(
        "back_prop_false",
        "the loop was built with back_prop=False",
        "Drop back_prop=False; to save memory use swap_memory=True or tf.recompute_grad instead.",
    ),
    Cause(
        "not_differentiable",
        "TensorFlow registers this op as not differentiable",
        "Replace the op by a differentiable one, or give it a gradient with @tf.custom_gradient.",
    ),
    Cause(
        "no_gradient_registered",
        "no gradient is registered for this op, so TensorFlow raises LookupError",
        "Wrap the op in a function with @tf.custom_gradient, or use an op that has a gradient.",
        0.5,
    ),
    Cause(
        "rule_returns_none",
        "the op's gradient function returns None for this input",
        "Replace the op by a smooth one (a soft version of round, sign, argmax), or write @tf.custom_gradient.",
    ),
    Cause(
        "rule_gives_zero",
        "the op's gradient function always gives zero for this input",
        "Replace the op by a smooth one, or write @tf.custom_gradient with the gradient you mean.",
    ),
    Cause(
        "rule_raises",
        "the op's gradient function raises",
        "Replace the op, or wrap it with @tf.custom_gradient.",
        0.5,
    ),
    Cause(
        "left_tensorflow",
        "the value leaves TensorFlow here",
        "Write the computation with tf operations, or wrap it with @tf.custom_gradient around tf.numpy_function.",
    ),
    Cause(
        "assigned",
        "the value is stored in a variable by assign, and no gradient passes through a variable's memory",
        "Carry the value as a loop variable (or return it) instead of assigning it to a tf.Variable.",
        2.0,
    ),
    Cause(
        "condition_only",
        "the value is used only to decide how often the loop runs or which branch is taken",
        "A trip count or a branch choice has no gradient: let the value also enter the computation, "
        "for example as a soft weight.",
        30.0,
    ),
    Cause(
        "replaced_each_iteration",
        "the loop overwrites this value in its first iteration, so the initial value never matters",
        "Use the old value when computing the next one, or drop the loop variable.",
        60.0,
    ),
    Cause(
        "result_dropped",
        "what is computed from it is never used",
        "Return the result (for a TensorArray: keep the one that write() returns).",
    ),
    Cause(
        "never_read", "the traced function never reads it", "Use it in the function, or leave it out of the sources."
    ),
    Cause(
        "not_watched",
        "the tape does not watch this tensor",
        "Call tape.watch(x) before the computation, or make it a tf.Variable.",
    ),
    Cause(
        "outside_tape",
        "this was computed while no tape was recording",
        "Move the computation inside `with tf.GradientTape() as tape:`.",
    ),
    Cause(
        "not_trainable",
        "its dtype (or trainable=False) rules out a gradient",
        "Use a floating point dtype and trainable=True, or leave it out of the sources.",
    ),
    Cause(
        "custom_gradient",
        "a custom gradient gives nothing for this input",
        "Return the gradient for this input from the function under @tf.custom_gradient.",
    ),
    Cause(
        "shape_only",
        "only its shape is used, not its value",
        "Use the value itself; zeros_like, shape and size never pass a gradient.",
        100.0,
    ),
    Cause(
        "lost_handle_data",
        "a reloaded graph lost the variable's handle data one loop down, so TensorFlow drops its gradient",
        "Differentiate the model in the process that built it, or read the variable outside the inner loop.",
    ),
    Cause(
        "added_after_recording",
        "tf.gradients added this result to the loop after the tape had recorded the loop",
        "Use an inner tf.GradientTape instead of tf.gradients: nested tapes know of each other.",
    ),
    Cause(
        "opaque",
        "TensorFlow cannot look inside this op",
        "Write the computation with tf operations.",
    ),
    Cause(
        "second_order_tf1_loop",
        "a TF1 while loop cannot be differentiated twice",
        "Call tf.compat.v1.enable_control_flow_v2() before building the graph, or port the loop to TF2.",
    ),
    Cause(
        "xla_unbounded_loop",
        "XLA must know how many values the backward pass stores",
        "Give the loop maximum_iterations (a Python int) and static shapes, or drop jit_compile=True.",
    ),
)

CAUSES: dict[str, Cause] = {row.key: row for row in _ROWS}


def title_of(cause: str) -> str:
    """The cause in words; the key itself where the table has no row for it."""
    return CAUSES[cause].title if cause in CAUSES else cause


def remedy(cause: str) -> str:
    """What to write instead."""
    return CAUSES[cause].remedy


def remedy_of_layer(layer: Layer, called: Location | None) -> str:
    """What to write instead where a Keras layer stores its state by itself."""
    at = f", called in line {called.line}" if called else ""
    return (
        f"The layer {layer.type} `{layer.name}` keeps this value in a variable of its own{at}. Carry it as a tensor "
        "(for an RNN: return_state=True, and initial_state=... in the next call), or make the layer so that it keeps "
        "none (stateful=False, training=False)."
    )
