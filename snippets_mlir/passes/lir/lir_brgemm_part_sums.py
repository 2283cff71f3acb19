"""Compute long sums of a matrix product part by part, so that panels stay in the caches.

    %c = lir.brgemm %a, %b     {lir.loops = array<i64: 1, 0, 5, 2, 3>}
    %s = lir.accumulate %c     {lir.loops = array<i64: 1, 0, 5, 2>}
    %t = lir.accumulate %s     {lir.loops = array<i64: 1, 0, 5>}
    %d = snippets.relu %t      {lir.loops = array<i64: 1, 0>}          in
    loops [#lir.loop<0, work 64, inc 1, dim 2, jam 8>,
           #lir.loop<1, work 2048, inc 16, dim 0, parallel, jam 3>,
           #lir.loop<5, work 8192, inc 1024, dim 1>,
           #lir.loop<2, work 1024, inc 128, dim 1, inner of 5>, #lir.loop<3, work 128, ...>]

becomes

    %z = snippets.broadcast %zero   {lir.loops = array<i64: 1, 6, 7>}
    %t = lir.store %z               {lir.loops = array<i64: 1, 6, 7>}
    %c = lir.brgemm %a, %b          {lir.loops = array<i64: 1, 5, 0, 4, 2, 3>}
    %s = lir.accumulate %c          {lir.loops = array<i64: 1, 5, 0, 4, 2>}
    %u = lir.store %s {accumulate}  {lir.loops = array<i64: 1, 5, 0, 4>}
    %e = lir.buffer %t, %u          {lir.loops = array<i64: 1>}
    %l = lir.load %e                {lir.loops = array<i64: 1, 8, 9>}
    %d = snippets.relu %l           {lir.loops = array<i64: 1, 8, 9>}  in
    loops [..., #lir.loop<1, work 2048, inc 48, dim 0, parallel>,
           #lir.loop<5, work 8192, inc 1024, dim 1>, ...,
           #lir.loop<4, work 48, inc 16, dim 0, inner of 1, jam 3>, ...]

A panel of 8192 terms exceeds the second-level cache: each tile of rows would read it from the next
level. Here all rows use a part of it, and add to sums that stay in the second-level cache. Readers
of the product have loops of their own. `lir-split-loops` has chosen the parts, so the sums are
those of the accumulators that the buffer replaces: exact.

Fires for 32 rows or more, if half of that cache holds the rows' sums for a panel, and a part of the
panel, but no panel. For packed panels, the whole cache has to hold no panel; otherwise they have to
be panels that would be copied (`lir-brgemm-copy-b`). Leaves sums without parts and products side by
side. `room` stands for half of the cache; the default, -1, is the target's. Refuses a `room` below
-1. docs/kernel-measurements.md has the times.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports, set_loop_ids
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.reduction import AccumulateOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.copied_panels import is_copied
from snippets_mlir.passes.lir.editing import erase
from snippets_mlir.passes.lir.epilogue_weights import epilogue_of
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text
from snippets_mlir.passes.lir.lir_brgemm_sum_blocks import totals_of
from snippets_mlir.passes.lir.lir_insert_buffers import held
from snippets_mlir.passes.lir.panels import (
    ROWS,
    Panels,
    around_sum,
    make_panels,
    panels_of,
    products_of,
)
from snippets_mlir.passes.lir.sum_buffers import SumBuffer, filled, move_after
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of
from snippets_mlir.targets.target_machine import TargetMachine


@dataclass(frozen=True, eq=False)
class PartSums:
    """A product with sums in parts.

    Attributes:
        product: the op.
        panels: its loops.
        totals: the accumulators over the blocks of a part, and over the parts.
        part: the loop over the parts.
    """

    product: BrgemmOp
    panels: Panels
    totals: tuple[AccumulateOp, ...]
    part: LoopInfo

    def __str__(self) -> str:
        panels = f"panels of {self.panels.width} columns by parts of {self.part.increment} terms"
        return f"{op_text(self.product)}, {panels}"


@dataclass(frozen=True)
class Parts:
    """The products of a kernel with sums in parts."""

    made: tuple[PartSums, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.made)) or "no sum goes by parts"


def plan_parts(
    op: BrgemmOp, table: dict[int, LoopInfo], machine: TargetMachine, room: int
) -> PartSums | None:
    """The parts of a product alone in its loops; None if there are none, or they do not pay off.

    A part of a panel, and the sums of a panel, have `room` bytes.
    """
    panels, port = panels_of(op, table), input_ports(op)[1]
    if panels is None or panels.part is not None or (panels.tile is None) == bool(port.panels):
        return None
    rows, terms = panels.rows.work_amount, panels.terms.work_amount
    if not isinstance(rows, int) or not isinstance(terms, int) or rows < ROWS:
        return None
    row = panels.width * element_bytes(op.result)
    if terms * row <= (2 if port.panels else 1) * room or rows * row > room:
        return None
    if not (port.panels or is_copied(op, panels, machine)):
        return None
    sums = tuple(table[id_] for id_ in loop_ids(op)[len(around_sum(op, table)[0]) :])
    totals = totals_of(op, len(sums) - 1)
    if len(sums) != 3 or totals is None or sums[0].increment * row > room:
        return None
    return PartSums(op, panels, totals, sums[0])


@dataclass(frozen=True)
class LirBrgemmPartSumsPass(KernelPlanPass[Parts]):
    """Compute long sums of matrix products part by part.

    Attributes:
        room: bytes of the caches for a part of a panel, and for the sums of a panel; -1 for the
            machine's.
    """

    name = "lir-brgemm-part-sums"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    room: int = -1

    def units(self, module: ModuleOp) -> Iterable[KernelOp]:
        """The kernels at stage `marked`."""
        if self.room < -1:
            raise CompileError(f"expected bytes, or -1 for the target's, found room={self.room}")
        return super().units(module)

    @override
    def plan(self, unit: KernelOp) -> Parts:
        products = [them[0] for them in products_of(unit) if len(them) == 1]
        if not products:
            return Parts(())
        table, machine = unit.loop_table, machine_of(module_of(unit))
        room = machine.second_cache // 2 if self.room == -1 else self.room
        planned = (plan_parts(op, table, machine, room) for op in products)
        return Parts(tuple(it for it in planned if it is not None))

    @override
    def carry_out(self, unit: KernelOp, plan: Parts) -> None:
        for parts in plan.made:
            table = unit.loop_table
            _divide(unit, parts, table)
            unit.set_loops(list(table.values()))


def _divide(kernel: KernelOp, parts: PartSums, table: dict[int, LoopInfo]) -> None:
    """Walk the parts outside of the rows, and add the sums of each to a buffer."""
    product, rows = parts.product, parts.panels.rows
    others = epilogue_of(product, kernel, table)
    panels = make_panels(kernel, parts.panels, table)
    assert panels.tile is not None
    outer = loop_ids(product)[: loop_ids(product).index(rows.id)]
    part, (blocks, top) = parts.part.id, parts.totals
    inside = (*outer, part, rows.id, panels.tile.id)
    *_, block, terms = loop_ids(product)
    set_loop_ids(product, (*inside, block, terms))
    set_loop_ids(blocks, (*inside, block))

    def walked() -> tuple[int, ...]:
        """Loops of their own over the rows and the columns of a panel."""
        assert panels.tile is not None
        own = replace(rows, id=max(table) + 1, jam=1)
        tile = replace(panels.tile, id=own.id + 1, jam=1)
        table.update({own.id: own, tile.id: tile})
        return (*outer, own.id, tile.id)

    (port,) = output_ports(product)
    kept = held(port, [table[id_] for id_ in outer])
    readers = list(top.results[0].uses)
    sums = SumBuffer(filled(kernel, product, kept, walked()), port, kept, outer)
    load = sums.added(blocks.results[0], blocks, inside, walked())
    for use in readers:
        use.operation.operands[use.index] = load.result
    erase(top)
    move_after(load, [op for op in others if op not in parts.totals], product)
