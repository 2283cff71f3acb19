"""From functions of arrays to values of ops: in a wider type and rounded once, or directly.

    value=wide(lambda x: np.log1p(x))       evaluated in float64, f64 in extended precision

A value is a function of the op, the dtype of the result and the operand arrays, which broadcast.
NumPy is imported only when a value is called, so that records can be next to their classes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.snippets.record import Formula, Value
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin import dtypes
    from snippets_mlir.dialects.builtin.dtypes import Array
else:
    np = LazyModule("numpy")
    dtypes = LazyModule("snippets_mlir.dialects.builtin.dtypes")


def wide(function: Callable[..., Array]) -> Value:
    """A function of floats, evaluated in a wider type and rounded once.

    float64 serves types of up to 32 bits; float64 itself is evaluated in `numpy.longdouble` (64
    bits of significand on x86, 113 on other Linux machines). A formula that avoids cancellation and
    overflow is then within one unit in the last place.
    """

    def value(op: Operation, dtype: np.dtype[Any], *operands: Array) -> Array:
        return dtypes.round_to(np.asarray(function(*map(dtypes.widen, operands))), dtype)

    return value


def ufunc(name: str) -> Callable[..., Any]:
    """A function of NumPy by its name."""
    return lambda *operands: getattr(np, name)(*operands)


def integral(function: Callable[[Array], Array]) -> Value:
    """An integral value; computed in float64, exact for every float type."""

    def value(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
        return np.asarray(function(x.astype(np.float64))).astype(dtype)

    return value


def plain(function: Callable[..., Array]) -> Value:
    """A function of arrays that is exact in every type."""

    def value(op: Operation, dtype: np.dtype[Any], *operands: Array) -> Array:
        return np.asarray(function(*operands))

    return value


def once(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """`function`, rounded once for every dtype; integers wrap.

    f16 and bf16 arithmetic is done in float64 and rounded, which is exact for them.
    """

    def value(x: Array, y: Array) -> Array:
        if dtypes.is_float(x.dtype) and x.dtype.itemsize == 2:
            wider = function(x.astype(np.float64), y.astype(np.float64))
            return dtypes.round_to(np.asarray(wider), x.dtype)
        return np.asarray(function(x, y))

    return value


def by_kind(
    floats: Callable[[Array, Array], Array], integers: Callable[[Array, Array], Array]
) -> Value:
    """One function of two floats, another one of two integers."""

    def value(op: Operation, dtype: np.dtype[Any], x: Array, y: Array) -> Array:
        return np.asarray((floats if dtypes.is_float(dtype) else integers)(x, y))

    return value


def float_value(attr: Attribute, dtype: np.dtype[Any]) -> Array:
    """A float attribute of any width, rounded once to `dtype`; rank 0."""
    assert isinstance(attr, FloatAttr)
    return dtypes.round_to(np.asarray(attr.value.data, np.float64), dtype)


def unless_zero(function: Formula) -> Formula:
    """A function of integers, with 0 wherever the second one is 0."""

    def formula(x: Array, y: Array) -> Array:
        wider = np.where(y == 0, 1, y).astype(np.int64)
        return np.where(y == 0, 0, function(x.astype(np.int64), wider)).astype(x.dtype)

    return formula
