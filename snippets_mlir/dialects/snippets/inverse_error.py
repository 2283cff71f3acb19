"""The inverse of the error function; accuracy and NaN as in `elementary.py`."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from snippets_mlir.dialects.snippets.base import FloatOp
from snippets_mlir.dialects.snippets.counterparts import Aten
from snippets_mlir.dialects.snippets.record import Expansion, OpRecord, value_in
from snippets_mlir.dialects.snippets.values.forms import wide


@irdl_op_definition
class ErfinvOp(FloatOp):
    """The y with erf(y) = x; erfinv(+-1) = +-inf, NaN for |x| > 1."""

    name = "snippets.erfinv"


_ERFINV = OpRecord(
    ErfinvOp,
    value=wide(value_in("special:erfinv")),
    aten=(Aten("erfinv"),),
    floats=Expansion("inverse_error:erfinv", 1, 4.0, "quotients of polynomials; f32 in f64"),
    names={"scipy": "erfinv", "stablehlo": "chlo.erf_inv"},
)


RECORDS = (_ERFINV,)
