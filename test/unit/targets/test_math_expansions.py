"""Every inexact expansion of the math functions: its error bound, and its special values."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from math_accuracy import CASES, Case, bounds, errors_f32, errors_f64, evaluate
from math_numpy_builder import Array, NumpyMathBuilder
from math_oracles import names
from math_samples import samples
from op_families import EXPANSIONS
from sampled import ALL, sampled

INF, NAN = math.inf, math.nan
HALF_PI = math.pi / 2
BY_NAME = {case.name: case for case in CASES}
FLOATS = (np.float32, np.float64)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_f32_is_within_its_bound(case: Case) -> None:
    inputs = samples(case.name, np.float32, 120_000 if ALL else 30_000, seed=11)
    error = errors_f32(case, inputs)
    worst = int(np.argmax(error))
    assert error[worst] <= bounds(case).bound_ulp_f32 <= 2, [x[worst] for x in inputs]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_f64_is_within_its_bound(case: Case) -> None:
    inputs = samples(case.name, np.float64, 20_000 if ALL else 150, seed=12)
    error = errors_f64(case, inputs)
    worst = int(np.argmax(error))
    assert error[worst] <= bounds(case).bound_ulp_f64 <= 4, [x[worst] for x in inputs]


@pytest.mark.parametrize("case", sampled(CASES, 3), ids=lambda c: c.name)
def test_without_fast_fma_the_bounds_hold(case: Case) -> None:
    # Polynomials round their products too: up to a quarter of a unit more.
    error = errors_f32(case, samples(case.name, np.float32, 30_000, seed=13), fma=False)
    assert error.max() <= bounds(case).bound_ulp_f32 + 0.25
    error = errors_f64(case, samples(case.name, np.float64, 500, seed=14), fma=False)
    assert error.max() <= bounds(case).bound_ulp_f64


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_where_tables_are_permuted_the_bounds_hold(case: Case) -> None:
    counts: dict[str, int] = {}
    evaluate(case, samples(case.name, np.float32, 100, seed=15), permutes=True, counts=counts)
    assert ("lookup" in counts) == (case.name == "gelu")  # tables of large arguments are rare
    if case.name == "gelu":
        inputs = samples(case.name, np.float32, 120_000 if ALL else 30_000, seed=15)
        assert errors_f32(case, inputs, permutes=True).max() <= bounds(case).bound_ulp_f32


def test_every_inexact_expansion_is_measured() -> None:
    measured = {case.op for case in CASES}
    assert measured == {name for name, e in EXPANSIONS.items() if not e.exact}
    assert {case.name for case in CASES} == set(names())


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("fma", [True, False])
def test_exp_underflows_nowhere_where_it_is_zero(
    element: str, fma: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A product that underflows takes 150 cycles: one of a masked score of an attention may not.
    plain = NumpyMathBuilder.mul
    underflows: list[bool] = []

    def mul(self: NumpyMathBuilder, a: Array, b: Array) -> Array:
        product = plain(self, a, b)
        small = (np.abs(product) < np.finfo(self.float).tiny) & (a != 0) & (b != 0)
        underflows.append(bool(small.any()))
        return product

    monkeypatch.setattr(NumpyMathBuilder, "mul", mul)
    builder = NumpyMathBuilder(element, fma_is_fast=fma)
    x = np.array([-INF, np.finfo(builder.float).min, -10000, -747], builder.float)
    with np.errstate(all="ignore"):
        found = EXPANSIONS["exp"].function(builder, [x], {})
    assert found.tolist() == [0.0] * 4
    assert underflows
    assert not any(underflows)


# The value at 0.0, -0.0, inf, -inf: None where the sign of zero or the value is not special.
SPECIAL: dict[str, tuple[float, float, float, float]] = {
    "acos": (HALF_PI, HALF_PI, NAN, NAN),
    "acosh": (NAN, NAN, INF, NAN),
    "asin": (0.0, -0.0, NAN, NAN),
    "asinh": (0.0, -0.0, INF, -INF),
    "atan": (0.0, -0.0, HALF_PI, -HALF_PI),
    "atanh": (0.0, -0.0, NAN, NAN),
    "cbrt": (0.0, -0.0, INF, -INF),
    "cos": (1.0, 1.0, NAN, NAN),
    "cosh": (1.0, 1.0, INF, INF),
    "cube": (0.0, -0.0, INF, -INF),
    "digamma": (-INF, INF, INF, NAN),
    "elu": (0.0, -0.0, INF, -1.0),
    "elu_alpha": (0.0, -0.0, INF, -0.7),
    "erf": (0.0, -0.0, 1.0, -1.0),
    "erfc": (1.0, 1.0, 0.0, 2.0),
    "erfinv": (0.0, -0.0, NAN, NAN),
    "exp": (1.0, 1.0, INF, 0.0),
    "exp2": (1.0, 1.0, INF, 0.0),
    "expm1": (0.0, -0.0, INF, -1.0),
    "fourth_power": (0.0, 0.0, INF, INF),
    "gelu": (0.0, -0.0, INF, NAN),
    "gelu_tanh": (0.0, -0.0, INF, NAN),
    "hsigmoid": (0.5, 0.5, 1.0, 0.0),
    "hswish": (0.0, -0.0, INF, NAN),
    "inverse_root": (INF, INF, 0.0, 0.0),
    "inverse_square": (INF, INF, 0.0, 0.0),
    "lgamma": (INF, INF, INF, INF),
    "log": (-INF, -INF, INF, NAN),
    "log10": (-INF, -INF, INF, NAN),
    "log1p": (0.0, -0.0, INF, NAN),
    "log2": (-INF, -INF, INF, NAN),
    "mish": (0.0, -0.0, INF, NAN),
    "root": (0.0, 0.0, INF, INF),
    "rsqrt": (INF, -INF, 0.0, NAN),
    "sigmoid": (0.5, 0.5, 1.0, 0.0),
    "sin": (0.0, -0.0, NAN, NAN),
    "sinh": (0.0, -0.0, INF, -INF),
    "softplus": (math.log(2), math.log(2), INF, 0.0),
    "softsign": (0.0, -0.0, NAN, NAN),
    "swish": (0.0, -0.0, INF, NAN),
    "swish_beta": (0.0, -0.0, INF, NAN),
    "swish_minus": (0.0, -0.0, NAN, -INF),
    "swish_tiny": (0.0, -0.0, INF, NAN),
    "tan": (0.0, -0.0, NAN, NAN),
    "tanh": (0.0, -0.0, 1.0, -1.0),
}


def _same(got: Array, expected: Array) -> Array:
    """Equal bits, any NaN as good as another."""
    equal = (got == expected) & (np.signbit(got) == np.signbit(expected))
    return equal | (np.isnan(got) & np.isnan(expected))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name: str, dtype: Any) -> None:
    x = np.array([0.0, -0.0, INF, -INF, NAN], dtype)
    for fma, permutes in ((True, False), (True, True), (False, False)):
        got = evaluate(BY_NAME[name], [x], fma=fma, permutes=permutes)
        expected = np.array([*SPECIAL[name], NAN]).astype(dtype)
        assert _same(got, expected).all(), (got, expected)


@pytest.mark.parametrize("dtype", FLOATS)
def test_ends_of_the_range(dtype: Any) -> None:
    info = np.finfo(dtype)
    top, least = info.max, info.smallest_subnormal
    for name, x, expected in (
        ("exp", top, INF), ("exp", -top, 0.0), ("sinh", -top, -INF), ("cosh", -top, INF),
        ("swish", -top, -0.0), ("gelu", -top, -0.0), ("gelu_tanh", -top, -0.0),
        ("mish", -top, -0.0),
        ("swish", top, top), ("gelu", top, top), ("mish", top, top), ("softplus", top, top),
        ("softplus", -top, 0.0), ("sigmoid", -top, 0.0), ("tanh", -top, -1.0), ("erf", top, 1.0),
        ("atanh", 1.0, INF), ("atanh", -1.0, -INF), ("acosh", 1.0, 0.0), ("acos", 1.0, 0.0),
        ("log", 1.0, 0.0), ("tanh", least, least), ("sin", -least, -least), ("tan", least, least),
        ("asin", least, least), ("atan", -least, -least), ("asinh", least, least),
        ("sinh", least, least),
        ("atanh", -least, -least), ("hswish", top, top), ("swish_beta", -top, -0.0),
        ("expm1", top, INF), ("expm1", -top, -1.0), ("expm1", -least, -least), ("exp2", -top, 0.0),
        ("log1p", -1.0, -INF), ("log1p", least, least), ("log2", 1.0, 0.0), ("log10", 1000.0, 3.0),
        ("erfinv", 1.0, INF), ("erfinv", -1.0, -INF),
        ("lgamma", 1.0, 0.0), ("lgamma", 2.0, 0.0), ("lgamma", -2.0, INF), ("lgamma", -top, INF),
        ("lgamma", top, INF), ("digamma", -1.0, NAN), ("digamma", -top, NAN),
    ):  # fmt: skip
        for permutes in (False, True):
            got = evaluate(BY_NAME[name], [np.array([x], dtype)], permutes=permutes)
            assert _same(got, np.array([expected], dtype)).all(), (name, x, got)


@pytest.mark.parametrize("dtype", FLOATS)
def test_power_has_the_special_values_of_c(dtype: Any) -> None:
    info = np.finfo(dtype)
    values = [0.0, 1.0, 0.5, 2.0, 3.0, 2.5, INF, info.max, info.smallest_subnormal, 2.0**60, 1.5]
    values = np.array([*values, *(-v for v in values), NAN], dtype)
    x, y = (np.array(v, dtype) for v in zip(*itertools.product(values, values), strict=True))
    got = evaluate(BY_NAME["power"], [x, y])

    with np.errstate(all="ignore"):
        # The wider type of the oracle keeps results of f32 from being rounded twice to zero.
        wide = np.power(x.astype(np.longdouble), y.astype(np.longdouble))
        expected = wide.astype(dtype)
    # Results that are special exactly; the ends of the range are measured with the samples.
    special = ~np.isfinite(wide) | (wide == 0)
    assert _same(got, expected)[special].all()
    least = float(info.smallest_subnormal)
    np.testing.assert_allclose(
        got[~special], expected[~special], rtol=2 * float(info.eps), atol=least
    )


@pytest.mark.parametrize("dtype", FLOATS)
def test_atan2_has_the_special_values_of_c(dtype: Any) -> None:
    info = np.finfo(dtype)
    values = [0.0, 1.0, INF, info.max, info.smallest_subnormal]
    values = np.array([*values, *(-v for v in values), NAN], dtype)
    y, x = (np.array(v, dtype) for v in zip(*itertools.product(values, values), strict=True))
    got = evaluate(BY_NAME["atan2"], [y, x])
    expected = np.array([math.atan2(*p) for p in zip(y.tolist(), x.tolist(), strict=True)])
    assert _same(got, expected.astype(dtype)).all()
