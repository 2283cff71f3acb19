"""Arrays from and to dense attributes.

xDSL keeps the elements as little-endian bytes, with one byte for each i1 (0xFF for true).
"""

from __future__ import annotations

from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, TensorType

from snippets_mlir.dialects.builtin.dtypes import Array, numpy_dtype


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
    """`array` as dense elements of `type`; shape and dtype must match the type."""
    dtype = numpy_dtype(type.element_type)
    if array.dtype != dtype or array.shape != type.get_shape():
        raise ValueError(f"array of {array.dtype} {array.shape} is not of type {type}")
    if dtype.kind == "b":
        array = np.asarray(np.where(array, 0xFF, 0), np.uint8)
    elif dtype.kind in "iuf":
        array = array.astype(dtype.newbyteorder("<"), copy=False)
    return DenseIntOrFPElementsAttr(cast(Any, type), BytesAttr(array.tobytes()))
