"""Lower the `math` ops that are instructions to the `llvm` dialect.

    %r = math.fma %a, %b, %c : vector<8xf32>
    %r = llvm.intr.fma(%a, %b, %c) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>

Left as they are: `math.exp`, `math.tanh` and the like. LLVM would turn them into one call of the C
library for each element; `lir-expand-math` writes them as arithmetic before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import llvm, math
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.llvm import intrinsics
from snippets_mlir.dialects.llvm.values import ZeroOp
from snippets_mlir.passes.lowering.conversion import Lowering, Row, lower
from snippets_mlir.passes.lowering.convert_arith_to_llvm import fast_math_of, same


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


TABLE: dict[type[Operation], Row] = {
    math.AbsFOp: same(intrinsics.FAbsOp, fast_math_of),
    math.AbsIOp: _absi,
    math.CeilOp: same(llvm.FCeilOp, fast_math_of),
    math.CopySignOp: same(llvm.FCopySignOp, fast_math_of),
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
