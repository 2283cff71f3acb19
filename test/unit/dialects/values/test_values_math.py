"""The functions of one float, against mpmath's real arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from sampled import sampled
from value_types import INF, NAN, Array, Same, ValueOf, f64
from xdsl.dialects.builtin import FloatAttr, StringAttr
from xdsl.ir import Attribute

Float = type[np.floating[Any]]
Formula = Callable[[Any], Any]
mp: Any = mpmath.mp


def softplus(x: Any) -> Any:
    return mp.log1p(mp.exp(x))


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def clamp6(x: Any) -> Any:
    return min(max(x + 3, mp.mpf(0)), mp.mpf(6))


def gelu(x: Any) -> Any:
    # mpmath's erfc fails on huge arguments; it is 2 or below every subnormal long before.
    return max(x, mp.mpf(0)) if abs(x) > 100 else x * mp.erfc(-x / mp.sqrt(2)) / 2


def gelu_tanh(x: Any) -> Any:
    u = mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3)
    return x * sigmoid(2 * u)


def erfinv(x: Any) -> Any:
    """The root of erf(y) = x; of a tiny x, the first term of the series."""
    return x * mp.sqrt(mp.pi) / 2 if abs(x) < 1e-20 else mp.erfinv(x)


ALPHA = FloatAttr(0.7, f64)
FORMULAS: dict[str, Formula] = {
    "acos": mp.acos,
    "acosh": mp.acosh,
    "asin": mp.asin,
    "asinh": mp.asinh,
    "atan": mp.atan,
    "atanh": mp.atanh,
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "cos": mp.cos,
    "cosh": mp.cosh,
    "digamma": lambda x: mp.digamma(x) if x > 1e-30 else -1 / x - mp.euler,
    "erf": mp.erf,
    "erfc": lambda x: mp.erfc(x) if abs(x) < 100 else mp.mpf(2 * (x < 0)),
    "erfinv": erfinv,
    "exp": mp.exp,
    "exp2": lambda x: mp.mpf(2) ** x,
    "expm1": mp.expm1,
    "gelu": gelu,
    "hsigmoid": lambda x: clamp6(x) / 6,
    "hswish": lambda x: x * clamp6(x) / 6,
    "log": mp.log,
    "log10": mp.log10,
    "log1p": mp.log1p,
    "log2": lambda x: mp.log(x) / mp.log(2),
    "mish": lambda x: x * mp.tanh(softplus(x)),
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "sigmoid": sigmoid,
    "sin": mp.sin,
    "sinh": mp.sinh,
    "softplus": softplus,
    "softsign": lambda x: x / (1 + abs(x)),
    "sqrt": mp.sqrt,
    "swish": lambda x: x * sigmoid(x),
    "tan": mp.tan,
    "lgamma": mp.loggamma,
    "tanh": mp.tanh,
}
WITH_ATTRIBUTES: dict[str, tuple[dict[str, Attribute], Callable[[Any, Any], Any]]] = {
    "elu": ({"alpha": ALPHA}, lambda x, a: x if x > 0 else a * mp.expm1(x)),
    "swish": ({"beta": ALPHA}, lambda x, a: x * sigmoid(a * x)),
    "gelu": ({"approximation": StringAttr("tanh")}, lambda x, a: gelu_tanh(x)),
}
BELOW_ONE = float(np.nextafter(np.float32(1), np.float32(0)))
DOMAINS = {
    "acos": (-1, 1),
    "asin": (-1, 1),
    "atanh": (-1, 1),
    "acosh": (1, INF),
    "digamma": (0, INF),
    "erfinv": (-BELOW_ONE, BELOW_ONE),
    "lgamma": (0, INF),
    "log": (0, INF),
    "log10": (0, INF),
    "log1p": (-0.999, INF),
    "log2": (0, INF),
    "rsqrt": (0, INF),
    "sqrt": (0, INF),
}


def samples(name: str, dtype: Float) -> Array:
    """Points of the op's domain over the whole range, dense near 0, and the ends."""
    rng = np.random.default_rng(3)
    info = np.finfo(dtype)
    size = 10.0 ** rng.uniform(math.log10(float(info.tiny)) - 2, math.log10(float(info.max)), 60)
    points = [*size, *rng.uniform(0, 800, 60), *rng.uniform(0, 40, 60), *rng.uniform(0, 1, 60)]
    points += [float(info.smallest_subnormal), float(info.tiny), float(info.max), 1.0, 3.0, 26.5]
    x = np.array([*points, *(-p for p in points)]).astype(dtype)
    low, high = DOMAINS.get(name, (-INF, INF))
    return x[(x >= low) & (x <= high)]


def units(found: float, exact: Any, dtype: Float) -> Any:
    """The distance of `found` from the real number `exact` in units of its last place."""
    if not math.isfinite(found):
        overflows = abs(exact) > mp.mpf(float(np.finfo(dtype).max)) * (1 + mp.mpf(2) ** -60)
        return 0 if overflows and (found > 0) == (exact > 0) else INF
    nearest = np.asarray(abs(float(exact)), np.float64).astype(dtype)
    if nearest == np.finfo(dtype).max:
        nearest = np.nextafter(nearest, dtype(0))
    return abs((mp.mpf(found) - exact) / mp.mpf(float(np.spacing(nearest))))


def check(name: str, dtype: Float, formula: Formula, found: Array, x: Array, limit: float) -> None:
    with mp.workprec(200):
        for point, value in zip(x.tolist(), found.tolist(), strict=True):
            # Sums in the formulas need more than 200 bits where the argument is tiny.
            with mp.workprec(2400 if abs(point) < 1e-20 else 200):
                exact = formula(mp.mpf(point))
            distance = units(value, exact, dtype)
            assert distance <= limit, f"{name}({point!r}) = {value!r}, {float(distance)} units off"


