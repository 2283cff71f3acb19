"""The pattern of `snippets-slice-first` for dims of size 1 after a slice.

    %k = snippets.slice %x, dim 1 dropped             9x3x1x8 to 9x1x8
    %0 = snippets.transpose %k [1, 0, 2]              1x9x8

becomes

    %1 = snippets.reshape %x                          1x9x3x8
    %0 = snippets.slice %1, dim 2 dropped             1x9x8
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from typing_extensions import override
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.passes.building.graph import OpBuilder, not_skipped, outside_of_subgraphs
from snippets_mlir.passes.patterns import Pattern

T = TypeVar("T")


def readers_of(value: SSAValue) -> list[Operation]:
    """The ops that read `value`."""
    return list(dict.fromkeys(use.operation for use in value.uses))


def transposed(build: OpBuilder, value: SSAValue, order: Sequence[int]) -> SSAValue:
    """`value` with its dims in another order."""
    moves = list(order) != sorted(order)
    return build.add(TransposeOp(value, order)) if moves else value


class Places(NamedTuple):
    """A slice of another layout of its operand.

    Attributes:
        slice: the old one.
        dims: its dims in order, None for each new one of size 1.
        drops: the places of those of which only one place is taken.
    """

    slice: SliceOp
    dims: tuple[int | None, ...]
    drops: tuple[int, ...]

    def of(self, numbers: Sequence[T], new: T) -> list[T]:
        """Numbers of the old dims at the new ones."""
        return [new if dim is None else numbers[dim] for dim in self.dims]


def places_for(op: SliceOp, target: Shape) -> Places | None:
    """The places of the dims of `op` for a result `target`, which has other dims of size 1."""
    whole, sizes = shape_of(op.operand), op.sizes
    cores = [dim for dim in op.kept if sizes[dim] != 1]
    same = [sizes[dim] for dim in cores] == [size for size in target if size != 1]
    if not same or target[-1:] == (1,) or cores[-1:] != [len(whole) - 1]:
        return None
    waiting = [dim for dim in range(len(whole)) if whole[dim] != 1]
    dims: list[int | None] = []
    for size in target:
        if size == 1:
            dims.append(None)
            continue
        core = cores.pop(0)
        dims += [dim for dim in waiting if dim <= core]
        waiting = [dim for dim in waiting if dim > core]
    drops = [at for at, dim in enumerate(dims) if dim is not None and sizes[dim] == 1]
    return Places(op, tuple(dims), tuple(drops))


def only_products_read(op: ReshapeOp | TransposeOp) -> bool:
    """Products alone read its result, directly or through transposes."""
    readers = readers_of(op.result)
    turned = [value for it in readers if isinstance(it, TransposeOp) for value in it.results]
    inner = [reader for value in turned for reader in readers_of(value)]
    direct = [it for it in readers if not isinstance(it, TransposeOp)]
    return bool(readers) and all(isinstance(it, MatMulOp) for it in (*direct, *inner))


def moves_ones(op: ReshapeOp | TransposeOp) -> bool:
    """It is a reshape, or a transpose that moves a dim of size 1."""
    if isinstance(op, ReshapeOp):
        return True
    shape = shape_of(op.operand)
    return any(shape[dim] == 1 and dim != place for place, dim in enumerate(op.permutation))


def _order_after(op: TransposeOp) -> list[int]:
    """The order of dims after those of size 1 are at their places, and the others as before."""
    places = [at for at, size in enumerate(shape_of(op.result)) if size != 1]
    cores = sorted(op.permutation[at] for at in places)
    order = [*range(len(op.permutation))]
    for at in places:
        order[at] = places[cores.index(op.permutation[at])]
    return order


class ReshapedSlice(Pattern[ReshapeOp | TransposeOp, Places]):
    """Dims of size 1 are added, dropped and moved before a slice."""

    name = "reshaped-slice"
    ops = (ReshapeOp, TransposeOp)
    conditions = (outside_of_subgraphs, not_skipped, moves_ones, only_products_read)

    def match(self, op: ReshapeOp | TransposeOp) -> Places | None:
        """The dims of the new slice, if the operand is a slice that nothing else reads."""
        taken, shape = op.operand.owner, shape_of(op.result)
        if not isinstance(taken, SliceOp) or not not_skipped(taken) or set(taken.steps) != {1}:
            return None
        if taken.result.get_user_of_unique_use() is not op:
            return None
        if isinstance(op, TransposeOp):
            order = _order_after(op)
            shape = tuple(shape[order.index(dim)] for dim in range(len(order)))
        return places_for(taken, shape)

    @override
    def rewrite(
        self, op: ReshapeOp | TransposeOp, match: Places, rewriter: PatternRewriter
    ) -> None:
        build, old = OpBuilder(op, rewriter), match.slice
        whole = build.reshape(old.operand, match.of(shape_of(old.operand), 1))
        starts, sizes = match.of(old.starts, 0), match.of(old.sizes, 1)
        part = build.add(SliceOp(whole, starts, sizes, [1] * len(match.dims), match.drops))
        order = _order_after(op) if isinstance(op, TransposeOp) else []
        build.replace(transposed(build, part, order))
        rewriter.erase(old)
