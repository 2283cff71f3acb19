"""Values below tensors: scalars are arrays of rank 0, vectors are arrays of their shape.

Both may be poison in some lanes (`interpreter/poison`). `index` has 64 bits; i1 is a bool. A
pointer is a `Pointer`, a vector of pointers has one memory and an offset for each lane.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.dtypes import Array, as_array, numpy_dtype
from snippets_mlir.dialects.snippets.values.evaluate import constant_array
from snippets_mlir.dialects.snippets.values.forms import float_value
from snippets_mlir.dialects.vector.elements import element_of
from snippets_mlir.interpreter.memory import Memory, Pointer
from snippets_mlir.interpreter.poison import data_of
from snippets_mlir.interpreter.registry import Check
from snippets_mlir.support.errors import CompileError


@dataclass(frozen=True, eq=False)
class Pointers:
    """A vector of pointers into one piece of memory: `offsets` in bytes, one for each lane."""

    memory: Memory | None
    offsets: Array


@dataclass(frozen=True, slots=True)
class Layout:
    """The representation of values of a scalar or vector type.

    Attributes:
        type: the type; kept alive, so that no other object gets its identity.
        dtype: of the elements; None for pointers.
        shape: of a vector; a scalar has none.
        array: the class of the values.
    """

    type: Attribute
    dtype: np.dtype[Any] | None
    shape: tuple[int, ...]
    array: type = np.ndarray


_KNOWN: dict[int, Layout] = {}
_KNOWN_LIMIT = 4096


def layout_of(type_: Attribute) -> Layout:
    """The representation of values of a type; looked up by identity, since hashing a type is
    slow.
    """
    known = _KNOWN.get(id(type_))
    if known is None or known.type is not type_:
        if len(_KNOWN) >= _KNOWN_LIMIT:
            _KNOWN.clear()
        known = _KNOWN[id(type_)] = _layout(type_)
    return known


def _layout(type_: Attribute) -> Layout:
    element = element_of(type_)
    shape = () if element is type_ else _vector_shape(type_)
    if isinstance(element, LLVMPointerType):
        return Layout(type_, None, shape)
    is_index = isinstance(element, IndexType)
    return Layout(type_, np.dtype(np.int64) if is_index else numpy_dtype(element), shape)


def _vector_shape(type_: Attribute) -> tuple[int, ...]:
    assert isinstance(type_, VectorType)
    return tuple(type_.get_shape())


def element_dtype(type_: Attribute) -> np.dtype[Any]:
    """The dtype of a scalar type, or of a vector's elements; CompileError for pointers."""
    if (dtype := layout_of(type_).dtype) is None:
        raise CompileError(f"values of type {type_} are not numbers")
    return dtype


def constant_of(attr: Attribute, type_: Attribute) -> Array:
    """The value of a number or of dense elements, of a scalar or vector type."""
    dtype, shape = element_dtype(type_), layout_of(type_).shape
    if isinstance(attr, DenseIntOrFPElementsAttr):
        if prod(attr.get_shape()) != prod(shape):
            raise CompileError(f"expected {prod(shape)} elements, found {prod(attr.get_shape())}")
        if isinstance(element_of(type_), IndexType):
            return np.resize(np.asarray(attr.get_values(), dtype), shape)
        return constant_array(attr).reshape(shape)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(attr, FloatAttr):
        return np.broadcast_to(float_value(attr, dtype), shape)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(attr, IntegerAttr):
        return np.broadcast_to(np.asarray(attr.value.data).astype(dtype), shape)
    raise CompileError(f"expected a number or dense elements, found {attr}")


def check_value(value: Any, type_: Attribute) -> str | None:
    """Why `value` is not a scalar or vector of `type_`; None if it is one."""
    expected = layout_of(type_)
    if expected.dtype is None:
        if isinstance(value, Pointers) and value.offsets.shape == layout_of(type_).shape:
            return None
        return f"expected {layout_of(type_).shape} pointers, found {type(value).__name__}"
    if (array := as_array(data_of(value))) is None:
        return f"expected a value of {type_}, found {type(value).__name__}"
    if array.dtype != expected.dtype:
        return f"expected dtype {expected.dtype}, found {array.dtype}"
    if array.shape != expected.shape:
        return f"expected shape {expected.shape}, found {array.shape}"
    return None


def check_pointer(value: Any, type_: Attribute) -> str | None:
    """Why `value` is not a pointer; None if it is one."""
    if isinstance(value, Pointer):
        return None
    return f"expected a pointer, found {type(value).__name__}"


CHECKS: Mapping[type[Attribute], Check] = {
    **dict.fromkeys(
        (
            BFloat16Type,
            Float16Type,
            Float32Type,
            Float64Type,
            IndexType,
            IntegerType,
            VectorType,
        ),
        check_value,
    ),
    LLVMPointerType: check_pointer,
}

HANDLERS: Mapping[str, Any] = {}