@pytest.mark.parametrize(
    ("name", "dtype"), sampled([(n, t) for n in FORMULAS for t in (np.float32, np.float64)], 3)
)
def test_value_is_within_one_unit_of_the_real_value(
    name: str, dtype: Float, value_of: ValueOf
) -> None:
    x = samples(name, dtype)
    check(name, dtype, FORMULAS[name], value_of(name, x), x, 0.51 if dtype is np.float32 else 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", WITH_ATTRIBUTES)
def test_attributes_are_rounded_to_the_element_type(
    name: str, dtype: Float, value_of: ValueOf
) -> None:
    properties, formula = WITH_ATTRIBUTES[name]
    x = samples(name, dtype)
    alpha = mp.mpf(float(dtype(0.7)))
    limit = 0.51 if dtype is np.float32 else 1
    check(name, dtype, lambda p: formula(p, alpha), value_of(name, x, **properties), x, limit)


@pytest.mark.parametrize("narrow", ["float16", "bfloat16"])
def test_narrow_floats_are_the_wide_value_rounded(
    narrow: str, value_of: ValueOf, same: Same, bf16: np.dtype[Any]
) -> None:
    dtype = bf16 if narrow == "bfloat16" else np.dtype(narrow)
    x = np.linspace(-12, 12, 4001).astype(dtype)
    for name in ("gelu", "tanh", "softplus", "sigmoid", "sqrt", "erf"):
        wide = value_of(name, x.astype(np.float64))
        with np.errstate(all="ignore"):
            odd = wide.astype(np.float32)
        found = value_of(name, x)
        # Rounding twice is off by one unit at most, and nearly never.
        different = ~(found == odd.astype(dtype)) & ~np.isnan(wide)
        assert np.count_nonzero(different) <= 2, name


SPECIAL = {
    # name: values at -inf, -0.0, 0.0, inf
    "acos": (NAN, math.acos(0), math.acos(0), NAN),
    "acosh": (NAN, NAN, NAN, INF),
    "asin": (NAN, -0.0, 0.0, NAN),
    "asinh": (-INF, -0.0, 0.0, INF),
    "atan": (-math.pi / 2, -0.0, 0.0, math.pi / 2),
    "atanh": (NAN, -0.0, 0.0, NAN),
    "cbrt": (-INF, -0.0, 0.0, INF),
    "cos": (NAN, 1.0, 1.0, NAN),
    "cosh": (INF, 1.0, 1.0, INF),
    "digamma": (NAN, INF, -INF, INF),
    "erf": (-1.0, -0.0, 0.0, 1.0),
    "erfc": (2.0, 1.0, 1.0, 0.0),
    "erfinv": (NAN, -0.0, 0.0, NAN),
    "exp": (0.0, 1.0, 1.0, INF),
    "exp2": (0.0, 1.0, 1.0, INF),
    "expm1": (-1.0, -0.0, 0.0, INF),
    "gelu": (NAN, -0.0, 0.0, INF),
    "hsigmoid": (0.0, 0.5, 0.5, 1.0),
    "hswish": (NAN, -0.0, 0.0, INF),
    "lgamma": (INF, INF, INF, INF),
    "log": (NAN, -INF, -INF, INF),
    "log10": (NAN, -INF, -INF, INF),
    "log1p": (NAN, -0.0, 0.0, INF),
    "log2": (NAN, -INF, -INF, INF),
    "mish": (NAN, -0.0, 0.0, INF),
    "rsqrt": (NAN, -INF, INF, 0.0),
    "sigmoid": (0.0, 0.5, 0.5, 1.0),
    "sin": (NAN, -0.0, 0.0, NAN),
    "sinh": (-INF, -0.0, 0.0, INF),
    "softplus": (0.0, math.log(2), math.log(2), INF),
    "softsign": (NAN, -0.0, 0.0, NAN),
    "sqrt": (NAN, -0.0, 0.0, INF),
    "swish": (NAN, -0.0, 0.0, INF),
    "tan": (NAN, -0.0, 0.0, NAN),
    "tanh": (-1.0, -0.0, 0.0, 1.0),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_special_values(dtype: Float, value_of: ValueOf, same: Same) -> None:
    assert set(SPECIAL) == set(FORMULAS)
    x = np.array([-INF, -0.0, 0.0, INF, NAN], dtype)
    for name, expected in SPECIAL.items():
        assert same(value_of(name, x), np.array([*expected, NAN]).astype(dtype)), name
    assert same(value_of("elu", x, alpha=ALPHA), np.array([-0.7, -0.0, 0.0, INF, NAN], dtype))
    assert value_of("atanh", np.array([1.0, -1.0], dtype)).tolist() == [INF, -INF]
    zero = value_of("swish", x, beta=FloatAttr(0.0, f64))
    assert same(zero, np.array([NAN, -0.0, 0.0, NAN, NAN], dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_power_is_within_one_unit(dtype: Float, value_of: ValueOf) -> None:
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.uniform(0, 50, 200), 10.0 ** rng.uniform(-30, 30, 100)]).astype(dtype)
    y = np.concatenate([rng.uniform(-20, 20, 200), rng.uniform(-1, 1, 100)]).astype(dtype)
    found = value_of("power", x, y)
    with mp.workprec(200):
        for a, b, value in zip(x.tolist(), y.tolist(), found.tolist(), strict=True):
            assert units(value, mp.mpf(a) ** mp.mpf(b), dtype) <= 0.51
