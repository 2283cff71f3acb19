"""Lower `arith` on scalars and 1-D vectors to the `llvm` dialect.

    %s = arith.addf %a, %b fastmath<contract> : vector<8xf32>
    %m = arith.select %c, %s, %a : vector<8xi1>, vector<8xf32>

becomes

    %s = llvm.fadd %a, %b {fastmathFlags = #llvm.fastmath<contract>} : vector<8xf32>
    %m = llvm.select %c, %s, %a : vector<8xi1>, vector<8xf32>

`index` is `i64`. Leaves other vectors and tensors, and the ops without one LLVM instruction
(`arith.floordivsi`, `ceildivsi`, `ceildivui`, `addui_extended`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from xdsl.dialects import arith as upstream
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.arith import casts, compare, ops
from snippets_mlir.dialects.arith.casts import width_of
from snippets_mlir.dialects.llvm import casts as llvm_casts
from snippets_mlir.dialects.llvm import integer_intrinsics, intrinsics, values
from snippets_mlir.passes.building.conversion import ConversionPass, Row, converts
from snippets_mlir.passes.building.lowering import Lowering

Properties = Callable[[Operation], Mapping[str, Attribute] | None]


@cache
def fast_math(flags: upstream.FastMathFlagsAttr) -> Mapping[str, Attribute]:
    """The properties of an `llvm` op with these flags."""
    return {"fastmathFlags": llvm.FastMathAttr(flags.data)}


NO_FLAGS = fast_math(upstream.FastMathFlagsAttr("none"))


def fast_math_of(op: Operation) -> Mapping[str, Attribute]:
    """The flags of an `arith` or `math` op as properties of an `llvm` op."""
    flags = op.properties.get("fastmath")
    if not isinstance(flags, upstream.FastMathFlagsAttr) or not flags.data:
        return NO_FLAGS
    return fast_math(flags)


@cache
def _overflow(flags: upstream.IntegerOverflowAttr) -> Mapping[str, Attribute]:
    names = {flag.value for flag in flags.data}
    return {"overflowFlags": IntegerAttr(("nsw" in names) + 2 * ("nuw" in names), i32)}


def _overflow_of(op: Operation) -> Mapping[str, Attribute]:
    flags = op.properties.get("overflowFlags")
    if not isinstance(flags, upstream.IntegerOverflowAttr):
        flags = upstream.IntegerOverflowAttr("none")
    return _overflow(flags)


def _predicate_of(op: Operation) -> Mapping[str, Attribute]:
    return {"predicate": op.properties["predicate"]}


def _float_predicate_of(op: Operation) -> Mapping[str, Attribute]:
    return {**_predicate_of(op), **fast_math_of(op)}


def same(target: type[Operation], properties: Properties = lambda op: None) -> Row:
    """A row for an op with another name in `llvm`."""

    def row(op: Operation, low: Lowering) -> Sequence[SSAValue]:
        type = low.type(op.results[0].type)
        assert type is not None
        return (low.make(target, low.operands(op), type, properties(op)),)

    row.__doc__ = f"`{target.name}` of the same operands."
    return row


def _constant(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.mlir.constant`, in which an index is an i64."""
    value = op.properties["value"]
    type = low.type(op.results[0].type)
    assert type is not None
    if isinstance(value, IntegerAttr) and isinstance(value.type, IndexType):  # pyright: ignore[reportUnknownMemberType]
        value = IntegerAttr(value.value.data, i64)
    elif isinstance(value, DenseIntOrFPElementsAttr) and value.get_type() != type:
        assert isinstance(type, VectorType)
        value = DenseIntOrFPElementsAttr(type, value.data)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return (low.constant(value, type),)  # pyright: ignore[reportUnknownArgumentType]


def resize(extend: type[Operation]) -> Row:
    """Between index and integers: `index` has 64 bits."""

    def row(op: Operation, low: Lowering) -> Sequence[SSAValue]:
        """The operand itself if it has as many bits, extended if it has fewer, else truncated."""
        (value,) = low.operands(op)
        type = low.type(op.results[0].type)
        assert type is not None
        source, target = width_of(value.type), width_of(type)
        if source == target:
            return (value,)
        cls = extend if source < target else llvm.TruncOp
        properties = _NO_OVERFLOW if cls is llvm.TruncOp else None
        return (low.make(cls, (value,), type, properties),)

    return row


_NO_OVERFLOW: Mapping[str, Attribute] = {"overflowFlags": llvm.OverflowAttr(None)}


