"""Lower the `math` ops that are instructions to the `llvm` dialect.

    %r = math.fma %a, %b, %c : vector<8xf32>
    %r = llvm.intr.fma(%a, %b, %c) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>

Leaves `math.exp`, `math.tanh` and the like. LLVM would turn these into a call of the C library for
each element; run `math-expand-ops` before, which writes them as arithmetic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from xdsl.dialects import llvm, math
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import bit_width, element_of, extents_of
from snippets_mlir.dialects.llvm import integer_intrinsics, intrinsics
from snippets_mlir.dialects.llvm.values import FCmpOp, ZeroOp
from snippets_mlir.dialects.math import floats
from snippets_mlir.passes.building.conversion import ConversionPass, Row, converts
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.vector_to_llvm.convert_arith_to_llvm import fast_math_of, same

_OEQ, _OGE, _OLT, _UNO = 1, 3, 4, 14


def _absi(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`max(x, 0 - x)`; the smallest integer is its own absolute value."""
    (value,) = low.operands(op)
    zero = low.make(ZeroOp, (), value.type)
    flags = {"overflowFlags": IntegerAttr(0, i32)}
    negated = low.make(llvm.SubOp, (zero, value), value.type, flags)
    return (low.make(integer_intrinsics.SMaxOp, (value, negated), value.type),)


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
        """`llvm.fcmp` of `|x|` with infinity, or of `x` with itself for NaN."""
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
    """Rows for the intrinsics that count zeros."""

    def row(op: Operation, low: Lowering) -> Sequence[SSAValue]:
        """`llvm.ctlz` or `llvm.cttz`, defined for 0."""
        (value,) = low.operands(op)
        width, shape = bit_width(element_of(value.type)), extents_of(value.type)
        suffix = f"v{shape[0]}i{width}" if shape else f"i{width}"
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
    """`minimum(maximum(x, least), most)`."""
    value, least, most = low.operands(op)
    flags = fast_math_of(op)
    value = low.make(intrinsics.MaximumOp, (value, least), value.type, flags)
    return (low.make(intrinsics.MinimumOp, (value, most), value.type, flags),)


@dataclass(frozen=True)
class ConvertMathToLLVMPass(ConversionPass):
    """Lower the math ops that are instructions to the llvm dialect."""

    name: ClassVar[str] = "convert-math-to-llvm"
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (
        converts(floats.ClampfOp, _clampf),
        converts(floats.IsFiniteOp, _compared(_OLT, inf)),
        converts(floats.IsInfOp, _compared(_OEQ, inf)),
        converts(floats.IsNanOp, _compared(_UNO, None)),
        converts(floats.IsNormalOp, _isnormal),
        converts(math.AbsFOp, same(intrinsics.FAbsOp, fast_math_of)),
        converts(math.AbsIOp, _absi),
        converts(math.CeilOp, same(llvm.FCeilOp, fast_math_of)),
        converts(math.CopySignOp, same(llvm.FCopySignOp, fast_math_of)),
        converts(math.CountLeadingZerosOp, _zeros("ctlz")),
        converts(math.CountTrailingZerosOp, _zeros("cttz")),
        converts(math.CtPopOp, same(integer_intrinsics.CtPopOp)),
        converts(math.FloorOp, same(llvm.FFloorOp, fast_math_of)),
        converts(math.FmaOp, same(llvm.FMAOp, fast_math_of)),
        converts(math.RoundEvenOp, same(intrinsics.RoundEvenOp, fast_math_of)),
        converts(math.RoundOp, same(intrinsics.RoundOp, fast_math_of)),
        converts(math.RsqrtOp, _rsqrt),
        converts(math.SqrtOp, same(llvm.FSqrtOp, fast_math_of)),
        converts(math.TruncOp, same(intrinsics.FTruncOp, fast_math_of)),
    )
