"""Ops on the sign bit of floats: exact, NaN included."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition

from snippets_mlir.dialects.snippets.base import FLOAT, BinaryOp, FloatOp
from snippets_mlir.dialects.snippets.record import Aten, Expansion, OpRecord
from snippets_mlir.dialects.snippets.values.forms import plain, ufunc


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


RECORDS = (_COPYSIGN, _SIGNBIT)
