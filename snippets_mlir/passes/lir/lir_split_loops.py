"""Split long loops of sums into blocks, so that no accumulator adds many terms.

    loop 1, work 65536, inc 16        loop 1, work 65536, inc 4096
      %a = lir.accumulate %x            loop 2, work 4096, inc 16, inner of 1
                              becomes     %p = lir.accumulate %x     (over loop 2)
                                        %a = lir.accumulate %p       (over loop 1)

A float accumulator loses up to half a unit in the last place of its value at each addition, so a
block of `max-terms` vectors is folded into the next accumulator. Loops are split again until each
has at most `max-terms` iterations. Loops over another dim than the vectors' have at most
`max-lane-terms`: there each lane may be a result of its own, and no other lane cancels its error.
Products (`lir.brgemm`) have blocks of `max-product-terms`, and `max-terms` blocks in the next
accumulator. 0 stands for the limit of K equal terms, which round in one direction
(`analysis/kernels/product_blocks.py`: 64 to 256, and up to 88 terms in one block). Smaller blocks
are taken if they leave no remainder: 1000 terms are 4 blocks of 250, without code for a remainder.
Thousands of terms for `ROWS` rows or more have equal parts of equal blocks, each with its own
accumulator, if no term is left: 11008 terms are 8 parts of 8 blocks of 172
(`lir-brgemm-part-sums`). The inner loop runs one block: its work amount is the outer loop's
increment (the guide's InnerSplitted loop, SplitLoops).

A loop whose work is known only at run time is split like one of `LONGEST`. A dynamic loop over the
terms of a product is split like one of `MOST_TERMS`, with blocks of 64. If the module says that the
work is in a range up to `RANGED_TERMS` (`snippets.size_ranges`), fewer levels are enough: these
loops are split like those of `RANGED` and `RANGED_TERMS`. In a longer loop the outermost
accumulator has more terms. So has the accumulator of the sum over the keys in an attention with a
causal mask, which has blocks of 64 even if they leave a remainder: its loops over keys end at a
multiple of all their increments, and 900 keys in blocks of 60 would end at 960.

Only loops of float sums and products are split. The guide splits because producers and consumers
have unequal increments. That does not arise here: all loops over one dim of a kernel have one
increment.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.ir import Operation

from snippets_mlir.analysis.kernels.product_blocks import (
    SHORTEST,
    allowed,
    block_and_part,
    even_block,
)
from snippets_mlir.dialects.builtin.dims import Dim, format_size
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_ranges import SizeRange, range_of, size_ranges_of
from snippets_mlir.dialects.lir.access import (
    loop_ids,
    output_ports,
    set_loop_ids,
)
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.reduction import AccumulateOp
from snippets_mlir.dialects.snippets.product import DIAGONAL
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.lir.editing import insert_after
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.panels import ROWS, loops_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of

LONGEST = 1 << 30
"""The assumed most work of a loop whose work is known only at run time."""


def rounds(op: Operation) -> bool:
    """Whether `op` accumulates with a rounding error at each term."""
    return isinstance(op, BrgemmOp) or (
        isinstance(op, AccumulateOp)
        and op.kind.data in ("sum", "prod")
        and isinstance(tensor_of(op.result).element_type, AnyFloat)
    )


MOST_TERMS = 1 << 22
"""The same for the terms of a product: 64 in a block, 256 blocks in the next sum, 256 of these.

