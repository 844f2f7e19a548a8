"""What TensorFlow itself says of the corpus: plain tapes and sessions, nothing of the explorer.

``python corpus_truth.py`` reads ``[[file, way], ...]`` as JSON and prints one ``RESULT {...}`` line for each pair.
The ways of one process are either all ``tf1`` or none, because control flow v1 is a switch for the whole process.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from contextlib import nullcontext

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def main():
    wanted = json.load(sys.stdin)
    if any(way == "tf1" for _, way in wanted):
        v1.disable_v2_behavior()
    for file, way in wanted:
        print("RESULT", json.dumps({"file": file, "way": way, **answer(file, way)}), flush=True)  # noqa: T201


def answer(file, way):
    """``gradients``: one [state, norm] per source, inputs first; or ``raised``: the error's type."""
    try:
        np.random.seed(0)
        v1.set_random_seed(0) if way == "tf1" else tf.random.set_seed(0)
        run = {"eager": eager, "graph": in_function, "xla": in_xla, "tf1": in_session}[way]
        with tf.Graph().as_default() if way == "tf1" else nullcontext():
            return {"gradients": [state(g) for g in run(load(file))]}
    except Exception as error:  # noqa: BLE001 - what a case raises is an answer
        return {"raised": type(error).__name__, "message": str(error)[-600:]}


def load(file):
    spec = importlib.util.spec_from_file_location("corpus_case", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["corpus_case"] = module
    spec.loader.exec_module(module)
    return module.build()


def eager(model):
    inputs = [tf.constant(a) for a in arrays(model)]
    with tf.GradientTape() as tape:
        watch(tape, inputs)
        loss = losses(model["fn"](*inputs))
    return ask(tape.gradient, loss, inputs, variables(model))


def in_xla(model):
    return in_function(model, True)


def in_function(model, jit=None):
    inputs, told = [tf.constant(a) for a in arrays(model)], []
    if callable(model.get("variables")) and model.get("prebuild", True):
        model["fn"](*inputs)

    @tf.function(input_signature=[tf.TensorSpec(*spec) for spec in model["inputs"]], jit_compile=jit)
    def step(*inputs):
        with tf.GradientTape() as tape:
            watch(tape, inputs)
            loss = losses(model["fn"](*inputs))
        gradients = ask(tape.gradient, loss, inputs, variables(model))
        told[:] = [g if isinstance(g, str) or g is None else "" for g in gradients]
        return [g for g in gradients if tf.is_tensor(g) or isinstance(g, tf.IndexedSlices)]

    found = iter(step(*inputs))
    return [next(found) if g == "" else g for g in told]


def in_session(model):
    given = arrays(model)
    inputs = [v1.placeholder(dtype, shape) for shape, dtype in model["inputs"]]
    loss = losses(model["fn"](*inputs))
    gradients = ask(v1.gradients, loss, inputs, variables(model))
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        live = [g for g in gradients if g is not None and not isinstance(g, str)]
        found = iter(session.run(live, dict(zip(inputs, given, strict=True))))
    return [g if g is None or isinstance(g, str) else next(found) for g in gradients]


def ask(gradient, loss, inputs, owned):
    """The gradients of the float inputs and of all variables; a word for inputs that nobody can ask about."""
    asked = [x for x in inputs if is_float(x)] + owned
    found = iter(gradient(loss, asked))
    return [next(found) if is_float(x) else "unobserved" for x in inputs] + list(found)


def watch(tape, inputs):
    for x in inputs:
        if is_float(x):
            tape.watch(x)


def is_float(x):
    return x.dtype.is_floating or x.dtype.is_complex


def losses(output):
    tensors = [tf.convert_to_tensor(o) for o in tf.nest.flatten(output)]
    return [t for t in tensors if is_float(t)] or tensors[:1]


def variables(model):
    given = model["variables"]
    given = given() if callable(given) else given
    return [v.value if type(v).__module__.startswith("keras") else v for v in given]


def arrays(model):
    """The case's own values, else standard normal ones (0, 1 or 2 for integers) from a fixed seed."""
    random, found = np.random.RandomState(0), []
    values = model.get("values") or [None] * len(model["inputs"])
    for (_, dtype), size, value in zip(model["inputs"], model["concrete_shapes"], values, strict=True):
        integer = tf.as_dtype(dtype).is_integer
        if value is None:
            value = random.randint(0, 3, size=size) if integer else random.randn(*size)
        found.append(np.asarray(value).astype(object if dtype == "string" else tf.as_dtype(dtype).as_numpy_dtype))
    return found


def state(gradient):
    if gradient is None or isinstance(gradient, str):
        return [gradient or "none", None]
    if hasattr(gradient, "indices"):
        dense = np.zeros([int(n) for n in np.asarray(gradient.dense_shape)], np.asarray(gradient.values).dtype)
        np.add.at(dense, np.asarray(gradient.indices), np.asarray(gradient.values))
        gradient = dense
    found = np.abs(np.asarray(gradient).astype(np.complex128))
    if np.isnan(found).any():
        return ["nan", None]
    if np.isinf(found).any():
        return ["inf", None]
    return ["finite" if found.any() else "zero", float(np.sqrt((found**2).sum()))]


if __name__ == "__main__":
    main()
