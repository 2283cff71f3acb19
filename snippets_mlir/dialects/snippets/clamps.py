"""Clamping of elements to an interval in the `snippets` dialect."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.base import FLOAT, INTEGER, UnaryOp, kind_of
from snippets_mlir.dialects.snippets.counterparts import Engine, Onnx
from snippets_mlir.dialects.snippets.record import Expansion, OpRecord, Variant
from snippets_mlir.dialects.snippets.values.forms import float_value
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin.dtypes import Array
else:
    np = LazyModule("numpy")


def clamp_bound(attr: Attribute, dtype: np.dtype[Any]) -> Array:
    """A bound of `snippets.clamp` in `dtype`, rank 0; integers saturate to the type's range."""
    if isa(attr, FloatAttr):
        return float_value(attr, dtype)
    assert isinstance(attr, IntegerAttr)
    limits = np.iinfo(dtype)
    return np.asarray(min(max(attr.value.data, int(limits.min)), int(limits.max)), dtype)


def _clamp(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    assert isinstance(op, ClampOp)
    low, high = clamp_bound(op.min, dtype), clamp_bound(op.max, dtype)
    raised = np.where(x < low, low, x)
    return np.where(raised > high, high, raised)


def _clamps_nothing(op: Operation) -> bool:
    """Whether the bounds are infinite, or the limits of the integer type."""
    assert isinstance(op, ClampOp)
    if isinstance(op.min, FloatAttr) or isinstance(op.max, FloatAttr):
        infinity = float("inf")
        return op.min.value.data == -infinity and op.max.value.data == infinity
    integers = integers_of(tensor_of(op.operand).element_type)
    if integers is None:
        return False
    return op.min.value.data <= integers.smallest and op.max.value.data >= integers.largest


def _clamp_formula(x: Array) -> Array:
    return np.minimum(np.maximum(x, x.dtype.type(-0.75)), x.dtype.type(1.5))


@irdl_op_definition
class ClampOp(UnaryOp):
    """x below `min` becomes `min`, then above `max` becomes `max` (so `max` wins when min > max).

    NaN stays NaN, and a zero keeps its sign. The bounds have the kind of the element type; an
    integer bound outside of its range is the end of the range.
    """

    name = "snippets.clamp"
    min = prop_def(FloatAttr | IntegerAttr)
    max = prop_def(FloatAttr | IntegerAttr)

    def __init__(
        self,
        operand: SSAValue | Operation,
        min: FloatAttr | IntegerAttr,
        max: FloatAttr | IntegerAttr,
    ) -> None:
        super().__init__(operand, {"min": min, "max": max})

    def verify_attributes(self) -> None:
        """The bounds are numbers of the operand's kind."""
        kind = kind_of(tensor_of(self.operand).element_type)
        for name, bound in (("min", self.min), ("max", self.max)):
            found = FLOAT if isinstance(bound, FloatAttr) else INTEGER
            if found != kind:
                raise VerifyException(
                    f"C7: snippets.clamp expects {name} to be {kind} like its operand, "
                    f"found {bound}"
                )
            if isinstance(bound, FloatAttr) and math.isnan(bound.value.data):
                raise VerifyException(
                    f"C7: snippets.clamp expects {name} to be a number, found NaN"
                )


_CLAMP = OpRecord(
    ClampOp,
    value=_clamp,
    floats=Expansion("piecewise:clamp", note="two selects"),
    integers=Expansion("integer:clamp", note="two selects"),
    patterns=("chains:SkipInnerClamp",),
    gives_back=_clamps_nothing,
    onnx=Onnx("Clip", (), own_importer=True, bound="steps"),
    engine=Engine(properties=("min", "max"), joins=("conv",), passes=1),
    variants=(Variant("min = -0.75 : f32, max = 1.5 : f32", _clamp_formula),),
    keeps_exact=True,
)


RECORDS = (_CLAMP,)
