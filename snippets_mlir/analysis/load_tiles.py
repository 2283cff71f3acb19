"""Loads that read a tile of a transposed array together: a run of neighbours.

    %0 = lir.load %t {count = 8}                // #lir.port<[6, 100], layout [1, 0], sub [8]>
    %1 = lir.load %t {count = 8, offset = 1}
    %2 = lir.load %t {count = 8, offset = 2}
    %3 = lir.load %t {count = 8, offset = 3}

read vectors whose lanes are 6 elements apart in memory; but lane i of all four is one piece of 16
bytes. So the tile is 8 loads of 16 bytes and a few shuffles instead of 32 loads of 4 bytes.
`lir-jam-loops` puts such loads side by side; what emits them, or says what they cost, asks here.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from snippets_mlir.dialects.lir.access import input_ports, output_ports
from snippets_mlir.dialects.lir.memory import TAIL, LoadOp
from snippets_mlir.dialects.lir.pointers import element_bytes, pointer_of

PIECE = 16
"""Bytes that one load of a tile reads: in all targets the unit within which lanes move cheaply."""

ELEMENTS = (4, 8)
"""Bytes of the elements that make tiles; smaller ones are gathered."""


def is_apart(load: LoadOp) -> bool:
    """Whether the lanes of `load` are not neighbours in memory."""
    port = input_ports(load)[0]
    return output_ports(load)[0].lanes > 1 and port.stride(len(port.shape) - 1) != 1


def makes_tiles(size: int, lanes: int) -> bool:
    """Whether vectors of `lanes` elements of `size` bytes can be read as tiles."""
    return size in ELEMENTS and lanes % (PIECE // size) == 0


def rows_of(load: LoadOp) -> int:
    """How many loads like `load` make a tile; 1 when none do."""
    size = element_bytes(load.source)
    if load.elements == TAIL or not is_apart(load):
        return 1
    return PIECE // size if makes_tiles(size, output_ports(load)[0].lanes) else 1


def tile_of(load: LoadOp) -> Sequence[LoadOp]:
    """The loads of the tile that `load` begins; only itself when it begins none."""
    rows = rows_of(load)
    tile = [load]
    op: Operation | None = load.next_op
    while len(tile) < rows and isinstance(op, LoadOp) and _follows(op, tile[-1]):
        tile.append(op)
        op = op.next_op
    return tile if len(tile) == rows else tile[:1]


def _follows(load: LoadOp, before: LoadOp) -> bool:
    """Whether `load` reads what `before` does, one element further."""
    return (
        load.elements == before.elements
        and load.distance == before.distance + 1
        and is_apart(load)
        and pointer_of(load) == pointer_of(before)
        and output_ports(load)[0].lanes == output_ports(before)[0].lanes
    )
