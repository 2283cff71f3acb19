"""Gates with attributes: x times a function of it; accuracy and NaN as in `elementary.py`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import FloatAttr, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.snippets.activations import plain_sigmoid, stable_sigmoid
from snippets_mlir.dialects.snippets.base import FloatOp, f64_attr
from snippets_mlir.dialects.snippets.counterparts import Aten, NodeAttribute, Onnx
from snippets_mlir.dialects.snippets.record import Expansion, FastExpansion, OpRecord, Variant
from snippets_mlir.dialects.snippets.values.forms import wide
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin import dtypes
    from snippets_mlir.dialects.builtin.dtypes import Array
    from snippets_mlir.dialects.snippets.values import special
else:
    np = LazyModule("numpy")
    dtypes = LazyModule("snippets_mlir.dialects.builtin.dtypes")
    special = LazyModule("snippets_mlir.dialects.snippets.values.special")


def _gelu_erf(x: Array) -> Array:
    """x / 2 * erfc(-x / sqrt 2)."""
    half = x.dtype.type(0.5)
    return x * half * special.erfc(-x * np.sqrt(half))


def _gelu_tanh(x: Array) -> Array:
    kind = x.dtype.type
    pi = np.arctan(kind(1)) * 4
    cubic = kind(44715) / kind(1000000)
    return x * stable_sigmoid(2 * np.sqrt(2 / pi) * (x + cubic * x * x * x))


def _gelu(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    assert isinstance(op, GeluOp)
    return wide(_gelu_erf if op.form == "erf" else _gelu_tanh)(op, dtype, x)


def _swish(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    assert isinstance(op, SwishOp)
    beta = dtypes.widen(dtypes.round_to(np.asarray(op.factor, np.float64), dtype))
    wider = dtypes.widen(x)
    return dtypes.round_to(np.asarray(wider * stable_sigmoid(beta * wider)), dtype)


def _swish_formula(x: Array) -> Array:
    return x * plain_sigmoid(x.dtype.type(1.5) * x)


def _erf_formula(x: Array) -> Array:
    return x * (1 + special.each(math.erf, x / x.dtype.type(math.sqrt(2)))) / 2


def _tanh_formula(x: Array) -> Array:
    inner = x.dtype.type(math.sqrt(2 / math.pi)) * (x + x.dtype.type(0.044715) * x * x * x)
    return x * (1 + np.tanh(inner)) / 2


@irdl_op_definition
class SwishOp(FloatOp):
    """x / (1 + e^(-beta * x)), `beta` 1 unless given (then it is SiLU).

    swish(-inf) = NaN for beta > 0 (-inf * 0); swish(+-inf) = NaN for beta = 0.
    """

    name = "snippets.swish"
    beta = opt_prop_def(FloatAttr)

    def __init__(self, operand: SSAValue | Operation, beta: float = 1.0) -> None:
        super().__init__(operand, {"beta": f64_attr(beta)})

    @property
    def factor(self) -> float:
        """`beta` as a float, 1.0 by default."""
        return self.beta.value.data if self.beta else 1.0


_SWISH = OpRecord(
    SwishOp,
    value=_swish,
    aten=(Aten("silu"),),
    floats=Expansion(
        "activations:swish", 2, 3, "max(x, 0) - a / (1 + e^a); other beta: scaled quotient"
    ),
    fast=FastExpansion(
        "fast:swish", 8, 2.0**-96, lambda attrs: float(attrs.get("beta", 1.0)) == 1.0
    ),
    onnx=Onnx("Swish", (24,), attributes={"alpha": NodeAttribute("beta", 1.0)}),
    variants=(Variant("beta = 1.5 : f32", _swish_formula),),
)


@irdl_op_definition
class GeluOp(FloatOp):
    """x * Phi(x), Phi the normal distribution function; gelu(-inf) = NaN (inf * 0).

    `approximation` is `erf` (the default: 0.5 * x * (1 + erf(x / sqrt 2))) or `tanh`
    (0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))).
    """

    name = "snippets.gelu"
    approximation = opt_prop_def(StringAttr)

    def __init__(self, operand: SSAValue | Operation, approximation: str = "erf") -> None:
        super().__init__(operand, {"approximation": StringAttr(approximation)})

    @property
    def form(self) -> str:
        """`erf` or `tanh`."""
        return self.approximation.data if self.approximation else "erf"

    def verify_attributes(self) -> None:
        """`approximation` is `erf` or `tanh`."""
        if self.form not in ("erf", "tanh"):
            raise VerifyException(
                f'C7: snippets.gelu expects approximation "erf" or "tanh", found "{self.form}"'
            )


_GELU = OpRecord(
    GeluOp,
    value=_gelu,
    aten=(
        Aten(
            "gelu",
            attributes={
                "approximate": NodeAttribute(
                    "approximation", "none", {"none": "erf", "tanh": "tanh"}
                )
            },
        ),
    ),
    floats=Expansion(
        "gelu:gelu",
        2,
        3,
        "max(x, 0) - a Phi(-a), Phi by e^x and a rational function; tanh: as swish",
    ),
    fast=FastExpansion("fast:gelu", 4, 0.5),
    onnx=Onnx(
        "Gelu",
        (20,),
        attributes={
            "approximate": NodeAttribute("approximation", "none", {"none": "erf", "tanh": "tanh"})
        },
        rate=0.5,
    ),
    variants=(
        Variant('approximation = "erf"', _erf_formula),
        Variant('approximation = "tanh"', _tanh_formula),
    ),
)


RECORDS = (_SWISH, _GELU)
