"""Passes that are wrong, each in a way of its own, and two that are right, for `--check-each`."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import FloatAttr, ModuleOp, f32, i32
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.memory import LoadOp
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.passes.effects import APPROXIMATES, CONTRACTS, REASSOCIATES, Effect


def _adds(module: ModuleOp, element: Attribute = f32) -> list[Operation]:
    """The sums of elements of one type."""
    adds = [op for op in module.walk() if isinstance(op, AddOp)]
    return [op for op in adds if tensor_of(op.results[0]).element_type == element]


def _scale(op: Operation, factor: float) -> None:
    """Multiply the result of `op` by a number."""
    scalar = ScalarOp(FloatAttr(factor, f32))
    product = MultiplyOp(op.results[0], scalar.result)
    op.results[0].replace_all_uses_with(product.results[0])
    product.operands[0] = op.results[0]
    Rewriter.insert_op([scalar, product], InsertPoint.after(op))


@dataclass(frozen=True)
class SwapOperandsPass(ModulePass):
    """Right: a sum is the same in either order."""

    name = "right-exact"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Swap the operands of sums."""
        for add in _adds(op):
            add.operands = add.operands[::-1]


@dataclass(frozen=True)
class RightContractsPass(ModulePass):
    """Right: it is within its bound."""

    name = "right-contracts"
    EFFECT: ClassVar[Effect] = CONTRACTS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change sums by an ULP or two."""
        for add in _adds(op):
            _scale(add, 1 + 2.0**-22)


@dataclass(frozen=True)
class WrongExactPass(ModulePass):
    """Wrong: it says nothing, so it has to keep every bit."""

    name = "wrong-exact"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change sums by an ULP or two."""
        for add in _adds(op):
            _scale(add, 1 + 2.0**-22)


@dataclass(frozen=True)
class WrongZeroPass(ModulePass):
    """Wrong: -0.0 becomes 0.0."""

    name = "wrong-zero"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Add 0.0 to sums."""
        for add in _adds(op):
            scalar = ScalarOp(FloatAttr(0.0, f32))
            total = AddOp(add.results[0], scalar.result)
            add.results[0].replace_all_uses_with(total.results[0])
            total.operands[0] = add.results[0]
            Rewriter.insert_op([scalar, total], InsertPoint.after(add))


@dataclass(frozen=True)
class WrongContractsPass(ModulePass):
    """Wrong: twice its bound."""

    name = "wrong-contracts"
    EFFECT: ClassVar[Effect] = CONTRACTS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change sums by 2^-14."""
        for add in _adds(op):
            _scale(add, 1 + 2.0**-14)


@dataclass(frozen=True)
class WrongReassociatesPass(ModulePass):
    """Wrong: integers may never change."""

    name = "wrong-reassociates"
    EFFECT: ClassVar[Effect] = REASSOCIATES

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Subtract integers in place of adding them."""
        for add in _adds(op, i32):
            Rewriter.replace_op(add, SubtractOp(*add.operands))


@dataclass(frozen=True)
class WrongApproximatesPass(ModulePass):
    """Wrong: a NaN in place of a number is far from it."""

    name = "wrong-approximates"
    EFFECT: ClassVar[Effect] = APPROXIMATES

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Multiply sums by NaN."""
        for add in _adds(op):
            _scale(add, float("nan"))


@dataclass(frozen=True)
class WrongAccessPass(ModulePass):
    """Wrong: what it leaves reads outside of an array."""

    name = "wrong-access"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Let the last load of each kernel count a whole vector."""
        loads = [inner for inner in op.walk() if isinstance(inner, LoadOp)]
        loads[-1].set_elements(16)
