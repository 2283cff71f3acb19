"""The ops around the products of an attention that its kernel also computes.

Operands: slices and transposes, which are views.

    %0 = snippets.slice %qkv
    %q = snippets.transpose %0

Before the products: what is added to the scores, and numbers of its rows that the result needs.

    %b = snippets.slice %bias
    %m = snippets.select %kept, %b, -inf
    %n = snippets.reduce_sum %kept_keys
    %0 = snippets.equal %n, 0.0

After them: elementwise ops on the result, and a layout of it.

    %y = snippets.select %0, 0.0, %o
    %t = snippets.transpose %y
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Block, Operation, OpResult, SSAValue

from snippets_mlir.analysis.graph.eligibility import why_not
from snippets_mlir.analysis.graph.product_views import is_slice_of_a_mask, is_slice_of_a_product
from snippets_mlir.analysis.graph.products import reduces_rows
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.comparison import (
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    NotEqualOp,
)
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.logic import LogicalAndOp, LogicalNotOp, LogicalOrOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.graph.paths import sources

MASK_OPS = (
    AddOp,
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    NotEqualOp,
    SelectOp,
)
"""Ops of masks that cost less for each head than their results cost in memory."""


def ops_after(between: Sequence[Operation]) -> list[Operation]:
    """The elementwise ops after an attention, each of which alone reads the result before it.

    Args:
        between: the ops from the first product to the second one. No other operand of the ops after
            it may be computed with them by an op outside of the kernel.
    """
    second = between[-1]
    block, inside = second.parent, set(between)
    assert block is not None
    found: list[Operation] = []
    value = second.results[0]
    while (op := value.get_user_of_unique_use()) is not None and _follows(op, value.type, block):
        others = [operand for operand in op.operands if operand is not value]
        if any(not inside.isdisjoint(sources(operand, block)) for operand in others):
            break
        found.append(op)
        value = op.results[0]
    return found


def _follows(op: Operation, type_: object, block: Block) -> bool:
    """Whether `op` maps elements of a result of this type to elements of the same type."""
    is_elementwise = isinstance(op, ComputeOp) and not isinstance(
        op, WholeTensorOp | BroadcastLikeOp
    )
    same = op.parent is block and [result.type for result in op.results] == [type_]
    return is_elementwise and same and why_not(op) is None


def operand_views(ops: Sequence[Operation]) -> Iterator[Operation]:
    """The slices and transposes of operands that only one product of `ops` reads.

    Args:
        ops: from the first product to the second one.
    """
    operands = (*((ops[0], value) for value in ops[0].operands), (ops[-1], ops[-1].operands[1]))
    for product, value in operands:
        views: list[Operation] = []
        turned = value.owner
        if isinstance(turned, TransposeOp) and _is_alone(value, product):
            permutation = turned.permutation
            if len(permutation) - 1 in permutation[-2:] and turned.operand.owner not in ops:
                views.append(turned)
                value, product = turned.operand, turned
        taken = value.owner
        if isinstance(taken, SliceOp) and _is_alone(value, product):
            views = [taken, *views] if is_slice_of_a_product(taken) else views
        if all(why_not(op) is None for op in views):
            yield from views


def _is_alone(value: SSAValue, reader: Operation) -> bool:
    return {use.operation for use in value.uses} == {reader}


def masks_of(ops: Sequence[Operation]) -> list[Operation]:
    """The ops that only `ops` and one another read, in order: masks, and numbers of their rows."""
    inside, waiting = set(ops), [*ops]
    found: list[Operation] = []
    while waiting:
        for value in waiting.pop().operands:
            op = value.owner
            if isinstance(op, Operation) and op not in inside and _is_of_mask(op, inside):
                inside.add(op)
                found.insert(0, op)
                waiting.append(op)
    own = set(ops)
    return found if all(_owners(op).isdisjoint(own) for op in found) else []


def _owners(op: Operation) -> set[Operation]:
    return {value.op for value in op.operands if isinstance(value, OpResult)}


def _is_of_mask(op: Operation, readers: set[Operation]) -> bool:
    is_mask = isinstance(op, MASK_OPS) or (isinstance(op, ReduceOp) and reduces_rows(op))
    is_mask = is_mask or (isinstance(op, SliceOp) and is_slice_of_a_mask(op, readers))
    alone = all(use.operation in readers for value in op.results for use in value.uses)
    return is_mask and alone and why_not(op) is None


def result_view(last: Operation) -> list[Operation]:
    """The transpose that alone reads the result, if it keeps the rows contiguous."""
    reader = last.results[0].get_user_of_unique_use()
    if not isinstance(reader, TransposeOp) or why_not(reader) is not None:
        return []
    return [reader] if reader.keeps_last_dim else []
