"""The pattern kinds of ONNX operators, as TVM has them for the operators that they become.

An operator that is not in the table is opaque. Inference `BatchNormalization` counts as broadcast,
which it is once TVM has simplified it.
"""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.shapes import is_static

_OPERATORS: dict[PatternKind, str] = {
    PatternKind.ELEMWISE: """
        Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Cast CastLike Ceil Celu Clip Cos Cosh Elu
        Erf Exp Floor Gelu HardSigmoid HardSwish Identity IsInf IsNaN LeakyRelu Log Mish Neg Not
        Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Swish Tan
        Tanh ThresholdedRelu Trilu
    """,
    PatternKind.BROADCAST: """
        Add And BatchNormalization BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Expand Greater
        GreaterOrEqual Less LessOrEqual Max Mean Min Mod Mul Or PRelu Pow Sub Sum Where Xor
    """,
    PatternKind.INJECTIVE: """
        Concat DepthToSpace Flatten Gather GatherElements GatherND Pad Reshape Resize
        ReverseSequence Slice SpaceToDepth Split Squeeze Tile Transpose Unsqueeze Upsample
    """,
    PatternKind.COMM_REDUCE: """
        ArgMax ArgMin ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin
        ReduceProd ReduceSum ReduceSumSquare
    """,
    PatternKind.OUT_ELEMWISE_FUSABLE: """
        AveragePool Conv ConvTranspose DeformConv Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool
        LogSoftmax LpPool MatMul MaxPool OneHot Softmax
    """,
}

OPERATOR_KINDS: dict[str, PatternKind] = {
    name: kind for kind, names in _OPERATORS.items() for name in names.split()
}

SHAPED_BY_DATA = frozenset(
    "Expand OneHot Pad Reshape Resize Slice Split Squeeze Tile Unsqueeze Upsample".split()
)
"""Operators whose result has a shape that the values of later operands decide."""


def _is_constant(value: object) -> bool:
    owner = getattr(value, "owner", None)
    return isinstance(owner, Operation) and owner.has_trait(ConstantLike)


def _depends_on_data(op: NodeOp) -> bool:
    if op.op_type.data not in SHAPED_BY_DATA:
        return False
    dynamic = any(isinstance(r.type, TensorType) and not is_static(shape_of(r)) for r in op.results)
    return dynamic and not all(map(_is_constant, op.operands[1:]))


def kind_of_node(op: NodeOp) -> PatternKind:
    """The kind of an ONNX node; opaque where data decides over a dynamic result shape."""
    if op.domain.data not in ("", "ai.onnx") or op.captured or _depends_on_data(op):
        return PatternKind.OPAQUE
    return OPERATOR_KINDS.get(op.op_type.data, PatternKind.OPAQUE)
