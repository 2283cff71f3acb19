"""Shapes of random models; `make fuzz SEED=n` tries them for a minute."""

from __future__ import annotations

import os
import time

from random_shape_models import check_random_model

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


def test_shapes_of_random_models() -> None:
    assert sum(check_random_model(seed) for seed in range(60)) > 20


def test_more_models_for_as_long_as_asked() -> None:
    """One model at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    check_random_model(seed)
    while time.monotonic() < end:
        seed += 1
        check_random_model(seed)
    print(f"last seed: {seed}")
