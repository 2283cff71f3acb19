"""Find the ops of an MLP: consecutive products, the ops between them, and a norm after them."""

from xdsl.ir import Operation

from snippets_mlir.analysis.graph.eligibility import why_not
from snippets_mlir.analysis.graph.products import reduces_rows
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.normalization import LayerNormOp, RmsNormOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.graph.paths import readers, sources


def is_elementwise(op: Operation) -> bool:
    """Whether an op computes each element of its result from the elements at its place."""
    return isinstance(op, ComputeOp) and not isinstance(op, WholeTensorOp)


def mlp_before(last: MatMulOp, order: dict[Operation, int]) -> list[Operation] | None:
    """The ops from one product, or two of one operand, to the left operand of `last`."""
    block = last.parent
    assert block is not None
    if last.transpose_a is not None:
        return None
    before = sources(last.lhs, block)
    products = [op for op in before if isinstance(op, MatMulOp)]
    if not 1 <= len(products) <= 2 or len({op.lhs for op in products}) != 1:
        return None
    between = {op for first in products for op in readers(first.result, before)}
    if not between or not all(map(is_elementwise, between - {*products})):
        return None
    return sorted({*products, *between, last}, key=order.__getitem__)


def _follower(last: Operation, inside: set[Operation]) -> ComputeOp | None:
    """The only reader of `last`, if it has the same shape and reads no other inside value."""
    op = last.results[0].get_user_of_unique_use()
    if not isinstance(op, ComputeOp) or shape_of(op.results[0]) != shape_of(last.results[0]):
        return None
    others = (v.owner for v in op.operands if v.owner is not last)
    return None if why_not(op) is not None or not inside.isdisjoint(others) else op


def after(last: Operation, inside: set[Operation]) -> list[Operation]:
    """The elementwise ops that follow `last`, one after another; they are inside from now on."""
    found: list[Operation] = []
    while (op := _follower(last, inside)) is not None and is_elementwise(op):
        found.append(op)
        inside.add(op)
        last = op
    return found


def norm_after(last: Operation, inside: set[Operation]) -> list[Operation]:
    """A norm of the rows that follows `last`, with the elementwise ops after it."""
    op = _follower(last, inside)
    if not isinstance(op, LayerNormOp | RmsNormOp) or op.operands[0].owner is not last:
        return []
    if not reduces_rows(op):
        return []
    inside.add(op)
    return [op, *after(op, inside)]