def _extended(extend: type[Operation]) -> Row:
    """Rows for products with both halves as results."""

    def row(op: Operation, low: Lowering) -> Sequence[SSAValue]:
        """Low and high half of the product of integers of twice the width."""
        operands = low.operands(op)
        type = operands[0].type
        width = width_of(type)
        element = IntegerType(2 * width)
        wide = VectorType(element, type.shape) if isinstance(type, VectorType) else element
        factors = [low.make(extend, (value,), wide) for value in operands]
        product = low.make(llvm.MulOp, factors, wide, NO_WRAP)
        if isinstance(wide, VectorType):
            shift = low.constant(DenseIntOrFPElementsAttr.from_list(wide, [width]), wide)
        else:
            shift = low.integer(width, element)
        high = low.make(llvm.LShrOp, (product, shift), wide)
        return tuple(
            low.make(llvm.TruncOp, (half,), type, _NO_OVERFLOW)  # pyright: ignore[reportUnknownArgumentType]
            for half in (product, high)
        )

    return row


NO_WRAP: Mapping[str, Attribute] = {"overflowFlags": IntegerAttr(0, i32)}


@dataclass(frozen=True)
class ConvertArithToLLVMPass(ConversionPass):
    """Lower arith on scalars and 1-D vectors to the llvm dialect."""

    name: ClassVar[str] = "convert-arith-to-llvm"
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (
        converts(casts.ExtFOp, same(llvm_casts.FPExtOp)),
        converts(casts.ExtSIOp, same(llvm.SExtOp)),
        converts(casts.ExtUIOp, same(llvm.ZExtOp)),
        converts(casts.FPToSIOp, same(llvm_casts.FPToSIOp)),
        converts(casts.FPToUIOp, same(llvm_casts.FPToUIOp)),
        converts(casts.IndexCastOp, resize(llvm.SExtOp)),
        converts(casts.IndexCastUIOp, resize(llvm.ZExtOp)),
        converts(casts.SIToFPOp, same(llvm_casts.SIToFPOp)),
        converts(casts.TruncFOp, same(llvm_casts.FPTruncOp)),
        converts(casts.TruncIOp, same(llvm.TruncOp, lambda op: _NO_OVERFLOW)),
        converts(casts.UIToFPOp, same(llvm_casts.UIToFPOp)),
        converts(compare.CmpfOp, same(values.FCmpOp, _float_predicate_of)),
        converts(compare.CmpiOp, same(llvm.ICmpOp, _predicate_of)),
        converts(ops.NegfOp, same(llvm.FNegOp, fast_math_of)),
        converts(ops.RemfOp, same(llvm.FRemOp, fast_math_of)),
        converts(ops.SelectOp, same(values.SelectOp, lambda op: NO_FLAGS)),
        converts(upstream.AddfOp, same(llvm.FAddOp, fast_math_of)),
        converts(upstream.AddiOp, same(llvm.AddOp, _overflow_of)),
        converts(upstream.AndIOp, same(llvm.AndOp)),
        converts(upstream.BitcastOp, same(llvm_casts.BitcastOp)),
        converts(upstream.ConstantOp, _constant),
        converts(upstream.DivSIOp, same(llvm.SDivOp)),
        converts(upstream.DivUIOp, same(llvm.UDivOp)),
        converts(upstream.DivfOp, same(llvm.FDivOp, fast_math_of)),
        converts(upstream.MaxSIOp, same(integer_intrinsics.SMaxOp)),
        converts(upstream.MaxUIOp, same(integer_intrinsics.UMaxOp)),
        converts(upstream.MaximumfOp, same(intrinsics.MaximumOp, fast_math_of)),
        converts(upstream.MaxnumfOp, same(llvm.VectorFMaxOp, fast_math_of)),
        converts(upstream.MinSIOp, same(integer_intrinsics.SMinOp)),
        converts(upstream.MinUIOp, same(integer_intrinsics.UMinOp)),
        converts(upstream.MinimumfOp, same(intrinsics.MinimumOp, fast_math_of)),
        converts(upstream.MinnumfOp, same(llvm.VectorFMinOp, fast_math_of)),
        converts(upstream.MulSIExtendedOp, _extended(llvm.SExtOp)),
        converts(upstream.MulUIExtendedOp, _extended(llvm.ZExtOp)),
        converts(upstream.MulfOp, same(llvm.FMulOp, fast_math_of)),
        converts(upstream.MuliOp, same(llvm.MulOp, _overflow_of)),
        converts(upstream.OrIOp, same(llvm.OrOp)),
        converts(upstream.RemSIOp, same(llvm.SRemOp)),
        converts(upstream.RemUIOp, same(llvm.URemOp)),
        converts(upstream.ShLIOp, same(llvm.ShlOp, _overflow_of)),
        converts(upstream.ShRSIOp, same(llvm.AShrOp)),
        converts(upstream.ShRUIOp, same(llvm.LShrOp)),
        converts(upstream.SubfOp, same(llvm.FSubOp, fast_math_of)),
        converts(upstream.SubiOp, same(llvm.SubOp, _overflow_of)),
        converts(upstream.XOrIOp, same(llvm.XOrOp)),
    )
