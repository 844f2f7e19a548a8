"""Every private TensorFlow name the explorer uses, in one place, so that an upgrade breaks here and nowhere else.

Checked against TensorFlow 2.21 (``CHECKED_AGAINST``); ``tests/test_private_names.py`` names the version again and calls
what is imported here.
"""

# ruff: noqa: F401 - this module exists to hand names on
import contextlib
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from tensorflow.python.autograph.core import ag_ctx
from tensorflow.python.autograph.impl import api as autograph
from tensorflow.python.autograph.pyct import inspect_utils, origin_info
from tensorflow.python.eager import backprop_util
from tensorflow.python.framework import dtypes, func_graph, ops
from tensorflow.python.ops import (
    control_flow_ops,
    control_flow_util_v2,
    default_gradient,
    gradients_util,
    handle_data_util,
    resource_variable_ops,
    while_v2,
)
from tensorflow.python.ops.parallel_for import control_flow_ops as pfor
from tensorflow.python.util import nest

CHECKED_AGAINST = "2.21"

FuncGraph: TypeAlias = func_graph.FuncGraph
EagerTensor = ops.EagerTensor
is_trainable = backprop_util.IsTrainable
gradient_function_of = ops.get_gradient_function
supports_default_grad = default_gradient.supports_default_grad
copy_handle_data = handle_data_util.copy_handle_data
get_resource_handle_data = handle_data_util.get_resource_handle_data
func_graph_of = control_flow_util_v2.get_func_graph
WhileContext = control_flow_ops.WhileContext
CondContext = control_flow_ops.CondContext
BaseResourceVariable = resource_variable_ops.BaseResourceVariable
UnreadVariable = resource_variable_ops._UnreadVariable


def element_dtype(tensor: object) -> dtypes.DType | None:
    """The dtype of the value behind a resource or variant handle, None where the handle data is missing."""
    data = (
        getattr(tensor, "_handle_data", None)
        if isinstance(tensor, EagerTensor)
        else handle_data_util.get_resource_handle_data(tensor)
    )
    if data is None or not data.is_set or not data.shape_and_type:
        return None
    return dtypes.as_dtype(data.shape_and_type[0].dtype)


def control_flow_context(op: ops.Operation) -> Any:
    """The TF1 control flow context (WhileContext, CondContext) an op was built in."""
    return op._get_control_flow_context()


def pinned_graph(op: ops.Operation, attribute: str) -> FuncGraph | None:
    """``_body_graph``, ``_cond_graph``, ``_true_graph``, ... that TensorFlow keeps on the op it built."""
    return getattr(op, attribute, None)


def function_graph(op: ops.Operation, name: str) -> FuncGraph | None:
    """The graph of a called function, looked up from the op's graph outwards; None for a function unknown here."""
    graph = op.graph
    while graph is not None:
        function = graph._get_function(name)
        if function is not None:
            found = getattr(function, "graph", None)
            if found is not None:
                return found
            return control_flow_util_v2.get_func_graph(op, [t.shape for t in op.inputs], name)
        graph = getattr(graph, "outer_graph", None)
    return None


def registered_gradient(op: ops.Operation) -> object | None:
    """The op's own gradient function (custom gradients set one), None for the registry's."""
    return op._gradient_function


def user_frames(op: ops.Operation) -> list:
    """Frames outside TensorFlow, outermost first, AutoGraph lines mapped back; fast (about 12 us an op)."""
    traceback = op.traceback
    return list(traceback.get_user_frames()) if traceback is not None else []


def all_frames(op: ops.Operation) -> list:
    """All frames of the op's creation, outermost first; slow (about 170 us an op)."""
    return list(op.traceback or ())


