"""Convert StableHLO's gathers at places along several dims, of slices, and in batches.

    %1 = "stablehlo.gather"(%x, %p) {start_index_map = [0, 1], ...}   of an 8x6xf32, x[i, j] of JAX

becomes

    %2 = snippets.reshape %x : 8x6 -> 48
    %3 = 6 * %p[:, 0] + %p[:, 1]
    %1 = snippets.gather %2, %3 {axis = 0}

Slices that begin at the places (`vmap` of `dynamic_slice`) are the elements at the sums of a place
and 0, 1, 2, ...; a batching dim (`take_along_axis`) is one more dim, whose places are 0, 1, 2, ....
Places outside are clamped before, each along its own dim, as StableHLO says. Elements only move.
Refused: dynamic dims.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_type
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.gathering import GatherOp
from snippets_mlir.dialects.snippets.iota import IotaOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.stablehlo import gathers
from snippets_mlir.passes.graph.stablehlo.builder import (
    Replacement,
    in_a_function,
    of_known_elements,
)
from snippets_mlir.passes.graph.stablehlo.gather_rules import place_inside
from snippets_mlir.passes.graph.stablehlo.movement_rules import has_elements, of_static_shape
from snippets_mlir.passes.patterns import Pattern


@dataclass(frozen=True)
class Places:
    """How a gather takes slices.

    Attributes:
        numbers: for each dim of the operand that a number moves a slice along, the index of that
            number in a place.
        batches: for each batching dim of the operand, its dim of the places.
        windows: the dims of `numbers` along which a slice has several elements.
        rest: the other dims of the operand that the result has.
        columns: the dim of the indices that has the numbers of a place; their rank for none.
        places: the sizes of the indices without that dim.
    """

    numbers: dict[int, int]
    batches: dict[int, int]
    windows: tuple[int, ...]
    rest: tuple[int, ...]
    columns: int
    places: tuple[int, ...]

    @property
    def axes(self) -> list[int]:
        """The addressed dims of the operand, ascending."""
        return sorted((*self.numbers, *self.batches))

    @property
    def front(self) -> int:
        """The number of operand dims before the addressed ones."""
        if not (axes := self.axes):
            return 0
        together = axes == list(range(axes[0], axes[-1] + 1))
        return sum(dim < axes[0] for dim in self.rest) if together else 0


def places_of(op: gathers.GatherOp) -> Places | None:
    """How a gather takes slices; None for operands of unknown sizes."""
    if not all(is_static(shape_of(value)) for value in op.operands):
        return None
    names, shape = op.dimension_numbers, static_shape(shape_of(op.operand))
    sizes = list(op.slice_sizes.get_values())
    indexed = names.dims("start_index_map")
    numbers = {dim: k for k, dim in enumerate(indexed) if sizes[dim] < shape[dim]}
    indices = static_shape(shape_of(op.start_indices))
    columns = names.number("index_vector_dim")
    batches = {
        dim: place - (place > columns)
        for dim, place in zip(
            names.dims("operand_batching_dims"), names.dims("start_indices_batching_dims"),
            strict=True,
        )
    }  # fmt: skip
    gone = {*names.dims("collapsed_slice_dims"), *batches}
    kept = [dim for dim in range(len(shape)) if dim not in gone]
    return Places(
        numbers,
        batches,
        tuple(dim for dim in kept if dim in numbers and sizes[dim] > 1),
        tuple(dim for dim in kept if dim not in numbers),
        columns,
        tuple(size for dim, size in enumerate(indices) if dim != columns),
    )


class SlicesAtPlaces(Pattern[gathers.GatherOp, Places]):
    """A gather at places along several dims, or of slices, is a gather along these dims merged."""

    name = "slices-at-places"
    ops = (gathers.GatherOp,)
    conditions = (in_a_function, of_known_elements, of_static_shape, has_elements)

    def match(self, op: gathers.GatherOp) -> Places | None:
        """The dims, and the order of the result's dims."""
        return places_of(op)

    def rewrite(self, op: gathers.GatherOp, match: Places, rewriter: PatternRewriter) -> None:
        """Number the elements of the addressed dims, and gather along them."""
        build = Replacement(op, rewriter)
        table = _table(build, op, match)
        if match.axes:
            value = build.add(GatherOp(table, _numbered(build, op, match), match.front))
        else:  # the same slice for each place
            shape = shape_of(table)[1:]
            value = build.reshape(table, [*(1 for _ in match.places), *shape])
            if shape_of(value) != (whole := (*match.places, *shape)):
                value = build.add(BroadcastOp(value, whole))
        value = _ordered(build, op, match, value)
        build.replace(build.reshape(value, shape_of(op.output)))


