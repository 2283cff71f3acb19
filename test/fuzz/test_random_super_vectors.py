"""Random functions on super-vectors, in tiles against whole; `make fuzz SEED=n` runs more."""

from __future__ import annotations

import os
import time

from super_vector_checks import check_super_vectors

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


def test_more_super_vectors_for_as_long_as_asked() -> None:
    """One function at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    check_super_vectors(seed, most=2)
    while time.monotonic() < end:
        seed += 1
        check_super_vectors(seed, most=1 + seed % 4)
    print(f"last seed: {seed}")
