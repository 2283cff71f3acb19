"""Ufuncs of SciPy in `snippets_mlir.jit`, and ufuncs of others that have their names."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from snippets_mlir import jit
from snippets_mlir.support.errors import CompileError

pytest.importorskip("scipy", reason="needs scipy, which JAX brings: make test-integrations")
special: Any = import_module("scipy.special")

X = np.array([-0.93, -0.31, 0.0, 0.2, 0.5, 0.97, 1.0])
OPS = {"expit": "sigmoid", "gammaln": "lgamma", "psi": "digamma"}


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32])
@pytest.mark.parametrize("name", ["digamma", "erf", "erfc", "erfinv", "expit", "gammaln", "psi"])
def test_ufuncs_of_scipy_are_ops(name: str, dtype: Any) -> None:
    function = getattr(special, name)
    x = X.astype(dtype)
    expected = function(x) + 1

    def one_more(v: Any) -> Any:
        return function(v) + 1

    compiled = jit(one_more)
    found = compiled(x)
    assert found.dtype == expected.dtype
    tolerance = float(4 * np.finfo(expected.dtype).eps)
    np.testing.assert_allclose(found, expected, tolerance, tolerance)
    assert f"snippets.{OPS.get(name, name)}" in compiled.lower(x).ir("graph")


def test_a_ufunc_of_scipy_that_is_no_op_is_an_error() -> None:
    with pytest.raises(CompileError, match="gamma is not compiled: no op is this"):
        jit(special.gamma)(X)


def test_the_name_of_another_ufunc_does_not_make_it_an_op() -> None:
    numba: Any = pytest.importorskip("numba", reason="needs numba")

    def exp(x: float) -> float:
        return x + 3

    ufunc = numba.vectorize(["float64(float64)"])(exp)

    def doubled(v: Any) -> Any:
        return ufunc(v) * 2

    with pytest.raises(CompileError, match="the ufunc exp, which is not of NumPy or SciPy"):
        jit(doubled)(X)
