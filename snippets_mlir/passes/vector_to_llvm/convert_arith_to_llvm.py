"""Lower `arith` on scalars and 1-D vectors to the `llvm` dialect.

    %s = arith.addf %a, %b fastmath<contract> : vector<8xf32>
    %m = arith.select %c, %s, %a : vector<8xi1>, vector<8xf32>

becomes

    %s = llvm.fadd %a, %b {fastmathFlags = #llvm.fastmath<contract>} : vector<8xf32>
    %m = llvm.select %c, %s, %a : vector<8xi1>, vector<8xf32>

`index` is `i64`. Left as they are: other vectors and tensors, and the ops without one LLVM
instruction (`arith.floordivsi`, `ceildivsi`, `ceildivui`, `addui_extended`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith as upstream
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.arith import casts, compare, ops
from snippets_mlir.dialects.arith.casts import width_of
from snippets_mlir.dialects.llvm import casts as llvm_casts
from snippets_mlir.dialects.llvm import intrinsics, values
from snippets_mlir.passes.building.conversion import Lowering, Row, lower

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
    """A row for an op that `llvm` has under another name."""

    def row(op: Operation, low: Lowering) -> Sequence[SSAValue]:
        type = low.type(op.results[0].type)
        assert type is not None
        return (low.make(target, low.operands(op), type, properties(op)),)

    return row


def _constant(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
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
    """Low and high half of a product, through integers of twice the width."""

    def row(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
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

TABLE: dict[type[Operation], Row] = {
    casts.ExtFOp: same(llvm_casts.FPExtOp),
    casts.ExtSIOp: same(llvm.SExtOp),
    casts.ExtUIOp: same(llvm.ZExtOp),
    casts.FPToSIOp: same(llvm_casts.FPToSIOp),
    casts.FPToUIOp: same(llvm_casts.FPToUIOp),
    casts.IndexCastOp: resize(llvm.SExtOp),
    casts.IndexCastUIOp: resize(llvm.ZExtOp),
    casts.SIToFPOp: same(llvm_casts.SIToFPOp),
    casts.TruncFOp: same(llvm_casts.FPTruncOp),
    casts.TruncIOp: same(llvm.TruncOp, lambda op: _NO_OVERFLOW),
    casts.UIToFPOp: same(llvm_casts.UIToFPOp),
    compare.CmpfOp: same(values.FCmpOp, _float_predicate_of),
    compare.CmpiOp: same(llvm.ICmpOp, _predicate_of),
    ops.NegfOp: same(llvm.FNegOp, fast_math_of),
    ops.RemfOp: same(llvm.FRemOp, fast_math_of),
    ops.SelectOp: same(values.SelectOp, lambda op: NO_FLAGS),
    upstream.AddfOp: same(llvm.FAddOp, fast_math_of),
    upstream.AddiOp: same(llvm.AddOp, _overflow_of),
    upstream.AndIOp: same(llvm.AndOp),
    upstream.BitcastOp: same(llvm_casts.BitcastOp),
    upstream.ConstantOp: _constant,
    upstream.DivSIOp: same(llvm.SDivOp),
    upstream.DivUIOp: same(llvm.UDivOp),
    upstream.DivfOp: same(llvm.FDivOp, fast_math_of),
    upstream.MaxSIOp: same(intrinsics.SMaxOp),
    upstream.MaxUIOp: same(intrinsics.UMaxOp),
    upstream.MaximumfOp: same(intrinsics.MaximumOp, fast_math_of),
    upstream.MaxnumfOp: same(llvm.VectorFMaxOp, fast_math_of),
    upstream.MinSIOp: same(intrinsics.SMinOp),
    upstream.MinUIOp: same(intrinsics.UMinOp),
    upstream.MinimumfOp: same(intrinsics.MinimumOp, fast_math_of),
    upstream.MinnumfOp: same(llvm.VectorFMinOp, fast_math_of),
    upstream.MulSIExtendedOp: _extended(llvm.SExtOp),
    upstream.MulUIExtendedOp: _extended(llvm.ZExtOp),
    upstream.MulfOp: same(llvm.FMulOp, fast_math_of),
    upstream.MuliOp: same(llvm.MulOp, _overflow_of),
    upstream.OrIOp: same(llvm.OrOp),
    upstream.RemSIOp: same(llvm.SRemOp),
    upstream.RemUIOp: same(llvm.URemOp),
    upstream.ShLIOp: same(llvm.ShlOp, _overflow_of),
    upstream.ShRSIOp: same(llvm.AShrOp),
    upstream.ShRUIOp: same(llvm.LShrOp),
    upstream.SubfOp: same(llvm.FSubOp, fast_math_of),
    upstream.SubiOp: same(llvm.SubOp, _overflow_of),
    upstream.XOrIOp: same(llvm.XOrOp),
}


@dataclass(frozen=True)
class ConvertArithToLLVMPass(ModulePass):
    """Lower arith on scalars and 1-D vectors to the llvm dialect."""

    name: ClassVar[str] = "convert-arith-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace the ops of `TABLE` in the kernel functions."""
        lower(op, TABLE)
