"""Values of random graphs of whole numbers: their types, what fits, what differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array

Dims = tuple[int | str, ...]
"""A number for each static dim, for a dynamic one a sum of products such as `d0*3+d1+2`."""
DTYPES: dict[str, np.dtype[Any]] = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "i8": np.dtype(np.int8),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "ui8": np.dtype(np.uint8),
    "i1": np.dtype(np.bool_),
}
HELD = {"bf16": 2**8, "f16": 2**11, "f32": 2**24, "f64": 2**53}
"""Up to where a float type holds all integers."""
FLOATS = tuple(HELD)
INTEGERS = ("i8", "i32", "i64", "ui8")
NUMBERS = (*FLOATS, *INTEGERS)
ALL = (*NUMBERS, "i1")
SPECIAL = (np.nan, np.inf, -np.inf, -0.0)


BINARY: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


class UnfitError(Exception):
    """A value that its type does not hold exactly, or that is too large to be tried."""


@dataclass(frozen=True, eq=False)
class Value:
    """A value of a graph.

    Attributes:
        name: with the percent sign.
        element: one of `DTYPES`.
        dims: the number of the dynamic dim for each dim that has one, else its size; a dynamic
            dim is a string.
        type: as MLIR text.
    """

    name: str
    element: str
    dims: Dims

    @property
    def type(self) -> str:
        """The tensor type as MLIR text; dynamic dims are `?`."""
        sizes = "".join(f"{'?' if isinstance(d, str) else d}x" for d in self.dims)
        return f"tensor<{sizes}{self.element}>"


def i64s(numbers: Sequence[int]) -> str:
    """The attribute `array<i64: 1, 2>`."""
    return f"array<i64: {', '.join(map(str, numbers))}>" if numbers else "array<i64>"


def joined(a: Sequence[int | str], b: Sequence[int | str]) -> Dims | None:
    """The dims that two values broadcast to; None where they do not for all sizes."""
    rank = max(len(a), len(b))
    first, second = (1,) * (rank - len(a)) + tuple(a), (1,) * (rank - len(b)) + tuple(b)
    dims: list[int | str] = []
    for x, y in zip(first, second, strict=True):
        if x != y and 1 not in (x, y):
            return None
        dims.append(y if x == 1 else x)
    return tuple(dims)


def wide(array: Array) -> Array:
    """Floats in float64, in which sums of what fits are exact."""
    return array.astype(np.float64) if array.dtype.kind not in "iub" else array


def magnitudes(array: Array) -> Array:
    """Absolute values in float64, 0 for what is not finite."""
    found = np.abs(array.astype(np.float64))
    return np.where(np.isfinite(found), found, 0)


def differences(found: Sequence[Array], expected: Sequence[Array]) -> str:
    """Where results are not what they should be; nothing when all are equal, NaN as one value."""
    for index, (a, b) in enumerate(zip(found, expected, strict=True)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"output {index} is {a.dtype}{list(a.shape)}, not {b.dtype}{list(b.shape)}"
        same = (a == b) | ((a != a) & (b != b))
        if not same.all():
            place = tuple(int(i) for i in np.argwhere(~same)[0])
            return (
                f"output {index}: {int((~same).sum())} of {a.size} differ, first at "
                f"{list(place)}: {a[place]} for {b[place]}"
            )
    return ""
