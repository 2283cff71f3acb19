"""Checks of the arrays that a compiled program is called with.

Every complaint starts with `input 'x':` or `output 'y':`. A wrong element type (a foreign byte
order too) is a `TypeError`; a wrong rank or shape, a read-only output and an output that shares
memory with an input, with another output or with itself are a `ValueError`. Inputs that are not
dense, row-major and aligned to their elements are copied; such outputs are written through a dense
copy.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeGuard, cast

import numpy as np

from snippets_mlir.codegen.locks import MAKING
from snippets_mlir.runtime.arguments.python_numbers import typed

Array = np.ndarray[Any, np.dtype[Any]]

OVERLAP_EFFORT = 10_000
"""Work that the exact overlap test may spend before the arrays are taken to overlap."""


@dataclass(frozen=True)
class TensorSpec:
    """The requirements for one argument of a program.

    Attributes:
        name: its name.
        shape: its sizes; `None` is a dynamic dimension. `None` alone: the rank is also dynamic.
        dtype: its element type; `object` for strings, and for values that are not tensors (a list
            or dict from onnxruntime, or a value of unknown type).
    """

    name: str
    shape: tuple[int | None, ...] | None
    dtype: np.dtype[Any]

    def __str__(self) -> str:
        """`x: 4x?xfloat32`; `x: *xfloat32` without a rank."""
        sizes = ["*"] if self.shape is None else map(_dim, self.shape)
        return f"{self.name}: {'x'.join((*sizes, str(self.dtype)))}"

    @property
    def static_shape(self) -> tuple[int, ...]:
        """The shape; `ValueError` when it has a dynamic dim or no rank."""
        static = tuple(s for s in self.shape or () if s is not None)
        if self.shape is None or len(static) != len(self.shape):
            raise ValueError(f"{self} has dynamic dims")
        return static

    @property
    def is_any(self) -> bool:
        """Whether the value need not be a tensor: it may be a list or dict of onnxruntime's."""
        return self.shape is None and self.dtype == np.dtype(object)

    def matches(self, shape: Sequence[int]) -> bool:
        """Whether an array of `shape` fits."""
        if self.shape is None or self.shape == shape:
            return True
        return len(shape) == len(self.shape) and all(
            e is None or e == s for e, s in zip(self.shape, shape, strict=True)
        )


def _dim(size: int | None) -> str:
    return "?" if size is None else str(size)


def _shape(shape: Sequence[int | None]) -> str:
    return f"({', '.join(map(_dim, shape))}{',' if len(shape) == 1 else ''})"


def dtype_from_name(name: str) -> np.dtype[Any]:
    """The dtype that a manifest names; `bfloat16` and the like come from `ml_dtypes`."""
    try:
        return np.dtype(name)
    except TypeError:
        with MAKING:
            return np.dtype(getattr(import_module("ml_dtypes"), name))


def address_of(array: Array) -> int:
    """The address of an array's first element."""
    return array.__array_interface__["data"][0]


def is_array(value: object) -> TypeGuard[Array]:
    """Whether a value is an array, not a list or dict of onnxruntime's."""
    return isinstance(value, np.ndarray)


def delivered(given: Array, wanted: Array | None) -> Array:
    """Copy `given` into the array of the caller, if there is one; returns the array, or `given`."""
    if wanted is None or wanted is given:
        return given
    np.copyto(wanted, given)
    return wanted


def is_dense(array: Array) -> bool:
    """Whether a kernel can read `array` in place."""
    return array.flags.c_contiguous and array.flags.aligned


def _is_masked(array: Array) -> bool:
    """Whether it is an array of `numpy.ma`; does not import `numpy.ma`."""
    return isinstance(array, getattr(sys.modules.get("numpy.ma"), "MaskedArray", ()))


def _check_kind(role: str, spec: TensorSpec, array: Array) -> None:
    if array.dtype == spec.dtype and not _is_masked(array):
        return
    where = f"{role} {spec.name!r}:"
    if _is_masked(array):
        raise TypeError(f"{where} expected an array, found a masked array; use .filled() first")
    if array.dtype.newbyteorder("=") == spec.dtype:
        raise TypeError(
            f"{where} expected {spec.dtype} in native byte order, found {array.dtype.str}; "
            f"use .astype({str(spec.dtype)!r}) first"
        )
    raise TypeError(f"{where} expected {spec.dtype}, found {array.dtype}")


def _check_shape(role: str, spec: TensorSpec, array: Array) -> None:
    if spec.shape is None or spec.matches(array.shape):
        return
    where = f"{role} {spec.name!r}:"
    if array.ndim != len(spec.shape):
        raise ValueError(
            f"{where} expected rank {len(spec.shape)}, shape {_shape(spec.shape)}, "
            f"found rank {array.ndim}, shape {_shape(array.shape)}"
        )
    raise ValueError(f"{where} expected shape {_shape(spec.shape)}, found {_shape(array.shape)}")


