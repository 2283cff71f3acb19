"""Expansions that round nothing give the exact values, of one and of several operands."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from math_accuracy import Case, evaluate
from math_numpy_builder import Array, NumpyMathBuilder
from math_samples import samples, specials
from op_families import EXPANSIONS, INTEGER_EXPANSIONS

from snippets_mlir.dialects.snippets.expansions.table import expansion_for

INF, NAN = math.inf, math.nan
FLOATS = (np.float32, np.float64)


def _same(got: Array, expected: Array) -> Array:
    """Equal bits, any NaN as good as another."""
    equal = (got == expected) & (np.signbit(got) == np.signbit(expected))
    return equal | (np.isnan(got) & np.isnan(expected))


def _relu(x: Array) -> Array:
    return np.where(np.isnan(x) | (x > 0), x, x.dtype.type(0))


def _half_away(x: Array) -> Array:
    a = np.abs(x)
    return np.copysign(np.where(a < 2.0**50, np.trunc(a) + (a % 1 >= 0.5), a), x)


EXACT: dict[str, Any] = {
    "relu": _relu,
    "sign": np.sign,
    "is_nan": np.isnan,
    "is_inf": np.isinf,
    "is_finite": np.isfinite,
    "signbit": np.signbit,
    "round": _half_away,
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", EXACT)
def test_exact_functions(name: str, dtype: Any) -> None:
    (x,) = samples("any", dtype, 3_000, seed=15)
    halves = np.arange(-20, 20).astype(dtype) / 2
    x = np.concatenate([x, halves, np.nextafter(halves, dtype(0)), specials(dtype)])
    got = evaluate(Case(name, name, {"mode": "half_away"}), [x])
    with np.errstate(all="ignore"):
        expected: Array = EXACT[name](x)
        if name == "sign":
            expected = np.where(x == 0, dtype(0), expected).astype(dtype)
    assert got.dtype == (np.bool_ if name.startswith(("is_", "signbit")) else dtype)
    if got.dtype == np.bool_:
        assert (got == expected).all()
    else:
        assert _same(got, expected.astype(dtype)).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_exact_functions_of_two_values(dtype: Any) -> None:
    x, y = (np.array(v, dtype) for v in zip(*itertools.product(specials(dtype), repeat=2)))
    with np.errstate(all="ignore"):
        slope, difference = np.where(x < 0, x * y, x), (x - y) * (x - y)
        leaky, following = np.where(x < 0, x * dtype(0.01), x), np.nextafter(x, y)
    assert _same(evaluate(Case("prelu", "prelu", {}), [x, y]), slope).all()
    assert _same(evaluate(Case("leaky_relu", "leaky_relu", {"alpha": 0.01}), [x]), leaky).all()
    copied = evaluate(Case("copysign", "copysign", {}), [x, y])
    assert (np.signbit(copied) == np.signbit(y)).all()
    assert _same(np.abs(copied), np.abs(x)).all()
    assert _same(evaluate(Case("nextafter", "nextafter", {}), [x, y]), following).all()
    name = "squared_difference"
    assert _same(evaluate(Case(name, name, {}), [x, y]), difference).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_clamp_keeps_nan_and_zeros_and_max_wins(dtype: Any) -> None:
    x = np.array([-5.0, -0.0, 0.0, 5.0, NAN, INF, -INF], dtype)

    def clamp(low: float, high: float) -> Array:
        return evaluate(Case("clamp", "clamp", {"min": low, "max": high}), [x])

    assert _same(clamp(-1, 1), np.array([-1, -0.0, 0.0, 1, NAN, 1, -1], dtype)).all()
    assert _same(clamp(0, 1), np.array([0, -0.0, 0.0, 1, NAN, 1, 0], dtype)).all()
    assert _same(clamp(2, 1), np.array([1, 1, 1, 1, NAN, 1, 1], dtype)).all()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integer_functions(dtype: Any) -> None:
    info = np.iinfo(dtype)
    width = int(info.bits)
    some = [0, 1, 2, 3, 7, 31, 32, 63, 64, 12345, int(info.max), int(info.max) - 1]
    values: list[int] = sorted({*some, *(-v for v in some), int(info.min)})
    pairs = list(itertools.product(values, values))
    x, y = (np.array(v, dtype) for v in zip(*pairs, strict=True))
    builder = NumpyMathBuilder("f32" if dtype == np.int32 else "f64")

    def wrap(v: int) -> int:
        return (v + 2 ** (width - 1)) % 2**width - 2 ** (width - 1)

    def power(a: int, n: int) -> int:
        if n >= 0:
            return wrap(pow(a, n, 1 << width))
        return {1: 1, -1: -1 if n % 2 else 1}.get(a, 0)

    expected: dict[str, list[int]] = {
        "power": [power(a, n) for a, n in pairs],
        "power_static": [power(a, 11) for a, _ in pairs],
        "squared_difference": [wrap(int((a - n) ** 2)) for a, n in pairs],
        "prelu": [a if a >= 0 else wrap(a * n) for a, n in pairs],
        "relu": [max(a, 0) for a, _ in pairs],
        "sign": [(a > 0) - (a < 0) for a, _ in pairs],
        "abs": [wrap(abs(a)) for a, _ in pairs],
        "bitwise_not": [~a for a, _ in pairs],
        "clamp": [min(max(a, -3), 40) for a, _ in pairs],
    }
    assert expected.keys() == INTEGER_EXPANSIONS.keys()
    with np.errstate(over="ignore"):
        for name, wanted in expected.items():
            operands = (x, y) if name in ("power", "squared_difference", "prelu") else (x,)
            expansion = expansion_for(f"snippets.{name}", "integer", {})
            assert expansion is not None
            got = expansion.function(builder, operands, {"min": -3, "max": 40, "exponent": 11})
            assert got.dtype == dtype
            assert got.tolist() == wanted, name


def test_round_to_even_is_primitive() -> None:
    assert expansion_for("snippets.round", "float", {}) is None
    assert expansion_for("snippets.round", "float", {"mode": "half_to_even"}) is None
    assert expansion_for("snippets.round", "float", {"mode": "half_away"}) is EXPANSIONS["round"]
    assert expansion_for("snippets.add", "float", {}) is None
    assert expansion_for("snippets.exp", "integer", {}) is None
