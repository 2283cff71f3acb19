"""The error of a result, compared with onnxruntime's."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from models.feeds import Array

SMALLEST = 1e-2
"""An output whose values are all smaller is compared as if its largest were this."""


def error(found: Array, right: Array) -> float:
    """The largest difference relative to the largest finite |value| of `right`.

    For integers the share of elements that differ; infinite for another shape, another dtype, or a
    NaN or infinity in another place.
    """
    if found.shape != right.shape or found.dtype != right.dtype:
        return math.inf
    if right.size == 0:
        return 0.0
    if right.dtype.kind not in "fc":
        return np.count_nonzero(found != right) / right.size
    finite = np.isfinite(right)
    with np.errstate(invalid="ignore"):
        same = (found == right) | (np.isnan(found) & np.isnan(right))
    if not same[~finite].all() or not np.isfinite(found[finite]).all():
        return math.inf
    exact = right[finite].astype(np.float64)
    difference = np.abs(found[finite].astype(np.float64) - exact)
    largest = np.abs(exact).max(initial=SMALLEST)
    return float(difference.max(initial=0.0) / largest)


def worst(found: Mapping[str, Array], right: Mapping[str, Array]) -> tuple[float, str]:
    """The largest error of several outputs, and the number of that output."""
    return max((error(found[name], right[name]), name) for name in right)
