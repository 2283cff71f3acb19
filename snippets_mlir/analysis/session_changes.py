"""How often kernels and sessions of the engine follow each other, in the best order of the ops.

    %0 = snippets.exp %x               kernel      0
    %1 = onnx.node "GRU"(%0)           engine      1     after the kernel
    %2 = snippets.tanh %1              kernel      2     after the engine: two changes in all
    %3 = onnx.node "GRU"(%x)           engine      1     with %1, or at another time

Kernels and the engine take turns. An op is in the first turn of its kind that is not before what it
reads; so the last turn that is needed has the number of changes. The first turn may be one of
kernels, as above, or of the engine: the smaller number counts. What neither reads a kernel nor is
read by one needs no turn.

The ops of one kernel may have different turns, though they run at once: then the number is a lower
bound.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from xdsl.ir import Block, Operation


def session_changes(
    block: Block, kernels: Collection[Operation], is_in_none: Callable[[Operation], bool]
) -> int:
    """The fewest changes from a kernel to a session, or from a session to a kernel.

    Args:
        block: the ops of the graph, each after what it reads.
        kernels: those that kernels compute.
        is_in_none: whether neither a kernel nor a session computes an op, such as a view.
    """
    return min(_last_turn(block, kernels, is_in_none, first) for first in (0, 1))


def _last_turn(
    block: Block,
    kernels: Collection[Operation],
    is_in_none: Callable[[Operation], bool],
    first: int,
) -> int:
    """The last turn of kernels, or of the engine after one; `first` is the first of kernels."""
    turns: dict[object, int] = {}
    after: set[object] = set()
    last = 0
    for op in block.ops:
        owners = {value.owner for value in op.operands}
        turn = max((turns.get(owner, 0) for owner in owners), default=0)
        is_kernel = op in kernels
        if is_kernel or not is_in_none(op):
            turn += (turn - first - (not is_kernel)) % 2
        turns[op] = turn
        if is_kernel or not after.isdisjoint(owners):
            after.add(op)
            if is_kernel or not is_in_none(op):
                last = max(last, turn)
    return last
