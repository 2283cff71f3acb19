"""Compute what follows a matrix product in loops of its own, panel by panel, where it is long.

    %c = lir.brgemm %a, %b  {lir.loops = array<i64: 1, 0, 2>}
    %g = snippets.gelu %c   {lir.loops = array<i64: 1, 0>}        becomes

    %c = lir.brgemm %a, %b  {lir.loops = array<i64: 1, 0, 3, 2>}
    %g = snippets.gelu %c   {lir.loops = array<i64: 1, 4, 5>}     with
    loops [..., #lir.loop<1, work 1024, inc 48, dim 0, parallel>, ...,
           #lir.loop<4, work 512, inc 1, dim 2>, #lir.loop<5, work 48, inc 16, dim 0, inner of 1>]

A register tile has a copy of what follows for each of its vectors, and its rests have more. That is
fastest while it is short. Ops whose weights are more than `max-weight` together are there once
instead: `lir-insert-buffers` gives the product a buffer of one panel, which stays in the caches.

Left alone: products with the rows outside, and panels beyond a quarter of the second-level cache.
Refuses no kernel.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import FixedBitwidthType
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import assumed
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.access import loop_ids, set_loop_ids
from snippets_mlir.dialects.lir.attributes import LoopInfo
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.dialects.snippets.registry import record_of
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text
from snippets_mlir.passes.lir.panels import Panels, around_sum, make_panels, panels_of
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of

EXPANDED = 16
"""Vector instructions that lir-expand-math makes of an op, about."""


@dataclass(frozen=True, eq=False)
class Epilogue:
    """What gets loops of its own.

    Attributes:
        product: before it.
        panels: the loops of the product.
        ops: the ops after the product in its loops.
    """

    product: BrgemmOp
    panels: Panels
    ops: tuple[Operation, ...]

    def __str__(self) -> str:
        ops = "; ".join(map(op_text, self.ops))
        return f"{op_text(self.product)}, panels of {self.panels.width} columns for {ops}"


@dataclass(frozen=True)
class Epilogues:
    """The epilogues of a kernel that get loops of their own."""

    split: tuple[Epilogue, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.split)) or "no epilogue is split"


def weight_of(op: Operation) -> float:
    """How many vector instructions an op is, about; `EXPANDED` for one that is expanded later."""
    record = record_of(op.name)
    if record is None:
        return 0
    direct = record.code is not None or record.cheap or isinstance(op, BroadcastLikeOp)
    return record.weight if direct else EXPANDED


def plan_split(
    product: BrgemmOp, kernel: KernelOp, cache: int, max_weight: float
) -> Epilogue | None:
    """The epilogue of a product, if it is long and a panel of the result fits; else None."""
    panels = panels_of(product, kernel.loop_table)
    if panels is None:
        return None
    scope = tuple(loop.id for loop in around_sum(product, kernel.loop_table)[0])
    ops = tuple(op for op in kernel.block.ops if loop_ids(op) == scope)
    element = tensor_of(product.result).element_type
    assert isinstance(element, FixedBitwidthType)
    width = panels.width if panels.tile is None else panels.columns.increment
    panel = width * assumed(panels.rows.work_amount) * element.size
    long = sum(map(weight_of, ops)) > max_weight
    return Epilogue(product, panels, ops) if long and panel <= cache // 4 else None


@dataclass(frozen=True)
class LirBrgemmSplitEpiloguePass(KernelPlanPass[Epilogues]):
    """Give long epilogues of matrix products loops of their own."""

    name = "lir-brgemm-split-epilogue"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    max_weight: int = 8

    def plan(self, unit: KernelOp) -> Epilogues:
        """The epilogues that are long."""
        products = [op for op in unit.block.ops if isinstance(op, BrgemmOp)]
        if not products:
            return Epilogues(())
        cache = machine_of(module_of(unit)).second_cache
        planned = (plan_split(op, unit, cache, self.max_weight) for op in products)
        return Epilogues(tuple(it for it in planned if it is not None))

    def carry_out(self, unit: KernelOp, plan: Epilogues) -> None:
        """Write the loops."""
        table = unit.loop_table
        for epilogue in plan.split:
            _split(unit, epilogue, table)
        if plan.split:
            unit.set_loops(list(table.values()))


def _split(kernel: KernelOp, epilogue: Epilogue, table: dict[int, LoopInfo]) -> None:
    panels = make_panels(kernel, epilogue.panels, table)
    assert panels.tile is not None
    rows = replace(panels.rows, id=max(table) + 1, jam=1)
    block = replace(panels.tile, id=rows.id + 1, jam=1)
    table.update({rows.id: rows, block.id: block})
    for op in epilogue.ops:
        outer = loop_ids(op)[:-2]
        set_loop_ids(op, (*outer, rows.id, block.id))
