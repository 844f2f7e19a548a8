"""A process of its own that runs sample models: jobs as JSON on stdin, gradients and loops as JSON on stdout.

Control flow v1 is a switch for a whole process, so the tf1 jobs need one to themselves: `sample_gradients.py tf1`.
"""

from __future__ import annotations

import json
import linecache
import sys
from typing import Any

import numpy as np
import tensorflow as tf

from explorer.strategies.source import load_text
from explorer.strategies.strategy import SOURCES


def build(job: dict[str, Any]) -> dict[str, Any]:
    file, text = load_text(job["strategy"], job["breaker"])
    # AutoGraph asks inspect for the source, and inspect asks linecache: it has to see the text with the breaker in it.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"__name__": "sample"}
    exec(compile(text, file, "exec"), scope)
    return scope["build"](**job["build"])


def value_of(job: dict[str, Any]) -> np.ndarray:
    dtype = job["build"].get("dtype", "float32")
    value = np.random.default_rng(1).normal(size=job["build"]["sizes"])
    return value.astype("float32" if dtype == "mixed_float16" else dtype)


def loops_in(graph: tf.Graph) -> int:
    """While ops at any depth, or frames under control flow v1."""
    definition = graph.as_graph_def()
    nodes = [*definition.node, *(node for function in definition.library.function for node in function.node_def)]
    frames = {node.attr["frame_name"].s for node in nodes if node.op == "Enter"}
    return len(frames) + sum(node.op in ("While", "StatelessWhile") for node in nodes)


def run_tape(job: dict[str, Any]) -> tuple[list[Any], int | None]:
    model = build(job)
    (shape, dtype) = model["inputs"][0]
    loops = None
    x = tf.constant(value_of(job))

    def gradients(x: tf.Tensor) -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = model["fn"](x)
        return tape.gradient(loss, [x, *model["variables"]])

    if model["mode"] in ("graph", "xla"):
        spec = tf.TensorSpec(shape, dtype)
        loops = loops_in(tf.function(model["fn"], input_signature=[spec]).get_concrete_function().graph)
        gradients = tf.function(gradients, input_signature=[spec], jit_compile=model["mode"] == "xla")
    # convert_to_tensor: a gradient may come as IndexedSlices
    return [None if each is None else tf.convert_to_tensor(each).numpy() for each in gradients(x)], loops


def run_session(job: dict[str, Any]) -> tuple[list[Any], int | None]:
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        model = build(job)
        shape, dtype = model["inputs"][0]
        x = tf.compat.v1.placeholder(dtype, shape)
        loss = model["fn"](x)
        loops = loops_in(graph)
        found = tf.gradients(loss, [x, *model["variables"]])
        session.run(tf.compat.v1.global_variables_initializer())
        present = [gradient for gradient in found if gradient is not None]
        values = iter(session.run(present, {x: value_of(job)}))
        return [None if gradient is None else next(values) for gradient in found], loops


def main() -> None:
    run = run_tape
    if sys.argv[1] == "tf1":
        tf.compat.v1.disable_v2_behavior()
        run = run_session
    for job in json.load(sys.stdin):
        gradients, loops = run(job)
        lists = [None if gradient is None else gradient.tolist() for gradient in gradients]
        further = [f"{name}_{layer}" for layer in range(2, (len(lists) - 2) // 3 + 1) for name in SOURCES[1:-1]]
        names = [*SOURCES[:-1], *further, SOURCES[-1]]
        found = {"gradients": dict(zip(names, lists, strict=True)), "loops": loops}
        sys.stdout.write(f"RESULT {json.dumps(found)}\n")


if __name__ == "__main__":
    main()
