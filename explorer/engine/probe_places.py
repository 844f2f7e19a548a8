"""Where in the nest of loops a graph is: the iterations of the loops around what is built in it."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from explorer.capture import private

_ITERATION = "_explorer_iteration"
# a call that TensorFlow wraps around control flow for the sake of persistent tapes: it is built once, where it stands
_WRAPPER = "cflow_gradient_wrapper"


def is_backward(graph: Any) -> bool:
    """Whether a graph is the body of a loop that TensorFlow made as a gradient."""
    return isinstance(graph, private.BackwardBody)


def iterations_around(graph: Any) -> tuple[list[tf.Tensor], bool]:
    """The iterations of the enclosing loops, outermost first, and whether a call hides further loops.

    A function may be called from several places, so what is outside of it is not its own.
    """
    found: list[tf.Tensor] = []
    here = graph
    while isinstance(graph, private.FuncGraph):
        if isinstance(graph, private.WhileBody):
            found.append(_iteration(graph))
        elif isinstance(graph, private.WhileCond):
            found.append(graph.inputs[0])
        elif not isinstance(graph, private.ControlFlowGraph) and _WRAPPER not in graph.name:
            return [_brought(each, here) for each in found[::-1]], _is_in_loop(graph.outer_graph)
        graph = graph.outer_graph
    return [_brought(each, here) for each in found[::-1]], False


def _brought(tensor: tf.Tensor, graph: Any) -> tf.Tensor:
    """A tensor of an enclosing graph, captured by every graph in between.

    The gradient of a cond accepts captures of the graph right around it only (cond_v2._resolve_grad_inputs in 2.21).
    """
    if graph is tensor.graph:
        return tensor
    brought: tf.Tensor = graph.capture(_brought(tensor, graph.outer_graph))
    return brought


def _is_in_loop(graph: Any) -> bool:
    while isinstance(graph, private.FuncGraph):
        if isinstance(graph, (private.WhileBody, private.WhileCond)):
            return True
        graph = graph.outer_graph
    return False


def _iteration(body: Any) -> tf.Tensor:
    """The iteration of the forward loop that one run of a body belongs to."""
    if not hasattr(body, _ITERATION):
        count = body.inputs[0]
        if _turned(body):  # a backward loop counts from the end; its third variable is the number of trips
            with body.as_default(), tf.control_dependencies(None), private.unheard():
                count = body.inputs[2] - 1 - body.inputs[0]
        setattr(body, _ITERATION, count)
    found: tf.Tensor = getattr(body, _ITERATION)
    return found


def _turned(body: Any) -> bool:
    """Whether a body runs against the order of the forward loop; the gradient of a gradient does not."""
    turned = False
    while is_backward(body):
        body, turned = body._forward_graph, not turned
    return turned
