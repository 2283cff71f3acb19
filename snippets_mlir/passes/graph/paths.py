"""The ops on the way from values to values."""

from __future__ import annotations

from xdsl.ir import Block, Operation, OpResult, SSAValue

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
