"""Loads that together read a tile of a transposed array: a run of neighbours.

    %0 = lir.load %t {count = 8}                // #lir.port<[6, 100], layout [1, 0], sub [8]>
    %1 = lir.load %t {count = 8, offset = 1}
    %2 = lir.load %t {count = 8, offset = 2}
    %3 = lir.load %t {count = 8, offset = 3}

read vectors whose lanes are 6 elements apart in memory, but lane i of all four is one piece of 16
bytes. So the tile needs 8 loads of 16 bytes and a few shuffles instead of 32 loads of 4 bytes.
`lir-jam-loops` places such loads side by side; the emitter and the cost model use this module.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.lir.access import input_ports, output_ports
from snippets_mlir.dialects.lir.memory import TAIL, LoadOp
from snippets_mlir.dialects.lir.pointers import pointer_of

PIECE = 16
"""Bytes that one load of a tile reads: in all targets the unit within which lanes move cheaply."""


def is_apart(load: LoadOp) -> bool:
    """Whether the lanes of `load` are not neighbours in memory."""
    port = input_ports(load)[0]
    return output_ports(load)[0].lanes > 1 and port.stride(len(port.shape) - 1) != 1


def tile_rows(size: int, lanes: int) -> int:
    """How many vectors of `lanes` elements of `size` bytes make a tile; 1 if there is no tile.

    They are as many as a piece has elements, or as a vector has lanes if these are fewer.
    """
    rows = min(PIECE // size, lanes)
    return rows if lanes % rows == 0 else 1


def rows_of(load: LoadOp) -> int:
    """How many loads like `load` make a tile; 1 if there is no tile."""
    if load.elements == TAIL or not is_apart(load):
        return 1
    return tile_rows(element_bytes(load.source), output_ports(load)[0].lanes)


def tile_of(load: LoadOp) -> Sequence[LoadOp]:
    """The loads of the tile that `load` begins; only itself if it begins none."""
    rows = rows_of(load)
    tile = [load]
    op: Operation | None = load.next_op
    while len(tile) < rows and isinstance(op, LoadOp) and _follows(op, tile[-1]):
        tile.append(op)
        op = op.next_op
    return tile if len(tile) == rows else tile[:1]


def _follows(load: LoadOp, before: LoadOp) -> bool:
    """Whether `load` reads the same as `before`, one element further."""
    return (
        load.elements == before.elements
        and load.distance == before.distance + 1
        and is_apart(load)
        and pointer_of(load) == pointer_of(before)
        and output_ports(load)[0].lanes == output_ports(before)[0].lanes
    )
