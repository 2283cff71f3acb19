"""The table of expansions: which function computes an op, and how far from the exact value.

Bounds are in units in the last place of the correctly rounded result, over all inputs; they are
asserted by `test/unit/targets/test_math_expansions.py` and their measured values are in
`docs/math.md`. `exact` marks functions without any error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from snippets_mlir.targets.math import (
    activations,
    erf,
    exp,
    gelu,
    hyperbolic,
    integer,
    inverse_trig,
    log,
    piecewise,
    power,
    trig,
)

Function = Callable[[Any, Sequence[Any], Mapping[str, float | str]], Any]


@dataclass(frozen=True)
class Expansion:
    """How one op is computed.

    Attributes:
        name: the op's name without its dialect.
        function: builds the value from (builder, operands, attributes).
        bound_ulp_f32: largest error for f32, in units in the last place.
        bound_ulp_f64: largest error for f64.
        note: the method in a few words.
    """

    name: str
    function: Function
    bound_ulp_f32: float
    bound_ulp_f64: float
    note: str

    @property
    def exact(self) -> bool:
        """Whether every result is correctly rounded."""
        return self.bound_ulp_f32 == 0 and self.bound_ulp_f64 == 0


def _table(*rows: tuple[str, Function, float, float, str]) -> dict[str, Expansion]:
    return {row[0]: Expansion(*row) for row in rows}


EXPANSIONS: dict[str, Expansion] = _table(
    ("acos", inverse_trig.acos, 1.5, 1.5, "polynomial, half-angle formula beyond 1/2"),
    ("acosh", hyperbolic.acosh, 1, 1.5, "log1p of a double word; f32 in f64"),
    ("asin", inverse_trig.asin, 2, 2, "polynomial, half-angle formula beyond 1/2"),
    ("asinh", hyperbolic.asinh, 1, 1.5, "polynomial, log of a double word; f32 in f64"),
    ("atan", inverse_trig.atan, 2, 2, "polynomial of a or -1 / a; f64: three ranges"),
    ("atanh", hyperbolic.atanh, 1, 1.5, "log1p of a double word; f32 in f64"),
    ("clamp", piecewise.clamp, 0, 0, "two selects"),
    ("cos", trig.cos, 1, 1, "Payne-Hanek by table, polynomials; f32 in f64"),
    ("cosh", hyperbolic.cosh, 2, 1.5, "h + 1 / (4 h), h = e^|x| / 2"),
    ("elu", exp.elu, 2, 2, "expm1"),
    ("erf", erf.erf, 2, 1.5, "polynomial; f32: two of them, f64: 1 - e^(-x^2) R(x)"),
    ("exp", exp.exp, 2, 1.5, "2^n times a polynomial"),
    (
        "gelu",
        gelu.gelu,
        2,
        3,
        "max(x, 0) - a Phi(-a), Phi by e^x and a rational function; tanh: as swish",
    ),
    ("hsigmoid", activations.hsigmoid, 1.5, 1.5, "add, two selects, division"),
    ("hswish", activations.hswish, 2, 2, "x times hsigmoid"),
    ("is_finite", piecewise.is_finite, 0, 0, "comparison"),
    ("is_inf", piecewise.is_inf, 0, 0, "comparison"),
    ("is_nan", piecewise.is_nan, 0, 0, "comparison"),
    ("leaky_relu", piecewise.leaky_relu, 0, 0, "select"),
    ("log", log.log, 1.5, 1.5, "k ln 2 + log m; f64: by atanh"),
    ("mish", activations.mish, 2, 2.5, "x n / (n + 2), n = e^x (e^x + 2), two divisions"),
    ("power", power.power, 1, 1.5, "e^(y log x), f64: logarithm in double words; f32 in f64"),
    ("power_static", power.power_static, 2, 2, "products, root or division; else as power"),
    ("prelu", piecewise.prelu, 0, 0, "select"),
    ("relu", piecewise.relu, 0, 0, "select"),
    ("round", piecewise.round_half_away, 0, 0, "halves away from zero: trunc and a correction"),
    ("rsqrt", piecewise.rsqrt, 2, 2, "division by the square root"),
    ("sigmoid", activations.sigmoid, 2, 2, "1 / (1 + e^a), or 1 minus it"),
    ("sign", piecewise.sign, 0, 0, "two selects"),
    ("sin", trig.sin, 1, 1, "Payne-Hanek by table, polynomials; f32 in f64"),
    ("sinh", hyperbolic.sinh, 2, 2, "polynomial, and h - 1 / (4 h), h = e^|x| / 2"),
    ("softplus", activations.softplus, 2, 2.5, "max(x, 0) + 2 atanh(t / 2), t = 1 / (e^a + 1/2)"),
    ("softsign", activations.softsign, 2, 2, "division"),
    ("squared_difference", piecewise.squared_difference, 0, 0, "subtract and multiply"),
    ("swish", activations.swish, 2, 3, "max(x, 0) - a / (1 + e^a); other beta: scaled quotient"),
    ("tan", trig.tan, 1, 2.5, "quotient of sine and cosine"),
    (
        "tanh",
        hyperbolic.tanh,
        2,
        3,
        "polynomial, 1 - 2 / (e^2a + 1); f64: e / (e + 2)",
    ),
)

INTEGER_EXPANSIONS: dict[str, Expansion] = _table(
    ("abs", integer.absolute, 0, 0, "select"),
    ("bitwise_not", integer.bitwise_not, 0, 0, "xor with all ones"),
    ("clamp", integer.clamp, 0, 0, "two selects"),
    ("power", integer.power, 0, 0, "repeated squaring"),
    ("power_static", integer.power_static, 0, 0, "squaring"),
    ("prelu", integer.prelu, 0, 0, "select"),
    ("relu", integer.relu, 0, 0, "select"),
    ("sign", integer.sign, 0, 0, "two selects"),
    ("squared_difference", integer.squared_difference, 0, 0, "subtract and multiply"),
)


def expansion_for(name: str, kind: str, attrs: Mapping[str, float | str]) -> Expansion | None:
    """The expansion of op `name` for elements of `kind` ("float" or "integer"), None if primitive.

    `round` to even is primitive, `round` with halves away from zero is not.
    """
    if name == "round" and attrs.get("mode", "half_to_even") == "half_to_even":
        return None
    return (EXPANSIONS if kind == "float" else INTEGER_EXPANSIONS).get(name)
