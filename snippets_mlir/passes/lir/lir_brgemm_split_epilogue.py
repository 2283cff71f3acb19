"""Compute the long epilogue of a matrix product in loops of its own, panel by panel.

    %c = lir.brgemm %a, %b  {lir.loops = array<i64: 1, 0, 2>}
    %g = snippets.gelu %c   {lir.loops = array<i64: 1, 0>}        becomes

    %c = lir.brgemm %a, %b  {lir.loops = array<i64: 1, 0, 3, 2>}
    %g = snippets.gelu %c   {lir.loops = array<i64: 1, 4, 5>}     with
    loops [..., #lir.loop<1, work 1024, inc 48, dim 0, parallel>, ...,
           #lir.loop<4, work 512, inc 1, dim 2>, #lir.loop<5, work 48, inc 16, dim 0, inner of 1>]

A register tile has a copy of the epilogue for each of its vectors, and remainder tiles have more.
That is fastest for a short epilogue. Ops with weights of more than `max-weight` together occur once
instead: `lir-insert-buffers` gives the product a buffer of one panel, which stays in the caches.

A panel beyond a quarter of the second-level cache goes by blocks of rows: first a block is
computed, then its epilogue,

           #lir.loop<0, work ?0, inc 126, dim 2>, #lir.loop<3, work 126, inc 1, dim 2, inner of 0>

if the blocks are equal and of whole register tiles, or the number of rows is dynamic. Products with
the rows outside go by blocks, too (`row_epilogues.py`): equal blocks that fit a quarter of that
cache and are enough for the threads. Their register tile may have up to a third fewer rows, so that
it divides the blocks. The epilogue of a one-row product with packed panels goes through a buffer of
one panel (`column_epilogues.py`): its tile has up to 16 vectors. Leaves other such panels and rows,
and a tile with the rows outside of the only panel. Refuses no kernel.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import Operation

from snippets_mlir.analysis.kernels.row_blocks import block_height
from snippets_mlir.dialects.builtin.dims import Size
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_facts import known_multiple
from snippets_mlir.dialects.lir.access import loop_ids, set_loop_ids
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.column_epilogues import (
    ColumnEpilogue,
    split_columns_of_one_row,
    tile_of_one_row,
)
from snippets_mlir.passes.lir.epilogue_weights import LONG, epilogue_of, is_long
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text
from snippets_mlir.passes.lir.panels import (
    Panels,
    make_panels,
    panels_of,
    products_of,
)
from snippets_mlir.passes.lir.row_epilogues import (
    RowEpilogue,
    block_of,
    by_blocks,
    loops_with_rows_outside,
    split_rows,
)
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of, threads_of


@dataclass(frozen=True, eq=False)
class Epilogue:
    """An epilogue that gets loops of its own.

    Attributes:
        product: before it, the first one of those side by side.
        panels: the loops of the product.
        ops: the ops after the product in its loops.
        height: rows of a block; None if a panel has all rows.
    """

    product: BrgemmOp
    panels: Panels
    ops: tuple[Operation, ...]
    height: int | None = None

    def __str__(self) -> str:
        ops = "; ".join(map(op_text, self.ops))
        panels = f"panels of {self.panels.width} columns"
        if self.height is not None:
            panels += f" and {self.height} rows"
        return f"{op_text(self.product)}, {panels} for {ops}"


@dataclass(frozen=True)
class Epilogues:
    """The epilogues of a kernel that get loops of their own."""

    split: tuple[Epilogue | RowEpilogue | ColumnEpilogue, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.split)) or "no epilogue is split"


def plan_split(
    products: Sequence[BrgemmOp], kernel: KernelOp, cache: int, threads: int, max_weight: float
) -> Epilogue | RowEpilogue | ColumnEpilogue | None:
    """The epilogue of products side by side, if it is long and panels of the results fit."""
    product, table = products[0], kernel.loop_table
    ops = epilogue_of(product, kernel, table)
    if not is_long(ops, max_weight):
        return None
    panels = panels_of(product, table)
    if panels is None:
        if (tile := tile_of_one_row(product, table)) is not None:
            return ColumnEpilogue(product, tile, ops)
        if (loops := loops_with_rows_outside(product, table)) is None:
            return None
        row_bytes = assumed(loops[1].work_amount) * len(products) * element_bytes(product.result)
        block = block_of(loops[0], row_bytes, cache // 4, threads)
        return None if block is None else RowEpilogue(product, *loops, ops, *block)
    width = panels.width if panels.tile is None else panels.columns.increment
    width *= len(products)
    rows, row_bytes = panels.rows.work_amount, width * element_bytes(product.result)
    if assumed(rows) * row_bytes <= cache // 4:
        return Epilogue(product, panels, ops)
    height = block_height(rows, row_bytes, cache // 2)
    if isinstance(rows, Size):
        height -= height % panels.rows.jam  # remaining rows only for the last block
    elif height % panels.rows.jam or not known_multiple(rows, height):
        return None
    return Epilogue(product, panels, ops, height)


@dataclass(frozen=True)
class LirBrgemmSplitEpiloguePass(KernelPlanPass[Epilogues]):
    """Give long epilogues of matrix products loops of their own."""

    name = "lir-brgemm-split-epilogue"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    max_weight: int = LONG

    @override
    def plan(self, unit: KernelOp) -> Epilogues:
        products = products_of(unit)
        if not products:
            return Epilogues(())
        module = module_of(unit)
        cache, threads = machine_of(module).second_cache, threads_of(module)
        planned = (plan_split(them, unit, cache, threads, self.max_weight) for them in products)
        return Epilogues(tuple(it for it in planned if it is not None))

    @override
    def carry_out(self, unit: KernelOp, plan: Epilogues) -> None:
        table = unit.loop_table
        for epilogue in plan.split:
            if isinstance(epilogue, RowEpilogue):
                split_rows(unit, epilogue, table)
            elif isinstance(epilogue, ColumnEpilogue):
                split_columns_of_one_row(epilogue, table)
            else:
                _split(unit, epilogue, table)
        if plan.split:
            unit.set_loops(list(table.values()))


def _split(kernel: KernelOp, epilogue: Epilogue, table: dict[int, LoopInfo]) -> None:
    panels = make_panels(kernel, epilogue.panels, table)
    assert panels.tile is not None
    outer = loop_ids(epilogue.ops[0])[:-2]
    rows = panels.rows
    if epilogue.height is not None:
        outer = (*outer, rows.id)
        rows = by_blocks(kernel, rows, epilogue.height, epilogue.ops, table)
    rows = replace(rows, id=max(table) + 1, jam=1)
    block = replace(panels.tile, id=rows.id + 1, jam=1)
    table.update({rows.id: rows, block.id: block})
    for op in epilogue.ops:
        set_loop_ids(op, (*outer, rows.id, block.id))
