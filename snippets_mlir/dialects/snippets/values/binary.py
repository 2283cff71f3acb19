"""Values of arithmetic, comparisons, logic, select and fma.

Each function takes the op, the result's dtype and the operand arrays, which broadcast. f16 and bf16
arithmetic is done in float64 and rounded once, which is exact for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array, is_float, round_to, widen
from snippets_mlir.dialects.snippets.unary_with_attributes import PowerStaticOp
from snippets_mlir.dialects.snippets.values import integer
from snippets_mlir.dialects.snippets.values.fma import fma
from snippets_mlir.dialects.snippets.values.unary import Value, float_value


def _arithmetic(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """`function`, rounded once for every dtype; integers wrap."""

    def value(x: Array, y: Array) -> Array:
        if is_float(x.dtype) and x.dtype.itemsize == 2:
            wide = function(x.astype(np.float64), y.astype(np.float64))
            return round_to(np.asarray(wide), x.dtype)
        return np.asarray(function(x, y))

    return value


_add, _subtract = _arithmetic(np.add), _arithmetic(np.subtract)
_multiply, _divide = _arithmetic(np.multiply), _arithmetic(np.divide)
_fmod = _arithmetic(np.fmod)


def _pick(prefer: Callable[[Array, Array], Array], negative_zero: bool) -> Value:
    """The larger or the smaller: NaN wins; of two zeros, -0.0 wins if `negative_zero`."""

    def value(op: Operation, dtype: np.dtype[Any], x: Array, y: Array) -> Array:
        first = prefer(x, y)
        if is_float(dtype):
            sign = np.signbit(x)
            first = np.where(x == y, sign if negative_zero else ~sign, first)
            first = np.isnan(x) | (first & ~np.isnan(y))
        return np.where(first, x, y)

    return value


def _power_float(x: Array, y: Array) -> Array:
    """C's pow; exponents -1, 1 and 2 are rounded once in every type."""
    if not x.shape and not y.shape:
        return np.asarray(_power_float(x.reshape(1), y.reshape(1))[0])
    # For a single exponent of 0.5 NumPy takes the square root, which is -0.0 and NaN where pow
    # is 0.0 and infinite.
    y = np.array(np.broadcast_to(y, np.broadcast_shapes(x.shape, y.shape)))
    result = round_to(np.asarray(np.power(widen(x), widen(y))), x.dtype)
    # Some C libraries' long double pow loses the parity of huge exponents of infinities.
    result = np.where(np.isinf(x), round_to(np.asarray(np.power(x, y)), x.dtype), result)
    one = np.ones((), x.dtype)
    result = np.where(y == 1, x, np.where(y == 2, _multiply(x, x), result))
    return np.where(y == -1, _divide(one, x), result)


def _floor_mod_float(x: Array, y: Array) -> Array:
    """fmod, moved into the range of y's sign; the one addition is the one rounding."""

    def value(x: Array, y: Array) -> Array:
        rest = np.fmod(x, y)
        moved = np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)
        return np.where(rest == 0, np.copysign(np.zeros((), x.dtype), y), moved)

    return _arithmetic(value)(x, y)


def _squared_difference(x: Array, y: Array) -> Array:
    difference = _subtract(x, y)
    return _multiply(difference, difference)


def _prelu(x: Array, y: Array) -> Array:
    return np.where(x < 0, _multiply(x, y), x)


def _running_maximum(x: Array, y: Array) -> Array:
    return np.where(y > x, y, x)


def _same(function: Callable[[Array, Array], Array]) -> Value:
    def value(op: Operation, dtype: np.dtype[Any], x: Array, y: Array) -> Array:
        return np.asarray(function(x, y))

    return value


def _by_kind(
    floats: Callable[[Array, Array], Array], integers: Callable[[Array, Array], Array]
) -> Value:
    def value(op: Operation, dtype: np.dtype[Any], x: Array, y: Array) -> Array:
        return np.asarray((floats if is_float(dtype) else integers)(x, y))

    return value


def _select(op: Operation, dtype: np.dtype[Any], which: Array, x: Array, y: Array) -> Array:
    return np.where(which, x, y)


def _power_static(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """The value of `power` with an exponent of x's dtype."""
    assert isinstance(op, PowerStaticOp)
    if is_float(dtype):
        return np.asarray(_power_float(x, float_value(op.exponent, dtype)))
    return integer.power(x, np.asarray(op.exponent.value.data, dtype))


def _fma(op: Operation, dtype: np.dtype[Any], a: Array, b: Array, c: Array) -> Array:
    return fma(a, b, c)


BINARY_VALUES: dict[str, Value] = {
    "snippets.add": _same(_add),
    "snippets.bitwise_and": _same(np.bitwise_and),
    "snippets.bitwise_left_shift": _same(integer.left_shift),
    "snippets.bitwise_or": _same(np.bitwise_or),
    "snippets.bitwise_right_shift": _same(integer.right_shift),
    "snippets.bitwise_xor": _same(np.bitwise_xor),
    "snippets.divide": _by_kind(_divide, integer.divide),
    "snippets.equal": _same(np.equal),
    "snippets.floor_mod": _by_kind(_floor_mod_float, integer.floor_mod),
    "snippets.fma": _fma,
    "snippets.greater": _same(np.greater),
    "snippets.greater_equal": _same(np.greater_equal),
    "snippets.less": _same(np.less),
    "snippets.less_equal": _same(np.less_equal),
    "snippets.logical_and": _same(np.logical_and),
    "snippets.logical_or": _same(np.logical_or),
    "snippets.logical_xor": _same(np.logical_xor),
    "snippets.maximum": _pick(np.greater, negative_zero=False),
    "snippets.minimum": _pick(np.less, negative_zero=True),
    "snippets.mod": _by_kind(_fmod, integer.mod),
    "snippets.multiply": _same(_multiply),
    "snippets.not_equal": _same(np.not_equal),
    "snippets.power": _by_kind(_power_float, integer.power),
    "snippets.power_static": _power_static,
    "snippets.prelu": _same(_prelu),
    "snippets.running_maximum": _same(_running_maximum),
    "snippets.select": _select,
    "snippets.squared_difference": _same(_squared_difference),
    "snippets.subtract": _same(_subtract),
}
