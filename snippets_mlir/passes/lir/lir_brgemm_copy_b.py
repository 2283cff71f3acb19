"""Copy the right operand of a matrix product, panel by panel, where its rows lie badly.

    %c = lir.brgemm %a, %b {lir.loops = array<i64: 1, 0, 2>}        in
    loops [#lir.loop<0, work 512, inc 1, dim 2, jam 6>,
           #lir.loop<1, work 1024, inc 16, dim 0, parallel, jam 4>,
           #lir.loop<2, work 256, inc 1, dim 1>]

becomes

    %p = lir.brgemm_copy_b %b {lir.loops = array<i64: 1, 3, 4>}
    %c = lir.brgemm %a, %p {lir.loops = array<i64: 1, 0, 5, 2>}     in
    loops [..., #lir.loop<1, work 1024, inc 64, dim 0, parallel>, ...,
           #lir.loop<3, work 256, inc 1, dim 1>, #lir.loop<4, work 64, inc 16, dim 0, inner of 1>,
           #lir.loop<5, work 64, inc 16, dim 0, inner of 1, jam 4>]

A panel is as wide as the register tile. `lir-insert-buffers` gives the copy a buffer of one panel,
which each thread fills for itself and all rows then use. The copy of a transposed operand reads
tiles of it (`jam` on loop 3).

An operand is copied if it is transposed, or if its rows are a multiple of a page apart and there
are `ROWS` rows or more to use it. Left alone: products with the rows outside, with one row or one
panel of columns, and panels beyond half of the second-level cache. Refuses no kernel. Source: the
guide's BrgemmCopyB (reference 2.12).
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import FixedBitwidthType
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import assumed
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.access import input_ports, is_array, loop_ids, set_loop_ids
from snippets_mlir.dialects.lir.attributes import LoopInfo, PortDescriptor
from snippets_mlir.dialects.lir.brgemm import BrgemmCopyBOp, BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import insert_before, replace_operand
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of

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
        columns: the loop over columns, which gets the width of a panel.
        rows: the loop over rows in it.
        terms: the loop over the sum.
        turned: whether the operand is transposed.
    """

    product: BrgemmOp
    columns: LoopInfo
    rows: LoopInfo
    terms: LoopInfo
    turned: bool

    @property
    def width(self) -> int:
        """Columns of a panel."""
        return self.columns.increment * self.columns.jam

    def __str__(self) -> str:
        kind = "transposed, " if self.turned else ""
        return f"{op_text(self.product)}, {kind}panels of {self.width} columns"


@dataclass(frozen=True)
class Copies:
    """The right operands of a kernel that are copied."""

    made: tuple[Copy, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.made)) or "nothing is copied"


def plan_copy(op: BrgemmOp, table: dict[int, LoopInfo], cache: int) -> Copy | None:
    """The copy of the right operand of a product, in half of a cache; None for none."""
    ids, port = loop_ids(op), input_ports(op)[1]
    if len(ids) < 3 or not is_array(op.rhs):
        return None
    columns, rows, terms = (table[id_] for id_ in ids[-3:])
    if columns.dim != 0 or any(loop.dynamic for loop in (columns, rows, terms)):
        return None
    element = tensor_of(op.rhs).element_type
    assert isinstance(element, FixedBitwidthType)
    copy = Copy(op, columns, rows, terms, turned=port.stride(len(port.shape) - 1) != 1)
    panel = copy.width * element.size * assumed(terms.work_amount)
    if copy.width >= assumed(columns.work_amount) and not copy.turned:
        return None
    apart = port.stride(len(port.shape) - 1 - terms.dim) * element.size
    far = isinstance(apart, int) and apart % PAGE == 0 and assumed(rows.work_amount) >= ROWS
    return copy if (copy.turned or far) and panel <= cache // 2 else None


def _planar(port: PortDescriptor) -> PortDescriptor:
    return replace(port, layout=())


@dataclass(frozen=True)
class LirBrgemmCopyBPass(KernelPlanPass[Copies]):
    """Copy right operands of matrix products."""

    name = "lir-brgemm-copy-b"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    def plan(self, unit: KernelOp) -> Copies:
        """What is copied."""
        products = [op for op in unit.block.ops if isinstance(op, BrgemmOp)]
        if not products:
            return Copies(())
        table, cache = unit.loop_table, machine_of(module_of(unit)).second_cache
        planned = (plan_copy(op, table, cache) for op in products)
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
    columns, fresh = copy.columns, max(table) + 1
    block = replace(
        columns, work_amount=copy.width, inner_of=columns.id, parallel=False, jam=1, id=fresh + 1
    )
    jam = PIECE // _bytes(copy.product) if copy.turned else 1
    jam = jam if assumed(copy.terms.work_amount) >= jam else 1
    terms = replace(copy.terms, id=fresh, jam=jam)
    tiled = replace(block, id=fresh + 2, jam=columns.jam)
    whole = replace(columns, increment=copy.width, jam=1)
    table.update({loop.id: loop for loop in (whole, terms, block, tiled)})
    inside = [op for op in kernel.block.ops if columns.id in loop_ids(op)]
    for op in inside:
        ids = loop_ids(op)
        place = ids.index(copy.rows.id) + 1
        set_loop_ids(op, (*ids[:place], tiled.id, *ids[place:]))
    port = input_ports(copy.product)[1]
    outer = loop_ids(copy.product)[: -len((copy.rows, tiled, copy.terms))]
    panel = BrgemmCopyBOp(copy.product.rhs)
    insert_before(inside[0], panel, [port, _planar(port)], (*outer, terms.id, block.id))
    replace_operand(copy.product, 1, panel.result, _planar(port))


def _bytes(op: Operation) -> int:
    element = tensor_of(op.results[0]).element_type
    assert isinstance(element, FixedBitwidthType)
    return element.size
