"""One definition of each op's value: `evaluate(op, operands)` on NumPy arrays.

It serves the interpreter and the constant folder. The docstrings of the ops state the values;
the tables that compute them are split by topic:

* `values_unary`: exact unary ops, clamping, rounding to integral values;
* `values_math`: functions of one float (exp, erf, gelu, ...), evaluated wide and rounded once;
* `values_binary`: arithmetic, comparisons, logic, select, fma; `values_integer` has the integers'
  own rules and `values_fma` the fused multiply-add;
* `values_conversion`: conversions, bitcast, lookup, broadcast, reshape.

Imports NumPy: modules that every tool loads import this one inside functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Operation

from snippets_mlir.dialects.dtypes import Array, numpy_dtype
from snippets_mlir.dialects.snippets.base import tensor_of
from snippets_mlir.dialects.snippets.shapes import (
    broadcast_shapes,
    compatible,
    format_shape,
)
from snippets_mlir.dialects.values_binary import BINARY_VALUES
from snippets_mlir.dialects.values_conversion import CONVERSION_VALUES
from snippets_mlir.dialects.values_math import MATH_VALUES
from snippets_mlir.dialects.values_unary import UNARY_VALUES, Value
from snippets_mlir.errors import CompileError


@cache
def value_table() -> dict[str, Value]:
    """Op name -> function of (op, result dtype, operand arrays)."""
    return {**UNARY_VALUES, **MATH_VALUES, **BINARY_VALUES, **CONVERSION_VALUES}


def evaluate(op: Operation, operands: Sequence[Array]) -> Array:
    """The value of a computing op of the `snippets` dialect.

    `operands` have the dtypes of the op's operand types; the result has the dtype of its result
    type and the shape that the arrays broadcast to. CompileError for an op without a value, for
    arrays that do not broadcast, and for a shape that contradicts the result type.
    """
    function = value_table().get(op.name)
    if function is None:
        raise CompileError(f"{op.name} has no value in the snippets dialect")
    if broadcast_shapes(*(array.shape for array in operands)) is None:
        found = ", ".join(format_shape(array.shape) for array in operands)
        raise CompileError(f"{op.name} operands do not broadcast: {found}")
    type_ = tensor_of(op.results[0])
    dtype = numpy_dtype(type_.element_type)
    with np.errstate(all="ignore"):
        result = np.asarray(function(op, dtype, *operands))
    assert result.dtype == dtype, f"{op.name} gave {result.dtype}, expected {dtype}"
    if not compatible(result.shape, type_.get_shape()):
        raise CompileError(
            f"{op.name} computes shape {format_shape(result.shape)}, "
            f"its type says {format_shape(type_.get_shape())}"
        )
    return result


def constant_array(attr: DenseIntOrFPElementsAttr[Any]) -> Array:
    """The elements of `attr` as an array of its shape (read-only, except for i1)."""
    dtype = numpy_dtype(attr.get_element_type())
    shape = attr.get_shape()
    data = attr.data.data
    count = prod(shape)
    if dtype.kind == "b":
        array = np.frombuffer(data, np.uint8) != 0
    else:
        array = np.frombuffer(data, dtype.newbyteorder("<") if dtype.kind in "iuf" else dtype)
        array = array.astype(dtype, copy=False)
    if array.size == 1 and count != 1:
        return np.broadcast_to(array.reshape(()), shape)
    return array.reshape(shape)


def dense_attr(array: Array, type: TensorType[Any]) -> DenseIntOrFPElementsAttr[Any]:
    """`array` as dense elements of `type`; shape and dtype must be those of the type."""
    dtype = numpy_dtype(type.element_type)
    if array.dtype != dtype or array.shape != type.get_shape():
        raise ValueError(f"array of {array.dtype} {array.shape} is not of type {type}")
    if dtype.kind == "b":
        array = np.asarray(np.where(array, 0xFF, 0), np.uint8)
    elif dtype.kind in "iuf":
        array = array.astype(dtype.newbyteorder("<"), copy=False)
    return DenseIntOrFPElementsAttr(cast(Any, type), BytesAttr(array.tobytes()))
