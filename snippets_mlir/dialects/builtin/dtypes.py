"""NumPy dtypes of the element types, and rounding of wide values into them.

| element type | dtype |
|---|---|
| f16, f32, f64 | float16, float32, float64 |
| bf16 | bfloat16 of the package `ml_dtypes` |
| i1 | bool |
| i8, i16, i32, i64 (signless or `si`) | int8 .. int64 |
| ui8, ui16, ui32, ui64 | uint8 .. uint64 |

Imports NumPy: modules that every tool loads import this one inside functions.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import import_module
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.support.errors import CompileError

Array = NDArray[Any]


def as_array(value: object) -> Array | None:
    """`value` when it is a NumPy array, else None."""
    return cast(Array, value) if isinstance(value, np.ndarray) else None


_FLOATS: dict[type[Attribute], str] = {
    Float16Type: "float16",
    Float32Type: "float32",
    Float64Type: "float64",
}
_WIDTHS = (8, 16, 32, 64)


@cache
def bfloat16() -> np.dtype[Any]:
    """The dtype of bf16; CompileError when `ml_dtypes` is not installed."""
    try:
        return np.dtype(import_module("ml_dtypes").bfloat16)
    except ImportError as error:
        raise CompileError("values of type bf16 need the package ml_dtypes") from error


def is_bfloat16(dtype: np.dtype[Any]) -> bool:
    """Whether `dtype` is bf16, without importing `ml_dtypes`."""
    return dtype.itemsize == 2 and dtype.name == "bfloat16"  # a dtype's name is built in each call


def is_float(dtype: np.dtype[Any]) -> bool:
    """Whether `dtype` is a float type, bf16 included, which NumPy does not count as one."""
    return dtype.kind == "f" or is_bfloat16(dtype)


def widens(element: Attribute, other: Attribute) -> bool:
    """Whether `other` is a wider float type, which has each value of `element`."""
    first, second = numpy_dtype(element), numpy_dtype(other)
    floats = is_float(first) and is_float(second)
    return floats and first != second and np.can_cast(first, second, "safe")


def numpy_dtype(element_type: Attribute) -> np.dtype[Any]:
    """The dtype of an element type; CompileError for a type of the wrong kind or width."""
    if integers := integers_of(element_type):
        if integers.width == 1:
            return np.dtype(np.bool_)
        if integers.width in _WIDTHS:
            return np.dtype(f"{'u' if integers.unsigned else ''}int{integers.width}")
    if isinstance(element_type, BFloat16Type):
        return bfloat16()
    if type(element_type) in _FLOATS:
        return np.dtype(_FLOATS[type(element_type)])
    raise CompileError(
        f"element type {element_type} has no NumPy dtype; expected f16, bf16, f32, f64, "
        "i1, or an integer of 8, 16, 32 or 64 bits"
    )


@lru_cache(64)
def element_type_of(dtype: np.dtype[Any]) -> Attribute:
    """The element type of a dtype, signless for signed integers; CompileError if there is none."""
    if is_bfloat16(dtype):
        return BFloat16Type()
    for type_, name in _FLOATS.items():
        if dtype.name == name:
            return type_()
    if dtype.kind == "b":
        return IntegerType(1)
    if dtype.kind in "iu" and dtype.itemsize * 8 in _WIDTHS:
        sign = Signedness.UNSIGNED if dtype.kind == "u" else Signedness.SIGNLESS
        return IntegerType(dtype.itemsize * 8, sign)
    raise CompileError(
        f"dtype {dtype} has no element type; expected float16, bfloat16, float32, float64, "
        "bool, or an integer of 8, 16, 32 or 64 bits"
    )


def widen(x: Array) -> Array:
    """The floats `x` in the type in which functions of them are evaluated.

    float64 for types of up to 32 bits, `numpy.longdouble` for float64.
    """
    return x.astype(np.longdouble if x.dtype == np.float64 else np.float64)


def to_odd_float32(x: Array) -> Array:
    """The float64 `x` rounded to odd into float32, so that a second rounding gives the right
    result.
    """
    nearest = x.astype(np.float32)
    back = nearest.astype(np.float64)
    inexact = (back != x) & ~np.isnan(x)
    toward_zero = np.where(
        inexact & (np.abs(back) > np.abs(x)), np.nextafter(nearest, np.float32(0)), nearest
    )
    bits = np.asarray(toward_zero, np.float32).view(np.uint32)
    return np.asarray(np.where(inexact, bits | np.uint32(1), bits), np.uint32).view(np.float32)


def round_to(x: Array, dtype: np.dtype[Any]) -> Array:
    """The floats `x` (float16 .. longdouble) rounded once, to nearest even, into `dtype`."""
    with np.errstate(all="ignore"):
        if x.dtype == np.float64 and is_bfloat16(dtype):
            x = to_odd_float32(x)
        return x.astype(dtype)
