"""Remainders of the `snippets` dialect: with the sign of the divisor, and of the dividend.

Both operands have one element type and broadcast together by NumPy's rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.irdl import irdl_op_definition

from snippets_mlir.dialects.snippets.base import FLOAT, INTEGER, BinaryOp
from snippets_mlir.dialects.snippets.counterparts import Aten, Onnx
from snippets_mlir.dialects.snippets.record import (
    Code,
    OpRecord,
    value_in,
)
from snippets_mlir.dialects.snippets.values.forms import by_kind, once, ufunc, unless_zero
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin.dtypes import Array
else:
    np = LazyModule("numpy")


def _floor_mod(x: Array, y: Array) -> Array:
    """fmod, moved into the range of y's sign; only this addition rounds."""

    def value(x: Array, y: Array) -> Array:
        rest = np.fmod(x, y)
        moved = np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)
        return np.where(rest == 0, np.copysign(np.zeros((), x.dtype), y), moved)

    return once(value)(x, y)


@irdl_op_definition
class FloorModOp(BinaryOp):
    """Remainder with the sign of rhs (Python's %), a zero included.

    Floats: rounded once; NaN for rhs = 0 or lhs = inf; for an infinite rhs lhs, or rhs when the
    signs differ. Integers: x mod 0 = 0.
    """

    name = "snippets.floor_mod"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


_FLOOR_MOD = OpRecord(
    FloorModOp,
    value=by_kind(_floor_mod, value_in("integer:floor_mod")),
    aten=(Aten("remainder", kinds=(FLOAT,)),),
    code=Code(source="arithmetic:floor_mod", vectors=4, masks=2),
    formulas={INTEGER: unless_zero(ufunc("mod"))},
    names={"numpy": "remainder"},
)


@irdl_op_definition
class ModOp(BinaryOp):
    """Remainder with the sign of lhs (C's fmod and %).

    Floats: exact; NaN for rhs = 0 or lhs = inf. Integers: x mod 0 = 0.
    """

    name = "snippets.mod"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


_MOD = OpRecord(
    ModOp,
    value=by_kind(once(ufunc("fmod")), value_in("integer:mod")),
    aten=(Aten("fmod", kinds=(FLOAT,)),),
    code=Code(source="arithmetic:mod", vectors=4, masks=2),
    onnx=Onnx("Mod", (), own_importer=True, rate=5.61),
    formulas={FLOAT: ufunc("fmod"), INTEGER: unless_zero(ufunc("fmod"))},
    jumps=True,
    names={"numpy": "fmod", "stablehlo": "stablehlo.remainder"},
)


RECORDS = (_FLOOR_MOD, _MOD)
