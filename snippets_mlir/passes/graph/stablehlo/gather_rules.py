"""Convert StableHLO's gathers of rows, slices and updates at places that only the call knows.

    %1 = "stablehlo.gather"(%x, %i) {...}                  -> snippets.gather, then a transpose of
                                                              dims that are in another order
    %2 = stablehlo.dynamic_slice %x, %s, %c, sizes = [1]   -> snippets.dynamic_slice
    %3 = stablehlo.dynamic_update_slice %x, %u, %s, %c     -> the places before and after the slice
                                                              are chosen of %x, the others of %u

A gather takes rows if it indexes one dim of the operand, with slices of one element along it.
Places outside are clamped, as StableHLO says. Elements only move. Refused: dynamic dims.
`place_rules.py` has the gathers of other slices than rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import override
from xdsl.dialects.builtin import IntegerType, Signedness, i64
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.arithmetic import SubtractOp
from snippets_mlir.dialects.snippets.comparison import GreaterEqualOp, LessOp
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.dynamic_slicing import DynamicSliceOp
from snippets_mlir.dialects.snippets.extrema import MaximumOp, MinimumOp
from snippets_mlir.dialects.snippets.gathering import GatherOp
from snippets_mlir.dialects.snippets.iota import IotaOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.logic import LogicalAndOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.stablehlo import gathers
from snippets_mlir.passes.building.graph import OpBuilder
from snippets_mlir.passes.graph.stablehlo.builder import (
    Replacement,
    in_a_function,
    of_known_elements,
)
from snippets_mlir.passes.graph.stablehlo.movement_rules import has_elements, of_static_shape
from snippets_mlir.passes.patterns import Pattern

_HERE = (in_a_function, of_known_elements, of_static_shape, has_elements)


@dataclass(frozen=True)
class Arrangement:
    """How the dims of a gather of rows become the dims of the result.

    Attributes:
        axis: the dim of the operand that is indexed.
        indices: the shape of the indices, without the dim of their single number.
        permutation: for each kept dim of the result, the dim of the gather.
    """

    axis: int
    indices: tuple[int, ...]
    permutation: tuple[int, ...]


def arrangement_of(op: gathers.GatherOp) -> Arrangement | None:
    """How a gather takes whole rows along one dim; None if it does not."""
    numbers, shape = op.dimension_numbers, static_shape(shape_of(op.operand))
    indexed = numbers.dims("start_index_map")
    if len(indexed) != 1 or numbers.dims("operand_batching_dims"):
        return None
    (axis,) = indexed
    sizes = list(op.slice_sizes.get_values())
    gone = numbers.dims("collapsed_slice_dims")
    if any(size != (1 if dim == axis else shape[dim]) for dim, size in enumerate(sizes)):
        return None
    if not set(gone) <= {axis}:
        return None
    indices = list(static_shape(shape_of(op.start_indices)))
    last = numbers.number("index_vector_dim")
    if last < len(indices) and indices.pop(last) != 1:
        return None
    offsets = numbers.dims("offset_dims")
    kept = [dim for dim in range(len(shape)) if dim not in gone]
    inner = dict(zip(offsets, kept, strict=True))
    outer = iter(range(axis, axis + len(indices)))
    permutation: list[int] = []
    for dim in range(len(shape_of(op.output))):
        if dim not in inner:
            permutation.append(next(outer))
        elif (source := inner[dim]) != axis:
            permutation.append(source if source < axis else source - 1 + len(indices))
    return Arrangement(axis, tuple(indices), tuple(permutation))


class Rows(Pattern[gathers.GatherOp, Arrangement]):
    """A gather of whole rows along one dim is `snippets.gather`."""

    name = "rows"
    ops = (gathers.GatherOp,)
    conditions = _HERE

    @override
    def match(self, op: gathers.GatherOp) -> Arrangement | None:
        return arrangement_of(op)

    @override
    def rewrite(self, op: gathers.GatherOp, match: Arrangement, rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        indices = build.reshape(op.start_indices, match.indices)
        value = build.add(GatherOp(op.operand, indices, match.axis))
        if match.permutation != tuple(range(len(match.permutation))):
            value = build.add(TransposeOp(value, match.permutation))
        build.replace(build.reshape(value, shape_of(op.output)))


def moved_dims(whole: SSAValue, part: SSAValue) -> list[int]:
    """The dims along which `part` is smaller than `whole`."""
    sizes = zip(shape_of(whole), shape_of(part), strict=True)
    return [dim for dim, (size, own) in enumerate(sizes) if size != own]


class SliceAtPlaces(Pattern[gathers.DynamicSliceOp, list[int]]):
    """A slice at dynamic places is `snippets.dynamic_slice`."""

    name = "slice-at-places"
    ops = (gathers.DynamicSliceOp,)
    conditions = _HERE

    def match(self, op: gathers.DynamicSliceOp) -> list[int]:
        """The dims that are not whole."""
        return moved_dims(op.operand, op.output)

    def rewrite(
        self, op: gathers.DynamicSliceOp, match: list[int], rewriter: PatternRewriter
    ) -> None:
        """Replace the op; by its operand if all dims are whole."""
        build = Replacement(op, rewriter)
        if not match:
            build.replace(op.operand)
            return
        starts = [op.start_indices[dim] for dim in match]
        build.replace(build.add(DynamicSliceOp(op.operand, starts, match, shape_of(op.output))))


class UpdateAtPlaces(Pattern[gathers.DynamicUpdateSliceOp, list[int]]):
    """An update of a part at dynamic places is a select between two tensors."""

    name = "update-at-places"
    ops = (gathers.DynamicUpdateSliceOp,)
    conditions = _HERE

    @override
    def match(self, op: gathers.DynamicUpdateSliceOp) -> list[int] | None:
        return None if 0 in shape_of(op.update) else moved_dims(op.operand, op.update)

    def rewrite(
        self, op: gathers.DynamicUpdateSliceOp, match: list[int], rewriter: PatternRewriter
    ) -> None:
        """Select by the distance along each dim from the start of the update."""
        build = Replacement(op, rewriter)
        rank = len(shape_of(op.operand))
        rows, chosen = op.update, None
        for dim in reversed(match):  # inner dims first: less is taken along them then
            whole, own = (static_shape(shape_of(v))[dim] for v in (op.operand, op.update))
            place = place_inside(build, op.start_indices[dim], whole - own)
            iota = build.add(IotaOp(tensor_type(i64, [whole]), 0))
            apart = build.add(SubtractOp(iota, place))
            rows = build.add(GatherOp(rows, apart, dim))
            shape = [whole if d == dim else 1 for d in range(rank)]
            inside = build.reshape(within(build, apart, own), shape)
            chosen = inside if chosen is None else build.add(LogicalAndOp(inside, chosen))
        build.replace(rows if chosen is None else build.add(SelectOp(chosen, rows, op.operand)))


def place_inside(build: OpBuilder, start: SSAValue, limit: int) -> SSAValue:
    """`start` as i64, clamped between 0 and `limit`."""
    if tensor_of(start).element_type == IntegerType(64, Signedness.UNSIGNED):
        start = build.add(MinimumOp(start, build.scalar(limit, start)))
    if tensor_of(start).element_type != i64:
        start = build.add(ConvertTruncationOp(start, i64))
    least, most = (build.scalar(number, start) for number in (0, limit))
    return build.add(MinimumOp(build.add(MaximumOp(start, least)), most))


def within(build: OpBuilder, places: SSAValue, size: int) -> SSAValue:
    """Whether each place is at least 0 and below `size`."""
    zero, end = (build.scalar(number, places) for number in (0, size))
    after, before = build.add(GreaterEqualOp(places, zero)), build.add(LessOp(places, end))
    return build.add(LogicalAndOp(after, before))


RULES = (Rows, SliceAtPlaces, UpdateAtPlaces)
