"""Thread counts for which random programs are compiled.

    drawn_threads(7)           the number of threads of seed 7, 1 to 16

    with small_kernels_shared():
        snippets_mlir.compile(text, num_threads=drawn_threads(7))(*arrays)

The plan of a kernel depends on the number of threads: blocks of rows and columns, parts of sums,
the loops that are parallel, and what each thread copies for itself. A computer's own number tests
only one of these plans. So each seed draws a number, the same on every computer.

The runtime runs a small kernel on one thread. Within `small_kernels_shared` it is split for all
threads that it was compiled for, and each part runs separately, even with fewer cores.
"""

from __future__ import annotations

import random
from collections.abc import Generator
from contextlib import contextmanager

COUNTS = (1, 2, 3, 4, 5, 8, 16)
"""Numbers of threads that are drawn more often: few, a power of two, a prime, many."""
MOST = 16
OTHERS = 0.15
"""The fraction of seeds that draw any number up to `MOST`."""


def drawn_threads(seed: int) -> int:
    """The number of threads of a seed."""
    rng = random.Random(f"threads {seed}")
    return rng.randint(1, MOST) if rng.random() < OTHERS else rng.choice(COUNTS)


@contextmanager
def small_kernels_shared() -> Generator[None]:
    """Let all threads share a kernel, however small it is; only for one Python thread at a time."""
    from snippets_mlir.runtime.parallel import step_teams
    from snippets_mlir.runtime.steps import size_steps

    before = step_teams.team_for, size_steps.SHARED_BYTES, size_steps.SHARED_PICOSECONDS
    step_teams.team_for = _whole_team
    size_steps.SHARED_BYTES = size_steps.SHARED_PICOSECONDS = 0
    try:
        yield
    finally:
        step_teams.team_for, size_steps.SHARED_BYTES, size_steps.SHARED_PICOSECONDS = before


def _whole_team(touched: int, threads: int, computing: float = 0.0) -> int:
    """Stands in for `team_for`."""
    return threads
