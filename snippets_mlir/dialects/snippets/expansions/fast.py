"""Cheaper expansions for f32 with `math=fast`, on machines with a fused multiply-add.

They give up subnormal results, NaN at the infinities where the definition gives NaN, and the small
end of functions that vanish towards -inf. NaN arguments stay NaN. The records state the error:
within `bound` units in the last place of the larger of |result| and `least`. Functions without such
a form, f64, and machines without the instruction use the accurate form.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.coefficients_f32 import EXP_SHORT_F32, LOGIT_PHI_F32
from snippets_mlir.dialects.snippets.expansions.exp import LOG2_E, power_of_two
from snippets_mlir.dialects.snippets.expansions.primitives import (
    at_least,
    at_most,
    format_of,
    horner,
)

Attrs = Mapping[str, float | str]

# Below its negative, e^x has a power of two of 0; above it e^-x has.
_LIMIT = 87.6
# Beyond these, Phi is 0 or 1 within the bound.
_GELU_LIMIT = {"erf": 6.0, "tanh": 9.5}
# 2 sqrt(2 / pi) and 0.044715 times it.
_GELU_TANH = (1.5957691216057308, 0.07135481627362)


def _exp_parts(b: MathBuilder[V], x: V, step: float) -> tuple[V, V]:
    """(2 e^r, 2^(n - 1)) with step * x = n ln 2 + r: the product is e^(step * x)."""
    magic = b.constant(format_of(b).magic + format_of(b).bias - 1)
    t = b.fma(x, b.constant(step * LOG2_E), magic)
    r = b.fma(b.sub(t, magic), b.constant(-step * math.log(2)), x)
    p = horner(b, r, tuple(2 * c * step**k for k, c in enumerate((1.0, 1.0, *EXP_SHORT_F32))))
    return p, power_of_two(b, b.as_int(t))


def exp(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """e^x, 0 where it is less than about 2^-125."""
    x = at_least(b, at_most(b, operands[0], 89.0), -_LIMIT)
    return b.mul(*_exp_parts(b, x, 1.0))


def _gate(b: MathBuilder[V], top: V, z: V) -> V:
    """top / (1 + e^-z) for |z| up to `_LIMIT`."""
    return b.div(top, b.fma(*_exp_parts(b, z, -1.0), b.constant(1.0)))


def sigmoid(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """1 / (1 + e^-x)."""
    x = at_least(b, at_most(b, operands[0], _LIMIT), -_LIMIT)
    return _gate(b, b.constant(1.0), x)


def swish(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """x / (1 + e^-x), beta = 1."""
    x = at_least(b, operands[0], -_LIMIT)
    return _gate(b, x, at_most(b, x, _LIMIT))


def gelu(b: MathBuilder[V], operands: Sequence[V], attrs: Attrs) -> V:
    """x / (1 + e^-z), z = x L(x^2) with a polynomial L: of the logit of Phi, or of the formula with
    tanh.
    """
    form = str(attrs.get("approximation", "erf"))
    x = at_least(b, operands[0], -_GELU_LIMIT[form])
    near = at_most(b, x, _GELU_LIMIT[form])
    slope = horner(b, b.mul(near, near), LOGIT_PHI_F32 if form == "erf" else _GELU_TANH)
    return _gate(b, x, b.mul(near, slope))
