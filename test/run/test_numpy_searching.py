# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""`np.searchsorted` and `np.isin` in functions of NumPy arrays, beside NumPy."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir import CompileError

NUMBERS = np.array([np.nan, -np.inf, -1, -0.0, 0, 1, np.inf, 3, 3, 0.5], np.float32)
WHOLE = np.array([0, 1, 2, 3, 4, 9, 200, 7, 3, 3])


def check(f: Callable[..., Any], *given: Any) -> None:
    found, expected = snippets_mlir.jit(f)(*given), f(*given)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("side", "dtype"),
    sampled(
        product(["left", "right"], ["float32", "float64", "float16", "int32", "int64", "uint8"]), 3
    ),
)
def test_searchsorted(side: Any, dtype: str):
    given = NUMBERS if dtype.startswith("float") else WHOLE
    v = given.astype(dtype)
    check(lambda a, v: np.searchsorted(a, v, side), np.sort(v), v)
    check(lambda a, v: a.searchsorted(v.reshape(2, 5), side=side), np.sort(v)[:7], v)
    check(lambda a: np.searchsorted(a, 2, side), np.sort(v))
    check(lambda v: np.searchsorted(np.array([0, 1, 3]), v, side), v)


def test_searchsorted_of_other_types_and_of_nothing():
    v = np.array([-1, 1, 300], np.int16)
    check(lambda a, v: np.searchsorted(a, v), np.array([1, 200], np.uint8), v)
    check(lambda a, v: np.searchsorted(a, v), np.sort(NUMBERS)[:0], NUMBERS)
    check(lambda a, v: np.searchsorted(a, v), np.sort(NUMBERS), NUMBERS[:0])


@pytest.mark.parametrize(
    ("dtype", "invert"), sampled(product(["float32", "int64", "uint8", "bool"], [False, True]), 2)
)
def test_isin(dtype: str, invert: bool):
    x = (NUMBERS if dtype == "float32" else WHOLE).astype(dtype)
    check(lambda x, y: np.isin(x, y, invert=invert), x.reshape(5, 2), x[3:7])
    check(lambda x: np.isin(x, [1, 3], invert=invert), x)
    check(lambda x: np.isin(x, 3, invert=invert, kind="sort"), x)
    check(lambda x: np.isin(x, [], invert=invert), x)
    if dtype == "float32":
        check(lambda x: np.isin(x, [np.nan, np.inf], invert=invert), x)


MIDDLE: Any = "middle"
REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "sorter": (
        lambda a: np.searchsorted(a, a, sorter=[0, 1]),
        r"write np\.searchsorted\(a\[sorter",
    ),
    "side": (lambda a: np.searchsorted(a, a, MIDDLE), "side is 'left' or 'right'"),
    "dims": (lambda a: np.searchsorted(a.reshape(2, -1), a), "a has one dim, found 2"),
    "long": (lambda a: np.searchsorted(np.arange(5000), a), "at most 4096 are compared"),
    "long isin": (lambda a: np.isin(a, np.arange(5000)), "at most 4096 are compared"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str):
    function, message = REFUSED[name]
    with pytest.raises(CompileError, match=rf"test_numpy_searching.*{message}"):
        snippets_mlir.jit(function)(np.arange(4.0))