def as_array(role: str, spec: TensorSpec, value: object) -> Array:
    """`value` as an array of `spec`'s element type and shape, not copied if it is an array.

    Python numbers and lists of them take the element type (`python_numbers.py`). Any other value is
    converted by `numpy.asarray`, and never cast. Values that need not be tensors are kept.

    Raises:
        TypeError: it is not an array, or has another element type.
        ValueError: it has another shape, or an integer is beyond the element type.
    """
    if spec.is_any:
        return cast("Array", value)
    try:
        value = typed(value, spec.dtype)
    except OverflowError as error:
        raise ValueError(f"{role} {spec.name!r}: {error}") from error
    try:
        array = cast("Array", value if isinstance(value, np.ndarray) else np.asarray(value))
    except (ValueError, TypeError) as error:
        raise TypeError(f"{role} {spec.name!r}: expected an array: {error}") from error
    _check_kind(role, spec, array)
    _check_shape(role, spec, array)
    return array


def dense(array: Array) -> Array:
    """`array`, or a copy of it that a kernel can read."""
    return array if is_dense(array) else array.copy(order="C")


def share_memory(a: Array, b: Array) -> bool:
    """Whether two arrays have a byte in common; True if this is too hard to decide."""
    try:
        return np.shares_memory(a, b, OVERLAP_EFFORT)  # pyright: ignore[reportArgumentType]
    except np.exceptions.TooHardError:
        return True


def overlaps_itself(array: Array) -> bool:
    """Whether two elements of `array` may share a byte (as in a broadcast view)."""
    if array.size < 2:
        return False
    extent = array.itemsize
    dims = zip(array.strides, array.shape, strict=True)
    for stride, size in sorted((abs(stride), size) for stride, size in dims if size > 1):
        if stride < extent:
            return True
        extent += stride * (size - 1)
    return False


def check_named(what: str, arrays: object) -> None:
    """Check that `arrays`, named `what` in messages, are given by name; TypeError otherwise."""
    if not isinstance(arrays, Mapping):
        raise TypeError(f"{what}: expected arrays by name, found {type(arrays).__name__}")
    for name in cast("Mapping[object, object]", arrays):
        if not isinstance(name, str):
            raise TypeError(f"{what}: expected names that are strings, found {name!r}")


def check_outputs(
    specs: Sequence[TensorSpec],
    out: object,
    inputs: Sequence[tuple[str, Array]],
) -> list[Array]:
    """The arrays of `out` (one array, or a sequence of them), one for each of `specs`.

    `inputs` are the names and arrays that the caller passed, before any copy: an output that shares
    memory with one of them is refused even if a copy would make it safe.
    """
    kind = type(out).__name__
    if isinstance(out, str | bytes | bytearray | memoryview) or not isinstance(
        out, np.ndarray | Sequence
    ):
        raise TypeError(f"out: expected an array or a sequence of arrays, found {kind}")
    arrays: list[Any] = [out] if isinstance(out, np.ndarray) else list(cast("Sequence[Any]", out))
    if len(arrays) != len(specs):
        names = ", ".join(repr(s.name) for s in specs)
        raise ValueError(f"out: expected {len(specs)} array(s) for {names}, found {len(arrays)}")
    for spec, array in zip(specs, arrays, strict=True):
        check_output(spec, array)
    _check_overlap(specs, arrays, inputs)
    return arrays


def check_output(spec: TensorSpec, value: object) -> None:
    """Check one output separately: kind, shape, writable, no two elements at one address."""
    where = f"output {spec.name!r}:"
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{where} expected an array, found {type(value).__name__}")
    array = cast("Array", value)
    _check_kind("output", spec, array)
    _check_shape("output", spec, array)
    if not array.flags.writeable:
        raise ValueError(f"{where} is read-only")
    if overlaps_itself(array):
        raise ValueError(f"{where} overlaps itself: elements share memory")


def _check_overlap(
    specs: Sequence[TensorSpec], arrays: Sequence[Array], inputs: Sequence[tuple[str, Array]]
) -> None:
    for i, (spec, array) in enumerate(zip(specs, arrays, strict=True)):
        for name, other in inputs:
            if share_memory(array, other):
                raise ValueError(f"output {spec.name!r}: overlaps input {name!r} in memory")
        for before, other in zip(specs[:i], arrays[:i], strict=True):
            if share_memory(array, other):
                raise ValueError(f"output {spec.name!r}: overlaps output {before.name!r} in memory")
