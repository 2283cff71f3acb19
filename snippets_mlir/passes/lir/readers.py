"""The readers of a value, also through views, and the loops that they share with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.lir.access import is_view
from snippets_mlir.dialects.lir.memory import ResultOp


@dataclass(frozen=True, eq=False)
class Reader:
    """A use of a value, directly or through views.

    Attributes:
        op: the op that reads.
        index: of the operand.
        views: from the value to the op.
    """

    op: Operation
    index: int
    views: tuple[Operation, ...] = ()


def readers_of(value: SSAValue, views: tuple[Operation, ...] = ()) -> list[Reader]:
    """The ops that read `value`, without results."""
    readers: list[Reader] = []
    for use in value.uses:
        if is_view(use.operation):
            readers += readers_of(use.operation.results[0], (*views, use.operation))
        elif not isinstance(use.operation, ResultOp):
            readers.append(Reader(use.operation, use.index, views))
    return readers


def shared_loops(value: Sequence[int], readers: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The first loops that a value and all of the readers have in common (B3)."""
    common = len(value)
    for loops in readers:
        same = 0
        while same < min(common, len(loops)) and loops[same] == value[same]:
            same += 1
        common = same
    return tuple(value[:common])
