"""Pieces of vectors: `vector-unroll` splits a vector of any rank into them.

A vector is a list of pieces: its rows (the last dimension), each split into vectors of at most
`lanes` elements. `vector<2x20xf32>` with 8 lanes has the pieces 8, 8, 4, 8, 8, 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.vector.lanes import indices_of

Pieces = Sequence[Sequence[SSAValue]]
"""For each result of an op its pieces (a scalar is one)."""


@dataclass(frozen=True)
class Piece:
    """A part of a row of a vector.

    Attributes:
        row: the index of the row in the leading dimensions.
        start: the first element in the last dimension.
        size: the number of elements.
    """

    row: tuple[int, ...]
    start: int
    size: int


@lru_cache(maxsize=256)
def pieces_of_shape(shape: tuple[int, ...], lanes: int) -> tuple[Piece, ...]:
    """The pieces of a vector, row by row; one of 1 element for rank 0."""
    if not shape:
        return (Piece((), 0, 1),)
    starts = range(0, shape[-1], lanes)
    return tuple(
        Piece(row, start, min(lanes, shape[-1] - start))
        for row in indices_of(shape[:-1])
        for start in starts
    )


def is_float(element: Attribute) -> bool:
    """Whether `element` is a float type."""
    return element.name in ("f16", "f32", "f64", "bf16", "f80", "f128")


@lru_cache(maxsize=4096)
def vector_type(element: Attribute, size: int) -> VectorType:
    """The type of a 1-D vector of `size` elements."""
    return VectorType(element, [size])
