"""What dims walk: dims of size 1 are left out, neighbours in memory are one."""

from __future__ import annotations

import pytest

from snippets_mlir.dialects.builtin.dims import Dim, symbol
from snippets_mlir.dialects.lir.slice_laws import Walk, walk

DYNAMIC = symbol(0)


@pytest.mark.parametrize(
    ("shape", "strides", "expected"),
    [
        ((), (), []),
        ((1, 1), (9, 0), []),
        ((3, 4), (8, 2), [(12, 2)]),
        ((3, 4), (8, 1), [(3, 8), (4, 1)]),
        ((2, 3, 4), (12, 4, 1), [(24, 1)]),
        ((2, 1, 3), (-3, 100, -1), [(6, -1)]),
        ((2, 3), (3, -1), [(2, 3), (3, -1)]),
        ((2, 0), (3, 1), None),
        ((DYNAMIC, 3), (3, 1), None),
        ((2, 3), (DYNAMIC, 1), None),
    ],
)
def test_walk(shape: tuple[Dim, ...], strides: tuple[Dim, ...], expected: Walk | None) -> None:
    assert walk(shape, strides) == expected
