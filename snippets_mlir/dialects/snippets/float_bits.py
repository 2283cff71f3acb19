"""Ops on the bits of floats: exact, also for NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.irdl import irdl_op_definition

from snippets_mlir.dialects.snippets.base import FLOAT, BinaryOp, FloatOp
from snippets_mlir.dialects.snippets.counterparts import Aten
from snippets_mlir.dialects.snippets.record import Expansion, OpRecord
from snippets_mlir.dialects.snippets.values.forms import plain, ufunc
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin.dtypes import Array
else:
    np = LazyModule("numpy")


def _nextafter(x: Array, y: Array) -> Array:
    # Of equal operands NumPy gives the first one for float16.
    return np.where(x == y, y, np.nextafter(x, y))


@irdl_op_definition
class CopysignOp(BinaryOp):
    """The magnitude of lhs with the sign bit of rhs, also of zeros and NaN."""

    name = "snippets.copysign"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


_COPYSIGN = OpRecord(
    CopysignOp,
    value=plain(ufunc("copysign")),
    aten=(Aten("copysign"),),
    floats=Expansion("piecewise:copysign", note="bits of both"),
    cheap=True,
    names={"numpy": "copysign"},
)


@irdl_op_definition
class SignbitOp(FloatOp):
    """Whether the sign bit is set, also of -0.0 and NaN."""

    name = "snippets.signbit"
    PREDICATE: ClassVar = True


_SIGNBIT = OpRecord(
    SignbitOp,
    value=plain(ufunc("signbit")),
    aten=(Aten("signbit"),),
    floats=Expansion("piecewise:signbit", note="a comparison of integers"),
    cheap=True,
    names={"numpy": "signbit"},
)


@irdl_op_definition
class NextafterOp(BinaryOp):
    """The next float of the type after lhs in the direction of rhs.

    rhs if both are equal, also for zeros of different sign; NaN if one is NaN. After +-inf comes
    the largest finite float, after that inf, and next to 0 are the smallest subnormals.
    """

    name = "snippets.nextafter"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


_NEXTAFTER = OpRecord(
    NextafterOp,
    value=plain(_nextafter),
    aten=(Aten("nextafter"),),
    floats=Expansion("piecewise:nextafter", note="the bits as an integer, plus or minus 1"),
    own_type=True,
    names={"numpy": "nextafter", "stablehlo": "chlo.next_after"},
)


RECORDS = (_COPYSIGN, _NEXTAFTER, _SIGNBIT)
