"""Read the right operand of a one-row product a few whole rows at a time, with sums in buffers.

    %c = lir.brgemm %a, %b {lir.loops = array<i64: 0, 1>}
    %d = snippets.relu %c  {lir.loops = array<i64: 0>}        in
    loops [#lir.loop<0, work 8192, inc 16, dim 0, parallel, jam 16>,
           #lir.loop<1, work 64, inc 1, dim 1>]

becomes, on AVX-512,

    %z = snippets.broadcast %zero     {lir.loops = array<i64: 0, 4>}
    %s = lir.store %z                 {lir.loops = array<i64: 0, 4>}
    %c = lir.brgemm %a, %b            {lir.loops = array<i64: 0, 1, 3, 2>}
    %t = lir.store %c {accumulate}    {lir.loops = array<i64: 0, 1, 3>}
    %e = lir.buffer %s, %t            {lir.loops = array<i64: 0>}
    %l = lir.load %e                  {lir.loops = array<i64: 0, 5>}
    %d = snippets.relu %l             {lir.loops = array<i64: 0, 5>}        in
    loops [#lir.loop<0, work 8192, inc 2048, dim 0, parallel>,
           #lir.loop<1, work 64, inc 8, dim 1>, #lir.loop<2, work 8, inc 1, dim 1, inner of 1>,
           #lir.loop<3, work 2048, inc 16, dim 0, inner of 0, jam 4>,
           #lir.loop<4, work 2048, inc 16, dim 0, inner of 0>,
           #lir.loop<5, work 2048, inc 16, dim 0, inner of 0>]

A pass over the sum with a tile of columns reads a piece of each row of the right operand, and reads
the next piece of a row only after all rows. The processor's prefetchers see short pieces, and lose
what they fetch beyond a piece before it is used. Here a pass reads at most `WAYS` rows, which the
first-level cache holds wherever they lie, from one end of a block of columns to the other. It adds
to sums that stay in half of the first-level cache. If `lir-split-loops` has made blocks of a long
sum, each block has a buffer, which is added to the buffer of the outer blocks. Blocks have 33 to 64
terms; a size that leaves no remainder is preferred. The sums do not depend on the blocks of
columns, nor on threads. Threads share the blocks: two of them if the number of columns is known,
else blocks of `SHARED` columns.

Fires for one row if nothing else uses the read values. The right operand has to be read in place in
memory order, and to have more columns than one tile and more than `least` bytes; the default, -1,
is the second-level cache of the target. Leaves operands that are copied, packed or transposed,
products side by side, and loops that hold other loops. Refuses a `least` below -1.
docs/kernel-measurements.md has the times.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.ir import SSAValue

from snippets_mlir.analysis.kernels.register_tiles import WAYS
from snippets_mlir.dialects.builtin.dims import Size
from snippets_mlir.dialects.builtin.shaped import byte_width, tensor_of
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.lir.access import (
    input_ports,
    is_array,
    loop_ids,
)
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.reduction import AccumulateOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.panels import around_sum, loops_of, products_of
from snippets_mlir.passes.lir.sum_buffers import VECTORS, Splitting, SumBlocks
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of, threads_of
from snippets_mlir.targets.target_machine import TargetMachine

SHARED = 1024
"""Columns of a block that threads share if only the call knows how many there are."""

TERMS = 64
"""The most terms of a block of the sum, as in `lir-split-loops`."""


@dataclass(frozen=True)
class SumsInBuffers:
    """The products of a kernel with sums in blocks."""

    made: tuple[SumBlocks, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.made)) or "no sum goes by blocks of rows"


def is_in_place(op: BrgemmOp) -> bool:
    """Whether both operands are memory, and the right one is in the order of its dims."""
    port = input_ports(op)[1]
    planar = port.stride(len(port.shape) - 1) == 1 and not port.panels
    return planar and is_array(op.lhs) and is_array(op.rhs)


def width_of(
    columns: LoopInfo, element_bytes: int, machine: TargetMachine, threads: int, *, alone: bool
) -> int:
    """Columns of a block: sums in half of the first-level cache, and blocks for all threads."""
    step = columns.increment * VECTORS
    most = machine.first_cache // 2 // element_bytes
    shares = max(2, threads) if alone else 1
    wanted = -(-assumed(columns.work_amount) // shares)
    if alone and columns.dynamic:
        wanted = SHARED
    return max(step, min(most, -(-wanted // step) * step) // step * step)


def rows_and_block(terms: int) -> tuple[int, int]:
    """The number of rows read at a time, and the terms of a block, for a sum of `terms`.

    The rows are more than half of `WAYS` and leave no remainder, in blocks of at most 128 terms
    without a remainder, or else without remaining rows: each remainder is code of its own.
    """
    several = range(WAYS, WAYS // 2, -1)
    for rows in several:
        for block in range(TERMS // rows * rows, TERMS // 2, -rows):
            if terms % block == 0 and terms // block <= 2 * TERMS:
                return rows, block
    rows = next((rows for rows in several if terms % rows == 0), WAYS)
    return rows, TERMS // rows * rows


def with_rows(sums: Sequence[LoopInfo]) -> tuple[tuple[LoopInfo, ...], int]:
    """The loops over the sum, with blocks of multiples of a few rows, and the number of these rows.

    Blocks of blocks are multiples of `TERMS`, whatever the size of blocks.
    """
    terms = sums[0].work_amount
    if isinstance(terms, Size) or len(sums) > 2:
        rows, block = WAYS, TERMS
    else:
        rows, block = rows_and_block(terms)
    if len(sums) == 1:
        return tuple(sums), rows
    *outer, blocks, inner = sums
    return (*outer, replace(blocks, increment=block), replace(inner, work_amount=block)), rows


def totals_of(op: BrgemmOp, levels: int) -> tuple[AccumulateOp, ...] | None:
    """The accumulators over blocks of a sum, each the only reader of the inner one; else None."""
    found: list[AccumulateOp] = []
    value: SSAValue = op.result
    for _ in range(levels):
        users = [use.operation for use in value.uses]
        if len(users) != 1 or not isinstance(user := users[0], AccumulateOp):
            return None
        found.append(user)
        value = user.result
    return tuple(found)


def plan_sums(
    op: BrgemmOp, kernel: KernelOp, machine: TargetMachine, threads: int, least: int
) -> SumBlocks | None:
    """The blocks of a product alone in its loops; None up to `least` bytes, or if none pay off."""
    table, ids = kernel.loop_table, loop_ids(op)
    found, element = loops_of(op, table), tensor_of(op.result).element_type
    if found is None or found[0] is not None or not isinstance(element, AnyFloat):
        return None
    (around, terms), columns = around_sum(op, table), found[1]
    sums = tuple(table[id_] for id_ in ids[len(around) :])
    totals = totals_of(op, len(sums) - 1)
    if around[-1] is not columns or terms.inner_of is not None or totals is None:
        return None
    if columns.inner_of is not None or any(it.diagonal is not None for it in (columns, *sums)):
        return None
    ops = [other for other in kernel.block.ops if columns.id in loop_ids(other)]
    others = tuple(other for other in ops if other not in (op, *totals))
    if any(loop_ids(other) != ids[: len(around)] for other in others):
        return None
    breadth, depth = assumed(columns.work_amount), assumed(terms.work_amount)
    far = breadth * depth * byte_width(element) > least
    several = breadth // columns.increment > columns.jam and depth >= 2 * WAYS
    if not (far and several and is_in_place(op)):
        return None
    width = width_of(columns, byte_width(element), machine, threads, alone=len(around) == 1)
    return SumBlocks(op, totals, columns, *with_rows(sums), width, others)


@dataclass(frozen=True)
class LirBrgemmSumBlocksPass(KernelPlanPass[SumsInBuffers]):
    """Let a product of one row read a few whole rows at a time.

    Attributes:
        least: bytes of the right operand above which the pass fires; -1 for the machine's.
    """

    name = "lir-brgemm-sum-blocks"
    STAGES: ClassVar[Stages] = Stages(("marked",))
    EFFECT: ClassVar[Effect] = REASSOCIATES

    least: int = -1

    def units(self, module: ModuleOp) -> Iterable[KernelOp]:
        """The kernels at stage `marked`."""
        if self.least < -1:
            raise CompileError(f"expected bytes, or -1 for the target's, found least={self.least}")
        return super().units(module)

    def plan(self, unit: KernelOp) -> SumsInBuffers:
        """The products of one row that gain from it."""
        products = [them[0] for them in products_of(unit) if len(them) == 1]
        if not products:
            return SumsInBuffers(())
        module = module_of(unit)
        machine, threads = machine_of(module), threads_of(module)
        least = machine.second_cache if self.least == -1 else self.least
        planned = (plan_sums(op, unit, machine, threads, least) for op in products)
        return SumsInBuffers(tuple(it for it in planned if it is not None))

    def carry_out(self, unit: KernelOp, plan: SumsInBuffers) -> None:
        """Split the loops, and let sums go through buffers."""
        for blocks in plan.made:
            Splitting(unit, blocks).run()
