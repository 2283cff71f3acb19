"""Epilogues of one-row matrix products with packed panels, in a loop of their own, by panels.

    %c = lir.brgemm %a, %b  {lir.loops = array<i64: 0, 2, 1>}
    %g = snippets.gelu %c   {lir.loops = array<i64: 0, 2>}        becomes

    %c = lir.brgemm %a, %b  {lir.loops = array<i64: 0, 2, 1>}
    %g = snippets.gelu %c   {lir.loops = array<i64: 0, 3>}        with
    loops [#lir.loop<0, work 3072, inc 96, dim 0, parallel>, ...,
           #lir.loop<2, work 96, inc 8, dim 0, inner of 0, jam 12>,
           #lir.loop<3, work 96, inc 8, dim 0, inner of 0>]

`lir_brgemm_split_epilogue.py` has the conditions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.ir import Operation

from snippets_mlir.dialects.lir.access import loop_ids, set_loop_ids
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.passes.lir.kernel_passes import op_text
from snippets_mlir.passes.lir.panels import around_sum, loops_of


@dataclass(frozen=True, eq=False)
class ColumnEpilogue:
    """The ops that get a loop of their own after a product of one row.

    Attributes:
        product: before them, the first one of those side by side.
        tile: the loop over the columns of a panel.
        ops: the ops after the product in that loop.
    """

    product: BrgemmOp
    tile: LoopInfo
    ops: tuple[Operation, ...]

    def __str__(self) -> str:
        ops = "; ".join(map(op_text, self.ops))
        width = self.tile.work_amount
        return f"{op_text(self.product)}, panels of {width} columns of one row for {ops}"


def tile_of_one_row(op: BrgemmOp, table: dict[int, LoopInfo]) -> LoopInfo | None:
    """The loop over the columns of a panel; None without panels, with rows, or if a size is 0.

    Rows may also be outside of the panels, but a tile of them would use one row of the buffer.
    """
    around, terms = around_sum(op, table)
    found = loops_of(op, table)
    if found is None or found[0] is not None or len(around) < 2 or terms.dynamic:
        return None
    columns, tile = around[-2:]
    if any(loop.jam > 1 for loop in around[:-1]):
        return None
    panels = tile.dim == 0 and tile.inner_of == columns.id and tile.jam > 1
    if not panels or any(loop.work_amount == 0 for loop in (*around, terms)):
        return None
    return tile


def split_columns_of_one_row(epilogue: ColumnEpilogue, table: dict[int, LoopInfo]) -> None:
    """Give the ops of `epilogue` their loop."""
    block = replace(epilogue.tile, id=max(table) + 1, jam=1)
    table[block.id] = block
    for op in epilogue.ops:
        set_loop_ids(op, (*loop_ids(op)[:-1], block.id))
