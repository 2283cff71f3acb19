"""The pattern kinds of ONNX operators: TVM's kinds of the operators that they become.

If an operator is one elementwise op, its kind follows from the op's record. An operator that is not
in the table is opaque. Inference `BatchNormalization` counts as broadcast, as after TVM's
simplification.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import (
    UnaryOp,
)
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.registry import DerivedTable, records
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

_OPERATORS: dict[PatternKind, str] = {
    PatternKind.ELEMWISE: """
        Cast CastLike Celu Identity Reciprocal Selu Shrink ThresholdedRelu Trilu
    """,
    PatternKind.BROADCAST: """
        BatchNormalization BitShift Expand Mean Sum
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


def _kinds() -> Mapping[tuple[str, str], PatternKind]:
    """The kinds of operators that are an elementwise op, and of the others."""
    found: dict[tuple[str, str], PatternKind] = {}
    for record in records():
        if record.onnx is not None and not issubclass(record.op, WholeTensorOp):
            unary = issubclass(record.op, UnaryOp)
            kind = PatternKind.ELEMWISE if unary else PatternKind.BROADCAST
            found[record.onnx.domain, record.onnx.operator] = kind
    found.update({("", n): kind for kind, names in _OPERATORS.items() for n in names.split()})
    return found


OPERATOR_KINDS: Mapping[tuple[str, str], PatternKind] = DerivedTable(_kinds)
"""Domain and operator -> its kind."""

SHAPED_BY_DATA = frozenset(
    "Expand OneHot Pad Reshape Resize Slice Split Squeeze Tile Unsqueeze Upsample".split()
)
"""Operators whose result shape depends on the values of later operands."""


def _is_constant(value: object) -> bool:
    owner = getattr(value, "owner", None)
    return isinstance(owner, Operation) and owner.has_trait(ConstantLike)


def _depends_on_data(op: NodeOp) -> bool:
    if op.op_type.data not in SHAPED_BY_DATA:
        return False
    dynamic = any(isinstance(r.type, TensorType) and not is_static(shape_of(r)) for r in op.results)
    return dynamic and not all(map(_is_constant, op.operands[1:]))


def kind_of_node(op: NodeOp) -> PatternKind:
    """The kind of an ONNX node; opaque if a dynamic result shape depends on data."""
    if op.captured or _depends_on_data(op):
        return PatternKind.OPAQUE
    domain = "" if op.domain.data == "ai.onnx" else op.domain.data
    return OPERATOR_KINDS.get((domain, op.op_type.data), PatternKind.OPAQUE)
