"""Transposes that onnxruntime's optimizer removes, because a later one moves the dims back.

    %0 = snippets.transpose %x {permutation = array<i64: 0, 2, 1, 3>}      removed
    %1 = snippets.power %0, %two                                           of %x
    %2 = snippets.reduce_sum %1 {axes = array<i64: 3>}                     along the same dim of %x
    %3 = snippets.transpose %2 {permutation = array<i64: 0, 2, 1>}         removed

Between the two are only reductions, and elementwise ops whose other operands are constants. Each
value between them has one reader. onnxruntime also does this in other cases, such as sums of two
transposes. Measured with onnxruntime 1.32.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.engine.crossing import is_constant
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.base import BinaryOp, UnaryOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp


def is_cancelled(op: Operation) -> bool:
    """Whether `op` is one of two such transposes."""
    if not isinstance(op, TransposeOp):
        return False
    before = _transpose_before(op.operand)
    return _moved_back(op) is not None or (before is not None and _moved_back(before) is op)


def _moved_back(op: TransposeOp) -> TransposeOp | None:
    """The transpose after which the dims are in the order that they had before `op`, if any."""
    order, value = [*op.permutation], op.results[0]
    while (reader := _only_reader(value)) is not None:
        if isinstance(reader, TransposeOp):
            last = [order[place] for place in reader.permutation]
            return reader if last == sorted(last) else None
        if isinstance(reader, ReduceOp):
            kept = range(len(order)) if reader.keeps_dims else _left(reader, len(order))
            order = [order[place] for place in kept]
        elif not _is_on_elements(reader, value):
            return None
        value = reader.results[0]
    return None


def _transpose_before(value: SSAValue) -> TransposeOp | None:
    """The transpose that `value` comes from, through elementwise ops and reductions only."""
    while isinstance(op := value.owner, UnaryOp | BinaryOp | ReduceOp):
        value = next((v for v in op.operands if not is_constant(v)), op.operands[0])
    return op if isinstance(op, TransposeOp) else None


def _only_reader(value: SSAValue) -> Operation | None:
    readers = [use.operation for use in value.uses]
    return readers[0] if len(readers) == 1 else None


def _left(op: ReduceOp, rank: int) -> list[int]:
    """The dims that are not reduced."""
    return [place for place in range(rank) if place not in op.axes]


def _is_on_elements(op: Operation, value: SSAValue) -> bool:
    """Whether each element of the result depends only on one element of `value` and constants."""
    others = all(v is value or is_constant(v) for v in op.operands)
    same = isinstance(op, UnaryOp | BinaryOp) and shape_of(op.results[0]) == shape_of(value)
    return same and others
