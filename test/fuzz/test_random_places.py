"""Random places of extremes against NumPy; `make fuzz SEED=n` runs more of them.

Elements are few different numbers, so that many are equal, with NaN, infinities and zeros of both
signs among floats. An op may stand before the reduction, and one after it.
"""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.testing.thread_counts import drawn_threads, small_kernels_shared

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))
DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "i32": np.int32,
    "i64": np.int64,
    "i1": np.bool_,
}
SIZES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 100)
SPECIAL = (np.nan, np.inf, -np.inf, -0.0)


def tensor(sizes: list[int], element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in sizes)}{element}>"


def check(seed: int) -> None:
    """The program of a seed gives what NumPy does."""
    rng = np.random.default_rng(seed)
    element = str(rng.choice([*DTYPES]))
    shape = [int(size) for size in rng.choice(SIZES, int(rng.integers(1, 4)))]
    axis, keeps = int(rng.integers(len(shape))), bool(rng.integers(2))
    word, result = str(rng.choice(["max", "min"])), str(rng.choice(["i32", "i64"]))
    out = [1 if dim == axis else size for dim, size in enumerate(shape)]
    out = out if keeps else shape[:axis] + shape[axis + 1 :]
    x, y = tensor(shape, element), tensor(out, result)
    before = "logical_not" if element == "i1" else "negative"
    text = f"""
func.func @main(%x: {x}) -> {y} {{
  %a = snippets.{before} %x : {x}
  %p = snippets.arg_{word} %a {{axis = {axis} : i64{", keep_dims" if keeps else ""}}} : ({x}) -> {y}
  %q = snippets.add %p, %p : {y}
  func.return %q : {y}
}}
"""
    array: Any = rng.integers(-2, 3, shape).astype(DTYPES[element])
    if element.startswith("f"):
        special = rng.choice(SPECIAL, shape).astype(array.dtype)
        array = np.where(rng.random(shape) < rng.choice([0, 0.02, 0.5]), special, array)
    changed = ~array if element == "i1" else -array
    function = np.argmax if word == "max" else np.argmin
    with small_kernels_shared():
        program = snippets_mlir.compile(text, fallback="error", num_threads=drawn_threads(seed))
        found: Any = program(array)
    assert found.dtype == DTYPES[result]
    wanted = 2 * function(changed, axis=axis, keepdims=keeps)
    np.testing.assert_array_equal(found, wanted, err_msg=f"seed {seed}")


@pytest.mark.parametrize("seed", range(6))
def test_places_are_those_of_numpy(seed: int) -> None:
    check(seed)


def test_more_places_for_as_long_as_asked() -> None:
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    while time.monotonic() < end:
        check(seed)
        seed += 1
    print(f"last seed: {seed}")