The law of `analysis/kernels/product_blocks.py` also holds for 2^33 terms: (64 + 256 + 2^19) / 4 is
less than 2 * 2^16.5. One more level would repeat all accumulators of each register tile.
"""

RANGED, RANGED_TERMS = 1 << 18, 1 << 14
"""The same if the work is in a known range. Calls with few multiply-adds use a kernel of any range,
also for longer sums (`driver/dynamic/size_classes.py`). With 64 terms in a block, the law holds up
to 2^18 terms.
"""


def longest_of(loop: LoopInfo, ranges: Mapping[Dim, SizeRange], product: bool) -> int:
    """The most work by which a loop of unknown work is split."""
    below = range_of(loop.work_amount, ranges).below
    if below is None or below - 1 > RANGED_TERMS:
        return MOST_TERMS if product else LONGEST
    return RANGED_TERMS if product else RANGED


def plan_split(
    loop: LoopInfo, fresh_id: int, max_terms: int, longest: int = LONGEST
) -> tuple[LoopInfo, LoopInfo] | None:
    """The outer and the inner loop that replace `loop`, or None if it is short enough."""
    work = min(assumed(loop.work_amount), longest) if loop.dynamic else assumed(loop.work_amount)
    if -(-work // loop.increment) <= max_terms:
        return None
    block = loop.increment * max_terms
    outer = replace(loop, increment=block)
    inner = replace(
        loop, id=fresh_id, work_amount=block, inner_of=loop.id, parallel=False, origin=-1
    )
    return outer, inner


def parts_of(op: BrgemmOp, table: dict[int, LoopInfo]) -> tuple[int, int] | None:
    """The terms of a block, and the blocks of a part, of a long sum; None for a sum without parts.

    Few rows, or dynamic ones, read panels once or twice, and have none.
    """
    loop, found = table[loop_ids(op)[-1]], loops_of(op, table)
    rows = None if found is None else found[0]
    if rows is None or rows.dynamic or assumed(rows.work_amount) < ROWS:
        return None
    if loop.dynamic or loop.increment != 1 or DIAGONAL in op.attributes:
        return None
    both = block_and_part(assumed(loop.work_amount))
    return None if both is None else (both[0], both[1] // both[0])


def product_block(loop: LoopInfo, max_terms: int) -> int:
    """The terms of a block of a product, at most `max_terms`; 0: as many as their number allows."""
    if loop.dynamic:
        return max_terms or SHORTEST
    terms = -(-assumed(loop.work_amount) // loop.increment)
    return even_block(terms, max_terms or allowed(terms))


def _split(kernel: KernelOp, outer: LoopInfo, inner: LoopInfo) -> None:
    """Put the loop `inner` right inside of `outer` around all its ops."""
    last: Operation | None = None
    accumulators: list[AccumulateOp | BrgemmOp] = []
    for op in kernel.block.ops:
        ids = loop_ids(op)
        if outer.id not in ids:
            continue
        last, place = op, ids.index(outer.id) + 1
        set_loop_ids(op, (*ids[:place], inner.id, *ids[place:]))
        if isinstance(op, AccumulateOp | BrgemmOp) and ids[-1] == outer.id:
            accumulators.append(op)
    assert last is not None
    for op in reversed(accumulators):
        _fold_blocks(op, last)


def _fold_blocks(op: AccumulateOp | BrgemmOp, last: Operation) -> None:
    """After `last`, accumulate the result of `op` for each block."""
    (port,) = output_ports(op)
    kind = op.kind.data if isinstance(op, AccumulateOp) else "sum"
    total = AccumulateOp(op.result, kind, op.result.type)
    op.result.replace_all_uses_with(total.result)
    total.operands[0] = op.result
    insert_after(last, total, [port, port], loop_ids(op)[:-1])


@dataclass(frozen=True)
class Splits:
    """How the loops of a kernel are split.

    Attributes:
        made: the outer and the inner loop of each split, in order.
        loops: the loop table after them.
    """

    made: tuple[tuple[LoopInfo, LoopInfo], ...]
    loops: tuple[LoopInfo, ...]

    def __str__(self) -> str:
        lines = (
            f"loop {outer.id}, work {format_size(outer.work_amount)}: blocks of "
            f"{outer.increment}, each of which loop {inner.id} walks by {inner.increment}"
            for outer, inner in self.made
        )
        return "\n".join(lines) or "all loops are short enough"


@dataclass(frozen=True)
class LirSplitLoopsPass(KernelPlanPass[Splits]):
    """Split long loops of sums into blocks."""

    name = "lir-split-loops"
    STAGES: ClassVar[Stages] = Stages(("marked",))
    EFFECT: ClassVar[Effect] = REASSOCIATES

    max_terms: int = 256
    max_lane_terms: int = 16
    max_product_terms: int = 0

    @override
    def units(self, module: ModuleOp) -> Iterable[KernelOp]:
        if min(self.max_terms, self.max_lane_terms, self.max_product_terms or 2) < 2:
            raise CompileError(
                "expected max-terms and max-lane-terms of 2 or more, and so max-product-terms, or 0"
            )
        return super().units(module)

    def plan(self, unit: KernelOp) -> Splits:
        """Split each loop of rounding accumulators until it is short enough."""
        table, made = unit.loop_table, list[tuple[LoopInfo, LoopInfo]]()
        products = {loop_ids(op)[-1]: op for op in unit.block.ops if isinstance(op, BrgemmOp)}
        causal = any(DIAGONAL in op.attributes for op in products.values())
        ranges = size_ranges_of(module_of(unit))
        for id_ in dict.fromkeys(loop_ids(op)[-1] for op in unit.block.ops if rounds(op)):
            terms = self.max_terms
            if table[id_].dim and id_ not in products:
                terms = min(terms, self.max_lane_terms)
            sizes, longest = [terms], longest_of(table[id_], ranges, id_ in products)
            if (op := products.get(id_)) is not None:
                most = self.max_product_terms
                up_to_diagonal = causal and DIAGONAL not in op.attributes
                parts = None if most or up_to_diagonal else parts_of(op, table)
                sizes = [product_block(table[id_], most)] if parts is None else [*parts]
                if up_to_diagonal:
                    sizes = [min(most, SHORTEST) or SHORTEST]
            while split := plan_split(table[id_], max(table) + 1, sizes.pop(0), longest):
                sizes = sizes or [terms]
                for other in [loop for loop in table.values() if loop.inner_of == id_]:
                    table[other.id] = replace(other, inner_of=split[1].id)
                table |= {loop.id: loop for loop in split}
                made.append(split)
        return Splits(tuple(made), tuple(table.values()))

    def carry_out(self, unit: KernelOp, plan: Splits) -> None:
        """Split one loop after another."""
        for outer, inner in plan.made:
            _split(unit, outer, inner)
        unit.set_loops(plan.loops)
