"""Random affine nests, scalar against vectorized; `docs/dev/fuzz_nests.py` runs thousands.

`make fuzz SEED=n` runs them for a minute.
"""

from __future__ import annotations

import os
import time
from types import ModuleType

import pytest
from loop_oracle_values import Wrong
from random_nests import check_nest, random_nest

from snippets_mlir.analysis import loop_bodies
from snippets_mlir.passes.vectorize import loop_matching, nest_plan, transfer_plan

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


def test_vectorized_nests_equal_scalar_ones() -> None:
    vectorized = sum(check_nest(random_nest(seed)) for seed in range(60))
    assert vectorized >= 10


def test_more_nests_for_as_long_as_asked() -> None:
    """One nest at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    check_nest(random_nest(seed))
    while time.monotonic() < end:
        seed += 1
        check_nest(random_nest(seed))
    print(f"last seed: {seed}")


def nothing(*_: object) -> None:
    """A check that finds nothing."""


def yes(*_: object) -> bool:
    """A check that is always content."""
    return True


@pytest.mark.parametrize(
    ("where", "wrong", "seed"),
    [
        ((transfer_plan, "_ends_with"), yes, 8),
        ((loop_bodies, "_is_contiguous"), yes, 18),
        ((nest_plan, "is_whole"), yes, 7),
        ((loop_bodies, "carried_dependence"), nothing, 209),
        ((loop_matching, "step_refusal"), nothing, 413),
        ((nest_plan, "TRAPPING"), frozenset[str](), 17),
    ],
)
def test_a_vectorizer_without_one_check_is_caught(
    monkeypatch: pytest.MonkeyPatch, where: tuple[ModuleType, str], wrong: object, seed: int
) -> None:
    """The fuzzer sees what each check prevents."""
    monkeypatch.setattr(*where, wrong)
    with pytest.raises((AssertionError, Wrong)):
        check_nest(random_nest(seed))
