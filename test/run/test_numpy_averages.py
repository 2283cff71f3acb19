# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""`np.interp`, `np.average`, `np.clip` and refusals of functions of NumPy arrays, beside NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir import CompileError

X = np.array([-1, 0, 0.5, 1, 1.5, 2, 3, np.nan, np.inf, -np.inf, -0.0, 1e300])
POINTS = np.array([0, 1, 2.0])
fn: Any = np


def check(f: Callable[..., Any], *given: Any, traced: Callable[..., Any] | None = None) -> None:
    """The same types, shapes, values and signs of zeros, for all results."""
    with np.errstate(all="ignore"):
        found, expected = (traced or snippets_mlir.jit(f))(*given), f(*given)
    some = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    for ours, theirs in some:
        assert (np.shape(ours), np.asarray(ours).dtype) == (np.shape(theirs), theirs.dtype)
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
        np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))


VALUES = ([3, 4, 5.0], [3, np.inf, 5], [-np.inf, 2, np.inf], [1, 1, 1])


def test_interp_of_arrays():
    traced = snippets_mlir.jit(np.interp)
    for values in VALUES:
        check(np.interp, X, POINTS, np.array(values, np.float64), traced=traced)


@pytest.mark.parametrize("values", sampled(VALUES, 2))
def test_interp_of_constants(values: list[float]):
    check(lambda x, xp: np.interp(x.reshape(3, 4), xp, values), X, POINTS)
    check(lambda x: np.interp(x, [0, 1, 2], values, left=-7, right=np.nan), X)
    check(lambda xp: np.interp(1.5, xp, values), POINTS)


def test_interp_of_other_types_and_of_few_points():
    check(lambda x: np.interp(x, [0, 1], [1, 2]), np.array([-1, 0, 1, 2], np.int8))
    check(lambda x: np.interp(x, [0, 1], [1, 2]), np.array([0.25, 0.5], np.float16))
    check(lambda x: np.interp(x, [1.0], [4.0]), X)
    check(lambda x: np.interp(x, [1.0], [4.0], -1, 9), X)
    check(lambda x: np.interp(x, [0, 1], [1, 2]), X[:0])
    check(lambda x: np.interp(x, [0, 1, 1, 2], [0, 1, 5, 6]), X)


def test_average():
    x = np.arange(6.0).reshape(2, 3)
    check(np.average, x)
    check(lambda x, w: np.average(x, 1, w), x, np.array([1, 2, 3]))
    check(lambda x, w: np.average(x, -2, w, keepdims=True), x, np.array([1, 2], np.float32))
    check(lambda x, w: np.average(x, (1, 0), w), x, np.arange(1, 7.0).reshape(3, 2))
    check(lambda x: np.average(x, 1, [0.5, 0.25, 0.25], returned=True), x)
    check(lambda x: fn.average(x, returned=True), x)
    check(lambda x: fn.average(x, axis=0, returned=True), x.astype(int))
    check(lambda x, w: np.average(x, weights=w), x.astype(np.float16), x.astype(np.float16))
    check(lambda x, w: np.average(x, weights=w), x.astype(np.int8), x.astype(np.float32))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8"])
def test_clip_keeps_zeros(dtype: str):
    x = np.array([-0.0, 0, -1, 1, 3, -3, 2]).astype(dtype)
    if dtype != "int8":
        x[1:2] = np.nan
    check(
        lambda x, low: (np.clip(x, 0, 1), np.clip(x, -1, 0), x.clip(-2, 2), np.clip(x, low, 1)),
        x,
        x[::-1].copy()[:1],
    )


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "sort": (np.sort, "nothing sorts in kernels: sort before the function"),
    "median": (np.median, "call it before the function"),
    "unique": (np.unique, "call it on what the function returns"),
    "period": (lambda x: np.interp(x, [0, 1], [1, 2], period=2), "repeat the points"),
    "points": (lambda x: np.interp(x, [0, 1], [1]), r"found \(2,\) and \(1,\)"),
    "no points": (lambda x: np.interp(x, [], []), "have one dim and elements"),
    "no axis": (lambda x: np.average(x, weights=[1, 2]), "axis has to be given"),
    "weights": (lambda x: np.average(x, 0, [1, 2]), r"weights have shape \(2,\), along axis"),
    "an axis": (lambda x: np.average(x, 7, [1, 2]), "axis 7 is out of bounds"),
    "an integer": (lambda x: fn.nanmean(x, dtype="i4"), "gives floats, found dtype int32"),
    "a tuple": (lambda x: np.cumsum(x, axis=fn.s_[0, 1]), "np.cumsum"),
    "a float": (lambda x: fn.nanmean(x, axis=1.5), "expects axes from 0 to 0"),
    "an option": (lambda x: np.nanvar(x, where=x > 0), "it got an unexpected keyword argument"),
    "where": (lambda x: np.add(x, 1, where=x > 0), r"write np\.where\(condition, np\.add"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_line(name: str):
    f, message = REFUSED[name]
    with pytest.raises(CompileError, match=message) as found:
        snippets_mlir.jit(lambda x: f(x))(X)
    assert found.value.file == __file__