def autograph_convert(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` as ``tf.function`` would convert it, calls into the user's code included."""
    enabled = ag_ctx.ControlStatusCtx(status=ag_ctx.Status.ENABLED)
    return autograph.tf_convert(function, enabled, convert_by_default=True, user_requested=True)


def before_conversion(filename: str, line: int) -> tuple[str, int, str] | None:
    """The file, line and function that a line of AutoGraph's generated code was written from."""
    for factories in autograph._TRANSPILER._cache._cache.values():
        for factory in factories.values():
            if getattr(factory.module, "__file__", "") == filename:
                found = factory.source_map.get(origin_info.LineLocation(filename, line))
                return (found.loc.filename, found.loc.lineno, found.function_name) if found is not None else None
    return None


def autograph_operators() -> Any:
    """What converted code knows as ``ag__``."""
    return autograph._TRANSPILER.get_extra_locals()["ag__"]


def own_gradient(op: ops.Operation) -> Callable[..., Any] | None:
    """The function that gives an op's gradient, None where none is registered."""
    try:
        return ops.get_gradient_function(op)
    except LookupError:
        return None


def is_keras_variable(value: object) -> bool:
    """Whether it is a variable of Keras 3 or of the legacy Keras, which hold a variable of TensorFlow's."""
    return isinstance(getattr(value, "_value", None), resource_variable_ops.BaseResourceVariable)


def gradient_closure(op: ops.Operation) -> list[tuple[str, list[object]]]:
    """The functions behind an op's own gradient, outermost first: ``(qualified name, closed-over values)`` each."""
    found: list[tuple[str, list[object]]] = []
    try:
        waiting = [ops.get_gradient_function(op)]
    except LookupError:
        return found
    while waiting and len(found) < 20:
        function = waiting.pop(0)
        cells = [c.cell_contents for c in getattr(function, "__closure__", None) or () if _filled(c)]
        found.append((getattr(function, "__qualname__", ""), cells))
        waiting += [v for v in cells if isinstance(v, types.FunctionType)]
    return found


def _filled(cell: types.CellType) -> bool:
    return cell != types.CellType()


# eager recording
from tensorflow.python import pywrap_tfe  # noqa: E402 - its TFE_Py_FastPathExecute is made to fall back to Python
from tensorflow.python.autograph.operators import control_flow as autograph_loops  # noqa: E402 - Python loops converted
from tensorflow.python.eager import backprop, context, core, record  # noqa: E402 - _MockOp; _FallbackException; the tape
from tensorflow.python.eager.polymorphic_function import (  # noqa: E402 - calls of tf.function, whole and as one op
    atomic_function,
    concrete_function,
)
from tensorflow.python.framework import op_callbacks  # noqa: E402 - told of every eager op
from tensorflow.python.ops import script_ops  # noqa: E402 - numpy_function runs no op in eager mode
from tensorflow.python.ops import while_loop as while_loop_module  # noqa: E402 - tf.while_loop run eagerly

EagerTensorBase = ops._EagerTensorBase  # its _numpy is behind .numpy(), bool(), float(), np.asarray()
FallbackException = core._FallbackException


class PretendedOp(backprop._MockOp):
    """What a gradient rule is given in eager mode; asked for its rule like a graph's op."""

    _gradient_function = None

    def get_attr(self, attr: str) -> object:
        """As an Operation: an attribute that is not there is a ValueError."""
        if attr == "_gradient_op_type":
            raise ValueError(attr)
        return super().get_attr(attr)


def executing_eagerly() -> bool:
    """Whether ops run at once here and now."""
    return bool(context.executing_eagerly())


def keep_edited_sources() -> None:
    """Let AutoGraph read sources from linecache as they stand there.

    It refreshes the entry from the disk before each conversion ("functools.wraps" corruption, TensorFlow 2.21), which
    would bring back the text without the breaker.
    """
    inspect_utils._fix_linecache_record = lambda _: None


# watching iterations
from tensorflow.python.autograph.core import converter as autograph_converter  # noqa: E402 - a call traced in place
from tensorflow.python.eager.polymorphic_function import polymorphic_function  # noqa: E402 - tf.function's objects
from tensorflow.python.ops import (  # noqa: E402 - bodies of While and If, lists inside a loop
    control_flow_util,
    control_flow_v2_func_graphs,
    list_ops,
)

WhileBody = control_flow_v2_func_graphs.WhileBodyFuncGraph
WhileCond = control_flow_v2_func_graphs.WhileCondFuncGraph
ControlFlowGraph = control_flow_v2_func_graphs.ControlFlowFuncGraph
BackwardBody = while_v2._WhileBodyGradFuncGraph
under_xla = control_flow_util.GraphOrParentsInXlaContext
without_control_inputs = control_flow_util_v2.clear_control_inputs
empty_list = list_ops.empty_tensor_list
push_back = list_ops.tensor_list_push_back
stack_list = list_ops.tensor_list_stack


def gradients_or_none(ys: Any, xs: Any, grad_ys: Any, graph: FuncGraph) -> list[Any]:
    """The gradients of ``ys``, tensors of ``graph``, built in the current graph; None where no path leads."""
    return gradients_util._GradientsHelper(
        ys, xs, grad_ys=grad_ys, src_graph=graph, unconnected_gradients="none"
    )  # fmt: skip


def zeros_for(tensor: Any) -> Any:
    """What TensorFlow puts in the place of a gradient that is None inside a loop's body."""
    return gradients_util._ZerosLike(tensor)


def ties_by_itself(graph: Any) -> bool:
    """Whether a graph runs its stateful ops without being asked (automatic control dependencies)."""
    return bool(getattr(graph, "_add_control_dependencies", False))


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """While active, op callbacks are not told of the ops that are made."""
    here = context.context()
    before, here.invoking_op_callbacks = here.invoking_op_callbacks, True
    try:
        yield
    finally:
        here.invoking_op_callbacks = before


def traced_in_place(function: Any, arguments: Any, named: Any) -> Any:
    """The result of a tf.function's Python code, traced into the current graph."""
    if not function._autograph:
        return function._python_function(*arguments, **named)
    options = autograph_converter.ConversionOptions(recursive=True, user_requested=True)
    return autograph.converted_call(function._python_function, arguments, named, options=options)


def set_gradient(op: ops.Operation, rule: Callable[..., Any]) -> None:
    """Give an op a gradient function of its own."""
    op._gradient_function = rule


def rebuilt_while_context(name: str, outer: Any, members: dict[str, Any]) -> Any:
    """The context of a TF1 loop that was imported without one, with which it can be differentiated.

    ``members``: the WhileContext's own attributes, without their underscore.
    """
    found = WhileContext(parallel_iterations=members.pop("parallel_iterations"), name="explorer_rebuilt")
    found._name, found._outer_context = name, outer  # gradients enter the frame by this name
    for attribute, value in members.items():
        setattr(found, f"_{attribute}", value)
    return found


def put_into_context(op: ops.Operation, context_of_loop: Any) -> None:
    """Say in which TF1 loop an op is."""
    op._set_control_flow_context(context_of_loop)


def pin_graph(op: ops.Operation, attribute: str, graph: FuncGraph) -> None:
    """Keep a body that was rebuilt from the function library on its op, where TensorFlow looks for it first."""
    setattr(op, attribute, graph)
