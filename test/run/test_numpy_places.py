# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""Arrays as indices in functions of `snippets_mlir.jit`: NumPy's results, and its IndexError."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy_results import same
from sampled import sampled

import snippets_mlir.xp
from snippets_mlir import jit
from snippets_mlir.support.errors import CompileError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 24)).astype(np.float32)
Y = RNG.normal(size=24).astype(np.float32)

PLACES: dict[str, Any] = {
    "rows": lambda x, i: x[i] * 2,
    "columns": lambda x, i: x[:, i] * 2,
    "last dim": lambda x, i: x[..., i] + 1,
    "places of two dims": lambda x, i: x[i[:, None] // np.array([1, 2])] + 1,
    "beside slices": lambda x, i: x[1:, None, i] * 2,
    "before a slice": lambda x, i: x[None, i, ::2] * 2,
    "one place": lambda x, i: x[i[0]] - x[i[-1]],
    "take": lambda x, i: np.take(x, i, axis=1) + 1,
    "take of all": lambda x, i: np.take(x, i) + 1,
    "take inside": lambda x, i: x.take(i * 9, axis=0, mode="clip") + 1,
    "known places inside": lambda x, i: x.take([0, 99, 3] * 7, axis=0, mode="clip") + i[0],
    "argmax": lambda x, i: x[:, np.argmax(x, 1)] + i[0],
    "two arrays": lambda x, i: x[i, i[::-1]] * 2,
    "two arrays of several shapes": lambda x, i: x[i[:, None], i] * 2,
    "an array and a number": lambda x, i: (x[0, i] + x[i, -1], x[None, 1, i]),
    "an array and known places": lambda x, i: x[i, [5, -24, 0]] + x[[[1], [-8]], i],
    "all known": lambda x, i: x[[1, 2, 0], [-1, 0, 3]] + i,
    "a slice between": lambda x, i: x.reshape(8, 4, 6)[i, :, i % 6] * 2,
    "a slice before": lambda x, i: x.reshape(2, 8, 12)[:, i, i] * 2,
    "slices around": lambda x, i: x.reshape(2, 8, 3, 4)[1:, i, ::2, i % 4] + 1,
    "three arrays": lambda x, i: x.reshape(8, 4, 6)[i, i % 4, i % 6] + 1,
    "three dims by two arrays": lambda x, i: x.reshape(8, 4, 6)[..., i % 4, i % 6] + 1,
    "along an axis": lambda x, i: np.take_along_axis(x, np.stack([i] * 8), 1) * 2,
    "along the first": lambda x, i: np.take_along_axis(x, np.stack([i] * 24, 1), axis=0) * 2,
    "along all": lambda x, i: np.take_along_axis(x, i, None) * 2,
    "of known numbers": lambda x, i: snippets_mlir.xp.take(Y, i) + x[0, :3],
    "norm": lambda x, i: x[i] / np.sqrt((x[i] ** 2).mean(-1, keepdims=True) + 1),
}


@pytest.mark.parametrize(
    ("name", "dtype"), sampled(product(PLACES, [np.int64, np.int32, np.int8, np.uint16]), 6)
)
def test_places_of_the_call(name: str, dtype: Any) -> None:
    f = jit(PLACES[name])
    for places in ([3, 0, 7], [1, 1, 2], [-8, -1, 2]):
        i = np.array([abs(p) % 8 for p in places] if np.dtype(dtype).kind == "u" else places, dtype)
        same(f(X, i), PLACES[name](X, i))


def test_a_place_of_the_call_may_be_a_number() -> None:
    f = jit(lambda x, k: x[k] * 2)
    for k in (2, -1, 0):
        np.testing.assert_array_equal(f(X, k), X[k] * 2)
    with pytest.raises(IndexError, match="index 8 is out of bounds for axis 0 with size 8"):
        f(X, 8)
    np.testing.assert_array_equal(f(X, 7), X[7] * 2)


def test_each_of_several_places_is_checked() -> None:
    f = jit(lambda x, i, j: x[i, j] + 1)
    i, j = np.array([1, -8, 7]), np.array([0, 23, -24])
    np.testing.assert_array_equal(f(X, i, j), X[i, j] + 1)
    with pytest.raises(IndexError, match="index 8 is out of bounds for axis 0 with size 8"):
        f(X, i + 1, j)
    with pytest.raises(IndexError, match="index -25 is out of bounds for axis 1 with size 24"):
        f(X, i, j - 1)
    np.testing.assert_array_equal(f(X, i[:0], j[:0]), X[i[:0], j[:0]] + 1)
    with pytest.raises(CompileError, match="several arrays are indices"):
        jit(lambda x, i: x[i, i] + 1, dynamic=True)(X, i)


def test_places_outside_are_checked_once_and_are_an_error() -> None:
    f = jit(lambda x, i: x[i] + np.exp(x[i]), dynamic=True)
    assert f.lower(X, np.array([1])).ir("graph").count("check_indices") == 1
    assert f.explain(X, np.array([1])).splitlines()[1].startswith("snippets.check_indices: ")
    for rows in (8, 3, 1):
        x = np.ascontiguousarray(X[:rows])
        wanted = x[[0, -1]] + np.exp(x[[0, -1]])
        np.testing.assert_allclose(f(x, np.array([-rows, rows - 1])), wanted, 2e-6)
        for outside in (rows, -rows - 1):
            with pytest.raises(IndexError, match=f"index {outside} is out of bounds for axis 0"):
                f(x, np.array([0, outside]))
