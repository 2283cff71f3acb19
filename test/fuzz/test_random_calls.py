"""Random calls of NumPy's functions through `snippets_mlir.jit` give what NumPy gives, or an error.

`make fuzz SEED=n` runs them for a minute.
"""

from __future__ import annotations

import os
import random
import time
import warnings
from typing import Any

import numpy as np
import pytest
from numpy_calls import call
from sampled import sampled

from snippets_mlir import CompileError, jit

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


def outcome(seed: int) -> str:
    """How a call ends: `same` as NumPy, `refused` where NumPy computes, or an error of `both`."""
    text, arrays = call(random.Random(seed))
    function = eval(f"lambda x, y, i: {text}", {"np": np})
    expected: Any = None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = function(**arrays)
        except (ValueError, TypeError, IndexError, OverflowError):
            with pytest.raises((CompileError, OverflowError)):
                jit(function)(**arrays)
            return "both"
        try:
            found = jit(function, dynamic=seed % 3 == 0)(**arrays)
        except CompileError:
            return "refused"
    assert (found.dtype, np.shape(found)) == (expected.dtype, np.shape(expected)), (seed, text)
    given, wanted = (np.asarray(a).astype(np.float64) for a in (found, expected))
    np.testing.assert_allclose(
        given,
        wanted,
        2e-3 if expected.dtype == np.float16 else 1e-5,
        1e-5,
        err_msg=f"{seed} {text}",
    )
    return "same"


@pytest.mark.parametrize("seed", sampled(range(0, 100, 10), 3))
def test_calls_end_as_those_of_numpy(seed: int) -> None:
    ends = [outcome(one) for one in range(seed, seed + 10)]
    assert ends.count("refused") < len(ends) / 2


def test_more_calls_for_as_long_as_asked() -> None:
    """One call at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    outcome(seed)
    while time.monotonic() < end:
        seed += 1
        outcome(seed)
    print(f"last seed: {seed}")
