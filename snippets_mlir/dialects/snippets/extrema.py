"""Maximum and minimum of the `snippets` dialect.

Both operands have one element type and broadcast together by NumPy's rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.ir import Operation
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Commutative

from snippets_mlir.dialects.snippets.base import FLOAT, INTEGER, BinaryOp
from snippets_mlir.dialects.snippets.counterparts import Aten, Onnx
from snippets_mlir.dialects.snippets.record import (
    Code,
    OpRecord,
    Value,
)
from snippets_mlir.dialects.snippets.values.forms import ufunc
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin import dtypes
    from snippets_mlir.dialects.builtin.dtypes import Array
else:
    np = LazyModule("numpy")
    dtypes = LazyModule("snippets_mlir.dialects.builtin.dtypes")


def _pick(prefer: str, negative_zero: bool) -> Value:
    """The larger or the smaller: NaN wins; of two zeros, -0.0 wins if `negative_zero`."""

    def value(op: Operation, dtype: np.dtype[Any], x: Array, y: Array) -> Array:
        first = ufunc(prefer)(x, y)
        if dtypes.is_float(dtype):
            sign = np.signbit(x)
            first = np.where(x == y, sign if negative_zero else ~sign, first)
            first = np.isnan(x) | (first & ~np.isnan(y))
        return np.where(first, x, y)

    return value


@irdl_op_definition
class MaximumOp(BinaryOp):
    """The larger; NaN if either is NaN, and maximum(-0.0, 0.0) = 0.0 (IEEE 754-2019 maximum)."""

    name = "snippets.maximum"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    traits = traits_def(Commutative())


_MAXIMUM = OpRecord(
    MaximumOp,
    value=_pick("greater", negative_zero=False),
    aten=(Aten("maximum"),),
    code=Code("arith.maximumf", "arith.maxsi", vectors=2, masks=1),
    onnx=Onnx("Max", (6, 8, 12, 13), variadic=True, avx2_rate=0.3),
    formulas={FLOAT: ufunc("maximum"), INTEGER: ufunc("maximum")},
    keeps_exact=True,
    names={"numpy": "maximum", "stablehlo": "stablehlo.maximum"},
)


@irdl_op_definition
class MinimumOp(BinaryOp):
    """The smaller; NaN if either is NaN, and minimum(-0.0, 0.0) = -0.0 (IEEE 754-2019 minimum)."""

    name = "snippets.minimum"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    traits = traits_def(Commutative())


_MINIMUM = OpRecord(
    MinimumOp,
    value=_pick("less", negative_zero=True),
    aten=(Aten("minimum"),),
    code=Code("arith.minimumf", "arith.minsi", vectors=2, masks=1),
    onnx=Onnx("Min", (6, 8, 12, 13), variadic=True),
    formulas={FLOAT: ufunc("minimum"), INTEGER: ufunc("minimum")},
    keeps_exact=True,
    names={"numpy": "minimum", "stablehlo": "stablehlo.minimum"},
)


RECORDS = (_MAXIMUM, _MINIMUM)
