"""Epilogues of products with the rows outside, in loops of their own, by blocks of rows.

    %c = lir.brgemm %a, %b  {lir.loops = array<i64: 0, 1, 2>}
    %g = snippets.gelu %c   {lir.loops = array<i64: 0, 1>}        becomes

    %c = lir.brgemm %a, %b  {lir.loops = array<i64: 0, 3, 1, 2>}
    %g = snippets.gelu %c   {lir.loops = array<i64: 0, 4, 5>}     with
    loops [#lir.loop<0, work 2048, inc 128, dim 2, parallel>, ...,
           #lir.loop<3, work 128, inc 1, dim 2, inner of 0, jam 4>, ...]

`lir_brgemm_split_epilogue.py` has the conditions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.ir import Operation

from snippets_mlir.analysis.kernels.row_blocks import LEAST, MOST
from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_facts import known_multiple
from snippets_mlir.dialects.lir.access import loop_ids, set_loop_ids
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.passes.lir.kernel_passes import op_text
from snippets_mlir.passes.lir.panels import around_sum

BLOCKS = 4
"""The least blocks of rows for each thread."""

FEWER = 3
"""The part of its rows that a tile may lose to divide the blocks, here a third.

With four vectors, a tile of four rows takes 2 % longer for each row than one of five.
"""


@dataclass(frozen=True, eq=False)
class RowEpilogue:
    """An epilogue that gets loops of its own after a product with the rows outside.

    Attributes:
        product: before it, the first one of those side by side.
        rows: the loop over the rows of the product.
        columns: the loop over its columns.
        ops: the ops after the product in its loops.
        height: rows of a block, which divide all rows.
        tile_rows: rows of the register tile, which divide the rows of a block.
    """

    product: BrgemmOp
    rows: LoopInfo
    columns: LoopInfo
    ops: tuple[Operation, ...]
    height: int
    tile_rows: int

    def __str__(self) -> str:
        ops = "; ".join(map(op_text, self.ops))
        blocks = f"blocks of {self.height} rows in tiles of {self.tile_rows}"
        return f"{op_text(self.product)}, {blocks} for {ops}"


def loops_with_rows_outside(
    op: BrgemmOp, table: dict[int, LoopInfo]
) -> tuple[LoopInfo, LoopInfo] | None:
    """The loops over rows and columns; None if the columns are outside, or a size is 0."""
    around, terms = around_sum(op, table)
    if len(around) < 2 or terms.dynamic:
        return None
    rows, columns = around[-2:]
    if rows.dim == 0 or columns.dim != 0 or rows.inner_of is not None or rows.jam < 2:
        return None
    if columns.inner_of is not None or any(it.work_amount == 0 for it in (*around, terms)):
        return None
    return rows, columns


def block_of(rows: LoopInfo, row_bytes: int, room: int, threads: int) -> tuple[int, int] | None:
    """The most rows of a block and of the register tile; None if there are no equal blocks.

    Args:
        rows: the loop over the rows, with the rows of the register tile.
        row_bytes: bytes of a row of the result.
        room: bytes that a block may have.
        threads: that share the blocks if the loop is parallel.
    """
    wanted = BLOCKS * threads if rows.parallel else 1
    least = max(2, rows.jam - rows.jam // FEWER)
    for height in _heights(rows.work_amount):
        if height * row_bytes <= room and assumed(rows.work_amount) >= wanted * height:
            for tile in range(rows.jam, least - 1, -1):
                if height % tile == 0:
                    return height, tile
    return None


def _heights(rows: Dim) -> list[int]:
    return [it for it in range(MOST, LEAST - 1, -1) if known_multiple(rows, it)]


def by_blocks(
    kernel: KernelOp,
    rows: LoopInfo,
    height: int,
    after: tuple[Operation, ...],
    table: dict[int, LoopInfo],
) -> LoopInfo:
    """Let `rows` step by blocks; returns a new loop over the rows of a block for the product.

    `after` are ops outside of this loop.
    """
    parallel = rows.parallel and known_multiple(rows.work_amount, height)
    whole = replace(rows, increment=height, jam=1, parallel=parallel)
    inner = replace(rows, id=max(table) + 1, work_amount=height, inner_of=rows.id, parallel=False)
    table.update({whole.id: whole, inner.id: inner})
    for op in kernel.block.ops:
        if rows.id in (ids := loop_ids(op)) and op not in after:
            place = ids.index(rows.id) + 1
            set_loop_ids(op, (*ids[:place], inner.id, *ids[place:]))
    return inner


def split_rows(kernel: KernelOp, epilogue: RowEpilogue, table: dict[int, LoopInfo]) -> None:
    """Give the ops of `epilogue` their loops."""
    outer = loop_ids(epilogue.ops[0])[:-1]
    inner = by_blocks(kernel, epilogue.rows, epilogue.height, epilogue.ops, table)
    table[inner.id] = replace(inner, jam=epilogue.tile_rows)
    rows = replace(inner, id=max(table) + 1, jam=1)
    columns = replace(epilogue.columns, id=rows.id + 1, jam=1, parallel=False)
    table.update({rows.id: rows, columns.id: columns})
    for op in epilogue.ops:
        set_loop_ids(op, (*outer, rows.id, columns.id))
