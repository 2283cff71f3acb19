"""Functions that have a second way for few arguments: a lane has one value, whatever its vector."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from runnable import RUNNABLE
from sampled import sampled

import snippets_mlir

OPS = ("sin", "cos", "tan")
TEXT = """func.func @main(%x: tensor<SIZExTYPE>) -> tensor<SIZExTYPE> {
  %0 = snippets.OP %x : tensor<SIZExTYPE>
  func.return %0 : tensor<SIZExTYPE>
}"""
LARGE = {"f32": (1e5, 2e7, 1e30, np.inf, np.nan), "f64": (1e9, 2e9, 1e300, np.inf, np.nan)}


@pytest.mark.parametrize(
    ("op", "element", "target"), sampled(product(OPS, ["f32", "f64"], RUNNABLE), 2)
)
def test_large_lanes_do_not_change_the_others(op: str, element: str, target: str) -> None:
    size = 203
    dtype: Any = np.dtype(element.replace("f", "float"))
    text = TEXT.replace("SIZE", str(size)).replace("TYPE", element).replace("OP", op)
    program = snippets_mlir.compile(text, target=target)
    x = np.random.default_rng(3).uniform(-30, 30, size).astype(dtype)
    small = program(x)
    with np.errstate(invalid="ignore"):
        exact = getattr(np, op)(x.astype(np.float64))
        np.testing.assert_allclose(small, exact, rtol=4 * np.finfo(dtype).eps)
        for place in (0, 7, 100, 197, 202):
            for value in LARGE[element]:
                mixed = x.copy()
                mixed[place] = value
                found = program(mixed)
                rest = np.arange(size) != place
                np.testing.assert_array_equal(found[rest], small[rest])
                alone = getattr(np, op)(mixed[place].astype(np.float64)).astype(dtype)
                np.testing.assert_allclose(found[place], alone, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize(
    ("target", "element", "op"), sampled(product(RUNNABLE, ["f32", "f64"], OPS), 2)
)
def test_both_sides_of_the_limits(target: str, element: str, op: str) -> None:
    limits = (2.0**17, 2.0**24) if element == "f32" else (2.0**30,)
    dtype: Any = np.dtype(element.replace("f", "float"))
    near = [
        np.nextafter(dtype.type(limit), dtype.type(way)) for limit in limits for way in (0, np.inf)
    ]
    x = np.array([*limits, *near, *(-v for v in near)], dtype)
    text = TEXT.replace("SIZE", str(x.size)).replace("TYPE", element).replace("OP", op)
    exact = getattr(np, op)(x.astype(np.float64))
    found = snippets_mlir.compile(text, target=target)(x)
    np.testing.assert_allclose(found, exact, rtol=4 * np.finfo(dtype).eps)
