"""The logarithm of the gamma function and its derivative; accuracy and NaN as in `elementary.py`.

Relative accuracy holds for x > -2 (`lgamma`), for x >= 0 (`digamma`) and for f32. For f64, most
intervals between negative integers contain a zero. Near it the error is absolute: within the bound
in units of the larger of 1 (`digamma` 2) and the value at |x|.
"""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from snippets_mlir.dialects.snippets.base import FloatOp
from snippets_mlir.dialects.snippets.counterparts import Aten
from snippets_mlir.dialects.snippets.record import Expansion, OpRecord, value_in
from snippets_mlir.dialects.snippets.values.forms import wide

_METHOD = "quotients of polynomials, Stirling's series, reflection; f32 in f64"


@irdl_op_definition
class LgammaOp(FloatOp):
    """log |gamma(x)|; inf for 0, -0.0, negative integers and +-inf."""

    name = "snippets.lgamma"


_LGAMMA = OpRecord(
    LgammaOp,
    value=wide(value_in("gamma:lgamma")),
    aten=(Aten("lgamma"),),
    floats=Expansion("gamma:lgamma", 1, 4.0, _METHOD),
    names={"scipy": "gammaln", "stablehlo": "chlo.lgamma"},
)


@irdl_op_definition
class DigammaOp(FloatOp):
    """The derivative of log |gamma(x)|; digamma(+-0) = -+inf, NaN for -1, -2, ... and -inf."""

    name = "snippets.digamma"


_DIGAMMA = OpRecord(
    DigammaOp,
    value=wide(value_in("gamma:digamma")),
    aten=(Aten("digamma"), Aten("polygamma", given={"n": 0})),
    floats=Expansion("gamma:digamma", 1, 4.0, _METHOD),
    names={"scipy": "psi", "stablehlo": "chlo.digamma"},
)


RECORDS = (_LGAMMA, _DIGAMMA)
