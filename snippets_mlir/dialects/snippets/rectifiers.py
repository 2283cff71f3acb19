"""Piecewise ops of the `snippets` dialect: relu and its relatives, and clamping."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import Float64Type, FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.base import (
    FLOAT,
    INTEGER,
    BinaryOp,
    FloatOp,
    UnaryOp,
    kind_of,
)
from snippets_mlir.dialects.snippets.counterparts import Aten, Engine, NodeAttribute, Onnx
from snippets_mlir.dialects.snippets.record import Expansion, OpRecord, Variant
from snippets_mlir.dialects.snippets.values.forms import float_value, once, plain
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin import dtypes
    from snippets_mlir.dialects.builtin.dtypes import Array
else:
    np = LazyModule("numpy")
    dtypes = LazyModule("snippets_mlir.dialects.builtin.dtypes")


def _f64(value: float) -> FloatAttr:
    return FloatAttr(value, Float64Type())


def _relu(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    keep = x > 0
    if dtypes.is_float(dtype):
        keep = keep | np.isnan(x)
    return np.where(keep, x, np.zeros((), dtype))


def _leaky_relu(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    assert isinstance(op, LeakyReluOp)
    return np.where(x < 0, once(np.multiply)(x, float_value(op.alpha, dtype)), x)


def _prelu(x: Array, y: Array) -> Array:
    return np.where(x < 0, once(np.multiply)(x, y), x)


def _elu(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    assert isinstance(op, EluOp)
    alpha = dtypes.widen(float_value(op.alpha, dtype))
    below = dtypes.round_to(np.asarray(alpha * np.expm1(dtypes.widen(x))), dtype)
    return np.where(x > 0, x, below)


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


def _relu_formula(x: Array) -> Array:
    return np.maximum(x, 0)


def _clamp_formula(x: Array) -> Array:
    return np.minimum(np.maximum(x, x.dtype.type(-0.75)), x.dtype.type(1.5))


def _leaky_formula(x: Array) -> Array:
    return np.where(x < 0, x * x.dtype.type(0.25), x)


def _prelu_formula(x: Array, y: Array) -> Array:
    return np.where(x < 0, x * y, x)


def _elu_formula(x: Array) -> Array:
    return np.where(x > 0, x, x.dtype.type(0.5) * np.expm1(np.minimum(x, 0)))


@irdl_op_definition
class ReluOp(UnaryOp):
    """max(x, 0): NaN stays NaN, relu(-0.0) = +0.0."""

    name = "snippets.relu"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


_RELU = OpRecord(
    ReluOp,
    value=_relu,
    aten=(Aten("relu"),),
    floats=Expansion("piecewise:relu", note="select"),
    integers=Expansion("integer:relu", note="select"),
    cheap=True,
    onnx=Onnx("Relu", (6, 13, 14), rate=0.12, bound="single"),
    engine=Engine(joins=("conv", "sum", "gemm"), passes=1, blocked=True),
    formulas={FLOAT: _relu_formula, INTEGER: _relu_formula},
    keeps_exact=True,
)


@irdl_op_definition
class LeakyReluOp(FloatOp):
    """x if x >= 0 (or NaN, or -0.0), else alpha * x."""

    name = "snippets.leaky_relu"
    alpha = prop_def(FloatAttr)

    def __init__(self, operand: SSAValue | Operation, alpha: float = 0.01) -> None:
        super().__init__(operand, {"alpha": _f64(alpha)})


_LEAKY_RELU = OpRecord(
    LeakyReluOp,
    value=_leaky_relu,
    aten=(Aten("leaky_relu", attributes={"negative_slope": NodeAttribute("alpha", 0.01)}),),
    floats=Expansion("piecewise:leaky_relu", note="select"),
    onnx=Onnx(
        "LeakyRelu",
        (6, 16),
        attributes={"alpha": NodeAttribute("alpha", 0.01)},
        rate=0.15,
        bound="steps",
    ),
    engine=Engine(properties=("alpha",), joins=("conv", "gemm"), passes=1, quantized=True),
    variants=(Variant("alpha = 0.25 : f32", _leaky_formula),),
)


@irdl_op_definition
class PReluOp(BinaryOp):
    """lhs if lhs >= 0 (or NaN, or -0.0), else lhs * rhs. Integers wrap."""

    name = "snippets.prelu"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


_PRELU = OpRecord(
    PReluOp,
    value=plain(_prelu),
    aten=(Aten("_prelu_kernel"),),
    floats=Expansion("piecewise:prelu", note="select"),
    integers=Expansion("integer:prelu", note="select"),
    onnx=Onnx(
        "PRelu",
        (7, 9, 16),
        keeps_shape="the slope of PRelu does not broadcast to its input",
        rate=0.28,
    ),
    formulas={FLOAT: _prelu_formula},
)


@irdl_op_definition
class EluOp(FloatOp):
    """x if x > 0, else alpha * (e^x - 1); zeros keep their sign for alpha > 0."""

    name = "snippets.elu"
    alpha = prop_def(FloatAttr)

    def __init__(self, operand: SSAValue | Operation, alpha: float = 1.0) -> None:
        super().__init__(operand, {"alpha": _f64(alpha)})


_ELU = OpRecord(
    EluOp,
    value=_elu,
    aten=(
        Aten(
            "elu",
            attributes={"alpha": NodeAttribute("alpha", 1.0)},
            given={"scale": 1, "input_scale": 1},
        ),
    ),
    floats=Expansion("exp:elu", 2, 2, "expm1"),
    onnx=Onnx("Elu", (6, 22), attributes={"alpha": NodeAttribute("alpha", 1.0)}, rate=1.8),
    engine=Engine(properties=("alpha",), joins=("gemm",), passes=5),
    variants=(Variant("alpha = 0.5 : f32", _elu_formula),),
)


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


RECORDS = (_RELU, _LEAKY_RELU, _PRELU, _ELU, _CLAMP)
