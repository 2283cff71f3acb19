"""Random passes at random positions; `make fuzz SEED=n` runs them for a minute.

`python test/support/random_insertions.py` runs thousands.
"""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from drawn_insertions import Insertion, Wrong, insertion
from random_insertions import check, outcome
from sampled import ALL, sampled

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


@pytest.mark.parametrize("first", sampled(range(0, 24, 4), 6))
def test_programs_are_right_or_refused(first: int) -> None:
    for seed in range(first, first + (4 if ALL else 2)):
        assert outcome(seed, own=True)[1] == ""


def test_some_of_both() -> None:
    kinds = [outcome(seed)[0] for seed in range(100, 103)]
    assert {"ok", "refused"} == set(kinds)


def test_more_for_as_long_as_asked() -> None:
    """One insertion at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    assert outcome(seed)[1] == ""
    while time.monotonic() < end:
        seed += 1
        assert outcome(seed)[1] == ""
    print(f"last seed: {seed}")


def test_a_wrong_result_is_noticed() -> None:
    one = insertion(0)
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = snippets.abs %x : tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }"""

    def not_minus(found: object) -> None:
        if np.any(np.asarray(found) != -1):
            raise Wrong

    wrong = Insertion(
        0, text, "end", "cse", "cse", one.pipeline, lambda: [-np.ones(4, np.float32)], not_minus
    )
    with pytest.raises(Wrong):
        check(wrong)
