"""Let a matrix product and the readers of its whole rows share a loop over blocks of rows.

    loop 0, work 512, inc 1, dim 2, parallel     loop 0, work 512, inc 64, dim 2, parallel
      loop 1 (columns)                             loop 9, work 64, inc 1, inner of 0
        loop 2: lir.brgemm                           loop 1 (columns)
      loop 3: lir.accumulate "max"                     loop 2: lir.brgemm
      ...                              becomes     loop 10, work 64, inc 1, inner of 0
      loop 4 (columns)                               loop 3: lir.accumulate "max", ...
        loop 5: lir.brgemm                         loop 11, work 64, inc 1, inner of 0
                                                     loop 4 (columns)
                                                       loop 5: lir.brgemm

A product alone in a loop over its rows can have its register tile (`lir-brgemm-blocking`). Each
product, and the ops before, between and after products, walk the rows of a block by themselves.
`lir-insert-buffers` then gives values that cross these loops a buffer of one block, here the scores
of an attention and their softmax, or the left operand of a product that is the norm of an input.
Threads share the outer loops and the blocks, also if the last block has fewer rows; each thread has
its own buffers. If only the call knows the rows, threads share outer loops, or else the rows.

If nothing needs the scores above a diagonal (`snippets-mark-causal`), the loops over keys of all
parts get the diagonal: `#lir.loop<1, work 512, inc 16, dim 0, diagonal 0 of 0>`.
`convert-lir-to-vector` ends them there. This needs two products, and several blocks of known rows.

`analysis/kernels/row_blocks.py` gives the number of rows of a block. If only the call knows the
columns, it chooses fewer rows for many columns, so that two buffers of a block fit the second-level
cache:

    loop 1, work ?0, inc 128, dim 2, step ?62
    lir.choices = [[?1*4, 507904, 128, 124, 120, ..., 8, 4, 2]]

128 rows are for up to 992 columns of 4 bytes, and 12 rows for 8192.

Leaves products that are alone in their rows. Source: the guide's SplitLoops, which splits Brgemm's
loop over M in its MHA kernels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import prod
from typing import ClassVar

from xdsl.ir import Operation, OpResult

from snippets_mlir.analysis.kernels.row_blocks import (
    assumed_columns,
    block_height,
    chosen_bytes,
    heights,
    must_share,
    shared_height,
)
from snippets_mlir.dialects.builtin.dims import Dim, Size, format_size, known_less
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.sizes import is_size, size_in
from snippets_mlir.dialects.builtin.slots import Choice
from snippets_mlir.dialects.lir.access import loop_ids, output_ports, set_loop_ids, view_source
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.choices import CHOSEN_SIZE, set_choice
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.snippets.product import DIAGONAL
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text
from snippets_mlir.passes.lir.panels import loops_of
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of, threads_of


@dataclass(frozen=True, eq=False)
class RowBlocks:
    """The blocks of one loop over rows.

    Attributes:
        rows: the loop; its increment becomes `height`.
        height: rows of a block.
        parts: the ops that get a loop over the rows of a block together.
        choice: how many rows a call chooses instead, if it does.
        diagonal: the diagonal beyond which no score is needed, if there is one.
        keys: the loops that end there.
    """

    rows: LoopInfo
    height: int
    parts: tuple[tuple[Operation, ...], ...]
    choice: Choice | None = None
    diagonal: Dim | None = None
    keys: tuple[int, ...] = ()

    def __str__(self) -> str:
        lines = [f"loop {self.rows.id} walks blocks of {self.height} rows"]
        if self.choice is not None:
            row, limit = format_size(self.choice.size), self.choice.limit
            lines.append(f"  or fewer, so that rows of {row} bytes take {limit} at most")
        if self.keys:
            names = ", ".join(map(str, self.keys))
            lines.append(f"  loops {names} end at diagonal {self.diagonal} of the block")
        lines += [f"  {'; '.join(map(op_text, part))}" for part in self.parts]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class SharedRows:
    """The loops over rows of a kernel to split."""

    made: tuple[RowBlocks, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.made)) or "no product shares its rows"


def parts_of(ops: Sequence[Operation], rows: LoopInfo) -> tuple[tuple[Operation, ...], ...]:
    """The ops in the loop `rows`: a part for each product in its columns, and the parts between."""

    def child(op: Operation) -> int | None:
        ids = loop_ids(op)
        place = ids.index(rows.id) + 1
        return ids[place] if place < len(ids) else None

    inside = [op for op in ops if rows.id in loop_ids(op)]
    columns = {child(op) for op in inside if isinstance(op, BrgemmOp)}
    parts = groupby(inside, key=lambda op: child(op) if child(op) in columns else None)
    return tuple(tuple(part) for _, part in parts)


def _around(
    rows: LoopInfo, parts: Sequence[Sequence[Operation]], table: dict[int, LoopInfo]
) -> list[LoopInfo]:
    ids = next(ids for op in parts[0] if rows.id in (ids := loop_ids(op)))
    return [table[id_] for id_ in ids[: ids.index(rows.id)]]


def _key_loops(
    parts: Sequence[Sequence[Operation]], rows: LoopInfo, table: dict[int, LoopInfo]
) -> tuple[int, ...]:
    """The loops over keys: columns of the first product, terms of the second one."""
    found: dict[int, None] = {}
    for place, part in enumerate(parts):
        dim = 1 if place == len(parts) - 1 else 0
        for op in part:
            ids = loop_ids(op)
            inside = (table[id_] for id_ in ids[ids.index(rows.id) + 1 :])
            found |= {it.id: None for it in inside if it.dim == dim and it.inner_of is None}
    return tuple(found)


def _up_to_diagonal(blocks: RowBlocks, table: dict[int, LoopInfo]) -> RowBlocks:
    """The blocks with the diagonal at which their loops over keys may end, if any."""
    products = [op for part in blocks.parts for op in part if isinstance(op, BrgemmOp)]
    attribute = products[0].attributes.get(DIAGONAL)
    work = blocks.rows.work_amount
    if len(products) != 2 or not is_size(attribute) or known_less(work, blocks.height + 1):
        return blocks
    diagonal = size_in(attribute)
    if known_less(diagonal, 0) is not False:
        return blocks
    keys = _key_loops(blocks.parts, blocks.rows, table)
    size = output_ports(products[0])[0].shape[-1]
    if any(table[id_].work_amount != size for id_ in keys):
        return blocks
    return replace(blocks, diagonal=diagonal, keys=keys)


def _kept(parts: Sequence[Sequence[Operation]]) -> list[OpResult]:
    """The values that one part computes and another one reads."""
    place = {op: number for number, part in enumerate(parts) for op in part}
    return [
        source
        for op, number in place.items()
        for source in map(view_source, op.operands)
        if isinstance(source, OpResult) and place.get(source.op, number) != number
    ]


def _columns(value: OpResult) -> Dim:
    return output_ports(value.op)[value.index].shape[-1]


def _choice(kept: Sequence[OpResult], height: int, cache: int) -> Choice | None:
    """The rows that a call chooses: for the longest rows whose length it decides."""
    columns = {_columns(it): element_bytes(it) for it in kept}
    longest = max(
        (size * it for size, it in columns.items() if isinstance(size, Size)),
        key=assumed,
        default=None,
    )
    if longest is None or height < 4:
        return None
    return Choice(longest, chosen_bytes(cache), heights(height))


@dataclass(frozen=True)
class LirBrgemmRowBlocksPass(KernelPlanPass[SharedRows]):
    """Split loops over rows that products share with other ops."""

    name = "lir-brgemm-row-blocks"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    def plan(self, unit: KernelOp) -> SharedRows:
        """The loops over rows that hold more than one product."""
        ops, table = list(unit.block.ops), unit.loop_table
        products = [op for op in ops if isinstance(op, BrgemmOp)]
        found = (loops_of(op, table) for op in products)
        shared = {pair[0].id: pair[0] for pair in found if pair is not None and pair[0] is not None}
        made: list[RowBlocks] = []
        for rows in shared.values():
            parts = parts_of(ops, rows)
            if len(parts) < 2:
                continue
            cache = machine_of(module_of(unit)).second_cache
            around = prod(assumed(loop.work_amount) for loop in _around(rows, parts, table))
            shared = must_share(around, threads_of(module_of(unit)))
            kept = _kept(parts)
            row_bytes = max(assumed_columns(_columns(it)) * element_bytes(it) for it in kept)
            height = block_height(rows.work_amount, row_bytes, cache, shared=shared)
            height = shared_height(rows.work_amount, height) if shared else height
            choice = None if any(it.choice for it in made) else _choice(kept, height, cache)
            made.append(_up_to_diagonal(RowBlocks(rows, height, parts, choice), table))
        return SharedRows(tuple(made))

    def carry_out(self, unit: KernelOp, plan: SharedRows) -> None:
        """Put a loop over a block's rows right inside of the loop over blocks, for each part."""
        table = unit.loop_table
        for blocks in plan.made:
            outermost = not _around(blocks.rows, blocks.parts, table)
            parallel = blocks.rows.parallel and (outermost or not blocks.rows.dynamic)
            step = None if blocks.choice is None else CHOSEN_SIZE
            whole = replace(blocks.rows, increment=blocks.height, parallel=parallel, step=step)
            table[whole.id] = whole
            for id_ in blocks.keys:
                assert blocks.diagonal is not None
                table[id_] = replace(table[id_], diagonal=(blocks.diagonal, whole.id))
            for part in blocks.parts:
                inner = replace(
                    blocks.rows,
                    id=max(table) + 1,
                    work_amount=blocks.height,
                    inner_of=whole.id,
                    parallel=False,
                )
                table[inner.id] = inner
                for op in part:
                    ids = loop_ids(op)
                    place = ids.index(whole.id) + 1
                    set_loop_ids(op, (*ids[:place], inner.id, *ids[place:]))
            if blocks.choice is not None:
                set_choice(unit, blocks.choice)
        if plan.made:
            unit.set_loops(list(table.values()))
