"""Lower the `math` ops that are instructions to the `llvm` dialect.

    %r = math.fma %a, %b, %c : vector<8xf32>
    %r = llvm.intr.fma(%a, %b, %c) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>

Left as they are: `math.exp`, `math.tanh` and the like. LLVM would turn these into one call of the C
library for each element; `math-expand-ops` writes them as arithmetic before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import llvm, math
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.llvm import intrinsics
from snippets_mlir.dialects.llvm.values import FCmpOp, ZeroOp
from snippets_mlir.dialects.math import floats
from snippets_mlir.passes.building.conversion import Lowering, Row, lower
from snippets_mlir.passes.vector_to_llvm.convert_arith_to_llvm import fast_math_of, same

_OEQ, _OGE, _OLT, _UNO = 1, 3, 4, 14


def _absi(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`max(x, 0 - x)`; the smallest integer is its own absolute value."""
    (value,) = low.operands(op)
    zero = low.make(ZeroOp, (), value.type)
    flags = {"overflowFlags": IntegerAttr(0, i32)}
    negated = low.make(llvm.SubOp, (zero, value), value.type, flags)
    return (low.make(intrinsics.SMaxOp, (value, negated), value.type),)


def _one(type: Attribute) -> Attribute:
    if isinstance(type, VectorType):
        return DenseIntOrFPElementsAttr.from_list(type, [1.0])  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return FloatAttr(1.0, type)  # pyright: ignore[reportArgumentType, reportCallIssue]


def _rsqrt(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`1 / sqrt(x)`, two correctly rounded steps."""
    (value,) = low.operands(op)
    flags = fast_math_of(op)
    root = low.make(llvm.FSqrtOp, (value,), value.type, flags)
    one = low.constant(_one(value.type), value.type)
    return (low.make(llvm.FDivOp, (one, root), value.type, flags),)


def _compared(predicate: int, bound: float | None) -> Row:
    """A float comparison of `|x|` with a bound, or of `x` with itself."""

    def row(op: Operation, low: Lowering) -> Sequence[SSAValue]:
        (value,) = low.operands(op)
        type = low.type(op.results[0].type)
        assert type is not None
        other = value
        if bound is not None:
            other = low.constant(_splat(bound, value.type), value.type)
            value = low.make(intrinsics.FAbsOp, (value,), value.type, fast_math_of(op))
        properties = {"predicate": IntegerAttr(predicate, i64), **fast_math_of(op)}
        return (low.make(FCmpOp, (value, other), type, properties),)

    return row


def _isnormal(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`|x|` from the smallest normal number to below infinity."""
    (value,) = low.operands(op)
    type = low.type(op.results[0].type)
    assert type is not None
    size = low.make(intrinsics.FAbsOp, (value,), value.type, fast_math_of(op))
    sides: list[SSAValue] = []
    for predicate, bound in ((_OGE, _smallest_normal(element_of(value.type))), (_OLT, inf)):
        limit = low.constant(_splat(bound, value.type), value.type)
        properties = {"predicate": IntegerAttr(predicate, i64), **fast_math_of(op)}
        sides.append(low.make(FCmpOp, (size, limit), type, properties))
    return (low.make(llvm.AndOp, sides, type),)


def _smallest_normal(element: Attribute) -> float:
    exponents = {"f16": -14, "bf16": -126, "f32": -126, "f64": -1022}
    return 2.0 ** exponents[element.name]


def _zeros(intrinsic: str) -> Row:
    """`llvm.ctlz` or `llvm.cttz`, defined for 0."""

    def row(op: Operation, low: Lowering) -> Sequence[SSAValue]:
        (value,) = low.operands(op)
        element = element_of(value.type)
        assert isinstance(element, FixedBitwidthType)
        shape = extents_of(value.type)
        suffix = f"v{shape[0]}i{element.bitwidth}" if shape else f"i{element.bitwidth}"
        defined = low.integer(0, i1)
        call = low.insert(
            llvm.CallIntrinsicOp,
            (value, defined),
            (value.type,),
            {
                "fastmathFlags": llvm.FastMathAttr(None),
                "intrin": StringAttr(f"llvm.{intrinsic}.{suffix}"),
                "op_bundle_sizes": DenseArrayBase.from_list(i32, ()),
                "operandSegmentSizes": DenseArrayBase.from_list(i32, (2, 0)),
            },
        )
        return call.results

    return row


def _splat(value: float, type: Attribute) -> Attribute:
    if isinstance(type, VectorType):
        return DenseIntOrFPElementsAttr.from_list(type, [value])  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return FloatAttr(value, type)  # pyright: ignore[reportArgumentType, reportCallIssue]


def _clampf(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    value, least, most = low.operands(op)
    flags = fast_math_of(op)
    value = low.make(intrinsics.MaximumOp, (value, least), value.type, flags)
    return (low.make(intrinsics.MinimumOp, (value, most), value.type, flags),)


TABLE: dict[type[Operation], Row] = {
    floats.ClampfOp: _clampf,
    floats.IsFiniteOp: _compared(_OLT, inf),
    floats.IsInfOp: _compared(_OEQ, inf),
    floats.IsNanOp: _compared(_UNO, None),
    floats.IsNormalOp: _isnormal,
    math.AbsFOp: same(intrinsics.FAbsOp, fast_math_of),
    math.AbsIOp: _absi,
    math.CeilOp: same(llvm.FCeilOp, fast_math_of),
    math.CopySignOp: same(llvm.FCopySignOp, fast_math_of),
    math.CountLeadingZerosOp: _zeros("ctlz"),
    math.CountTrailingZerosOp: _zeros("cttz"),
    math.CtPopOp: same(intrinsics.CtPopOp),
    math.FloorOp: same(llvm.FFloorOp, fast_math_of),
    math.FmaOp: same(llvm.FMAOp, fast_math_of),
    math.RoundEvenOp: same(intrinsics.RoundEvenOp, fast_math_of),
    math.RoundOp: same(intrinsics.RoundOp, fast_math_of),
    math.RsqrtOp: _rsqrt,
    math.SqrtOp: same(llvm.FSqrtOp, fast_math_of),
    math.TruncOp: same(intrinsics.FTruncOp, fast_math_of),
}


@dataclass(frozen=True)
class ConvertMathToLLVMPass(ModulePass):
    """Lower the math ops that are instructions to the llvm dialect."""

    name: ClassVar[str] = "convert-math-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace the ops of `TABLE` in the kernel functions."""
        lower(op, TABLE)
