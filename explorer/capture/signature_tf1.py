"""Local signatures in TF1 graphs: the rule is asked on a copy imported into a plain ``tf.Graph``.

Inside a FuncGraph TensorArrays would be version 2 and their TF1 rules fail; custom gradients close over tensors of
the original graph, so they are asked the other way.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from explorer.capture import private
from explorer.capture.signature import answered, ask_in_scratch, incoming_gradient, registered_rule
from explorer.model.graph import Signature

v1 = tf.compat.v1


def ask_in_copy(op: tf.Operation) -> Signature:
    """Ask the registered rule of a copy of ``op`` in a graph of its own."""
    if private.registered_gradient(op) is not None:
        return ask_in_scratch(op)
    _, known = registered_rule(op)
    if known is not None:
        return known
    try:
        with tf.Graph().as_default():
            v1.import_graph_def(_alone(op), name="")
            copy = v1.get_default_graph().get_operation_by_name("op")
            for original, copied in zip((*op.inputs, *op.outputs), (*copy.inputs, *copy.outputs), strict=True):
                if original.dtype in (tf.resource, tf.variant):
                    private.copy_handle_data(original, copied)
            rule, _ = registered_rule(copy)
            with tf.name_scope("gradients"):  # TensorArrayV3's rule reads the scope name
                incoming = [incoming_gradient(t) for t in copy.outputs]
                returned = rule(copy, *incoming)
            return answered(op.type, returned, incoming)
    except Exception:  # noqa: BLE001 - not importable alone (functions, custom gradients): ask in place
        return ask_in_scratch(op)


def _alone(op: tf.Operation) -> Any:
    """A GraphDef with the op named ``op`` and a placeholder (a variable for references) per input."""
    graph = v1.GraphDef()
    node = v1.NodeDef()
    node.CopyFrom(op.node_def)
    node.name, node.device = "op", ""
    del node.input[:]
    for name in list(node.attr):
        if name.startswith("_") and name != "_gradient_op_type":
            del node.attr[name]
    for k, tensor in enumerate(op.inputs):
        given = graph.node.add()
        given.name = f"p{k}"
        if tensor.dtype._is_ref_dtype:
            given.op = "VariableV2"
            given.attr["dtype"].type = tensor.dtype.base_dtype.as_datatype_enum
            given.attr["shape"].shape.unknown_rank = True
        else:
            given.op = "Placeholder"
            given.attr["dtype"].type = tensor.dtype.as_datatype_enum
            given.attr["shape"].shape.CopyFrom(tensor.shape.as_proto())
        node.input.append(f"p{k}:0")
    graph.node.append(node)
    return graph
