"""Values of StableHLO ops on bits and truth values that have no `snippets` op.

    stablehlo.shift_right_logical %x, %n : tensor<4xi32>     zeros come in from the left
    stablehlo.popcnt %x : tensor<4xi32>                      how many bits are set
    stablehlo.maximum %x, %y : tensor<4xi1>                  or
    stablehlo.compare LT, %x, %y, UNSIGNED : (tensor<4xi1>, ...  false is below true
    stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<4xf32>, ...  -NaN < -0.0 < 0.0 < NaN

Operands are treated as unsigned integers; a shift by the width or more shifts all bits out. Source:
the StableHLO specification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.values.integer import right_shift
from snippets_mlir.dialects.stablehlo.elementwise import CompareOp


def _read_as(kind: str, x: Array) -> Array:
    """The same bits as integers of another kind, `i` or `u`."""
    return x.view(np.dtype(f"{kind}{x.dtype.itemsize}"))


def _shift_right_arithmetic(x: Array, amount: Array) -> Array:
    return right_shift(_read_as("i", x), _read_as("i", amount)).view(x.dtype)


def _shift_right_logical(x: Array, amount: Array) -> Array:
    return right_shift(_read_as("u", x), _read_as("u", amount)).view(x.dtype)


def _shifted(x: Array) -> Array:
    """`x` shifted to the right by each number of bits, along a new last dim."""
    bits = _read_as("u", x)
    return bits[..., None] >> np.arange(8 * x.dtype.itemsize, dtype=bits.dtype)


def _popcnt(x: Array) -> Array:
    return (_shifted(x) & 1).sum(-1).astype(x.dtype)


def _count_leading_zeros(x: Array) -> Array:
    return (_shifted(x) == 0).sum(-1).astype(x.dtype)


OF_BITS: Mapping[str, Callable[..., Array]] = {
    "stablehlo.count_leading_zeros": _count_leading_zeros,
    "stablehlo.popcnt": _popcnt,
    "stablehlo.shift_right_arithmetic": _shift_right_arithmetic,
    "stablehlo.shift_right_logical": _shift_right_logical,
}
"""Name -> the function of arrays of integers."""

_OF_TRUTHS: Mapping[str, Callable[..., Array]] = {
    "stablehlo.add": np.logical_or,
    "stablehlo.maximum": np.logical_or,
    "stablehlo.minimum": np.logical_and,
    "stablehlo.multiply": np.logical_and,
    "GE": np.greater_equal,
    "GT": np.greater,
    "LE": np.less_equal,
    "LT": np.less,
}
"""Name, or direction of a comparison -> the function of arrays of i1."""


def of_truths(op: Operation) -> Callable[..., Array] | None:
    """The function of arrays for an op on i1; None for other elements, and for other ops."""
    if not op.operands or tensor_of(op.operands[-1]).element_type != i1:
        return None
    return _OF_TRUTHS.get(op.direction.data if isinstance(op, CompareOp) else op.name)


_RELATIONS: Mapping[str, Callable[..., Array]] = {
    **{direction: _OF_TRUTHS[direction] for direction in ("GE", "GT", "LE", "LT")},
    "EQ": np.equal,
    "NE": np.not_equal,
}


def _ordered(x: Array) -> Array:
    """Integers in the total order of floats: the bits, of negative floats from the end."""
    bits = _read_as("i", x)
    return bits ^ ((bits >> (8 * bits.itemsize - 1)) & np.iinfo(bits.dtype).max)


def of_total_order(op: Operation) -> Callable[..., Array] | None:
    """The function of arrays for a comparison in the total order of floats, else None."""
    if not (isinstance(op, CompareOp) and op.total_order):
        return None
    relation = _RELATIONS[op.direction.data]

    def compare(x: Array, y: Array) -> Array:
        return relation(_ordered(x), _ordered(y))

    return compare
