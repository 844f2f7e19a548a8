"""Which op types are not worth a card: rows, grouped by the reason."""

from __future__ import annotations

from explorer.rules.ops import BRANCHING, CALL, FRAME_OPS, SHAPE_ONLY, WHILE

FRAMES = FRAME_OPS
"""Control flow of version 1: followed, never drawn."""

STRUCTURE = WHILE | BRANCHING | CALL
"""Ops that run function bodies: the bodies are drawn instead."""

SHAPES = SHAPE_ONLY | frozenset(
    "Size VariableShape TensorListLength TensorListElementShape TensorArraySizeV3 BroadcastGradientArgs "
    "TensorListReserve EmptyTensorList Range LinSpace".split()
)
"""Only the shape of the input matters: data ends here, as far as a picture of the gradient goes."""

VIEWS = frozenset(
    "_Arg _Retval Assert Const ControlTrigger Copy EnsureShape ExpandDims Identity IdentityN NoOp Placeholder "
    "PlaceholderWithDefault ReadVariableOp ReadVariableXlaSplitND Reshape Snapshot Squeeze Transpose VarHandleOp "
    "Variable VariableV2 VarIsInitializedOp".split()
)
"""The same numbers under another shape or name."""

PLUMBING = FRAMES | STRUCTURE | SHAPES | VIEWS

ELEMENTWISE = frozenset(
    "Abs Acos Acosh Add AddN AddV2 Asin Asinh Atan Atan2 Atanh BiasAdd Cast Ceil ClipByValue Cos Cosh Div "
    "DivNoNan Elu Equal Erf Erfc Exp Expm1 Floor GeluGrad Greater GreaterEqual LeakyRelu Less LessEqual Lgamma "
    "Log Log1p LogicalAnd LogicalNot LogicalOr Maximum Minimum Mul MulNoNan Neg NotEqual Pow RealDiv Reciprocal "
    "Relu Relu6 Rint Round Rsqrt Select SelectV2 Selu Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Square "
    "SquaredDifference Sub Tan Tanh Xdivy Xlog1py Xlogy".split()
)
"""Ops that work on each number alone; a group of them can stand as one card."""
