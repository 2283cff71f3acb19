"""Names that ONNX allows and MLIR does not; `make fuzz SEED=n` tries them for a minute."""

from __future__ import annotations

import os
import time

from onnx_names import check_names

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


def test_models_run_under_their_names() -> None:
    for seed in range(2):
        check_names(seed)


def test_more_names_for_as_long_as_asked() -> None:
    """One model at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    check_names(seed)
    while time.monotonic() < end:
        seed += 1
        check_names(seed)
    print(f"last seed: {seed}")
