"""Piecewise ops of the `snippets` dialect: relu and its relatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def

from snippets_mlir.dialects.snippets.base import (
    FLOAT,
    INTEGER,
    BinaryOp,
    FloatOp,
    UnaryOp,
    f64_attr,
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


def _relu_formula(x: Array) -> Array:
    return np.maximum(x, 0)


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
    onnx=Onnx("Relu", (6, 13, 14), rate=0.12, avx2_rate=0.11, bound="single"),
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
        super().__init__(operand, {"alpha": f64_attr(alpha)})


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
        avx2_rate=0.132,
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
        super().__init__(operand, {"alpha": f64_attr(alpha)})


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


RECORDS = (_RELU, _LEAKY_RELU, _PRELU, _ELU)
