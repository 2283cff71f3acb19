"""Choose the row tiles for the tail of a product's columns: fewer than for the whole panels.

    panels of 24 of 512 columns                    the tail of 8 columns
      loop 3 (?0 rows), inc 4, unrolled of 2
      loop 4 (?0 rows), inc 2, unrolled of 2  ->     loop 8 (?0 rows), inc 2, unrolled of 7
      loop 5 (?0 rows), inc 1, main of 2             loop 9 (?0 rows), inc 1, main of 7

Any number of rows goes by tiles of 4, then 2, then 1 row, and each tile has its own code for the
whole panels and for the tail. If there are many panels, the tail is one pass of many. So its rows
can go by lower tiles, which takes more passes over a narrow panel. Rows are independent, so the
results are the same. If a tile of f rows goes by g rows, the tail takes f / g - 1 more passes. One
more for each `PANELS` panels is allowed, so a product takes less than 1 / `PANELS` longer.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import Size
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.passes.lir.loop_copies import erase_loop, loop_body

PANELS = 20
"""The whole panels for each additional pass over the tail."""


def _is_tile(begin: LoopBeginOp, loop: LoopInfo) -> bool:
    """Whether a loop runs tiles of any number of rows, with inner loops for their sums."""
    rows = loop.dynamic and loop.dim != 0 and not loop.parallel
    if not rows or begin.operands or loop.iteration not in ("unrolled", "main"):
        return False
    return any(isinstance(op, LoopBeginOp) and op.operands for op in loop_body(begin)[1:])


def tiles_left(increments: Sequence[int], panels: int) -> int:
    """The number of tiles, the highest first, that the tail drops beside `panels` panels.

    The last tile takes the remainder of all others.
    """
    highest = increments[0]
    for place in range(len(increments) - 1, 0, -1):
        if (highest // increments[place] - 1) * PANELS <= panels:
            return place
    return 0


def drop_tiles(ops: Sequence[Operation], columns: LoopInfo, table: dict[int, LoopInfo]) -> None:
    """Let the rows in `ops`, the tail of the loop `columns`, use only the lower tiles."""
    if columns.dim != 0 or isinstance(columns.work_amount, Size):
        return
    tiles: dict[int, list[LoopBeginOp]] = {}
    for begin in [op for op in ops[1:] if isinstance(op, LoopBeginOp)]:
        if _is_tile(begin, table[begin.id]):
            tiles.setdefault(table[begin.id].origin, []).append(begin)
    for begins in tiles.values():
        increments = [table[begin.id].increment for begin in begins]
        if table[begins[-1].id].iteration == "main" and increments[-1] == 1:
            panels = columns.work_amount // columns.increment
            for begin in begins[: tiles_left(increments, panels)]:
                erase_loop(loop_body(begin))
