"""The ops whose docstring promises exact values, against Python's exact numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from sampled import ALL
from value_types import INF, NAN, Same, Special, ValueOf, f32, f64, i64
from xdsl.dialects.builtin import (
    BFloat16Type,
    FloatAttr,
    IntegerAttr,
    StringAttr,
)

from snippets_mlir.dialects.builtin.dtypes import round_to
from snippets_mlir.dialects.snippets import Snippets
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.values.evaluate import VALUES


def test_every_computing_op_has_a_value() -> None:
    computing = {op.name for op in Snippets.operations if issubclass(op, ComputeOp)}
    assert computing == set(VALUES)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide"])
@pytest.mark.parametrize("narrow", ["float16", "bfloat16"])
def test_narrow_arithmetic_is_rounded_once(
    name: str, narrow: str, value_of: ValueOf, same: Same, special: Special, bf16: np.dtype[Any]
) -> None:
    dtype = bf16 if narrow == "bfloat16" else np.dtype(narrow)
    rng = np.random.default_rng(7)
    bits = rng.integers(0, 1 << 16, (2, 4000), np.uint16)
    x, y = (np.concatenate([special(dtype), b.view(dtype)]) for b in bits)
    y[: len(special(dtype))] = special(dtype)[::-1]
    operation = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply}
    with np.errstate(all="ignore"):
        wide = operation.get(name, np.divide)(x.astype(np.longdouble), y.astype(np.longdouble))
        # Rounding to 53 bits of odd keeps the second rounding harmless.
        expected = round_to(wide.astype(np.float64), dtype)
    assert same(value_of(name, x, y), expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_maximum_and_minimum_are_those_of_ieee_754_2019(
    dtype: str, value_of: ValueOf, same: Same
) -> None:
    x = np.array([0.0, -0.0, 0.0, NAN, 1.0, NAN, -INF, 2.0], dtype)
    y = np.array([-0.0, 0.0, 0.0, 1.0, NAN, NAN, INF, 1.0], dtype)
    largest = np.array([0.0, 0.0, 0.0, NAN, NAN, NAN, INF, 2.0], dtype)
    smallest = np.array([-0.0, -0.0, 0.0, NAN, NAN, NAN, -INF, 1.0], dtype)
    assert same(value_of("maximum", x, y), largest)
    assert same(value_of("minimum", x, y), smallest)


def test_signs_of_zero_and_nan(value_of: ValueOf, same: Same) -> None:
    x = np.array([-0.0, 0.0, NAN, -2.5, 2.5, -INF], np.float32)
    table = {
        "relu": [0.0, 0.0, NAN, 0.0, 2.5, 0.0],
        "sign": [0.0, 0.0, NAN, -1.0, 1.0, -1.0],
        "abs": [0.0, 0.0, NAN, 2.5, 2.5, INF],
        "negative": [0.0, -0.0, NAN, 2.5, -2.5, INF],
        "floor": [-0.0, 0.0, NAN, -3.0, 2.0, -INF],
        "ceiling": [-0.0, 0.0, NAN, -2.0, 3.0, -INF],
        "trunc": [-0.0, 0.0, NAN, -2.0, 2.0, -INF],
        "round": [-0.0, 0.0, NAN, -2.0, 2.0, -INF],
    }
    for name, expected in table.items():
        assert same(value_of(name, x), np.array(expected, np.float32)), name
    for name in ("abs", "negative"):
        sign = np.signbit(value_of(name, np.array([NAN, -NAN], np.float64)))
        assert sign.tolist() == ([False, False] if name == "abs" else [True, False])


FORMATS: tuple[tuple[Any, int, int], ...] = (
    (np.float16, 10, 15),
    (ml_dtypes.bfloat16, 7, 127),
    (np.float32, 23, 127),
    (np.float64, 52, 1023),
)
"""A type, its fraction bits and its largest exponent."""


@pytest.mark.parametrize(("dtype", "fraction", "exponent"), FORMATS)
def test_next_floats(
    dtype: Any, fraction: int, exponent: int, value_of: ValueOf, same: Same
) -> None:
    step, least = 2.0**-fraction, 2.0 ** (1 - exponent - fraction)
    most = (2 - step) * 2.0**exponent
    x = np.array([1, 1, 0, -0.0, 0, INF, most, NAN, 1], dtype)
    y = np.array([2, 1, -1, 1, -0.0, 0, INF, 1, NAN], dtype)
    expected = np.array([1 + step, 1, -least, least, -0.0, most, INF, NAN, NAN], dtype)
    assert same(value_of("nextafter", x, y), expected)


def test_round_half_away(value_of: ValueOf, same: Same) -> None:
    x = np.array([0.5, -0.5, 0.49999999999999994, 2.5, -2.5, -0.2, 4503599627370497.5, INF])
    expected = np.array([1.0, -1.0, 0.0, 3.0, -3.0, -0.0, 4503599627370498.0, INF])
    assert same(value_of("round", x, mode=StringAttr("half_away")), expected)


def test_predicates_and_comparisons_with_nan(value_of: ValueOf) -> None:
    x = np.array([NAN, INF, -INF, 1.0, -0.0])
    assert value_of("is_nan", x).tolist() == [True, False, False, False, False]
    assert value_of("is_inf", x).tolist() == [False, True, True, False, False]
    assert value_of("is_finite", x).tolist() == [False, False, False, True, True]
    y = np.array([NAN, INF, INF, 2.0, 0.0])
    assert value_of("equal", x, y).tolist() == [False, True, False, False, True]
    assert value_of("not_equal", x, y).tolist() == [True, False, True, True, False]
    assert value_of("less", x, y).tolist() == [False, False, True, True, False]
    assert value_of("less_equal", x, y).tolist() == [False, True, True, True, True]
    assert value_of("greater", x, y).tolist() == [False] * 5
    assert value_of("greater_equal", x, y).tolist() == [False, True, False, False, True]


def test_logic_and_select(value_of: ValueOf, same: Same) -> None:
    a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
    assert value_of("logical_and", a, b).tolist() == [True, False, False, False]
    assert value_of("logical_or", a, b).tolist() == [True, True, True, False]
    assert value_of("logical_xor", a, b).tolist() == [False, True, True, False]
    assert value_of("logical_not", a).tolist() == [False, False, True, True]
    x, y = np.float32(NAN).reshape(()), np.array([[1.0], [-0.0]], np.float32)
    expected = np.array([[NAN, NAN, 1.0, 1.0], [NAN, NAN, -0.0, -0.0]], np.float32)
    assert same(value_of("select", a, x, y), expected)


def test_clamp_keeps_zeros_and_nan_and_lets_max_win(value_of: ValueOf, same: Same) -> None:
    x = np.array([-0.0, NAN, -5.0, 5.0, INF], np.float32)
    bounds = {"min": FloatAttr(0.0, f64), "max": FloatAttr(2.0, f64)}
    expected = np.array([-0.0, NAN, 0.0, 2.0, 2.0], np.float32)
    assert same(value_of("clamp", x, **bounds), expected)
    crossed = {"min": FloatAttr(3.0, f32), "max": FloatAttr(1.0, f32)}
    expected = np.array([1.0, NAN, 1.0, 1.0, 1.0], np.float32)
    assert same(value_of("clamp", x, **crossed), expected)
    bounds = {"min": IntegerAttr(-1000, i64), "max": IntegerAttr(7, i64)}
    assert value_of("clamp", np.array([-128, 9], np.int8), **bounds).tolist() == [-128, 7]


def test_leaky_relu_and_prelu_keep_zero_and_nan(value_of: ValueOf, same: Same) -> None:
    x = np.array([-0.0, NAN, -2.0, 3.0], np.float32)
    expected = np.array([-0.0, NAN, np.float32(-2) * np.float32(0.1), 3.0], np.float32)
    assert same(value_of("leaky_relu", x, alpha=FloatAttr(0.1, f64)), expected)
    assert same(value_of("prelu", x, np.array(0.1, np.float32)), expected)


def test_float_mod_and_floor_mod(value_of: ValueOf, same: Same) -> None:
    x = np.array([5.5, -5.5, 5.5, -6.0, 1.0, INF, -1.0, -0.0, 1e308, -1e-20])
    y = np.array([3.0, 3.0, -3.0, 3.0, 0.0, 2.0, INF, 3.0, 1e-300, 1.0])
    fmod = [math.fmod(a, b) if b and a != INF else NAN for a, b in zip(x, y, strict=True)]
    floor = [float(a) % float(b) if b and a != INF else NAN for a, b in zip(x, y, strict=True)]
    assert same(value_of("mod", x, y), np.array(fmod))
    assert same(value_of("floor_mod", x, y), np.array(floor))


def test_power_follows_c(value_of: ValueOf, same: Same) -> None:
    x = np.array([NAN, 1.0, -8.0, -2.0, 0.0, -0.0, -0.0, INF, -INF, 2.0], np.float32)
    y = np.array([0.0, NAN, 1 / 3, 3.0, -1.0, -1.0, 0.5, -1.0, 0.5, 200.0], np.float32)
    expected = np.array([1.0, 1.0, NAN, -8.0, INF, -INF, 0.0, 0.0, INF, INF], np.float32)
    assert same(value_of("power", x, y), expected)


def test_power_by_one_exponent_is_no_square_root(value_of: ValueOf, same: Same) -> None:
    """NumPy takes the root for a single exponent of 0.5."""
    x = np.array([-0.0, -INF, 4.0], np.float32)
    expected = np.array([0.0, INF, 2.0], np.float32)
    assert same(value_of("power", x, np.array([0.5], np.float32)), expected)
    assert same(value_of("power_static", x, exponent=FloatAttr(0.5, f64)), expected)


def test_static_power_of_integers_wraps(value_of: ValueOf, same: Same) -> None:
    x = np.array([-3, 0, 1, 16, 127], np.int8)
    found = value_of("power_static", x, exponent=IntegerAttr(2, i64))
    assert found.tolist() == [9, 0, 1, 0, 1]


def fma_exact(a: float, b: float, c: float) -> float | Fraction:
    if not all(map(math.isfinite, (a, b, c))):
        return a * b + c if not (math.isfinite(a) and math.isfinite(b)) else c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c if 0 in (a, b) else 0.0
    return exact


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fma_is_rounded_once(dtype: str, value_of: ValueOf, same: Same, special: Special) -> None:
    rng = np.random.default_rng(11)
    edge = special(np.dtype(dtype))
    triples = [g.ravel() for g in np.meshgrid(edge, edge, edge)]
    if not ALL:
        some = rng.permutation(len(triples[0]))[: len(triples[0]) // 3]
        triples = [g[some] for g in triples]
    bits = rng.integers(0, 2**63, (3, 500), np.uint64).astype(f"u{np.dtype(dtype).itemsize}")
    close = rng.standard_normal((3, 500)).astype(dtype)
    close[2] = -(close[0] * close[1])
    a, b, c = (np.concatenate([t, r.view(dtype), n]) for t, r, n in zip(triples, bits, close))
    found = value_of("fma", a, b, c)
    for x, y, z, r in zip(a.tolist(), b.tolist(), c.tolist(), found.tolist(), strict=True):
        exact = fma_exact(x, y, z)
        if isinstance(exact, float):
            assert same(np.array(exact), np.array(r)), (x, y, z, r)
            continue
        try:
            nearest = exact.numerator / exact.denominator
        except OverflowError:
            nearest = INF if exact > 0 else -INF
        if dtype == "float64":
            assert nearest == r, (x, y, z, r)
            continue
        # No neighbour in f32 is nearer to the exact value.
        with np.errstate(over="ignore"):
            guess = np.float32(nearest)
        if np.isfinite(r) and np.isfinite(guess):
            error = abs(Fraction(r) - exact)
            for other in (np.nextafter(np.float32(r), np.float32(s * INF)) for s in (1, -1)):
                if np.isfinite(other):
                    assert error <= abs(Fraction(float(other)) - exact), (x, y, z, r)
        else:
            assert same(np.array(guess), np.array(r, np.float32)), (x, y, z, r)


def test_fma_f32_resolves_what_double_rounding_gets_wrong(value_of: ValueOf) -> None:
    # a * b is a tie of f32 and c decides it, far below the last bit of float64.
    a = np.array([1 + 2.0**-12], np.float32)
    c = np.array([2.0**-80, -(2.0**-80)], np.float32)
    up = value_of("fma", a, np.array([1 + 2.0**-12], np.float32), c)
    assert up.tolist() == [1 + 2.0**-11 + 2.0**-23, 1 + 2.0**-11]


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0, 2)])
def test_any_rank_and_empty_arrays(shape: tuple[int, ...], value_of: ValueOf) -> None:
    x = np.ones(shape)
    assert value_of("gelu", x).shape == shape
    assert value_of("fma", x, x, x).shape == shape
    assert value_of("erf", x).shape == shape
    assert value_of("power", np.ones(shape, np.int32), np.ones(shape, np.int32)).shape == shape
    assert value_of("add", x, np.ones((1,) * len(shape))).shape == shape
    assert value_of("convert_saturation", x, element=BFloat16Type()).shape == shape
