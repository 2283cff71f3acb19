"""Repeated calls of traced functions, which ask the program of the last ones first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snippets_mlir import jit


def affine(x: Any, y: Any) -> Any:
    """A function of two arrays or numbers."""
    return x * y + 1


@pytest.mark.parametrize("dynamic", [False, True])
def test_arrays_of_other_kinds_after_a_repeated_call(dynamic: bool) -> None:
    """The program of the last calls is asked first, and takes arrays that are as theirs alone."""
    function = jit(affine, num_threads=1, dynamic=dynamic)
    x, y = np.arange(8, dtype=np.float32), np.full(8, 3, np.float32)
    out = np.empty(8, np.float32)
    others: list[tuple[Any, Any]] = [
        (x.astype(np.float64), y),
        (x[:5], y[:5]),
        (x, y[::-1][::-1]),
        (np.arange(16, dtype=np.float32)[::2], y),
        (x.reshape(2, 4), y.reshape(2, 4)),
        (x, 2.5),
        (x, np.float32(2)),
        (x, np.array(2.0)),
    ]
    for other in others:
        for _ in range(3):
            np.testing.assert_array_equal(function(x, y), affine(x, y))
        found, wanted = function(*other), affine(*other)
        assert (found.dtype, found.shape) == (wanted.dtype.newbyteorder("="), wanted.shape)
        np.testing.assert_array_equal(found, wanted)
        assert function(x, y, out=out) is out
        np.testing.assert_array_equal(out, affine(x, y))
    for _ in range(3):
        function(x, y)
    with pytest.raises(TypeError, match="MaskedArray"):
        function(np.ma.masked_less(x, 3), y)
    with pytest.raises(TypeError):
        function(x)
    with pytest.raises(ValueError, match="shape"):
        function(x, y, out=out[1:])
    np.testing.assert_array_equal(function(x, y), affine(x, y))
