"""Gathers of StableHLO at places along several dims, as JAX prints for `x[i, j]`.

    %1 = "stablehlo.gather"(%x, %p) {start_index_map = [0, 1], ...}   of an 8x6xf32

becomes

    %2 = snippets.reshape %x : 8x6 -> 48
    %3 = 6 * %p[:, 0] + %p[:, 1]
    %1 = snippets.gather %2, %3 {axis = 0}

if one element is taken of each indexed dim and the dim left out, and the other dims are whole.
Places outside are moved inside before, each along its own dim, as StableHLO says. Elements only
move. Refused: dynamic dims, batching dims, and places of ui64.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp
from snippets_mlir.dialects.snippets.gathering import GatherOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
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
class Together:
    """How a gather takes whole rows at places along several dims.

    Attributes:
        axes: the dims of the operand that are indexed, in the order of the numbers of a place.
        columns: the dim of the indices that has the numbers of a place.
        permutation: for each dim of the result, the dim of a gather along the first dim.
    """

    axes: tuple[int, ...]
    columns: int
    permutation: tuple[int, ...]


def together_of(op: gathers.GatherOp) -> Together | None:
    """How a gather takes rows along several dims, which it leaves out; None where it does not."""
    numbers, shape = op.dimension_numbers, static_shape(shape_of(op.operand))
    axes = numbers.dims("start_index_map")
    sizes = list(op.slice_sizes.get_values())
    if len(axes) < 2 or numbers.dims("operand_batching_dims"):
        return None
    if sorted(axes) != sorted(numbers.dims("collapsed_slice_dims")):
        return None
    if any(size != (1 if dim in axes else shape[dim]) for dim, size in enumerate(sizes)):
        return None
    element, last = tensor_of(op.start_indices).element_type, numbers.number("index_vector_dim")
    rank = len(shape_of(op.start_indices))
    if last == rank or element == IntegerType(64, Signedness.UNSIGNED):
        return None
    offsets = numbers.dims("offset_dims")
    outer, inner = iter(range(rank - 1)), iter(range(rank - 1, rank - 1 + len(offsets)))
    dims = range(len(shape_of(op.output)))
    permutation = tuple(next(inner) if dim in offsets else next(outer) for dim in dims)
    return Together(tuple(axes), last, permutation)


class RowsOfSeveralDims(Pattern[gathers.GatherOp, Together]):
    """A gather at places along several dims is one along these dims as one."""

    name = "rows-of-several-dims"
    ops = (gathers.GatherOp,)
    conditions = (in_a_function, of_known_elements, of_static_shape, has_elements)

    def match(self, op: gathers.GatherOp) -> Together | None:
        """The dims, and the order of those of the result."""
        return together_of(op)

    def rewrite(self, op: gathers.GatherOp, match: Together, rewriter: PatternRewriter) -> None:
        """Number the elements of the indexed dims, and gather along them."""
        build = Replacement(op, rewriter)
        shape = static_shape(shape_of(op.operand))
        indices = static_shape(shape_of(op.start_indices))
        outer = [size for dim, size in enumerate(indices) if dim != match.columns]
        place: SSAValue | None = None
        for number, axis in enumerate(match.axes):
            starts = [number if dim == match.columns else 0 for dim in range(len(indices))]
            sizes = [1 if dim == match.columns else size for dim, size in enumerate(indices)]
            column = build.add(SliceOp(op.start_indices, starts, sizes, [1] * len(indices)))
            own = place_inside(build, build.reshape(column, outer), shape[axis] - 1)
            if place is not None:
                before = build.add(MultiplyOp(place, build.scalar(shape[axis], place)))
                own = build.add(AddOp(before, own))
            place = own
        assert place is not None
        kept = [dim for dim in range(len(shape)) if dim not in match.axes]
        order, table = [*match.axes, *kept], op.operand
        if order != list(range(len(shape))):
            table = build.add(TransposeOp(table, order))
        rows = prod(shape[axis] for axis in match.axes)
        table = build.reshape(table, [rows, *(shape[dim] for dim in kept)])
        value = build.add(GatherOp(table, place, 0))
        if match.permutation != tuple(range(len(match.permutation))):
            value = build.add(TransposeOp(value, match.permutation))
        build.replace(build.reshape(value, shape_of(op.output)))


RULES = (RowsOfSeveralDims,)
