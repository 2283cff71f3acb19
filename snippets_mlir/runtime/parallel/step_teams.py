"""How many threads may share a kernel, from the sizes of a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snippets_mlir.runtime.parallel.threads import team_for


class Work(NamedTuple):
    """The data that the team of a kernel depends on. Sizes are numbers of formulas.

    Attributes:
        domain: elements of the parallel domain.
        grain: ranges of the domain are multiples of it.
        touched: bytes of each array that it reads or writes; unknown sizes count as 1.
        space: elements of the kernel's largest space (`analysis/kernels/kernel_cost.py`).
        cost: the compiler's estimate per element, in picoseconds of one thread.
    """

    domain: int
    grain: int
    touched: tuple[int, ...]
    space: int
    cost: int

    def team(self, sizes: Sequence[int], threads: int) -> int:
        """The number of threads, at most `threads`, that share it: no more than its domain has
        grains.
        """
        pieces = max(1, -(-sizes[self.domain] // max(1, self.grain)))
        if min(pieces, threads) == 1:
            return 1
        computing = sizes[self.space] * self.cost / 1000
        return min(pieces, team_for(sum([sizes[n] for n in self.touched]), threads, computing))
