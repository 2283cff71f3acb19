"""Copy the right operand of a matrix product panel by panel if its rows are badly placed.

    %c = lir.brgemm %a, %b {lir.loops = array<i64: 1, 0, 2>}        in
    loops [#lir.loop<0, work 512, inc 1, dim 2, jam 6>,
           #lir.loop<1, work 1024, inc 16, dim 0, parallel, jam 4>,
           #lir.loop<2, work 256, inc 1, dim 1>]

becomes

    %p = lir.brgemm_copy_b %b {lir.loops = array<i64: 1, 4, 5>}
    %c = lir.brgemm %a, %p {lir.loops = array<i64: 1, 0, 3, 2>}     in
    loops [..., #lir.loop<1, work 1024, inc 64, dim 0, parallel>, ...,
           #lir.loop<3, work 64, inc 16, dim 0, inner of 1, jam 4>,
           #lir.loop<4, work 256, inc 1, dim 1>, #lir.loop<5, work 64, inc 16, dim 0, inner of 1>]

A panel is as wide as the register tile. `lir-insert-buffers` gives the copy a buffer of one panel,
which each thread fills for itself and all rows then use. The copy of a transposed operand reads
tiles of it (`jam` on loop 4).

An operand is copied if it is transposed, or if at least `ROWS` rows use it and its own rows are a
multiple of a page apart, or may be; if there are more of these than the first-level cache has ways,
also for `PASSES` passes over them: the rows of `PASSES - 1` tiles, and one more. A panel of at most
`machine.narrow` bytes in a row is copied for as many rows wherever its rows are. If the rows of
panels may be pages apart, rows count from `ROWS_APART` on. Dynamic rows and terms have the ranges
of `snippets.size_ranges`: terms have to be at most one of `TERMS`, unless the operand is
transposed. Without a range, there are many rows and up to 2048 terms; more terms have larger
panels. With a dynamic number of terms, the product of a computed operand, such as the weights of
an attention, does not copy 128 columns or fewer, and no product copies less than half a panel of a
transposed operand. Panels are narrower if the second-level cache would hold less than two of them,
down to a cache line, or to one vector of a transposed operand.
Without a copy, each piece of a row would be in a page of its own, and the elements of a transposed
operand would be gathered one by one.

An outer loop that walks none of the operand's dims, such as the loop over blocks of rows in an
attention, would copy the same panels in each iteration. Instead all panels are copied once, outside
of the loop, which is then sequential:

    %p = lir.brgemm_copy_b %b {lir.loops = array<i64: 0, 6, 4, 5>}
    %c = lir.brgemm %a, %p {lir.loops = array<i64: 0, 1, 2, 9, 3, 8>,
                            lir.ports = [..., #lir.port<[12, 1, 64, 512], panels 48>, ...]}

where loop 6 walks panels and loop 1 blocks of rows. This needs a known number of terms, an operand
that fits half of the second-level cache, and that fits the cache with the results of a block of
rows. If the columns are dynamic, there may be no more terms than a block has rows: the copy is no
larger than those results; and all columns in their range of `snippets.size_ranges`, if it is
stated, have to fit. The number of threads has to be known, and the threads have to share the
iterations of the outer loops evenly.

Leaves products with the rows outside, with one row or one panel of columns, and panels beyond a
quarter of the last-level cache. Refuses no kernel. Source: the guide's BrgemmCopyB.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override

from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_ranges import size_ranges_of
from snippets_mlir.dialects.lir.access import input_ports, loop_ids
from snippets_mlir.dialects.lir.brgemm import BrgemmCopyBOp, BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import insert_before, replace_operand
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.panel_copies import Copies, Copy, plan_copy
from snippets_mlir.passes.lir.panels import make_panels, panels_of
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import given_threads, machine_of

PIECE = 16
"""The bytes of a piece of a transposed array that is read at once."""


@dataclass(frozen=True)
class LirBrgemmCopyBPass(KernelPlanPass[Copies]):
    """Copy right operands of matrix products."""

    name = "lir-brgemm-copy-b"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    @override
    def plan(self, unit: KernelOp) -> Copies:
        products = [op for op in unit.block.ops if isinstance(op, BrgemmOp)]
        module = module_of(unit)
        table, machine, threads = unit.loop_table, machine_of(module), given_threads(module)
        ranges = size_ranges_of(module)
        made = (plan_copy(op, table, machine, threads, ranges) for op in products)
        return Copies(tuple(filter(None, made)))

    def carry_out(self, unit: KernelOp, plan: Copies) -> None:
        """Insert the copies with their loops."""
        table = unit.loop_table
        for copy in plan.made:
            _insert(unit, copy, table)
        if plan.made:
            unit.set_loops(list(table.values()))


def _insert(kernel: KernelOp, copy: Copy, table: dict[int, LoopInfo]) -> None:
    """Copy a panel in each iteration over columns, before the rows, or all outside of loops."""
    columns = copy.panels.columns
    if table[columns.id].jam > columns.jam:
        table[columns.id] = columns
    own = panels_of(
        copy.product, table, any_terms=True
    )  # there are panels if a product side by side has them
    assert own is not None
    panels = make_panels(kernel, own, table)
    assert panels.tile is not None
    walked = _walk_again(copy, panels.columns, table) if copy.repeated else panels.columns
    jam = PIECE // element_bytes(copy.product.result)
    jam = jam if copy.turned and assumed(panels.terms.work_amount) >= jam else 1
    end = None if copy.repeated else panels.terms.diagonal  # there is no outer block of rows
    terms = replace(panels.terms, id=max(table) + 1, increment=1, jam=jam, diagonal=end)
    block = replace(panels.tile, id=terms.id + 1, jam=1, inner_of=walked.id)
    table.update({terms.id: terms, block.id: block})
    port, ids = input_ports(copy.product)[1], loop_ids(copy.product)
    inside = panels.part or walked
    start = copy.repeated[0] if copy.repeated else inside.id
    first = next(op for op in kernel.block.ops if start in loop_ids(op))
    outer = (*ids[: ids.index(start)], inside.id)
    panel = BrgemmCopyBOp(copy.product.rhs)
    order = replace(port, layout=(), strides=(), panels=panels.width if copy.repeated else 0)
    insert_before(first, panel, [port, order], (*outer, terms.id, block.id))
    replace_operand(copy.product, 1, panel.result, order)


def _walk_again(copy: Copy, columns: LoopInfo, table: dict[int, LoopInfo]) -> LoopInfo:
    """A loop over all panels, outside of the repeated loops, which threads then do not share."""
    walked = replace(columns, id=max(table) + 1, parallel=False, diagonal=None)
    table[walked.id] = walked
    table.update({id_: replace(table[id_], parallel=False) for id_ in copy.repeated})
    return walked
