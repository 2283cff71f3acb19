"""Values of random programs around products: float64 elements and error bounds.

Each value is evaluated in float64 with a bound on its error: (2 sqrt(K) + 4) * u * (|a| |b|) for a
product with u = 2^-24 (f64: 2^-53), 8 u of the result for each op that rounds, and the propagated
errors of the operands. For f64 the reference is also float64, and the bounds are doubled. An
element may be -inf (it is masked) or NaN (all elements of its row are).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from snippets_mlir.testing.graph_formulas import Array

UNITS = {"f32": 2.0**-24, "f64": 2.0**-53}
TINY = {"f32": 1e-37, "f64": 1e-300}
"""The allowed error of a result near zero."""

Shape = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Value:
    """A value, its float64 elements (or truth values), and a bound on the error of each."""

    name: str
    wide: Array
    error: Array
    type: str


def product_bound(a: Array, b: Array, unit: float) -> Array:
    """The bound on the error of a sum of K products: (2 sqrt(K) + 4) * unit * (|a| |b|)."""
    inner = a.shape[-1]
    return np.asarray((2 * sqrt(inner) + 4) * unit * (np.abs(a) @ np.abs(b)))


def softmax_with_bound(x: Value, element: str) -> tuple[Array, Array]:
    """Softmax along the last dim; the errors of exponentials and the sum are relative to it.

    A row with only -inf gives NaN.
    """
    with np.errstate(invalid="ignore"):
        distance = x.wide - x.wide.max(axis=-1, keepdims=True)
        e = np.exp(distance)
        wide = np.asarray(e / e.sum(axis=-1, keepdims=True))
    off = np.broadcast_to(x.error, x.wide.shape).max(axis=-1, keepdims=True)
    rounding = 24 + np.abs(np.where(wide > 0, distance, 0.0)) + 2 * sqrt(x.wide.shape[-1])
    error = wide * (np.expm1(4 * off) + UNITS[element] * rounding) + TINY[element]
    return wide, np.asarray(error)


def _ratios(found: Array, value: Value) -> Any:
    """The error of each element as a fraction of its bound; inf for elements that are not
    numbers.
    """
    bound = np.broadcast_to(value.error, value.wide.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.abs(found.astype(np.float64) - value.wide)
        ratio = np.where(np.isfinite(error) & np.isfinite(bound), error / bound, np.inf)
    same = (np.isnan(found) & np.isnan(value.wide)) | (found == value.wide)
    return np.where(same, 0.0, ratio)


def wrong_elements(values: Sequence[Value], outputs: Sequence[Array]) -> tuple[float, str]:
    """The largest error as a fraction of its bound, and its position as text; empty without
    errors.
    """
    worst, where = 0.0, ""
    for index, (value, found) in enumerate(zip(values, outputs, strict=True)):
        if found.shape != value.wide.shape:
            return np.inf, f"output {index} is {found.dtype}{list(found.shape)}"
        largest = float(_ratios(found, value).max(initial=0.0))
        if largest > worst:
            worst, where = largest, f"output {index}: an error of {largest:.3g} of its bound"
    return worst, where
