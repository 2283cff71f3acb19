"""Shared code of the StableHLO rules: where they fire, and operands without their broadcasts.

    %1 = snippets.broadcast %c : (tensor<f32>) -> tensor<4x8xf32>
    %2 = stablehlo.add %x, %1 : tensor<4x8xf32>

becomes `snippets.add %x, %c : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>`: StableHLO writes
every broadcast as an op, and the ops of `snippets` broadcast by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.base import ComputeOp, kind_of
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.rules.match import dense_constant, splat_value
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes
from snippets_mlir.passes.building.graph import OpBuilder


def in_a_function(op: Operation) -> bool:
    """It is directly in a function: ops in regions of StableHLO stay with their parent op."""
    return isinstance(op.parent_op(), FuncOp)


def computes(element: Attribute) -> bool:
    """Whether `snippets` has elements of this type."""
    return kind_of(element) is not None


def of_known_elements(op: Operation) -> bool:
    """All its elements are floats, integers or bools."""
    return all(computes(tensor_of(value).element_type) for value in (*op.operands, *op.results))


def without_broadcasts(operands: Sequence[SSAValue], result: SSAValue) -> list[SSAValue]:
    """The operands, each broadcast replaced by its source if the others keep the shape."""
    values = list(operands)
    target = shape_of(result)
    for place, value in enumerate(values):
        if isinstance(source := value.owner, BroadcastOp):
            shapes = [shape_of(v) for v in (*values[:place], source.operand, *values[place + 1 :])]
            if broadcast_shapes(*shapes) == target:
                values[place] = source.operand
    return values


def splat_of(value: SSAValue) -> float | int | None:
    """The one value of all elements of a constant, through broadcasts; None for other values."""
    while isinstance(value.owner, BroadcastOp):
        value = value.owner.operand
    dense = dense_constant(value)
    return None if dense is None else splat_value(dense)


class Replacement(OpBuilder):
    """Inserts the ops that replace `anchor`, an op of StableHLO with one result, before it."""

    def __init__(self, anchor: Operation, rewriter: PatternRewriter) -> None:
        super().__init__(anchor, rewriter)

    def operands(self) -> list[SSAValue]:
        """The operands of the anchor, without their broadcasts."""
        return without_broadcasts(self.anchor.operands, self.anchor.results[0])

    def apply(
        self, op: type[ComputeOp], *operands: SSAValue, like: SSAValue | None = None
    ) -> SSAValue:
        """The op on the operands; its type is that of `like`, or else of the anchor's result."""
        type_ = (self.anchor.results[0] if like is None else like).type
        return self.add(cast("Operation", op.create(operands=operands, result_types=[type_])))
