"""Decide whether threads also share the matrices of a batch by rows or columns.

Three matrices on two threads leave one thread idle for half of the time. If a batch does not divide
evenly among the threads, rows or columns of its matrices are part of the parallel domain.
"""

from __future__ import annotations

from math import prod

from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.passes.lir.panels import around_sum, loops_of

UNEVEN = 1.05
"""The largest load of a thread, in even shares, that needs no divided matrices."""

DIVIDED = 1 << 20
"""The least multiplications of a divided batch; fewer take a few microseconds."""


def is_even(units: int, threads: int) -> bool:
    """Whether no thread gets more than `UNEVEN` times its share of `units`."""
    return -(-units // threads) * threads <= UNEVEN * units


def matrices_shared(op: BrgemmOp, table: dict[int, LoopInfo], threads: int) -> int | None:
    """The number of matrices that threads share by rows or columns; None if only whole ones.

    It is 1 outside of all loops. A batch of known size is divided if the thread with the most
    matrices would have more than `UNEVEN` times its share. Matrices of one row are not divided,
    because the blocks of their sums depend on the tile (`lir-brgemm-sum-blocks`).
    """
    inside, terms = around_sum(op, table)
    rows = loops_of(op, table)
    around = inside[: -1 if rows is None or rows[0] is None else -2]
    if any(loop.dynamic or not loop.parallel or loop.increment != 1 for loop in around):
        return None
    batch = prod(static_size(loop.work_amount) for loop in around)
    if not around or batch == 0:
        return 1 if batch else None
    work = prod(assumed(loop.work_amount) for loop in (*inside, terms))
    uneven = not is_even(batch, threads)
    return batch if uneven and work >= DIVIDED and len(inside) - len(around) == 2 else None
