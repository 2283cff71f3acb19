"""`lgamma` and `digamma` of every float type and from StableHLO, as programs, against mpmath."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from math_mpmath import MPMATH, SMALLEST_UNITS, mpmath
from sampled import sampled

from snippets_mlir import compile

UNITS = {"f16": 1, "bf16": 1, "f32": 1, "f64": 4}
DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
FORMS = {
    "snippets": "%r = snippets.{0} %x : tensor<259x{1}>",
    "chlo": "%r = chlo.{0} %x : tensor<259x{1}> -> tensor<259x{1}>",
}
INF, NAN = np.inf, np.nan
F16_INFINITE = 65520
"""The least number that is infinity in f16."""
SPECIAL = [0.0, -0.0, -1.0, -3.0, INF, -INF, NAN]
EXPECTED = {
    "lgamma": [INF, INF, INF, INF, INF, INF, NAN],
    "digamma": [-INF, INF, NAN, NAN, INF, NAN, NAN],
}


@pytest.mark.parametrize(
    ("name", "form", "element"),
    sampled([(n, f, e) for n in EXPECTED for f in FORMS for e in DTYPES], 4),
)
def test_compiled(name: str, form: str, element: str) -> None:
    dtype = DTYPES[element]
    # Both signs, the ways of every range, and neighbours of zeros.
    inner = [*np.linspace(-9.97, 24.1, 236), 1.0, 2.0, 1.4616321449683622, 1e4, 2.9e4, 0.01, -0.01]
    inner += [-2.4570247382208006, -0.504083008264455, -1.5734984731623905, 1.0009765625, 1.9990234]
    inner += [4.5, 0.5, 0.75, 0.4997]
    x = np.array([*inner, *SPECIAL]).astype(dtype)
    text = (
        f"func.func @f(%x: tensor<259x{element}>) -> tensor<259x{element}> {{\n"
        f"  {FORMS[form].format(name, element)}\n  func.return %r : tensor<259x{element}>\n}}\n"
    )
    program = compile(text)
    assert len(program.kernels) == 1
    got = np.asarray(program(x))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got[252:].astype(np.float64), EXPECTED[name])
    for point, value in zip(x[:252].astype(np.float64).tolist(), got[:252].tolist(), strict=True):
        with mpmath.workdps(50):
            exact = MPMATH[name](mpmath.mpf(point))
            if not mpmath.isfinite(exact):
                assert np.isnan(value) if mpmath.isnan(exact) else value == float(exact)
                continue
            if element == "f16" and exact >= F16_INFINITE:
                assert value == INF
                continue
            least = SMALLEST_UNITS[name](point) if element == "f64" else 0
            size = np.array(float(max(abs(exact), least))).astype(dtype)
            error = abs(mpmath.mpf(float(value)) - exact) / float(np.spacing(size))
        assert error <= UNITS[element], (point, value)
    if name == "lgamma":
        zeros = got[np.isin(x.astype(np.float64), [1.0, 2.0])].astype(np.float64)
        assert len(zeros) >= 2
        assert not zeros.any()
        assert not np.signbit(zeros).any()
