# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""Products of traced arrays are NumPy's, and refuse what NumPy refuses."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy_results import same
from sampled import ALL, alternating, sampled

from snippets_mlir import jit
from snippets_mlir.support.errors import CompileError

FUNCTIONS: dict[str, Any] = {
    "dot": np.dot,
    "inner": np.inner,
    "matmul": np.matmul,
    "matvec": lambda x, y: np.matvec(x, y),
    "vecdot": np.vecdot,
    "vecmat": lambda x, y: np.vecmat(x, y),
    "tensordot 0": lambda x, y: np.tensordot(x, y, 0),
    "tensordot 1": lambda x, y: np.tensordot(x, y, 1),
    "tensordot 2": lambda x, y: np.tensordot(x, y, 2),
    "tensordot of axes": lambda x, y: np.tensordot(x, y, ([2], [0])),
    "tensordot of axes from the end": lambda x, y: np.tensordot(x, y, ((-1, 0), (0, -1))),
    "tensordot of an axis twice": lambda x, y: np.tensordot(x, y, ((0, 0), (0, 0))),
}
SHAPES = [(), (3,), (2, 3), (3, 3), (3, 1), (1, 2, 3), (0, 3, 2)]


@pytest.mark.parametrize("name", sampled(FUNCTIONS, 3))
def test_products_of_all_ranks(name: str) -> None:
    function = FUNCTIONS[name]
    draw = np.random.default_rng(1)
    computed = 0
    for shapes in sampled(product(SHAPES, repeat=2), 2):
        x, y = (draw.standard_normal(shape, np.float32) for shape in shapes)
        try:
            expected = function(x, y)
        except (ValueError, IndexError):
            with pytest.raises(CompileError):
                jit(function)(x, y)
            continue
        computed += 1
        same(jit(function)(x, y), expected, 1e-5)
    assert computed or "twice" in name or not ALL


@pytest.mark.parametrize(
    ("function", "dtype"),
    alternating([np.matmul, np.vecdot, np.matvec, np.vecmat], ["f8", "f4", "f2"]),
)
def test_the_type_of_a_product(function: Any, dtype: str) -> None:
    x = np.random.default_rng(2).normal(size=(3, 3))
    for given in (x.astype("f4"), x):
        same(
            jit(lambda x: function(x, x, dtype=dtype))(given),
            function(given, given, dtype=dtype),
            1e-2 if dtype == "f2" else 1e-5,
        )
    with pytest.raises(CompileError, match=r"[Cc]annot cast"):
        jit(lambda x: function(x, x, dtype="i4"))(x)


def test_sizes_that_do_not_fit_are_named() -> None:
    x = np.ones((2, 3), np.float32)
    with pytest.raises(CompileError, match=r"np\.vecdot: the dims .* have the sizes 3 and 1"):
        jit(lambda x: np.vecdot(x, x[:, :1]))(x)
    with pytest.raises(CompileError, match=r"np\.vecdot: expected 1 dims or more, found .* \(\)"):
        jit(lambda x: np.vecdot(x, x[0, 0]))(x)
    with pytest.raises(CompileError, match=r"np\.tensordot: axis 2 is out of bounds"):
        jit(lambda x: np.tensordot(x, x, ([2], [0])))(x)
