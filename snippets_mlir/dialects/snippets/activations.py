"""Smooth activation functions of the `snippets` dialect; accuracy and NaN as in `elementary.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.irdl import irdl_op_definition

from snippets_mlir.dialects.snippets.base import FLOAT, FloatOp
from snippets_mlir.dialects.snippets.counterparts import Aten, Engine, Onnx
from snippets_mlir.dialects.snippets.record import Expansion, FastExpansion, OpRecord
from snippets_mlir.dialects.snippets.values.forms import wide
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin.dtypes import Array
else:
    np = LazyModule("numpy")


def stable_sigmoid(x: Array) -> Array:
    """The value by 1 / (1 + e^-x) or e^x / (1 + e^x), whichever has an exponential below 1."""
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1) / (1 + small)


def _mish(x: Array) -> Array:
    """x * n / (n + 2) with n = e^x (e^x + 2)."""
    small = np.exp(-np.abs(x))
    below = small * (small + 2)
    above = 1 + 2 * small
    return x * np.where(x < 0, below / (below + 2), above / (above + 2 * small * small))


def _softplus(x: Array) -> Array:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _softsign(x: Array) -> Array:
    return x / (1 + np.abs(x))


def _six_clamp(x: Array) -> Array:
    return np.minimum(np.maximum(x + 3, 0), 6)


def _hsigmoid(x: Array) -> Array:
    return _six_clamp(x) / 6


def _hswish(x: Array) -> Array:
    return x * _six_clamp(x) / 6


def _gated_hsigmoid(x: Array) -> Array:
    return x * _hsigmoid(x)


def _gated_tanh(x: Array) -> Array:
    return x * np.tanh(_softplus(x))


def plain_sigmoid(x: Array) -> Array:
    """The formula without changes."""
    return 1 / (1 + np.exp(-x))


@irdl_op_definition
class SigmoidOp(FloatOp):
    """1 / (1 + e^-x)."""

    name = "snippets.sigmoid"


_SIGMOID = OpRecord(
    SigmoidOp,
    value=wide(stable_sigmoid),
    aten=(Aten("sigmoid"),),
    floats=Expansion("activations:sigmoid", 2, 2, "1 / (1 + e^a), or 1 minus it"),
    fast=FastExpansion("fast:sigmoid", 8, 2.0**-100),
    onnx=Onnx("Sigmoid", (6, 13), rate=0.28, avx2_rate=0.3, bound="single"),
    engine=Engine(joins=("conv", "sum", "gemm"), passes=5, quantized=True, blocked=True),
    formulas={FLOAT: plain_sigmoid},
    names={"scipy": "expit", "stablehlo": "stablehlo.logistic"},
)


@irdl_op_definition
class HSigmoidOp(FloatOp):
    """min(max(x + 3, 0), 6) / 6."""

    name = "snippets.hsigmoid"


_HSIGMOID = OpRecord(
    HSigmoidOp,
    value=wide(_hsigmoid),
    aten=(Aten("hardsigmoid"),),
    floats=Expansion("activations:hsigmoid", 1.5, 1.5, "add, two selects, division"),
    onnx=Onnx("HardSigmoid", (), own_importer=True, rate=0.115, avx2_rate=0.116, bound="steps"),
    engine=Engine(constants={"alpha": 1 / 6, "beta": 0.5}, joins=("conv", "sum", "gemm"), passes=5),
    formulas={FLOAT: _hsigmoid},
)


@irdl_op_definition
class HSwishOp(FloatOp):
    """x * min(max(x + 3, 0), 6) / 6; hswish(-inf) = NaN (inf * 0)."""

    name = "snippets.hswish"


_HSWISH = OpRecord(
    HSwishOp,
    value=wide(_hswish),
    aten=(Aten("hardswish"),),
    floats=Expansion("activations:hswish", 2, 2, "x times hsigmoid"),
    onnx=Onnx("HardSwish", (14, 22), rate=0.2, bound="single"),
    formulas={FLOAT: _gated_hsigmoid},
)


@irdl_op_definition
class MishOp(FloatOp):
    """x * tanh(softplus(x)); mish(-inf) = NaN (inf * 0)."""

    name = "snippets.mish"


_MISH = OpRecord(
    MishOp,
    value=wide(_mish),
    aten=(Aten("mish"),),
    floats=Expansion("activations:mish", 2, 2.5, "x n / (n + 2), n = e^x (e^x + 2), two divisions"),
    onnx=Onnx("Mish", (18, 22), rate=10.5),
    formulas={FLOAT: _gated_tanh},
)


@irdl_op_definition
class SoftplusOp(FloatOp):
    """log(1 + e^x), without overflow: x for large x, inf at inf."""

    name = "snippets.softplus"


_SOFTPLUS = OpRecord(
    SoftplusOp,
    value=wide(_softplus),
    aten=(Aten("softplus", given={"beta": 1, "threshold": 20}),),
    floats=Expansion(
        "activations:softplus", 2, 2.5, "max(x, 0) + 2 atanh(t / 2), t = 1 / (e^a + 1/2)"
    ),
    onnx=Onnx("Softplus", (1, 22), rate=10.2),
    engine=Engine(joins=("gemm",), passes=5),
    formulas={FLOAT: _softplus},
)


@irdl_op_definition
class SoftsignOp(FloatOp):
    """x / (1 + |x|); softsign(+-inf) = NaN (inf / inf)."""

    name = "snippets.softsign"


_SOFTSIGN = OpRecord(
    SoftsignOp,
    value=wide(_softsign),
    floats=Expansion("activations:softsign", 2, 2, "division"),
    onnx=Onnx("Softsign", (1, 22), rate=0.17),
    engine=Engine(joins=("gemm",), passes=5),
    formulas={FLOAT: _softsign},
)


RECORDS = (_SIGMOID, _HSIGMOID, _HSWISH, _MISH, _SOFTPLUS, _SOFTSIGN)
