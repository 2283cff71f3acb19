"""The numbers of random graphs: Python's integers, and float64 with a bound.

Nothing of `snippets_mlir` is imported. Integers are object arrays of Python integers, which never
wrap by themselves, so a count, a sum or a quotient is what it is; each op says where its result
wraps. Floats are float64, with a bound on what computing them in their own type may be off by; a
bound of infinity says that only the shape and the type are known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

INTEGERS = {"i8": (8, True), "ui8": (8, False), "i16": (16, True), "i32": (32, True),
            "i64": (64, True)}  # fmt: skip
"""Element type -> its width, and whether it has a sign."""

FLOATS = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
"""Element type -> half a unit in the last place of 1."""

_LARGEST = {"f64": 1e300, "f32": 1e37, "f16": 3e4, "bf16": 1e37}
_SMALLEST = {"f64": 1e-300, "f32": 1e-37, "f16": 1e-7, "bf16": 1e-37}


def dtype_of(element: str) -> np.dtype[Any]:
    """NumPy's type of an element type."""
    if element in INTEGERS:
        width, signed = INTEGERS[element]
        return np.dtype(f"{'int' if signed else 'uint'}{width}")
    if element == "bf16":
        return np.dtype(import_module("ml_dtypes").bfloat16)
    return np.dtype({"i1": np.bool_, "f64": np.float64, "f32": np.float32}.get(element, np.float16))


def limits(element: str) -> tuple[int, int]:
    """The smallest and the largest integer of a type."""
    width, signed = INTEGERS[element]
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)


def wrapped(element: str, number: int) -> int:
    """The integer of a type that has the low bits of `number`."""
    low, _ = limits(element)
    return (number - low) % (1 << INTEGERS[element][0]) + low


@dataclass(frozen=True, eq=False)
class Numbers:
    """A value: its element type, its numbers, and how far from them a float may be."""

    element: str
    array: Array
    bound: float = 0.0

    @property
    def magnitude(self) -> float:
        """The largest finite absolute value; 0 of nothing."""
        finite = np.abs(self.array[np.isfinite(self.array)])
        return float(finite.max(initial=0.0))

    @property
    def is_finite(self) -> bool:
        """Whether no number is infinite or NaN."""
        return bool(np.isfinite(self.array).all())


def given(element: str, array: Array) -> Numbers:
    if element in FLOATS:
        return Numbers(element, array.astype(np.float64))
    return Numbers(element, objects(array.reshape(-1).tolist(), array.shape))


def objects(values: Sequence[Any], shape: Sequence[int]) -> Array:
    """An array of Python objects, which are given in row-major order."""
    array = np.empty(len(values), object)
    array[:] = values
    return array.reshape(shape)


def each(function: Callable[..., Any], *operands: Array) -> Array:
    """`function` of the elements of object arrays that broadcast."""
    arrays = np.broadcast_arrays(*operands)
    flat = [array.reshape(-1).tolist() for array in arrays]
    return objects([function(*row) for row in zip(*flat, strict=True)], arrays[0].shape)


def rounded(element: str, array: Array, carried: float, *read: Numbers) -> Numbers:
    """A float result: `carried` is what the bounds of the operands make of it."""
    eps, largest = FLOATS[element], float(np.abs(array[np.isfinite(array)]).max(initial=0.0))
    with np.errstate(all="ignore"):
        narrow = array.astype(dtype_of(element)).astype(np.float64)
    exact = carried == 0 and np.array_equal(narrow, array, equal_nan=True)
    bound = 0.0 if exact else carried + 2 * eps * largest + _SMALLEST[element]
    uncertain = bound > 0 and not all(v.is_finite for v in read)
    overflows = max([largest, *(v.magnitude for v in read)]) + carried > _LARGEST[element]
    known = not (uncertain or overflows or math.isnan(bound))  # a product of 0 and infinity
    return Numbers(element, array, bound if known else math.inf)


def difference(found: Array, expected: Numbers) -> str | None:
    """What is wrong with a result, or None: type, shape, and every number within its bound."""
    dtype = dtype_of(expected.element)
    if found.dtype != dtype or found.shape != expected.array.shape:
        shape = expected.array.shape
        return f"expected {dtype} of shape {shape}, found {found.dtype} of shape {found.shape}"
    if expected.element not in FLOATS:
        right = expected.array.astype(dtype)
        wrong = found != right
    elif expected.bound == math.inf:
        return None
    else:
        right, wide = expected.array, found.astype(np.float64)
        with np.errstate(all="ignore"):
            near = np.abs(wide - right) <= expected.bound
        same = (wide == right) | (np.isnan(wide) & np.isnan(right))
        wrong = ~(same | near)
    if not wrong.any():
        return None
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (
        f"{int(wrong.sum())} of {wrong.size} elements differ, the first at {place}: "
        f"expected {right[place]} (within {expected.bound:.3g}), found {found[place]}"
    )
