"""Which op types are special to the prediction, one row each; everything else is asked of TensorFlow's registry."""

from __future__ import annotations

WHILE = frozenset({"While", "StatelessWhile"})
BRANCHING = frozenset({"If", "StatelessIf", "Case", "StatelessCase"})
CALL = frozenset({"PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall"})

ENTER = frozenset({"Enter", "RefEnter"})
EXIT = frozenset({"Exit", "RefExit"})
NEXT_ITERATION = frozenset({"NextIteration", "RefNextIteration"})
SWITCH = frozenset({"Switch", "RefSwitch"})
MERGE = frozenset({"Merge", "RefMerge"})
FRAME_OPS = ENTER | EXIT | NEXT_ITERATION | SWITCH | MERGE | {"LoopCond"}

READ = frozenset({"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "_ReadVariablesOp"})
ASSIGN = frozenset(
    {
        "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp", "ResourceScatterAdd",
        "ResourceScatterUpdate", "ResourceScatterSub", "ResourceScatterNdUpdate", "ResourceScatterNdAdd",
        "ResourceScatterNdSub", "ResourceScatterMul", "ResourceScatterDiv", "ResourceScatterMax",
        "ResourceScatterMin", "ResourceStridedSliceAssign", "ResourceApplyGradientDescent",
    }
)  # fmt: skip
REF_ASSIGN = frozenset({"Assign", "AssignAdd", "AssignSub", "ScatterAdd", "ScatterUpdate", "ScatterSub"})

LIST_WRITES = {"TensorListSetItem": 2, "TensorListPushBack": 1}
"""What an iteration writes to a TensorList with, and the input that is the item."""

PYTHON = frozenset({"PyFunc", "PyFuncStateless", "EagerPyFunc"})
# They pass on a shape or an emptiness, never a value.
SHAPE_ONLY = frozenset(
    {
        "Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike", "VariableShape", "TensorListLength",
        "TensorListElementShape", "TensorArraySizeV3", "EmptyTensorList", "EmptyTensorMap", "VarIsInitializedOp",
        "IsVariableInitialized",
    }
)  # fmt: skip
# (op type, input) that only say where or how: an integer there is never the reason why a gradient is lost.
INDEX_INPUTS = frozenset(
    {
        ("GatherV2", 1), ("GatherV2", 2), ("Gather", 1), ("ResourceGather", 1), ("StridedSlice", 1),
        ("StridedSlice", 2), ("StridedSlice", 3), ("Reshape", 1), ("TensorListGetItem", 1), ("TensorListSetItem", 1),
        ("Sum", 1), ("Fill", 0), ("SelectV2", 0), ("Select", 0), ("TensorListReserve", 0), ("TensorListReserve", 1),
        ("TensorListStack", 1), ("TensorListFromTensor", 1), ("TensorListGetItem", 2), ("TensorArrayReadV3", 1),
        ("TensorArrayWriteV3", 1), ("TensorArrayGatherV3", 1), ("TensorArrayScatterV3", 1),
    }
)  # fmt: skip
# Notes on an op that cut a gradient which its rule would carry.
CUTTING_NOTES = frozenset({"outside_tape", "not_watched", "back_prop_false"})
