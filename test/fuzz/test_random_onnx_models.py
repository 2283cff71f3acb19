"""Random ONNX models beside onnxruntime; `make fuzz SEED=n` tries them for a minute."""

from __future__ import annotations

import os
import time

from onnx_agreement import check_agreement
from sampled import ALL

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


def test_models_of_many_operators_agree_with_onnxruntime() -> None:
    assert sum(check_agreement(seed) for seed in range(6 if ALL else 4)) > 6


def test_more_models_for_as_long_as_asked() -> None:
    """One model at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    check_agreement(seed)
    while time.monotonic() < end:
        seed += 1
        check_agreement(seed)
    print(f"last seed: {seed}")
