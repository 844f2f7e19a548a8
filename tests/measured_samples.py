"""A process of its own that measures what the rows of strategies say: `measured_samples.py swap|fresh`, JSON on stdout.

Control flow v1 is a switch for a whole process, so the graphs of TF1 need one to themselves.
"""

from __future__ import annotations

import json
import runpy
import sys
from collections import Counter
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.strategies.source import sample_file

SIZES = (3, 5, 7, 10)
VALUE = np.random.default_rng(1).normal(size=SIZES).astype("float32")


def build(key: str) -> dict[str, Any]:
    return runpy.run_path(str(sample_file(key)))["build"](sizes=SIZES)


def in_session(key: str) -> dict[str, Any]:
    """Ops and gradients of a TF1 sample, and what its stacks say about swapping."""
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        model = build(key)
        shape, dtype = model["inputs"][0]
        x = tf.compat.v1.placeholder(dtype, shape)
        asked = tf.gradients(model["fn"](x), [x, *model["variables"]])
        session.run(tf.compat.v1.global_variables_initializer())
        ops = graph.get_operations()
        return {
            "ops": Counter(op.type for op in ops),
            "swaps": sorted({op.get_attr("swap_memory") for op in ops if op.type == "StackPushV2"}),
            "gradients": [gradient.tolist() for gradient in session.run(asked, {x: VALUE})],
        }


def swap() -> dict[str, Any]:
    tf.compat.v1.disable_v2_behavior()
    return {key: in_session(key) for key in ("tf1_map_fn_dynamic_rnn", "tf1_swap_memory", "tf1_static_hints")}


def taped(model: dict[str, Any], x: tf.Tensor) -> tuple[float, list[Any], list[Any]]:
    """Loss, gradients of x and the sample's variables, and those of all kernels of cells that the tape saw."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        loss = model["fn"](x)
    variables = model["variables"]
    variables = variables() if callable(variables) else variables
    kernels = [seen for seen in tape.watched_variables() if seen.shape == variables[0].shape]
    told = [None if g is None else g.numpy().tolist() for g in tape.gradient(loss, [x, *variables])]
    return float(loss), told, [g.numpy().tolist() for g in tape.gradient(loss, kernels)]


def fresh() -> dict[str, Any]:
    x = tf.constant(VALUE)
    model = build("fresh_layer_per_element")
    found: dict[str, Any] = {"shared": taped(build("python_loop_tape"), x), "fresh": taped(model, x)}
    found["second call"] = taped(model, x)
    try:
        tf.function(build("fresh_layer_per_element")["fn"])(x)
    except ValueError as error:
        found["refusal"] = str(error)
    return found


if __name__ == "__main__":
    sys.stdout.write(f"RESULT {json.dumps({'swap': swap, 'fresh': fresh}[sys.argv[1]]())}\n")
