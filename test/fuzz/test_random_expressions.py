"""Random expressions through `snippets_mlir.jit` give what NumPy gives.

`make fuzz SEED=n` runs them for a minute.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy_expressions import expression
from sampled import sampled

from snippets_mlir import CompileError, jit
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.testing.thread_counts import drawn_threads, small_kernels_shared

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


def check_expression(seed: int) -> None:
    """One random expression against NumPy: dtype, shape and values."""
    text, arrays = expression(random.Random(seed))
    function = function_of(text)
    with small_kernels_shared():
        check_call(text, jit(function, num_threads=drawn_threads(seed)), function, arrays)


def check_any_size(seed: int) -> bool:
    """One with open sizes, called with arrays of one, two and three times the rows.

    Returns:
        Whether it is compiled: an expression may need sizes.
    """
    text, arrays = expression(random.Random(seed))
    function = function_of(text)
    dynamic = jit(function, dynamic=True, num_threads=drawn_threads(seed))
    try:
        dynamic.lower(**arrays)
    except CompileError as error:
        if "sizes that dynamic=True leaves open" not in error.message:
            raise
        return False
    for times in (1, 2, 3):
        repeated = {
            name: np.concatenate([a] * times) if a.ndim > 1 and len(a) > 1 else a
            for name, a in arrays.items()
        }
        with small_kernels_shared():
            check_call(text, dynamic, function, repeated)
    return True


def function_of(text: str) -> Callable[..., Any]:
    """The expression as a function."""
    return eval(f"lambda x, y, z: {text}", {"np": np})


def check_call(
    text: str, compiled: Callable[..., Any], function: Callable[..., Any], arrays: dict[str, Array]
) -> None:
    """Compare what a compiled function gives with what NumPy does."""
    with np.errstate(all="ignore"):
        expected = function(**arrays)
    found = compiled(**arrays)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), text
    scale = max(1.0, float(np.nanmax(np.abs(expected.astype(np.float64)), initial=0.0)))
    np.testing.assert_allclose(
        found.astype(np.float64), expected.astype(np.float64), 2e-5, 2e-6 * scale, err_msg=text
    )


@pytest.mark.parametrize("seed", sampled(range(40), 4))
def test_expressions_equal_those_of_numpy(seed: int) -> None:
    check_expression(seed)


def test_expressions_of_any_size_equal_those_of_numpy() -> None:
    assert sum(map(check_any_size, range(6))) >= 3


def test_more_expressions_for_as_long_as_asked() -> None:
    """One expression at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    check_expression(seed)
    while time.monotonic() < end:
        seed += 1
        check_expression(seed)
        check_any_size(seed)
    print(f"last seed: {seed}")
