"""Removal of unused ops after an import."""

from __future__ import annotations

from collections.abc import Container, Iterable

from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp


def remove_made(
    block: Block,
    before: Operation | None,
    values: Iterable[SSAValue],
    made: Container[Operation],
) -> None:
    """Erase what a row made after `before` for a node that stays opaque.

    Args:
        block: the ops of the graph.
        before: the last op before those that the row made.
        values: the operands of the node, which ops that are nowhere may read.
        made: the nodes that rows made.
    """
    for value in values:
        _drop_uses(value)
    op = block.last_op
    while op is not before and op is not None:
        previous = op.prev_op
        for result in op.results:
            _drop_uses(result)
        unused = all(r.first_use is None for r in op.results)
        if unused and (op in made or isinstance(op, ComputeOp)):
            Rewriter.erase_op(op)
        op = previous


def _drop_uses(value: SSAValue) -> None:
    """Drop the uses of a value by ops that are in no block."""
    for use in [*value.uses]:
        if use.operation.parent is None:
            use.operation.drop_all_references()


def remove_unused(block: Block) -> None:
    """Erase the unused constants and `snippets` ops; `onnx.node` ops stay."""
    op = block.last_op
    while op is not None:
        previous = op.prev_op
        unused = op.results and all(r.first_use is None for r in op.results)
        if unused and not isinstance(op, NodeOp) and is_side_effect_free(op):
            Rewriter.erase_op(op)
        op = previous
