"""`erfinv` of every float type and from StableHLO, called as a program, against mpmath."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from sampled import sampled

from snippets_mlir import compile

mpmath: Any = import_module("mpmath")
UNITS = {"f16": 1, "bf16": 1, "f32": 1, "f64": 4}
DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
FORMS = {
    "snippets.erfinv": "%r = snippets.erfinv %x : tensor<259x{0}>",
    "chlo.erf_inv": "%r = chlo.erf_inv %x : tensor<259x{0}> -> tensor<259x{0}>",
}


@pytest.mark.parametrize(
    ("op", "element"), sampled([(op, element) for element in DTYPES for op in FORMS], 2)
)
def test_compiled(op: str, element: str) -> None:
    dtype = DTYPES[element]
    inner = np.linspace(-0.999, 0.999, 253)
    x = np.array([*inner, 1.0, -1.0, 2.0, np.nan, 0.0, -0.0]).astype(dtype)
    text = (
        f"func.func @f(%x: tensor<259x{element}>) -> tensor<259x{element}> {{\n"
        f"  {FORMS[op].format(element)}\n  func.return %r : tensor<259x{element}>\n}}\n"
    )
    program = compile(text)
    assert len(program.kernels) == 1
    got = np.asarray(program(x))
    assert got.dtype == dtype
    inside = np.abs(x.astype(np.float64)) < 1
    points = x[inside].astype(np.float64).tolist()
    exact = np.array([float(mpmath.erfinv(p)) for p in points])
    spacing = np.abs(np.spacing(exact.astype(dtype)).astype(np.float64))
    error = np.abs(got[inside].astype(np.float64) - exact) / spacing
    assert error.max() <= UNITS[element]
    assert got[253:255].astype(np.float64).tolist() == [np.inf, -np.inf]
    assert np.isnan(got[255:257].astype(np.float64)).all()
    assert np.signbit(got[257:259].astype(np.float64)).tolist() == [False, True]
