"""Plan the parallel loops that become functions for threads, their names, and how to split them.

This module only plans; `outline_parallel_loops.py` changes the loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from snippets_mlir.dialects.scf import ParallelOp
from snippets_mlir.passes.building.reduction_kinds import kind_of, neutral_element
from snippets_mlir.passes.loops.parallel.loop_captures import Captures, captures_of
from snippets_mlir.passes.loops.parallel.loop_work import UNKNOWN_COUNT, trip_count, work_of
from snippets_mlir.support.walking import module_of, ops_inside

CHUNKS = 16
"""The most pieces of a loop that reduces."""
WORK_PER_THREAD = 16384
"""The least ops of a thread that are worth waking it."""


Scalar = IntegerAttr[IntegerType | IndexType] | FloatAttr[AnyFloat]


@dataclass(frozen=True)
class Plan:
    """How a loop becomes a function.

    Attributes:
        loop: the loop.
        dim: the dim that is split.
        grain: iterations of that dim that a thread has to execute.
        captures: the outside values that the loop needs.
        kinds: of its reductions.
        neutral: of each reduction, the value that a piece starts from.
    """

    loop: ParallelOp
    dim: int
    grain: int
    captures: Captures
    kinds: tuple[str, ...]
    neutral: tuple[Scalar, ...]


def _kinds_of(loop: ParallelOp) -> list[str | None]:
    """The kind of each reduction whose region is one op on both values."""
    reduce = loop.body.block.last_op
    assert isinstance(reduce, scf.ReduceOp)
    kinds: list[str | None] = []
    for region in reduce.reductions:
        combine, *rest = region.block.ops
        joins = len(rest) == 1 and tuple(rest[0].operands) == tuple(combine.results)
        both = len(combine.operands) == 2 and set(combine.operands) == set(region.block.args)
        kinds.append(kind_of(combine) if joins and both else None)
    return kinds


def _dim_to_cut(loop: ParallelOp, pieces: int) -> int:
    """The outermost dim with an iteration for each piece, else the one with the most."""
    bounds = zip(loop.lowerBound, loop.upperBound, loop.step, strict=True)
    counts = [trip_count(*bound) for bound in bounds]
    for dim, trips in enumerate(counts):
        if trips is None or trips >= pieces:
            return dim
    return max(range(len(counts)), key=lambda dim: counts[dim] or 0)


def _grain(loop: ParallelOp, cut: int) -> int:
    """The number of iterations of dim `cut` that are enough work for a thread."""
    work = max(1, work_of(loop.body))
    for dim, bound in enumerate(zip(loop.lowerBound, loop.upperBound, loop.step, strict=True)):
        if dim != cut:
            count = trip_count(*bound)
            work *= UNKNOWN_COUNT if count is None else max(1, count)
    return max(1, WORK_PER_THREAD // work)


def plan_of(loop: ParallelOp, threads: int) -> Plan | str:
    """How `loop` becomes a function, or why it does not."""
    kinds: list[str] = []
    neutral: list[Scalar] = []
    for kind, type in zip(_kinds_of(loop), loop.result_types, strict=True):
        start = None if kind is None else neutral_element(kind, type)
        if kind is None or not isinstance(start, IntegerAttr | FloatAttr):
            return "a reduction that is not one op on scalars with a neutral element"
        kinds.append(kind)
        neutral.append(cast("Scalar", start))
    bounds = (*loop.lowerBound, *loop.upperBound, *loop.step)
    captures = captures_of(loop, bounds)
    if isinstance(captures, str):
        return captures
    dim = _dim_to_cut(loop, CHUNKS if kinds or not threads else threads)
    return Plan(loop, dim, _grain(loop, dim), captures, tuple(kinds), tuple(neutral))


def is_in_no_other_parallel_loop(op: Operation) -> bool:
    """The outermost loop of a nest."""
    outer = op.parent_op()
    while outer is not None and not isinstance(outer, ParallelOp):
        outer = outer.parent_op()
    return outer is None


def names_of(function: FuncOp, threads: int) -> dict[ParallelOp, str]:
    """For each outermost loop the name of its function: the next free one in the module."""
    taken = {f.sym_name.data for f in module_of(function).ops if isinstance(f, FuncOp)}
    names = (f"{function.sym_name.data}_parallel{number}" for number in count())
    free = (name for name in names if name not in taken)
    found = (op for op in ops_inside(function) if isinstance(op, ParallelOp))
    loops = [op for op in found if is_in_no_other_parallel_loop(op)]
    named, name = dict[ParallelOp, str](), next(free)
    for loop in loops:
        named[loop] = name
        if loop is not loops[-1] and isinstance(plan_of(loop, threads), Plan):
            name = next(free)
    return named
