"""The elements that onnxruntime's CPU engine moves for an Einsum of two operands.

    bnid,bjnd->bnij     the right one: as a Transpose does
    bind,bnjd->bnij     the left one: element by element, whatever moves
    bnid,bnjd->bnji     the result: element by element, because the last dim moves

The node computes a product of [batch, rows, terms] and [batch, terms, columns]. It converts
operands to these shapes, and the result to the shape of the equation. It gives the left operand the
columns as dims of size 1, so that no dim of it stays the last one. Measured with onnxruntime 1.32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.engine.transposes import Moves, moves
from snippets_mlir.dialects.snippets.layout import TransposeOp, is_view
from snippets_mlir.dialects.snippets.product import MatMulOp

EINSUM = "Einsum"

Sizes = Callable[[SSAValue], list[int]]


def moved_by_einsum(ops: Sequence[Operation], sizes: Sizes) -> Iterator[Moves]:
    """The elements that the node of `ops` moves, by operand."""
    for op in ops:
        if isinstance(op, TransposeOp):
            yield _moved_by(op, sizes(op.operand))
        elif isinstance(op, MatMulOp):
            turned = op.transpose_a is not None and not _is_transposed(op.lhs)
            yield Moves(scattered=prod(sizes(op.lhs))) if turned else Moves()


def _moved_by(op: TransposeOp, shape: Sequence[int]) -> Moves:
    """What a transpose of an operand or of the result moves."""
    order = [*op.permutation]
    reader = _product_that_reads(op.results[0])
    if reader is not None and reader[1] == 1:  # a right operand, by terms and columns
        swapped = reader[0].transpose_b is not None
        return moves(shape, [*order[:-2], order[-1], order[-2]] if swapped else order)
    moved = moves(shape, order)
    stays = reader is None and order[-1:] == [len(order) - 1]
    return moved if stays or moved == Moves() else Moves(scattered=prod(shape))


def _product_that_reads(value: SSAValue) -> tuple[MatMulOp, int] | None:
    """The first product that reads `value`, directly or through views, and which operand it is."""
    for use in value.uses:
        if isinstance(use.operation, MatMulOp):
            return use.operation, use.index
        if is_view(use.operation) and (found := _product_that_reads(use.operation.results[0])):
            return found
    return None


def _is_transposed(value: SSAValue) -> bool:
    """Whether `value` is a transpose, directly or through views."""
    op = value.owner
    while isinstance(op, Operation) and is_view(op):
        op = op.operands[0].owner
    return isinstance(op, TransposeOp)
