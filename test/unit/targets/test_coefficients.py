"""The tables of coefficients are those that their generators make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snippets_mlir.dialects.snippets.expansions import (
    coefficients_f32,
    coefficients_f64,
    coefficients_gamma,
    gelu_columns,
    gelu_table,
)

GENERATORS = Path(__file__).resolve().parents[3] / "docs" / "dev"
CHEAP = ["EXP_F32", "EXP_SHORT_F32", "TANH_F32", "SIN_FAST", "COS_F64"]


@pytest.mark.parametrize("name", CHEAP)
def test_polynomials_are_fitted_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(GENERATORS))  # pyright: ignore[reportUnknownMemberType]
    generator: Any = __import__("fit_polynomials")
    kind = "f32" if name.endswith("F32") else "f64"
    for table in ("POLYNOMIALS", "MINIMAX"):
        rows = [row for row in getattr(generator, table) if row[0] == name]
        monkeypatch.setattr(generator, table, rows)
    ((_, _, ((found, coefficients),)),) = generator.fitted(kind)
    assert found == name
    module = coefficients_f32 if kind == "f32" else coefficients_f64
    # Sums of floats may be in another order on another computer.
    expected, got = getattr(module, name), [float(c) for c in coefficients]
    np.testing.assert_allclose(got, expected, rtol=2e-7 if kind == "f32" else 1e-15)


def test_slopes_of_digamma_are_fitted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(GENERATORS))  # pyright: ignore[reportUnknownMemberType]
    generator: Any = __import__("fit_gamma")
    above, below, _ = generator.fitted_rational("SLOPE")
    for found, table in (
        (above, coefficients_gamma.SLOPE),
        (below, coefficients_gamma.SLOPE_BELOW),
    ):
        np.testing.assert_allclose([float(c) for c in found], table, rtol=1e-12)


def test_rows_of_gelu_are_fitted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(GENERATORS))  # pyright: ignore[reportUnknownMemberType]
    generator: Any = __import__("fit_gelu_table")
    assert np.float32(generator.OFFSET) == np.float32(gelu_table.OFFSET)
    first = generator.bits_of(generator.OFFSET)
    for leading in (first, first + 9):
        at, bias, coefficients, error = generator.row(leading)
        row = leading % 32
        assert error < 2e-9
        assert (at, bias) == (gelu_table.ANCHORS[row], gelu_table.BIASES[row])
        expected: list[float] = [column[row] for column in gelu_columns.COLUMNS]
        np.testing.assert_allclose(coefficients[:3], expected[:3], rtol=1e-6)
