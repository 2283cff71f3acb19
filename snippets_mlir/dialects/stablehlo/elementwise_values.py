"""NumPy values of elementwise StableHLO and CHLO ops that are not exactly one `snippets` op.

    BY_NAME["chlo.square"](op, x)     x * x

Source: the StableHLO specification.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array, numpy_dtype
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.values.conversion import convert_truncation


def result_shape(op: Operation) -> tuple[int, ...]:
    """The shape of the result, which is static."""
    return tuple(int(size) for size in tensor_of(op.results[0]).get_shape())


def result_dtype(op: Operation) -> np.dtype[Any]:
    """The element type of the result."""
    return numpy_dtype(tensor_of(op.results[0]).element_type)


def _convert(op: Operation, x: Array) -> Array:
    return convert_truncation(op, result_dtype(op), x)


def _sign(op: Operation, x: Array) -> Array:
    return np.where(x == 0, x, np.sign(x))


def _square(op: Operation, x: Array) -> Array:
    return x * x


def _tan(op: Operation, x: Array) -> Array:
    return np.tan(x.astype(np.float64)).astype(x.dtype)


def _round(op: Operation, x: Array) -> Array:
    return np.rint(x)


def _round_away(op: Operation, x: Array) -> Array:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x).astype(x.dtype), whole)


def _bitcast(op: Operation, x: Array) -> Array:
    shape = result_shape(op)
    source = x if len(shape) == x.ndim - 1 else x[..., None]
    return np.ascontiguousarray(source).view(result_dtype(op)).reshape(shape)


BY_NAME: dict[str, Callable[..., Array | list[Array]]] = {
    "chlo.square": _square,
    "chlo.tan": _tan,
    "stablehlo.bitcast_convert": _bitcast,
    "stablehlo.convert": _convert,
    "stablehlo.round_nearest_afz": _round_away,
    "stablehlo.round_nearest_even": _round,
    "stablehlo.sign": _sign,
}
"""Elementwise ops that are not a `snippets` op, or not with the same attributes."""
