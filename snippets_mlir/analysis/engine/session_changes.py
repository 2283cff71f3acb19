"""The number of changes between kernels and engine sessions, in the best order of the ops.

    %0 = snippets.exp %x               kernel      0
    %1 = onnx.node "GRU"(%0)           engine      1     after the kernel
    %2 = snippets.tanh %1              kernel      2     after the engine: two changes in all
    %3 = onnx.node "GRU"(%x)           engine      1     with %1, or at another time

Kernels and the engine take turns. An op is in the first turn of its kind that is not before its
operands, so the number of the last turn is the number of changes. The first turn may belong to
kernels, as above, or to the engine: the smaller number counts. Ops that neither read a kernel nor
are read by one need no turn.

The ops of one kernel run together but may have different turns: then the number is a lower bound.

Ops that are not in a kernel and do not depend on one are in the first turn of the engine, if they
need the engine at all. So the facts of a block are read once, and each set of kernels only walks
the ops that depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from xdsl.ir import Block, Operation


@dataclass(frozen=True, eq=False)
class Turns:
    """What the turns of the ops of a block depend on, each op by its place.

    Attributes:
        places: the place of each op.
        read: places of the ops that each one reads.
        idle: whether neither a kernel nor a session computes an op, such as a view.
        early: the turn of an op that depends on no kernel, if the engine has turn 1: 0 if nothing
            up to it needs the engine.
    """

    places: dict[Operation, int]
    read: tuple[tuple[int, ...], ...]
    idle: tuple[bool, ...]
    early: tuple[int, ...]

    @classmethod
    def of(cls, block: Block, is_in_none: Callable[[Operation], bool]) -> Turns:
        """The facts of a block in which each op is after its operands.

        Args:
            block: the ops of the graph.
            is_in_none: whether neither a kernel nor a session computes an op.
        """
        places = {op: place for place, op in enumerate(block.ops)}
        read: list[tuple[int, ...]] = []
        idle: list[bool] = []
        early: list[int] = []
        for op in block.ops:
            owners = {v.owner for v in op.operands}
            found = tuple(places[it] for it in owners if isinstance(it, Operation) and it in places)
            read.append(found)
            idle.append(is_in_none(op))
            early.append(max((early[place] for place in found), default=0) if idle[-1] else 1)
        return cls(places, tuple(read), tuple(idle), tuple(early))

    def changes(self, kernels: Collection[Operation]) -> int:
        """The fewest changes from a kernel to a session, or from a session to a kernel.

        Args:
            kernels: the ops that kernels compute.
        """
        inside = {self.places[op] for op in kernels if op in self.places}
        return min(self._last_turn(inside, first) for first in (0, 1)) if inside else 0

    def _last_turn(self, kernels: set[int], first: int) -> int:
        """The last turn of kernels, or of the engine after one; `first` is the first of kernels."""
        turns: dict[int, int] = {}  # of kernels, and of what follows from one
        last = 0
        for place in range(min(kernels), len(self.read)):
            is_kernel, read = place in kernels, self.read[place]
            if not is_kernel and turns.keys().isdisjoint(read):
                continue
            early = 0 if first else 1
            turn = max((turns.get(it, early * self.early[it]) for it in read), default=0)
            if is_kernel or not self.idle[place]:
                turn += (turn - first - (not is_kernel)) % 2
                last = max(last, turn)
            turns[place] = turn
        return last
