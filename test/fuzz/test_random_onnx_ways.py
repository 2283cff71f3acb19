"""Random ONNX models by streams, from the cache and with forced implementations; `make fuzz`."""

from __future__ import annotations

import os
import time
from pathlib import Path

from onnx_ways import check_cached, check_forced, check_streams, run_all
from sampled import ALL

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


def test_streams_give_each_request_its_own_results() -> None:
    assert sum(map(check_streams, range(3 if ALL else 2))) > 6


def test_programs_from_the_cache_give_the_same_bits(tmp_path: Path) -> None:
    assert sum(check_cached(seed, tmp_path) for seed in range(3 if ALL else 2)) > 6


def test_forced_implementations_give_the_same() -> None:
    """Seed 16 forces all nodes inside of the session, then all out again."""
    assert sum(map(check_forced, (0, 1, 16))) > 10


def test_more_models_for_as_long_as_asked(tmp_path: Path) -> None:
    """One model at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 2_000_000 * (SEED + 1), time.monotonic() + SECONDS
    run_all([seed], tmp_path)
    while time.monotonic() < end:
        seed += 1
        run_all([seed], tmp_path)
    print(f"last seed: {seed}")
