"""How many threads may share a kernel, from the sizes of a call."""

from __future__ import annotations

from typing import NamedTuple

from snippets_mlir.runtime.formulas import Numbers
from snippets_mlir.runtime.threads import team_for


class Work(NamedTuple):
    """What the team of a kernel depends on. Sizes are numbers of formulas.

    Attributes:
        domain: elements of the parallel domain.
        grain: ranges of the domain are multiples of it.
        touched: bytes of the arrays that it reads and writes; unknown sizes count as 1.
        elements: of each of these arrays.
        cost: what the compiler estimates for an element, in picoseconds of one thread.
    """

    domain: int
    grain: int
    touched: int
    elements: tuple[int, ...]
    cost: int

    def team(self, sizes: Numbers, threads: int) -> int:
        """How many of `threads` threads may share it: no more than its domain has grains."""
        pieces = max(1, -(-int(sizes[self.domain]) // max(1, self.grain)))
        if min(pieces, threads) == 1:
            return 1
        computing = max((int(sizes[n]) for n in self.elements), default=0) * self.cost / 1000
        return min(pieces, team_for(int(sizes[self.touched]), threads, computing))
