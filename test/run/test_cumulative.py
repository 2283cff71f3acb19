"""Kernels of cumulative sums, products, maxima and minima, against NumPy."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import numpy as np
import pytest
from cumulative_kernels import LANES, UFUNCS, Array, cumulated, program
from runnable import HOST, RUNNABLE
from sampled import sampled

import snippets_mlir

ELEMENTS: dict[str, Any] = {
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "i32": np.int32, "i64": np.int64,
    "i8": np.int8, "ui8": np.uint8, "i16": np.int16,
}  # fmt: skip
SIZES = [1, 2, 3, LANES - 1, LANES, LANES + 1, 4 * LANES, 5 * LANES + 3]


def check(found: Array, wanted: Array, kind: str) -> None:
    """Equal, but for the order in which floats are added and multiplied."""
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    if wanted.dtype.kind == "f" and kind in ("sum", "prod"):
        rtol = 2e-3 if wanted.dtype == np.float16 else 2e-5
        np.testing.assert_allclose(found, wanted, rtol, rtol)
    else:
        np.testing.assert_array_equal(found, wanted)


def numbers(rng: np.random.Generator, shape: tuple[int, ...], element: str, kind: str) -> Array:
    dtype = np.dtype(ELEMENTS[element])
    if dtype.kind == "f":
        low, high = (0.8, 1.25) if kind == "prod" else (-4, 4)
        return rng.uniform(low, high, shape).astype(dtype)
    bounds = np.iinfo(dtype)
    return rng.integers(bounds.min, bounds.max, shape, dtype, endpoint=True)


def target_for(draw: random.Random, element: str) -> str:
    """A target of this machine; not all have 16-bit floats."""
    return HOST.name if element == "f16" else draw.choice(RUNNABLE)


@pytest.mark.parametrize("seed", sampled(range(96), 6))
def test_random_cumulatives(seed: int):
    """Any axis, sizes around those of vectors, all elements, forward and inclusive: one kernel."""
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    element, kind = draw.choice([*ELEMENTS]), draw.choice([*UFUNCS])
    rank = draw.randint(1, 4)
    shape = tuple(draw.choice(SIZES if d > rank - 3 else SIZES[:3]) for d in range(rank))
    axis = draw.randrange(rank)
    threads = draw.choice([1, 2])
    text = program(shape, element, kind, axis)
    compiled = snippets_mlir.compile(text, target=target_for(draw, element), num_threads=threads)
    assert not compiled.opaque
    assert len(compiled.kernels) == (shape[axis] != 1)
    x = numbers(rng, shape, element, kind)
    check(compiled(x), cumulated(x, kind, axis), kind)


@pytest.mark.parametrize("seed", sampled(range(64), 6))
def test_random_orders(seed: int):
    """Exclusive, reverse and both: no op is left to NumPy."""
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    element, kind = draw.choice([*ELEMENTS]), draw.choice([*UFUNCS])
    exclusive, reverse = draw.choice([(True, False), (False, True), (True, True)])
    rank = draw.randint(1, 3)
    shape = tuple(draw.choice([0, *SIZES]) for _ in range(rank))
    axis = draw.randrange(rank)
    mode = ", exclusive" * exclusive + ", reverse" * reverse
    text = program(shape, element, kind, axis, mode)
    compiled = snippets_mlir.compile(text, target=target_for(draw, element), fallback="error")
    assert {op.op for op in compiled.opaque} <= {"snippets.slice"}  # a view of a kernel's result
    x = numbers(rng, shape, element, kind)
    found = compiled(x)
    check(found, cumulated(x, kind, axis, exclusive=exclusive, reverse=reverse), kind)


@pytest.mark.parametrize("element", ["i8", "ui8", "i16", "i32"])
@pytest.mark.parametrize("kind", ["max", "min"])
def test_the_extreme_of_nothing(kind: str, element: str):
    """The first result of an exclusive one is the lowest or largest number of its own type."""
    dtype = np.dtype(ELEMENTS[element])
    x = np.array([[3, 100, 7], [50, 2, 9]], dtype)
    found = snippets_mlir.compile(program(x.shape, element, kind, 1, ", exclusive"))(x)
    nothing = np.iinfo(dtype).min if kind == "max" else np.iinfo(dtype).max
    np.testing.assert_array_equal(found[:, 0], [nothing, nothing])
    check(found, cumulated(x, kind, 1, exclusive=True), kind)


@pytest.mark.parametrize(("kind", "target", "axis"), sampled(product(UFUNCS, RUNNABLE, [0, 1]), 2))
def test_special_values(kind: str, axis: int, target: str):
    """-0.0 stays at the front; NaN, and the extremes of all -inf, go on to the end of their row."""
    n = LANES + 5
    x = np.ones((8, n), np.float32)
    x[0] = -0.0
    x[1, 3] = np.nan
    x[2], x[3] = -np.inf, np.inf
    x[4, 2], x[4, LANES] = np.inf, -np.inf
    x[5, 1:] = -0.0
    x[6] = np.where(np.arange(n) % 2, 0.0, -0.0)
    x = x if axis == 1 else np.ascontiguousarray(x.T)
    compiled = snippets_mlir.compile(program(x.shape, "f32", kind, axis), target=target)
    with np.errstate(all="ignore"):
        wanted = cumulated(x, kind, axis)
    found = compiled(x)
    np.testing.assert_array_equal(found, wanted)
    if kind in ("sum", "prod"):  # NumPy's extremes of two zeros are either of them
        still = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found)[still], np.signbit(wanted)[still])


@pytest.mark.parametrize("axis", [0, 1])
def test_zeros_of_both_signs(axis: int):
    """0.0 is larger than -0.0, as in the op's value."""
    x = np.array([[-0.0, 0.0, -0.0], [0.0, -0.0, 0.0]], np.float32)
    for kind, negative in (("max", np.logical_and), ("min", np.logical_or)):
        compiled = snippets_mlir.compile(program(x.shape, "f32", kind, axis))
        wanted = negative.accumulate(np.signbit(x), axis=axis)
        np.testing.assert_array_equal(np.signbit(compiled(x)), wanted)


def test_a_long_sum_is_as_exact_as_numpys():
    """Vectors of prefixes round less often than one sum of all."""
    x = np.random.default_rng(0).uniform(0, 1, 1 << 18).astype(np.float32)
    exact = np.cumsum(x.astype(np.float64))
    own = abs(snippets_mlir.compile(program(x.shape, "f32", "sum", 0))(x) - exact) / exact
    assert own.max() <= 1.1 * (abs(np.cumsum(x) - exact) / exact).max()
