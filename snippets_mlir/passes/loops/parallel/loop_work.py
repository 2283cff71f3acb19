"""A rough estimate of a loop's work, to decide whether threads are worth it."""

from __future__ import annotations

from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, VectorType
from xdsl.ir import Operation, Region, SSAValue
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.builtin.shaped import extents_of

UNKNOWN_COUNT = 16
"""The assumed iterations of a loop without constant bounds."""
LANES = 4
"""Elements of a vector that cost as much as one scalar."""


def trip_count(lower: SSAValue, upper: SSAValue, step: SSAValue) -> int | None:
    """The number of iterations, None if a bound is not constant."""
    bounds = [ConstantLike.get_constant_value(value) for value in (lower, upper, step)]
    numbers = [bound.value.data for bound in bounds if isinstance(bound, IntegerAttr)]
    if len(numbers) < 3 or numbers[2] <= 0:
        return None
    return max(0, -(-(numbers[1] - numbers[0]) // numbers[2]))


def work_of(region: Region) -> int:
    """The number of ops in one execution of a region; an op on a long vector counts as several."""
    return sum(_work(op) for block in region.blocks for op in block.ops)


def _work(op: Operation) -> int:
    inner = sum(work_of(region) for region in op.regions)
    if isinstance(op, scf.ForOp):
        return inner * _count(op.lb, op.ub, op.step)
    if isinstance(op, scf.ParallelOp):
        for bound in zip(op.lowerBound, op.upperBound, op.step, strict=True):
            inner *= _count(*bound)
        return inner
    return inner + max((_size(value) for value in (*op.results, *op.operands)), default=0)


def _count(lower: SSAValue, upper: SSAValue, step: SSAValue) -> int:
    known = trip_count(lower, upper, step)
    return UNKNOWN_COUNT if known is None else known


def _size(value: SSAValue) -> int:
    if value.type.name != VectorType.name:
        return 1
    return -(-prod(extents_of(value.type)) // LANES)
