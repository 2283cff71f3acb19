"""Removal of unused ops after an import."""

from __future__ import annotations

from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from snippets_mlir.dialects.onnx.ops import NodeOp


def drop_uses(value: SSAValue) -> None:
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
