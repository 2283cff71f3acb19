"""Values of the exact unary ops: signs, predicates, rounding to integral values, clamping.

Each function takes the op, the result's dtype and the operand array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from snippets_mlir.dialects.builtin.dtypes import Array, is_float, round_to
from snippets_mlir.dialects.snippets.unary_with_attributes import (
    ClampOp,
    LeakyReluOp,
    RoundOp,
)

Value = Callable[..., Array]
"""`(op, result dtype, *operand arrays) -> result array`."""


def float_value(attr: Attribute, dtype: np.dtype[Any]) -> Array:
    """A float attribute of any width, rounded once to `dtype`; rank 0."""
    assert isinstance(attr, FloatAttr)
    return round_to(np.asarray(attr.value.data, np.float64), dtype)


def _bits(x: Array) -> Array:
    return np.asarray(x, order="C").view(f"u{x.dtype.itemsize}")


def _sign_bit(x: Array) -> Any:
    bits = np.dtype(f"u{x.dtype.itemsize}")
    return bits.type(1 << (8 * x.dtype.itemsize - 1))


def _abs(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    if is_float(dtype):
        return np.asarray(_bits(x) & ~_sign_bit(x)).view(dtype)
    return np.where(x < 0, np.negative(x), x) if dtype.kind == "i" else x


def _negative(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    if is_float(dtype):
        return np.asarray(_bits(x) ^ _sign_bit(x)).view(dtype)
    return np.subtract(dtype.type(0), x)


def _relu(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    keep = x > 0
    if is_float(dtype):
        keep = keep | np.isnan(x)
    return np.where(keep, x, np.zeros((), dtype))


def _sign(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    zero, one = np.zeros((), dtype), np.ones((), dtype)
    result = np.where(x > 0, one, zero)
    if dtype.kind == "u":
        return result
    result = np.where(x < 0, np.asarray(-1, dtype), result)
    return np.where(np.isnan(x), x, result) if is_float(dtype) else result


def _half_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1.0, x), whole)


def _integral(function: Callable[[Array], Array]) -> Value:
    """A value that is integral; computed in float64, exact for every float type."""

    def value(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
        return np.asarray(function(x.astype(np.float64))).astype(dtype)

    return value


def _round(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    assert isinstance(op, RoundOp)
    function = np.rint if op.halves == "half_to_even" else _half_away
    return _integral(function)(op, dtype, x)


def _leaky_relu(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    assert isinstance(op, LeakyReluOp)
    # f16 and bf16 products are exact in float64; others are rounded once by the hardware.
    narrow = dtype.itemsize == 2
    alpha = float_value(op.alpha, dtype)
    product = (
        round_to(x.astype(np.float64) * alpha.astype(np.float64), dtype) if narrow else x * alpha
    )
    return np.where(x < 0, product, x)


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


def _plain(function: Callable[[Array], Array]) -> Value:
    def value(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
        return np.asarray(function(x))

    return value


UNARY_VALUES: dict[str, Value] = {
    "snippets.abs": _abs,
    "snippets.bitwise_not": _plain(np.invert),
    "snippets.ceiling": _integral(np.ceil),
    "snippets.clamp": _clamp,
    "snippets.floor": _integral(np.floor),
    "snippets.is_finite": _plain(np.isfinite),
    "snippets.is_inf": _plain(np.isinf),
    "snippets.is_nan": _plain(np.isnan),
    "snippets.leaky_relu": _leaky_relu,
    "snippets.logical_not": _plain(np.logical_not),
    "snippets.negative": _negative,
    "snippets.relu": _relu,
    "snippets.round": _round,
    "snippets.sign": _sign,
    "snippets.trunc": _integral(np.trunc),
}
