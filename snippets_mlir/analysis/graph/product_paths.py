"""The ops before and after the matrix products of a subgraph."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation, OpResult, SSAValue

from snippets_mlir.analysis.graph.product_views import is_slice_of_a_mask, is_slice_of_a_product
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.slicing import SliceOp


def is_input(value: SSAValue, inside: set[Operation]) -> bool:
    """Whether `value` comes from outside, directly or through views."""
    while isinstance(value, OpResult) and value.op in inside:
        if not isinstance(value.op, ReshapeOp | SliceOp | TransposeOp):
            return False
        value = value.op.operands[0]
    return True


def is_view_beside(op: Operation, inside: set[Operation]) -> bool:
    """Whether `op` is a view of an input, or of a result."""
    if isinstance(op, SliceOp):
        is_of_mask = is_input(op.operand, inside) and is_slice_of_a_mask(op, inside)
        return is_of_mask or is_slice_of_a_product(op)
    if not isinstance(op, ReshapeOp | TransposeOp):
        return False
    yielded = all(use.operation not in inside for use in op.results[0].uses)
    return yielded or is_input(op.operands[0], inside)


def computing(
    value: SSAValue, inside: set[Operation], ends: Iterable[Operation] = ()
) -> set[Operation]:
    """The inner ops that compute `value`, without views; the search stops at `ends`."""
    found: set[Operation] = set()
    waiting = [value]
    ends = {*ends}
    while waiting:
        value = waiting.pop()
        if isinstance(value, OpResult) and value.op in inside and value.op not in found:
            found.add(value.op)
            waiting += () if value.op in ends else value.op.operands
    return {op for op in found if not isinstance(op, ScalarOp) and not is_view_beside(op, inside)}


def computed_from(first: Operation, inside: set[Operation]) -> set[Operation]:
    """The ops inside that are computed from the results of `first`."""
    found: set[Operation] = set()
    waiting = [first]
    while waiting:
        for value in waiting.pop().results:
            readers = {use.operation for use in value.uses} & inside - found
            found |= readers
            waiting += readers
    return found


def prologue_of(first: MatMulOp, inside: set[Operation]) -> set[Operation]:
    """The inner ops that compute the left operand of the first product, or that read their
    results.
    """
    before = computing(first.lhs, inside)
    following = {reader for op in before for reader in computed_from(op, inside)}
    products = (op for op in following if isinstance(op, MatMulOp))
    after = {it for product in products for it in (product, *computed_from(product, inside))}
    return (before | following) - after
