"""Local signatures in TF1 graphs: TensorArrays and reference variables are asked on a copy in a plain ``tf.Graph``.

Inside a FuncGraph TensorArrays would be version 2 and their TF1 rules fail; custom gradients close over tensors of
the original graph, so they, and everything else, are asked in a scratch graph below it.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from explorer.capture import private
from explorer.capture.signature import answered, ask_in_scratch, incoming_gradient, registered_rule
from explorer.model.graph import Signature

v1 = tf.compat.v1


def ask_in_copy(op: tf.Operation) -> Signature:
    """Ask the registered rule where it can be asked cheaply; of a copy of ``op`` where only that works."""
    needs_copy = op.type.startswith("TensorArray") or any(t.dtype._is_ref_dtype for t in op.inputs)
    if private.registered_gradient(op) is not None or not needs_copy:
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
