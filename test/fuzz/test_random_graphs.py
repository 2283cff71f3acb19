"""Random graphs, compiled and interpreted; `make fuzz SEED=n` runs them for a minute."""

from __future__ import annotations

import os
import time

import pytest
from random_graphs import check
from sampled import sampled

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


@pytest.mark.parametrize("first", sampled(range(0, 80, 10), 8))
def test_compiled_graphs_equal_the_interpreter(first: int) -> None:
    """Exact ops only: whatever is fused, bits are equal."""
    for seed in range(first, first + 10):
        check(seed)


def test_more_graphs_for_as_long_as_asked() -> None:
    """One graph at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    check(seed)
    while time.monotonic() < end:
        seed += 1
        check(seed)
    print(f"last seed: {seed}")
