"""The ops on the way from values to values."""

from __future__ import annotations

from xdsl.ir import Block, Operation, OpResult, SSAValue

from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.support.walking import operands_of


def sources(value: SSAValue, block: Block, *ends: type[Operation]) -> set[Operation]:
    """The ops of `block` that `value` is computed with, up to those of the classes `ends`."""
    found: set[Operation] = set()
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, OpResult) and value.op.parent is block and value.op not in found:
            found.add(value.op)
            waiting += () if isinstance(value.op, ends) else operands_of(value.op)
    return found


def readers(value: SSAValue, among: set[Operation]) -> set[Operation]:
    """The ops of `among` that are computed with `value`."""
    found: set[Operation] = set()
    waiting = [value]
    while waiting:
        for use in waiting.pop().uses:
            if use.operation in among and use.operation not in found:
                found.add(use.operation)
                waiting += use.operation.results
    return found


def products_of_scores(second: MatMulOp) -> list[MatMulOp]:
    """The products that compute the left operand of `second` with a softmax: an attention."""
    block = second.parent
    assert block is not None
    before = sources(second.lhs, block, MatMulOp)
    if not any(isinstance(op, SoftmaxOp) for op in before):
        return []
    return [op for op in before if isinstance(op, MatMulOp)]
