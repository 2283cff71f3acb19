"""Choose the transposed arrays that `lir-copy-transposed` copies, and their blocks.

This module changes no kernel; `lir_copy_transposed.py` has the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation

from snippets_mlir.analysis.kernels.load_tiles import tile_rows
from snippets_mlir.analysis.kernels.register_tiles import LINE
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_facts import known_multiple
from snippets_mlir.dialects.lir.access import (
    ACCUMULATORS,
    input_ports,
    is_view,
    loop_ids,
    output_ports,
)
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.scan import ScanOp
from snippets_mlir.passes.lir.kernel_passes import op_text
from snippets_mlir.passes.lir.readers import shared_loops
from snippets_mlir.passes.lir.transposed_reads import Read, is_jammed_whole, reads_of
from snippets_mlir.targets.target_machine import TargetMachine

TOGETHER = 16
"""The most rows whose tiles one pass of a copy's loops takes."""

ENOUGH = 4
"""The iterations of outer loops for each thread that are shared well enough if no number fits."""


@dataclass(frozen=True, eq=False)
class Copies:
    """The transposed arrays to copy in the blocks of one loop.

    Attributes:
        rows: the loop over the contiguous dim of the arrays.
        height: its iterations in a block.
        together: the iterations that one pass of the copy's loops takes: a tile or several.
        common: ids of the loops that all of its ops share, without the one over `columns`.
        columns: the loop over vectors, if all ops share it and it goes by blocks; or None.
        width: elements of one of its blocks.
        reads: the reads to replace by reads of the copies.
        ops: all ops of the loop.
        parallel: whether threads share the blocks.
    """

    rows: LoopInfo
    height: int
    together: int
    common: tuple[int, ...]
    columns: LoopInfo | None
    width: int
    reads: tuple[Read, ...]
    ops: tuple[Operation, ...]
    parallel: bool

    def __str__(self) -> str:
        columns = "whole rows" if self.columns is None else f"{self.width} elements"
        readers = "; ".join(op_text(op) for op in dict.fromkeys(read.op for read in self.reads))
        return f"loop {self.rows.id}: blocks of {self.height} rows of {columns} for {readers}"


def plan_copies(kernel: KernelOp, machine: TargetMachine, threads: int) -> Iterator[Copies]:
    """The copies of a kernel, one loop after another; nested loops have one."""
    if any(isinstance(op, BrgemmOp) for op in kernel.block.ops):
        return
    taken: set[Operation] = set()
    for rows in kernel.loop_table.values():
        ops = tuple(op for op in kernel.block.ops if rows.id in loop_ids(op))
        if taken.isdisjoint(ops) and (plan := _copies(rows, ops, kernel, machine, threads)):
            taken.update(ops)
            yield plan


def _copies(
    rows: LoopInfo,
    ops: tuple[Operation, ...],
    kernel: KernelOp,
    machine: TargetMachine,
    threads: int,
) -> Copies | None:
    """The arrays to copy in blocks of `rows`; None if there are none."""
    table = kernel.loop_table
    reads = tuple(reads_of(rows, ops))
    if not reads or not _goes_by_one(rows, table) or is_jammed_whole(rows, ops):
        return None
    if any(_carries(op, rows) for op in ops):
        return None
    common = shared_loops(loop_ids(ops[0]), [loop_ids(op) for op in ops])
    outer, inner = common[: common.index(rows.id)], common[common.index(rows.id) + 1 :]
    size = max(element_bytes(read.array) for read in reads)
    tile = max(tile_rows(element_bytes(read.array), read.port.lanes) for read in reads)
    columns = next((table[id_] for id_ in inner if table[id_].dim == 0), None)
    if columns is not None and not _can_be_cut(columns, common, ops, table):
        return None
    if columns is None and inner:
        return None  # the loops between may be those of sums
    if not all(_is_walked(read.port, rows, [table[id_] for id_ in common]) for read in reads):
        return None
    shared = _height(rows, max(LINE // size, tile), tile, [table[id_] for id_ in outer], threads)
    if shared is None:
        return None
    height, parallel = shared
    together = min(height, max(TOGETHER, tile))
    width = _width(machine, height * size * len(reads))
    row = max(assumed(read.port.shape[-1]) for read in reads)
    if columns is None and height * size * row * len(reads) > machine.second_cache // 2:
        return None
    cut = columns is not None and (columns.dynamic or row > width)
    whole = common[:-1] if columns is not None else common
    return Copies(
        rows, height, together, whole, columns if cut else None, width, reads, ops, parallel
    )


def _goes_by_one(loop: LoopInfo, table: dict[int, LoopInfo]) -> bool:
    """Whether `loop` is a whole loop with increment 1."""
    divided = any(other.inner_of == loop.id for other in table.values())
    alone = loop.inner_of is None and not loop.handlers and loop.diagonal is None
    return alone and not divided and loop.increment == loop.jam == 1


def _carries(op: Operation, loop: LoopInfo) -> bool:
    """Whether `op` carries a value from one iteration of `loop` to the next."""
    if isinstance(op, ScanOp):
        return op.dim == loop.dim
    if op.name not in ACCUMULATORS:
        return False
    dim = len(output_ports(op)[0].shape) - 1 - loop.dim
    return input_ports(op)[0].shape[dim] != output_ports(op)[0].shape[dim]


def _can_be_cut(
    columns: LoopInfo,
    common: Sequence[int],
    ops: Sequence[Operation],
    table: dict[int, LoopInfo],
) -> bool:
    """Whether all ops are in the same loops, with `columns` as the last, and carry nothing."""
    divided = columns.inner_of is not None or any(
        other.inner_of == columns.id for other in table.values()
    )
    alike = all(len(loop_ids(op)) == len(common) for op in ops)
    carried = any(op.name.startswith("lir.") and not is_view(op) for op in ops)
    return common[-1] == columns.id and alike and not (divided or carried or columns.handlers)


def _is_walked(port: PortDescriptor, rows: LoopInfo, around: Sequence[LoopInfo]) -> bool:
    """Whether outer loops walk all dims of `port` except its rows and columns."""
    walked = {loop.dim for loop in around} | {rows.dim, 0}
    last = len(port.shape) - 1
    return all(size == 1 or last - dim in walked for dim, size in enumerate(port.shape))


def _height(
    rows: LoopInfo, most: int, least: int, around: Sequence[LoopInfo], threads: int
) -> tuple[int, bool] | None:
    """Rows of a block, and whether threads share the blocks; None for too few rows or threads.

    Args:
        rows: the loop over rows.
        most: rows of a cache line.
        least: rows that are read as tiles.
        around: its outer loops.
        threads: that share the loops.
    """
    work = assumed(rows.work_amount)
    outer = prod(assumed(loop.work_amount) for loop in around if loop.parallel)
    height = most
    while height >= least:
        parallel = rows.parallel and (not around or known_multiple(rows.work_amount, height))
        wanted = 2 * threads if parallel and outer < ENOUGH * threads else 1
        alone = rows.parallel and not parallel
        idle = alone and outer % threads != 0 and outer < ENOUGH * threads
        if work >= height and not idle and work // height >= min(wanted, work // least):
            return height, parallel
        height //= 2
    return None


def _width(machine: TargetMachine, column: int) -> int:
    """Elements of a row of a block with columns of `column` bytes: whole vectors, in L1."""
    width = machine.lanes
    while 2 * width * column <= machine.first_cache // 4:
        width *= 2
    return width
