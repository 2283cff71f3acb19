"""Random expressions through `snippets_mlir.jit` give what NumPy gives.

`make fuzz SEED=n` runs them for a minute.
"""

from __future__ import annotations

import os
import random
import time

import numpy as np
import pytest

from snippets_mlir import jit
from snippets_mlir.testing.numpy_expressions import expression

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


def check_expression(seed: int) -> None:
    """One random expression against NumPy: dtype, shape and values."""
    text, arrays = expression(random.Random(seed))
    function = eval(f"lambda x, y, z: {text}", {"np": np})
    with np.errstate(all="ignore"):
        expected = function(**arrays)
    found = jit(function, num_threads=1)(**arrays)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), text
    scale = max(1.0, float(np.nanmax(np.abs(expected.astype(np.float64)), initial=0.0)))
    np.testing.assert_allclose(
        found.astype(np.float64), expected.astype(np.float64), 2e-5, 2e-6 * scale, err_msg=text
    )


@pytest.mark.parametrize("seed", range(40))
def test_expressions_equal_those_of_numpy(seed: int) -> None:
    check_expression(seed)


def test_more_expressions_for_as_long_as_asked() -> None:
    """One expression at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    check_expression(seed)
    while time.monotonic() < end:
        seed += 1
        check_expression(seed)
    print(f"last seed: {seed}")
