"""A ``model.keras``: its output, or its training loss, as the program. Keras loads it in safe mode."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from explorer.engine.archive import opened
from explorer.engine.own_signature import inputs_of, packed, structures_of
from explorer.engine.program import Program, chosen_inputs
from explorer.engine.unreadable import refusing
from explorer.model.case import BadInput, Case

LIMITS = ("A .keras file holds no lines of yours: loops and ops are told by the layers that make them.",)


def load_keras(case: Case, path: str) -> Program:
    """The model as a function of its inputs; ``--loss NAME`` of a Keras loss: that loss against a drawn target."""
    import keras  # with the first model, not with the first page

    name = os.path.basename(path)
    with opened(path) as archive:
        if "config.json" not in archive.namelist():
            raise BadInput(f"{name} is a zip archive without a Keras model: there is no config.json in it.")
    with refusing(path, "Keras model"):
        model = keras.saving.load_model(path, compile=False, safe_mode=True)
    structures = structures_of(model)
    if structures is None:
        raise BadInput(
            f"{name} does not tell its inputs: build the model before it is saved, as in model.build(shape)."
        )
    inputs = chosen_inputs(case, inputs_of(structures), name)
    fn = packed(model, structures)
    loss = _loss(keras, case.loss)
    if loss is not None:
        fn = _trained(fn, loss, str(case.loss), case.seed)
    return Program(fn, inputs, (None,) * len(inputs), list(model.variables), False, limits=LIMITS)


def _loss(keras: Any, name: str | None) -> Callable[..., Any] | None:
    """The loss function of that name; None where the name means one of the model's outputs."""
    if name is None or name.isdecimal():
        return None
    try:
        return keras.losses.get(name)
    except ValueError:
        return None


def _trained(fn: Callable[..., Any], loss: Callable[..., Any], name: str, seed: int) -> Callable[..., Any]:
    """The mean loss against a target that is drawn by the seed: numbers in [0, 1), or classes."""

    def training_loss(*tensors: Any) -> dict[str, Any]:
        output = fn(*tensors)
        if not tf.is_tensor(output):
            raise BadInput(f"The loss {name} needs one output, and the model has several: leave --loss out.")
        shape = tf.shape(output)
        if name.lower().startswith("sparse"):
            target = tf.random.stateless_uniform(shape[:-1], [seed, 0], maxval=output.shape[-1], dtype=tf.int32)
        else:
            target = tf.random.stateless_uniform(shape, [seed, 0], dtype=output.dtype)
        return {name: tf.reduce_mean(loss(target, output))}

    return training_loss
