"""Multiply a block of rows of the left operand with all packed panels, then the next block.

    %c = lir.brgemm %a, %b {lir.loops = array<i64: 1, 0, 3, 2>}        in
    loops [#lir.loop<0, work 512, inc 1, dim 2, jam 8>,
           #lir.loop<1, work 3072, inc 48, dim 0, parallel>, #lir.loop<2, work 768, ...>,
           #lir.loop<3, work 48, inc 16, dim 0, inner of 1, jam 3>]

becomes

    %c = lir.brgemm %a, %b {lir.loops = array<i64: 0, 1, 4, 3, 2>}     in
    loops [#lir.loop<0, work 512, inc 128, dim 2, parallel>,
           #lir.loop<1, work 3072, inc 48, dim 0, parallel>, #lir.loop<2, work 768, ...>,
           #lir.loop<3, work 48, inc 16, dim 0, inner of 1, jam 3>,
           #lir.loop<4, work 128, inc 1, dim 2, inner of 0, jam 8>]

All rows of the left operand go by for each panel. If they exceed the second-level cache, they come
from the next level each time, and the tiles wait. A block stays in that cache, and the panels come
from the next level once for each block, which `prefetch-packed-panels` hides. A block is at least
`LEAST` rows, so that this takes no more of the memory's time. Threads share blocks and panels. Sums
are the same: exact.

Fires for products alone in the two outermost loops, columns outside, with packed panels and a known
number of rows and terms, if the rows have more than `room` bytes and divide into equal blocks of
whole register tiles within `room`. It takes the largest blocks. The default room, -1, is the
machine's `left_block`; 0 does nothing. Leaves other numbers of rows, which would need more code;
rows that begin at equal places of pages (`EVEN`), which the processor's own prefetchers foresee;
and parts of sums: `lir-brgemm-part-sums` reads all rows for each part of a panel. Refuses a `room`
below -1. docs/kernel-measurements.md has the times.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.lir.access import input_ports, loop_ids, set_loop_ids
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text
from snippets_mlir.passes.lir.panels import Panels, panels_of, products_of
from snippets_mlir.passes.lir.row_epilogues import by_blocks
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of

LEAST = 64
"""The least rows of a block. 32 rows of 3072 terms take 1.1 of the time of all 512 rows."""

EVEN = 2 << 10
"""Bytes, half a page: blocks gain nothing if rows are a multiple of them apart."""


@dataclass(frozen=True, eq=False)
class LeftBlock:
    """The blocks of rows of products side by side.

    Attributes:
        product: the first one.
        panels: its loops.
        height: rows of a block.
    """

    product: BrgemmOp
    panels: Panels
    height: int

    def __str__(self) -> str:
        return f"{op_text(self.product)}: all panels for each block of {self.height} rows"


@dataclass(frozen=True)
class LeftBlocks:
    """The products of a kernel whose rows go by blocks."""

    made: tuple[LeftBlock, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.made)) or "all rows for each panel"


def plan_left_block(
    products: Sequence[BrgemmOp], table: dict[int, LoopInfo], room: int
) -> LeftBlock | None:
    """The blocks of products side by side, whose rows have `room` bytes; None if there are none."""
    product, panels = products[0], panels_of(products[0], table)
    if panels is None or panels.tile is None or panels.part is not None:
        return None
    rows, terms = panels.rows.work_amount, panels.terms.work_amount
    outermost = loop_ids(product)[0] == panels.columns.id and panels.rows.inner_of is None
    packed = all(input_ports(it)[1].panels for it in products)
    if not (outermost and packed and isinstance(rows, int) and isinstance(terms, int)):
        return None
    tile, row = panels.rows.jam, terms * element_bytes(product.lhs)
    if row % EVEN == 0:
        return None
    most = room // row // tile * tile
    fitting = (it for it in range(most, LEAST - 1, -tile) if rows % it == 0)
    height = None if rows <= most else next(fitting, None)
    return None if height is None else LeftBlock(product, panels, height)


@dataclass(frozen=True)
class LirBrgemmLeftBlocksPass(KernelPlanPass[LeftBlocks]):
    """Multiply a block of rows of the left operand with all packed panels, then the next block.

    Attributes:
        room: bytes of the rows of a block; 0 for no blocks, -1 for the machine's.
    """

    name = "lir-brgemm-left-blocks"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    room: int = -1

    def units(self, module: ModuleOp) -> Iterable[KernelOp]:
        """The kernels at stage `marked`."""
        if self.room < -1:
            raise CompileError(f"expected bytes, or -1 for the target's, found room={self.room}")
        return super().units(module)

    @override
    def plan(self, unit: KernelOp) -> LeftBlocks:
        if not (products := products_of(unit)):
            return LeftBlocks(())
        room = machine_of(module_of(unit)).left_block if self.room == -1 else self.room
        table = unit.loop_table
        planned = (plan_left_block(them, table, room) for them in products)
        return LeftBlocks(tuple(it for it in planned if it is not None))

    @override
    def carry_out(self, unit: KernelOp, plan: LeftBlocks) -> None:
        table = unit.loop_table
        for block in plan.made:
            rows, columns = block.panels.rows, block.panels.columns
            by_blocks(unit, rows, block.height, (), table)
            table[rows.id] = replace(table[rows.id], parallel=columns.parallel)
            for op in unit.block.ops:
                if (ids := loop_ids(op))[:2] == (columns.id, rows.id):
                    set_loop_ids(op, (rows.id, columns.id, *ids[2:]))
        if plan.made:
            unit.set_loops(list(table.values()))
