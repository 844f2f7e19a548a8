"""What TensorFlow's misleading error messages mean, one row each: the message, what it says in plain words, a remedy.

Checked against TensorFlow 2.21.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Meaning:
    """One row: ``pattern`` is searched in the message, ``hint`` says what it means and what to write instead.

    ``risk`` is the cause of the ``Risk`` that knows the line to blame, where there is one. ``sharper`` is the cause of
    a ``Risk`` that says more where the message names its op: its sentence stands for the hint.
    """

    pattern: str
    hint: str
    risk: str = ""
    sharper: str = ""


_ROWS = (
    Meaning(
        r"XLA compilation requires a fixed tensor list size",
        "XLA must know how many values the backward pass stores, also where the program has no TensorArray: give "
        "every loop maximum_iterations as a Python int and every dimension a size, or drop jit_compile=True.",
        "xla_unbounded_loop",
    ),
    Meaning(
        r"must be a compile-time constant",
        "XLA needs this shape while compiling: give the dimension a size, or drop jit_compile=True.",
        "xla_unbounded_loop",
        "xla_call_in_loop",
    ),
    Meaning(
        r"TensorList.*(not supported|No known|unimplemented).*XLA|XLA_CPU_JIT|not compilable|Unsupported op.*XLA",
        "XLA has no version of this op: run it without jit_compile=True.",
        "xla_unbounded_loop",
    ),
    Meaning(
        r"Second-order gradient for while loops not supported",
        "A TF1 while loop (control flow v1) cannot be differentiated twice: call "
        "tf.compat.v1.enable_control_flow_v2() before building the graph, or use TF2 loops.",
    ),
    Meaning(
        r"No gradient defined for operation|gradient registry has no entry",
        "No gradient is registered for this op: wrap it in a function with @tf.custom_gradient, or use an op that"
        " has one.",
    ),
    Meaning(
        r"Cannot convert a partially known TensorShape",
        "vectorized_map over a loop with open dimensions: the gradient needs static shapes. Give every dimension "
        "a size, use tf.map_fn, or fold the outer dimension into the batch.",
        "vectorized_loop",
    ),
    Meaning(
        r"(?s)parallel_for.pfor\.py.*Shapes must be equal rank",
        "tf.vectorized_map gives a value that depends on the element one dimension more. A loop variable depends on it "
        "before the loop and no more after an iteration: compute the new value from the old one, or use tf.map_fn.",
    ),
    Meaning(
        r"(?s)(pfor.*Attempting to slice scalar input|Attempting to slice scalar input.*pfor)",
        "tf.vectorized_map cannot assign to a variable once per element: return the value from the mapped function, or "
        "use tf.map_fn.",
    ),
    Meaning(
        r"Shape \[\?(,\?){200}",
        "tf.vectorized_map over a loop gave a loop variable one dimension more in each attempt to fit it, up to "
        "TensorFlow's limit: a loop variable that does not depend on the element before an iteration does after it, or "
        "the other way round. Compute the new value from the old one, or use tf.map_fn.",
    ),
    Meaning(
        r"Shape of resource .* cannot be changed after initialization",
        "Under XLA a variable keeps the shape it was made with, also where tf.Variable was given shape=None: make it "
        "with the shape of what is assigned, or drop jit_compile=True.",
    ),
    Meaning(
        r"Cannot infer argument `?num`? from shape",
        "tf.unstack, or a Python loop over a tensor, must know while tracing how many elements there are: give the "
        "dimension a size, write num=..., or walk over it with tf.range, tf.map_fn or tf.while_loop.",
    ),
    Meaning(
        r"Tensor\.graph is undefined when eager execution is enabled",
        "A function under @tf.custom_gradient reads a variable inside tf.cond: pass the variable's value in as an"
        " argument (read it outside the branch).",
        "own_gradient_in_branch",
        "own_gradient_in_branch",
    ),
    Meaning(
        r"is in list of internal_captures but not in internal_capture_to_output",
        "tf.recompute_grad, or an own gradient function, inside a loop body captures a variable from outside: pass "
        "the variable's value as an argument, or apply tf.recompute_grad to the whole loop.",
        "recompute_in_loop",
        "own_gradient_in_loop",
    ),
    Meaning(
        r"is out of scope and cannot be used here|is not accessible from here|InaccessibleTensorError",
        "A tensor made inside the loop was kept in a Python list or attribute: make it a loop variable, or "
        "collect values with tf.TensorArray (ta = ta.write(i, value), ta.stack() after the loop).",
    ),
    Meaning(
        r"Retval\[\d+\] does not have value",
        "TF1 control flow: an op with the same tensor on both sides, such as x + x, leaves a constant gradient "
        "inside the loop. Write 2 * x, or call tf.compat.v1.enable_control_flow_v2().",
        "same_tensor_twice",
    ),
    Meaning(
        r"Could not (write|read).*TensorArray index \d+ because|has already been (written|read)",
        "A TF1 TensorArray may be written once and, unless clear_after_read=False, read once per index: write "
        "each index once, and use tf.GradientTape.jacobian instead of gradients inside the loop.",
    ),
    Meaning(
        r"grad_fn must accept keyword argument 'variables'",
        "The function under @tf.custom_gradient reads a tf.Variable: write def grad(dy, variables=None) and "
        "return (input gradients, variable gradients).",
    ),
    Meaning(
        r"TensorArray has size zero|element shape .* is not fully defined|zero-length|TensorArrayUnstack",
        "The loop runs over a sequence of length 0 and the element shape is not known: give the dimension a size,"
        " or guard the loop with tf.cond(length > 0, ...).",
    ),
    Meaning(
        r"'NoneType' object cannot be interpreted as an integer",
        "A Python loop over range() is written out while tracing, and the length of this dimension is not known then: "
        "give the dimension a size, or loop over tf.range(tf.shape(x)[axis]).",
    ),
    Meaning(
        r"Cannot unroll a RNN if the time dimension is undefined",
        "unroll=True writes the steps of time out while tracing, so their number must be known: give time a size, or "
        "leave unroll=True out.",
    ),
    Meaning(
        r"Argument `size` must be provided if argument `flow` is not provided",
        "The size of a TensorArray was read off x.shape, where an open dimension is None: give the dimension a size, "
        "or read it with tf.shape(x).",
    ),
    Meaning(
        r"called with None as one of the|None values not supported|NoneType",
        "One of the gradients is None and was used as a tensor: check for None, or pass "
        "unconnected_gradients=tf.UnconnectedGradients.ZERO.",
    ),
    Meaning(
        r"No gradients provided for any variable",
        "No variable is connected to the loss: the loss was computed outside the tape, or its path is cut. "
        "Explore the loss function itself to see where.",
    ),
    Meaning(
        r"non-persistent GradientTape can only be used to compute one set of gradients",
        "The tape was asked twice: use tf.GradientTape(persistent=True), or ask for all gradients at once.",
    ),
    Meaning(
        r"has no attribute 'numpy'|[Cc]annot convert a symbolic (tf\.)?Tensor|convert a symbolic .*to a numpy array",
        "While a graph is traced a tensor has no value that NumPy or Python could read: write this with tf operations. "
        "Run eagerly it would work, and the gradient would end there all the same.",
    ),
    Meaning(
        r"(Using a symbolic|not allowed: AutoGraph did convert|OperatorNotAllowedInGraphError|bool.*not allowed)",
        "Python control flow on a tensor in a graph: let AutoGraph convert the function (tf.function does), or "
        "use tf.cond and tf.while_loop.",
    ),
    Meaning(
        r"Mismatched parent frames|parent frame",
        "TF1 control flow: a value of one loop was used in the gradient of another. Call "
        "tf.compat.v1.enable_control_flow_v2() before building the graph.",
    ),
    Meaning(
        r"tf\.function-decorated function tried to create variables on non-first call|only.*singleton tf\.Variable",
        "A layer or variable is made inside the function, afresh on each call, so none of them is ever trained: "
        "make it once, outside.",
    ),
    Meaning(
        r"while_loop.*shape invariant|has shape .* after one iteration|changes shape",
        "A loop variable changes its static shape from one iteration to the next: give shape_invariants with None"
        " for that dimension.",
    ),
    Meaning(
        r"PREVENT_GRADIENT|Trying to differentiate.*PreventGradient|PreventGradient",
        "The op is wrapped in tf.raw_ops.PreventGradient, which raises when a gradient arrives.",
    ),
    Meaning(
        r"KeyError: b?'pyfunc_|pyfunc_\d+",
        "tf.py_function inside a graph loop loses the tape of its forward pass: write the computation with tf "
        "operations.",
        "left_tensorflow",
    ),
    Meaning(
        r"of type AddN must have the same size and shape|shape of dy was \[.*\] instead of",
        "Two gradients of one tensor came back with different shapes. In a graph loop a tf.py_function whose body "
        "leaves TensorFlow does that: write the computation with tf operations.",
        "left_tensorflow",
    ),
    Meaning(
        r"rnn_cell.*(tf_keras|legacy)|module .* has no attribute 'rnn_cell'|keras\.__internal__",
        "tf.compat.v1.nn.rnn_cell needs the tf_keras package and TF_USE_LEGACY_KERAS=1 set before TensorFlow is "
        "imported.",
    ),
)


def meaning(text: str) -> Meaning | None:
    """The row whose pattern is found in an error's text."""
    return next((row for row in _ROWS if re.search(row.pattern, text)), None)
