"""Copy the right operand of a matrix product, panel by panel, where its rows lie badly.

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

An operand is copied if it is transposed, or if its rows are a multiple of a page apart and there
are `ROWS` rows or more to use it. Panels of a transposed one are narrower, down to one vector,
where the second-level cache would hold less than two of them; without a copy its elements would
be gathered one by one. Left alone: products with the rows outside, with one row or one panel of
columns, panels beyond half of the second-level cache, or of a transposed operand beyond a quarter
of the last-level cache. Refuses no kernel. Source: the guide's BrgemmCopyB.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import FixedBitwidthType
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.lir.access import input_ports, is_array, loop_ids
from snippets_mlir.dialects.lir.brgemm import BrgemmCopyBOp, BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import insert_before, replace_operand
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text
from snippets_mlir.passes.lir.panels import Panels, is_one_panel, make_panels, panels_of
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of
from snippets_mlir.targets.machine import TargetMachine

ROWS = 32
"""Rows of the left operand from which a copy pays."""

PAGE = 4096

PIECE = 16
"""Bytes of a piece of a transposed array that is read at once."""


@dataclass(frozen=True, eq=False)
class Copy:
    """A right operand that is copied.

    Attributes:
        product: whose it is.
        panels: the loops of the product.
        turned: whether the operand is transposed.
    """

    product: BrgemmOp
    panels: Panels
    turned: bool

    def __str__(self) -> str:
        kind = "transposed, " if self.turned else ""
        return f"{op_text(self.product)}, {kind}panels of {self.panels.width} columns"


@dataclass(frozen=True)
class Copies:
    """The right operands of a kernel that are copied."""

    made: tuple[Copy, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.made)) or "nothing is copied"


def narrowed(panels: Panels, column: int, room: int) -> Panels:
    """Panels of fewer vectors, whose columns of `column` bytes fit `room`, down to one vector."""
    columns = panels.columns
    vectors = max(1, min(columns.jam, room // (columns.increment * column)))
    return replace(panels, columns=replace(columns, jam=vectors))


def plan_copy(op: BrgemmOp, table: dict[int, LoopInfo], machine: TargetMachine) -> Copy | None:
    """The copy of the right operand of a product; None for none."""
    panels, port = panels_of(op, table), input_ports(op)[1]
    if panels is None or panels.tile is not None or not is_array(op.rhs):
        return None
    turned, room = port.stride(len(port.shape) - 1) != 1, machine.second_cache // 2
    column = max(1, _bytes(op) * assumed(panels.terms.work_amount))
    if turned:
        panels, room = narrowed(panels, column, room), machine.cache // 4
    copy = Copy(op, panels, turned)
    if is_one_panel(panels) and not turned:
        return None
    panel = panels.width * column
    apart = port.stride(len(port.shape) - 1 - panels.terms.dim) * _bytes(op)
    far = isinstance(apart, int) and apart % PAGE == 0
    far = far and assumed(panels.rows.work_amount) >= ROWS
    return copy if (turned or far) and panel <= room else None


def _planar(port: PortDescriptor) -> PortDescriptor:
    return replace(port, layout=())


@dataclass(frozen=True)
class LirBrgemmCopyBPass(KernelPlanPass[Copies]):
    """Copy right operands of matrix products."""

    name = "lir-brgemm-copy-b"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    @override
    def plan(self, unit: KernelOp) -> Copies:
        products = [op for op in unit.block.ops if isinstance(op, BrgemmOp)]
        if not products:
            return Copies(())
        table, machine = unit.loop_table, machine_of(module_of(unit))
        planned = (plan_copy(op, table, machine) for op in products)
        return Copies(tuple(copy for copy in planned if copy is not None))

    def carry_out(self, unit: KernelOp, plan: Copies) -> None:
        """Insert the copies with their loops."""
        table = unit.loop_table
        for copy in plan.made:
            _insert(unit, copy, table)
        if plan.made:
            unit.set_loops(list(table.values()))


def _insert(kernel: KernelOp, copy: Copy, table: dict[int, LoopInfo]) -> None:
    """Copy a panel in each iteration of the columns, before the rows."""
    columns = copy.panels.columns
    if table[columns.id].jam > columns.jam:
        table[columns.id] = columns
    own = panels_of(copy.product, table)  # there are panels if a product side by side has them
    assert own is not None
    panels = make_panels(kernel, own, table)
    assert panels.tile is not None
    jam = PIECE // _bytes(copy.product) if copy.turned else 1
    jam = jam if assumed(panels.terms.work_amount) >= jam else 1
    terms = replace(panels.terms, id=max(table) + 1, increment=1, jam=jam)
    block = replace(panels.tile, id=terms.id + 1, jam=1)
    table.update({terms.id: terms, block.id: block})
    first = next(op for op in kernel.block.ops if panels.columns.id in loop_ids(op))
    port, ids = input_ports(copy.product)[1], loop_ids(copy.product)
    outer = ids[: ids.index(panels.rows.id)]
    panel = BrgemmCopyBOp(copy.product.rhs)
    insert_before(first, panel, [port, _planar(port)], (*outer, terms.id, block.id))
    replace_operand(copy.product, 1, panel.result, _planar(port))


def _bytes(op: Operation) -> int:
    element = tensor_of(op.results[0]).element_type
    assert isinstance(element, FixedBitwidthType)
    return element.size
