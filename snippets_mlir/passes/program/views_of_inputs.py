"""Views of a kernel's inputs with more dims of size 1, which a product's loops have.

    %0 = snippets.slice %x {starts = [0, 3, 0]} : 20x9x8 to 20x3x8

becomes, with a dim of 1 before the last one,

    %1 = snippets.reshape %x                    : 20x9x8 to 20x9x1x8
    %0 = snippets.slice %1 {starts = [0, 3, 0, 0]} : 20x9x1x8 to 20x3x1x8
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from xdsl.ir import OpResult, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.passes.building.graph import OpBuilder

T = TypeVar("T")


def _places(op: SliceOp, at: Mapping[int, int], rank: int) -> list[int | None]:
    """The dims of the operand in order, None for each new one."""
    found: list[int | None] = []
    done = 0
    for dim in range(len(op.starts)):
        if dim not in op.drops:
            place = at[op.kept.index(dim)]
            found += [None] * (place - done)
            done = place + 1
        found.append(dim)
    return [*found, *[None] * (rank - done)]


def _slice_with_ones(build: OpBuilder, op: SliceOp, at: Mapping[int, int], rank: int) -> SSAValue:
    """The slice `op` with dims of size 1 between its own.

    Args:
        build: inserts the ops.
        op: a slice of an input, perhaps reshaped.
        at: the place of each dim of the result, rising.
        rank: of the new result.
    """
    source, places = op.operand, _places(op, at, rank)
    if isinstance(source.owner, ReshapeOp):
        source = source.owner.operand

    def spread(of: Sequence[T], new: T) -> list[T]:
        return [new if dim is None else of[dim] for dim in places]

    seen = build.reshape(source, spread(shape_of(op.operand), 1))
    drops = [place for place, dim in enumerate(places) if dim in op.drops]
    starts, sizes, steps = spread(op.starts, 0), spread(op.sizes, 1), spread(op.steps, 1)
    return build.add(SliceOp(seen, starts, sizes, steps, drops))


def seen(build: OpBuilder, value: SSAValue, order: Sequence[int | None]) -> SSAValue:
    """An input under a view whose dim i is dim `order[i]` of `value`, or a new one of size 1.

    New dims are in memory before the dim that follows them.
    """
    source, places = value, list(range(len(shape_of(value))))
    if isinstance(source, OpResult) and isinstance(source.op, TransposeOp):
        places = list(source.op.permutation)
        source = source.op.operand
    shape = list(shape_of(source))
    taken = source.owner
    if isinstance(source, OpResult) and isinstance(source.op, ReshapeOp):
        source = source.op.operand
    wanted = [None if dim is None else places[dim] for dim in order]
    dims: list[Dim] = []
    at: dict[int, int] = {}
    new: dict[int, int] = {}
    before = {wanted[i + 1]: i for i, dim in enumerate(wanted[:-1]) if dim is None}
    for dim, size in enumerate(shape):
        if dim in before:
            new[before[dim]] = len(dims)
            dims.append(1)
        at[dim] = len(dims)
        dims.append(size)
    for i, dim in enumerate(wanted):
        if dim is None and i not in new:
            new[i] = len(dims)
            dims.append(1)
    permutation = [new[i] if dim is None else at[dim] for i, dim in enumerate(wanted)]
    if isinstance(taken, SliceOp):
        source = _slice_with_ones(build, taken, at, len(dims))
    elif tuple(dims) != shape_of(source):
        source = build.add(ReshapeOp(source, dims))
    if permutation != sorted(permutation):
        source = build.add(TransposeOp(source, permutation))
    return source
