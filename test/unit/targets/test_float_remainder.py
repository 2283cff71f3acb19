"""`snippets.mod` and `snippets.floor_mod` of floats, compiled: exact for every pair of values."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from sampled import alternating

import snippets_mlir

Array = np.ndarray[Any, np.dtype[Any]]
TYPES = {"f32": np.float32, "f64": np.float64}
MODULE = """
func.func @main(%x: tensor<{n}x{t}>, %y: tensor<{n}x{t}>) -> (tensor<{n}x{t}>, tensor<{n}x{t}>) {{
  %0 = snippets.mod %x, %y : (tensor<{n}x{t}>, tensor<{n}x{t}>) -> tensor<{n}x{t}>
  %1 = snippets.floor_mod %x, %y : (tensor<{n}x{t}>, tensor<{n}x{t}>) -> tensor<{n}x{t}>
  return %0, %1 : tensor<{n}x{t}>, tensor<{n}x{t}>
}}
"""


def _operands(dtype: Any) -> tuple[Array, Array]:
    """Every pair of special values, random bits, and quotients of few bits."""
    info = np.finfo(dtype)
    least = info.smallest_subnormal
    special = [0, 1, 3, 0.1, np.inf, np.nan, info.max, info.tiny, least, 7 * least, 2.0**24 + 2]
    values = np.array([*special, *(-v for v in special)], dtype)
    x, y = (np.array(v, dtype) for v in zip(*itertools.product(values, values), strict=True))
    rng = np.random.default_rng(5)
    size = np.dtype(dtype).itemsize
    bits = np.frombuffer(rng.bytes(2 * 5000 * size), dtype).reshape(2, 5000)
    near = rng.uniform(-1000, 1000, (2, 5000)).astype(dtype)
    near[1] /= 64
    whole = rng.integers(-30, 30, (2, 2000)).astype(dtype)
    return np.concatenate([x, bits[0], near[0], whole[0]]), np.concatenate(
        [y, bits[1], near[1], whole[1]]
    )


def _same(got: Array, expected: Array) -> Array:
    equal = (got == expected) & (np.signbit(got) == np.signbit(expected))
    return equal | (np.isnan(got) & np.isnan(expected))


@pytest.mark.parametrize(("name", "target"), alternating(TYPES, ["host", "generic"]))
def test_remainders_are_exact(name: str, target: str) -> None:
    dtype = TYPES[name]
    x, y = _operands(dtype)
    program = MODULE.format(n=x.size, t=name)
    compiled = snippets_mlir.compile(program, target=target, fallback="error", num_threads=1)
    rest, floor_rest = compiled(x, y)
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
        assert _same(rest, expected).all()
        differ = (expected != 0) & ((expected < 0) != (y < 0))
        moved = np.where(differ, expected + y, expected)
        floored = np.where(expected == 0, np.copysign(dtype(0), y), moved)
    assert _same(floor_rest, floored).all()
