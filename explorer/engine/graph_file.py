"""A frozen ``graph.pb`` or ``graph.pbtxt``: parsed, imported into a TF1 graph, its placeholders the inputs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf
from google.protobuf import message, text_format

from explorer.capture import private
from explorer.capture.frame_contexts import has_conditional_in_loop, rebuild_contexts
from explorer.engine.own_signature import dims_of
from explorer.engine.program import Program, chosen_inputs
from explorer.engine.unreadable import check_size, refusing
from explorer.model.case import BadInput, Case, InputSpec
from explorer.rules.ops import FRAME_OPS
from explorer.rules.sentence import listed

v1 = tf.compat.v1
LIMITS = (
    "A GraphDef holds no Python code: loops and ops are told by their name scopes, not by lines.",
    "How often its loops run is unobserved where the graph does not tell: they were built before they were loaded.",
)
_VARIABLES = frozenset({"Variable", "VariableV2", "VarHandleOp"})
_CONDITIONAL = "Its gradient is unobserved: a GraphDef does not hold what TensorFlow needs to differentiate a TF1 cond "


def load_graph(case: Case, path: str) -> Program:
    """The program that imports the graph anew each time it is called."""
    name = os.path.basename(path)
    if case.way not in (None, "tf1"):
        raise BadInput(f"{name} is a graph, which runs in a TF1 session only: leave --way {case.way} out.")
    definition = _read(path)
    _refuse(definition, name)
    with refusing(path, "graph"), tf.Graph().as_default() as graph:
        v1.import_graph_def(definition, name="")
        rebuild_contexts(graph)
    own = [_input(op) for op in graph.get_operations() if op.type == "Placeholder"]
    inputs = chosen_inputs(case, own, name)
    loss = _loss(graph, case.loss, name)
    unmeasured = _CONDITIONAL + "inside a TF1 loop." if has_conditional_in_loop(graph) else ""

    def fn(*tensors: Any) -> Mapping[str, Any]:
        fed = {f"{spec.name}:0": tensor for spec, tensor in zip(inputs, tensors, strict=True)}
        found = v1.import_graph_def(definition, input_map=fed, return_elements=[loss], name="")
        rebuild_contexts(v1.get_default_graph())
        return {case.loss or loss: found[0]}

    return Program(fn, inputs, (None,) * len(inputs), [], False, limits=LIMITS, unmeasured=unmeasured)


def _read(path: str) -> Any:
    check_size(path)
    definition = v1.GraphDef()
    try:
        with open(path, "rb") as opened:
            data = opened.read()
        if path.lower().endswith(".pbtxt"):
            text_format.Parse(data.decode("utf-8"), definition)
        else:
            definition.ParseFromString(data)
    except (message.DecodeError, text_format.ParseError, UnicodeDecodeError):
        raise BadInput(
            f"{os.path.basename(path)} is no GraphDef, or was cut off: write it with tf.io.write_graph."
        ) from None
    if not definition.node:
        raise BadInput(f"{os.path.basename(path)} holds no op: give a GraphDef, as tf.io.write_graph writes it.")
    return definition


def _refuse(definition: Any, name: str) -> None:
    held = [node.name for node in definition.node if node.op in _VARIABLES]
    if held:
        raise BadInput(
            f"{name} has variables ({listed(held)}) without their values: freeze it (convert_variables_to_constants), "
            "or give the SavedModel."
        )
    calls = {
        function.signature.name: {
            attribute.func.name for node in function.node_def for attribute in node.attr.values() if attribute.func.name
        }
        for function in definition.library.function
    }
    circle = _circle(calls)
    if circle:
        raise BadInput(f"{name} holds a function that calls itself ({listed(circle)}): TensorFlow has no recursion.")


def _circle(calls: Mapping[str, set[str]]) -> list[str]:
    """The functions that reach themselves."""
    reached = {name: set(called) for name, called in calls.items()}
    for name in reached:
        waiting = list(reached[name])
        while waiting:
            more = calls.get(waiting.pop(), set()) - reached[name]
            reached[name] |= more
            waiting.extend(more)
    return sorted(name for name in reached if name in reached[name])


def _input(op: Any) -> InputSpec:
    return InputSpec(op.name, dims_of(op.outputs[0].shape), op.outputs[0].dtype.base_dtype.name)


def _loss(graph: tf.Graph, wanted: str | None, name: str) -> str:
    """The tensor to differentiate: by name, or the only float that nothing reads."""
    ends = [
        tensor.name
        for op in graph.get_operations()
        for tensor in op.outputs
        if tensor.dtype.base_dtype.is_floating and not tensor.consumers() and _may_end(op)
    ]
    if wanted is not None:
        return _named(graph, wanted, ends, name)
    if len(ends) == 1:
        return ends[0]
    told = f" with one of {listed(_short(ends))}" if ends else ""
    raise BadInput(f"{name} has {len(ends)} ends that could be the loss: write --loss NAME{told}.")


def _may_end(op: tf.Operation) -> bool:
    """Results of a loop or a cond that nobody reads are no loss; neither are constants."""
    inside = private.control_flow_context(op) is not None
    return not inside and op.type not in FRAME_OPS and op.type not in ("Const", "Placeholder")


def _named(graph: tf.Graph, wanted: str, ends: Sequence[str], name: str) -> str:
    try:
        return str(graph.get_tensor_by_name(wanted if ":" in wanted else f"{wanted}:0").name)
    except (KeyError, ValueError):
        raise BadInput(f"{name} has no op {wanted!r} for --loss: its ends are {listed(_short(ends))}.") from None


def _short(names: Sequence[str]) -> list[str]:
    return [name.removesuffix(":0") for name in names]
