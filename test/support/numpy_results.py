# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""Whether trees of arrays are the same: how tests of `snippets_mlir.jit` compare with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def same(found: Any, expected: Any, tolerance: float = 3e-6) -> None:
    """Equal trees: classes, dtypes, shapes, values."""
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for key in expected:
            same(found[key], expected[key], tolerance)
    elif isinstance(expected, tuple | list):
        assert type(found) is type(expected)
        for a, b in zip(found, expected, strict=True):
            same(a, b, tolerance)
    else:
        found, expected = np.asarray(found), np.asarray(expected)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(
            found.astype(np.float64), expected.astype(np.float64), tolerance, tolerance
        )
