"""Tiles of transposed arrays: load pieces of 16 bytes and transpose them in registers.

A tile is `rows` vectors of n lanes; lane i of all of them is the i-th piece in memory. The pieces
i, i + rows, i + 2 * rows, ... make one vector (an insertion from memory each), and within every
16 bytes log2(rows) stages of shuffles exchange lanes, which is one cheap instruction each:

    pieces  a0 b0 c0 d0 | a4 b4 c4 d4   a1 b1 c1 d1 | a5 b5 c5 d5   a2 ...   a3 ...
    pairs   a0 a1 b0 b1 | a4 a5 b4 b5   c0 c1 d0 d1 | c4 c5 d4 d5   a2 a3 b2 b3 | ...
    tile    a0 a1 a2 a3 | a4 a5 a6 a7   b0 b1 b2 b3 | b4 b5 b6 b7   c0 ...   d0 ...

For 8 lanes of f32 this takes 8 loads, 4 of them insertions, and 8 shuffles; gathers would read 32
single elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, SSAValue

from snippets_mlir.targets.emitters.arith_builder import lanes_of, vector_type
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder


def emit_tile(
    b: VectorBuilder,
    piece_at: Callable[[int], SSAValue],
    element: Attribute,
    alignment: int,
    shape: tuple[int, int, int],
) -> list[SSAValue]:
    """The vectors of a tile.

    Args:
        b: the builder of the code.
        piece_at: returns the address of the i-th piece.
        element: type of the elements.
        alignment: of the pieces, in bytes.
        shape: rows (vectors of the tile, elements of a piece; a power of 2), lanes of each, and how
            many of the lanes are read; the other lanes are 0.
    """
    rows, lanes, count = shape
    type_ = vector_type(element, rows)

    def piece(index: int) -> SSAValue:
        """The piece `index`, or zeros if it is not read."""
        if index >= count:
            return b.constant(0, type_)
        return b.load(piece_at(index), type_, alignment)

    vectors = [
        joined(b, [piece(index) for index in range(first, lanes, rows)]) for first in range(rows)
    ]
    return _exchanged(b, vectors)


def joined(b: VectorBuilder, parts: Sequence[SSAValue]) -> SSAValue:
    """The vectors `parts`, a power of 2 of them, concatenated."""
    while len(parts) > 1:
        both = range(2 * lanes_of(parts[0]))
        parts = [
            b.mixed(first, second, both)
            for first, second in zip(parts[::2], parts[1::2], strict=True)
        ]
    return parts[0]


def _exchanged(b: VectorBuilder, vectors: Sequence[SSAValue]) -> list[SSAValue]:
    """Transpose each square of `len(vectors)` lanes in `vectors`."""
    rows, lanes = len(vectors), lanes_of(vectors[0])
    run = 1
    groups = [[vector] for vector in vectors]
    while len(groups) > 1:
        groups = [
            [
                b.mixed(first, second, _interleaved(lanes, rows, run, half))
                for first, second in zip(upper, lower, strict=True)
                for half in (0, 1)
            ]
            for upper, lower in zip(groups[::2], groups[1::2], strict=True)
        ]
        run *= 2
    return groups[0]


def _interleaved(lanes: int, rows: int, run: int, half: int) -> list[int]:
    """Lanes of two vectors: alternating runs of `run` lanes of each, from one half of each
    square.
    """
    starts = range(half * rows // 2, (half + 1) * rows // 2, run)
    return [
        square + vector + start + lane
        for square in range(0, lanes, rows)
        for start in starts
        for vector in (0, lanes)
        for lane in range(run)
    ]