def _numbered(build: Replacement, op: gathers.GatherOp, match: Places) -> SSAValue:
    """The places in the merged addressed dims, with dims for the windows."""
    shape, sizes = static_shape(shape_of(op.operand)), list(op.slice_sizes.get_values())
    rank = len(match.places) + len(match.windows)
    place: SSAValue | None = None
    for axis in match.axes:
        if axis in match.batches:
            dim = match.batches[axis]
            own = _counted(build, match.places[dim], dim, rank)
        else:
            column = _column(build, op.start_indices, match, match.numbers[axis])
            own = place_inside(build, column, shape[axis] - sizes[axis])
            if axis in match.windows:
                dim = len(match.places) + match.windows.index(axis)
                own = build.add(AddOp(own, _counted(build, sizes[axis], dim, rank)))
        if place is not None:
            before = build.add(MultiplyOp(place, build.scalar(shape[axis], place)))
            own = build.add(AddOp(before, own))
        place = own
    assert place is not None
    whole = (*match.places, *(sizes[axis] for axis in match.windows))
    return place if shape_of(place) == whole else build.add(BroadcastOp(place, whole))


def _counted(build: Replacement, size: int, dim: int, rank: int) -> SSAValue:
    """0, 1, 2, ... along a dim of `rank`."""
    iota = build.add(IotaOp(tensor_type(i64, [size]), 0))
    return build.reshape(iota, [size if d == dim else 1 for d in range(rank)])


def _column(build: Replacement, indices: SSAValue, match: Places, number: int) -> SSAValue:
    """One number of each place, with a dim of size 1 for each window."""
    sizes = list(static_shape(shape_of(indices)))
    if match.columns < len(sizes) and sizes[match.columns] > 1:
        starts = [number if dim == match.columns else 0 for dim in range(len(sizes))]
        sizes[match.columns] = 1
        indices = build.add(SliceOp(indices, starts, sizes, [1] * len(sizes)))
    return build.reshape(indices, [*match.places, *(1 for _ in match.windows)])


def _table(build: Replacement, op: gathers.GatherOp, match: Places) -> SSAValue:
    """The operand with the addressed dims merged, and the other dims cut to the slices."""
    table, axes, front = op.operand, match.axes, match.front
    shape = static_shape(shape_of(table))
    taken = [
        size if dim in axes else part
        for dim, (size, part) in enumerate(zip(shape, op.slice_sizes.get_values(), strict=True))
    ]
    if taken != list(shape):
        table = build.add(SliceOp(table, [0] * len(shape), taken, [1] * len(shape)))
    order = [*match.rest[:front], *axes, *match.rest[front:]]
    order += [dim for dim in range(len(shape)) if dim not in order]  # of size 1
    if order != list(range(len(shape))):
        table = build.add(TransposeOp(table, order))
    sizes = [taken[dim] for dim in match.rest]
    return build.reshape(table, [*sizes[:front], prod(taken[a] for a in axes), *sizes[front:]])


def _ordered(build: Replacement, op: gathers.GatherOp, match: Places, value: SSAValue) -> SSAValue:
    """The dims in the order of the result, which may have more dims of size 1."""
    names = op.dimension_numbers
    gone = {*names.dims("collapsed_slice_dims"), *match.batches}
    kept = [dim for dim in range(len(shape_of(op.operand))) if dim not in gone]
    inner = dict(zip(names.dims("offset_dims"), kept, strict=True))
    front, count = match.front, len(match.places)
    where: dict[int, int] = {dim: front + count + i for i, dim in enumerate(match.windows)}
    for i, dim in enumerate(match.rest):
        where[dim] = i if i < front else i + count + len(match.windows)
    outer = iter(range(front, front + count))
    order: Sequence[int] = [
        where[inner[dim]] if dim in inner else next(outer)
        for dim in range(len(shape_of(op.output)))
        if inner.get(dim, -1) in where or dim not in inner
    ]
    return value if order == list(range(len(order))) else build.add(TransposeOp(value, order))


RULES = (SlicesAtPlaces,)
