"""Choose the blocks of a matrix product: the order of its loops, and its register tile.

    %c = lir.brgemm %a, %b {lir.loops = array<i64: 0, 1, 2>}        in
    loops [#lir.loop<0, work 512, inc 1, dim 2, parallel>, #lir.loop<1, work 1024, inc 16, dim 0>,
           #lir.loop<2, work 256, inc 1, dim 1>]

becomes, on AVX-512,

    %c = lir.brgemm %a, %b {lir.loops = array<i64: 1, 0, 2>}        in
    loops [#lir.loop<0, work 512, inc 1, dim 2, jam 6>,
           #lir.loop<1, work 1024, inc 16, dim 0, parallel, jam 4>, #lir.loop<2, work 256, ...>]

The row loop moves only the pointer of the left operand. `jam` is the number of iterations of a loop
in one pass of the loop over the sum. This gives rows * vectors accumulators
(`analysis/kernels/register_tiles.py`), which `lir-jam-loops` makes. The columns go outside, so that
a panel of the right operand stays in the second-level cache while all rows use it, unless there are
too few panels for the threads, or the threads would write separate pieces of lines
(`analysis/kernels/result_rows.py`). For a transposed operand, one panel for each thread is enough:
it is copied or packed by panels. Threads share the outer of the two loops if it is the outermost
loop of the kernel, and otherwise the loops of a batch. If a batch does not divide evenly, such as 3
matrices among 2 threads, they share the panels or row tiles of all.

Products side by side read one left operand and have one loop over the sum. `jam 2` on the columns
is then two vectors of each product; the tile has those of all products.

A dynamic number of rows gets a tile of 4 rows if the columns are outside. `lir-jam-loops` takes the
remainder by 3 and 2, for few passes over the right operand. If there may be one row
(`snippets.may_be_one`), the tile has an even number of rows, and the remainder goes by 2 and 1.
With 16 registers that is a tile of 4 rows and 3 vectors, as large as 6 and 2, which leaves up to 3
rows instead of 5. If the rows are outside, or in blocks whose last may be short, the tile suits few
rows and many (`register_tiles.SOME_ROWS`). Other dynamic sizes are taken to be large. Leaves loops
that hold others than the one over the sum. Refuses no kernel. Source: the guide's BrgemmBlocking.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import Operation

from snippets_mlir.analysis.kernels.product_blocks import widest_panel
from snippets_mlir.analysis.kernels.register_tiles import (
    ANY_ROWS,
    SOME_ROWS,
    Product,
    Tile,
    best_tile,
    columns_outside,
)
from snippets_mlir.analysis.kernels.result_rows import are_apart
from snippets_mlir.dialects.builtin.dims import Size
from snippets_mlir.dialects.builtin.shaped import bit_width, byte_width, tensor_of
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_facts import never_one
from snippets_mlir.dialects.builtin.sizes import MAY_BE_ONE
from snippets_mlir.dialects.lir.access import input_ports, loop_ids, set_loop_ids
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.epilogue_weights import epilogue_of, is_long
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.panels import ROWS, around_sum, loops_of, products_of
from snippets_mlir.passes.lir.shared_batches import matrices_shared
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of, threads_of
from snippets_mlir.targets.target_machine import TargetMachine

FEW_REGISTERS = 16
"""With so few registers, a tile of `ANY_ROWS` rows has as many accumulators as a higher one."""


@dataclass(frozen=True)
class Block:
    """The blocks of one product.

    Attributes:
        rows: the loop over rows; None if there is one row.
        columns: the loop over columns.
        tile: the register tile.
        outside: whether the columns are outside of the rows.
        products: the number of products with these loops.
        shared: whether threads share the outer loop of the two.
    """

    rows: LoopInfo | None
    columns: LoopInfo
    tile: Tile
    outside: bool
    products: int = 1
    shared: bool = False

    def __str__(self) -> str:
        tile = f"{self.tile}" + (f" of {self.products} products" if self.products > 1 else "")
        if self.rows is None:
            return f"columns in loop {self.columns.id}: {tile}"
        order = "columns outside" if self.outside else "rows outside"
        order += ", shared by threads" if self.shared else ""
        return f"rows in loop {self.rows.id}, columns in loop {self.columns.id}: {tile}, {order}"


@dataclass(frozen=True)
class Blocks:
    """The blocks of the products of a kernel."""

    products: tuple[Block, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.products)) or "no product"


def plan_block(
    products: Sequence[BrgemmOp],
    table: dict[int, LoopInfo],
    machine: TargetMachine,
    threads: int,
    *,
    one: bool,
    long: bool,
) -> Block | None:
    """The blocks of products side by side; None if there is no choice.

    `one`: dynamic sizes may be 1. `long`: the epilogue takes longer than the stores of its results.
    """
    op = products[0]
    if (found := loops_of(op, table)) is None:
        return None
    rows, columns = found
    any_rows = rows is not None and isinstance(rows.work_amount, Size)
    height = SOME_ROWS[-1] if any_rows else 1 if rows is None else assumed(rows.work_amount)
    if 0 in (height, breadth := assumed(columns.work_amount)):
        return None
    element = tensor_of(op.result).element_type
    width = -(-columns.increment * bit_width(element) // (machine.lanes * 32))
    left = input_ports(op)[0]
    stride = 0 if rows is None else left.stride(len(left.shape) - 1 - rows.dim)
    row_bytes = 0 if isinstance(stride, Size) else stride * byte_width(element)
    rights = [input_ports(product)[1] for product in products]
    turned = any(right.stride(len(right.shape) - 1) != 1 for right in rights)
    vectors, vector = -(-breadth // columns.increment), columns.increment * byte_width(element)
    around, terms = around_sum(op, table)
    alone = len(around) == (1 if rows is None else 2)
    sizes = (rows.work_amount if rows else 1, columns.work_amount, terms.work_amount)
    matrices = matrices_shared(op, table, threads)
    right = len(products) * assumed(terms.work_amount) * breadth * byte_width(element)
    shares = 1 if matrices is None else max(2, threads)
    divided = matrices is not None and not alone  # of a batch, by known numbers of rows
    apart = rows is not None and rows.inner_of is None and not long and not (any_rows and divided)
    apart = apart and are_apart(sizes, byte_width(element), machine.rows_first, len(products))
    shape = Product(
        height,
        vectors,
        width,
        row_bytes,
        shares,
        any_rows,
        len(products),
        matrices or 1,
        turned,
        machine.lanes * 4,
        apart,
        machine.vectors_ahead,
        machine.panel_line if height >= ROWS else machine.apart_line,
        machine.apart_line,
        machine.tall_right is None or right <= machine.tall_right,
        machine.first_ways,
        widest_panel(sizes[2], vector, machine.second_cache // 2),
    )
    short = rows is not None and rows.inner_of is not None and table[rows.inner_of].dynamic
    limits = machine.vector_registers, machine.products
    tile = best_tile(replace(shape, any_rows=any_rows or short), *limits)
    many = rows is not None and rows.inner_of is None and never_one(rows.work_amount)
    few = machine.vector_registers <= FEW_REGISTERS
    if any_rows and many and (not one or few or tile.rows % 2):
        low_rows = max(1, tile.rows - 1) if one and not few else ANY_ROWS
        low = best_tile(shape, *limits, low_rows)
        tile = low if low.rows == low_rows and columns_outside(shape, low) else tile
    outside = columns_outside(shape, tile)
    outer = columns if rows is None or outside else rows
    shared = matrices is not None and (alone or not outer.dynamic)
    return Block(rows, columns, tile, outside, len(products), shared)


def in_one_nest(ops: Sequence[Operation], block: Block) -> bool:
    """Whether all ops in one of the two loops are in both."""
    if block.rows is None:
        return True
    pair = {block.rows.id, block.columns.id}
    return all(pair.isdisjoint(ids) or pair.issubset(ids) for ids in map(loop_ids, ops))


def _alone(ops: Sequence[Operation], block: Block) -> Block:
    """The block; its matrices are divided only if no other op is in the loops of the batch."""
    mine = {loop.id for loop in (block.rows, block.columns) if loop is not None}
    product = next(ids for ids in map(loop_ids, ops) if block.columns.id in ids)
    beside = any(ids and ids[0] == product[0] and not mine <= {*ids} for ids in map(loop_ids, ops))
    return replace(block, shared=block.shared and not beside)


@dataclass(frozen=True)
class LirBrgemmBlockingPass(KernelPlanPass[Blocks]):
    """Choose the blocks of matrix products."""

    name = "lir-brgemm-blocking"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    @override
    def plan(self, unit: KernelOp) -> Blocks:
        ops, table = list(unit.block.ops), unit.loop_table
        products = products_of(unit)
        if not products:
            return Blocks(())
        module = module_of(unit)
        machine, threads = machine_of(module), threads_of(module)
        one = MAY_BE_ONE in module.attributes

        def planned(them: tuple[BrgemmOp, ...]) -> Block | None:
            long = is_long(epilogue_of(them[0], unit, table))
            return plan_block(them, table, machine, threads, one=one, long=long)

        found = (b for b in map(planned, products) if b is not None and in_one_nest(ops, b))
        return Blocks(tuple(_alone(ops, block) for block in found))

    def carry_out(self, unit: KernelOp, plan: Blocks) -> None:
        """Write the order and the tiles."""
        table = unit.loop_table
        for block in plan.products:
            table.update({loop.id: loop for loop in _changed(block)})
            if block.rows is not None:
                _order(unit, block)
        if plan.products:
            unit.set_loops(list(table.values()))


def _changed(block: Block) -> Iterator[LoopInfo]:
    """The two loops with their tile."""
    outside = block.outside or block.rows is None
    yield replace(block.columns, jam=block.tile.vectors, parallel=block.shared and outside)
    if block.rows is not None:
        yield replace(block.rows, jam=block.tile.rows, parallel=block.shared and not outside)


def _order(kernel: KernelOp, block: Block) -> None:
    """Put the two loops, which are neighbours, into their order."""
    assert block.rows is not None
    pair = (block.rows.id, block.columns.id)
    wanted = pair[::-1] if block.outside else pair
    for op in kernel.block.ops:
        ids = loop_ids(op)
        if pair[0] in ids:
            place = min(map(ids.index, pair))
            set_loop_ids(op, (*ids[:place], *wanted, *ids[place + 2 :]))
