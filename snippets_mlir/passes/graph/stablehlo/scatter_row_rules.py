"""Convert the scatters of StableHLO that set or combine rows.

    %1 = "stablehlo.scatter"(%x, %i, %u) {set, rows}  -> for each row of %x the last of the %i that
                                                         names it, if one does, and the row of %u
                                                         that belongs to it

JAX's `x.at[indices].set(u)` sets rows. Indices outside of the operand are ignored, as in XLA.
Refused, besides the cases of `scatter_matching.py`: combined rows if two indices may name the same
one, and cases where comparing the indices with the rows takes longer than copying the operand.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from typing_extensions import override
from xdsl.dialects.builtin import i64
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_type
from snippets_mlir.dialects.snippets.comparison import EqualOp, GreaterEqualOp
from snippets_mlir.dialects.snippets.extrema import MaximumOp
from snippets_mlir.dialects.snippets.gathering import GatherOp
from snippets_mlir.dialects.snippets.iota import IotaOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.stablehlo.region_ops import ScatterOp
from snippets_mlir.passes.graph.stablehlo.builder import (
    Replacement,
)
from snippets_mlir.passes.graph.stablehlo.scatter_matching import (
    HERE,
    Combination,
    combination_of,
    combined,
    wide,
)
from snippets_mlir.passes.patterns import Pattern

MOST_COMPARISONS = 1
"""The most comparisons of an index with a row for each element of the operand."""


class Rows(NamedTuple):
    """A scatter of whole rows.

    Attributes:
        axis: the dim of the operand that is indexed.
        order: the dims of the updates in the order of the operand's.
        combination: of the rows with the operand.
    """

    axis: int
    order: tuple[int, ...]
    combination: Combination


class ScatterRows(Pattern[ScatterOp, Rows]):
    """Each row of the operand selects the row that a scatter sets, the last one of several."""

    name = "scatter-rows"
    ops = (ScatterOp,)
    conditions = HERE

    def match(self, op: ScatterOp) -> Rows | None:
        """The dim of the rows, if one vector of indices names them."""
        numbers, shape = op.scatter_dimension_numbers, static_shape(shape_of(op.inputs[0]))
        named = numbers.dims("scatter_dims_to_operand_dims")
        updates = static_shape(shape_of(op.inputs[2]))
        if len(named) != 1 or tuple(numbers.dims("inserted_window_dims")) != tuple(named):
            return None
        (axis,) = named
        window = list(numbers.dims("update_window_dims"))
        (rest, *more) = [dim for dim in range(len(updates)) if dim not in window] or [0, 0]
        if more or len(updates) != len(shape):
            return None
        order = [*window[:axis], rest, *window[axis:]]
        sizes = [updates[dim] for dim in order]
        if [*sizes[:axis], shape[axis], *sizes[axis + 1 :]] != list(shape):
            return None
        if sizes[axis] * shape[axis] > MOST_COMPARISONS * prod(shape):
            return None
        combination = combination_of(op)
        if combination is None or (combination.op is not None and not _is_unique(op)):
            return None
        return Rows(axis, tuple(order), combination)

    @override
    def rewrite(self, op: ScatterOp, match: Rows, rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        x, indices, updates = op.inputs
        shape = static_shape(shape_of(x))
        if list(match.order) != sorted(match.order):
            updates = build.add(TransposeOp(updates, match.order))
        rows, count = shape[match.axis], static_shape(shape_of(updates))[match.axis]
        places = build.add(IotaOp(tensor_type(i64, [rows, 1]), 0))
        named = build.add(EqualOp(places, wide(build, build.reshape(indices, (1, count)))))
        order = build.add(IotaOp(tensor_type(i64, [1, count]), 1))
        found = build.add(SelectOp(named, order, build.scalar(-1, order)))
        last = build.add(ReduceMaxOp(found, [1]))
        zero = build.scalar(0, last)
        taken = build.add(GatherOp(updates, build.add(MaximumOp(last, zero)), match.axis))
        chosen = build.reshape(
            build.add(GreaterEqualOp(last, zero)),
            [size if dim == match.axis else 1 for dim, size in enumerate(shape)],
        )
        build.replace(combined(build, match.combination, chosen, taken, x))


def _is_unique(op: ScatterOp) -> bool:
    """Whether no two places are the same."""
    return op.unique_indices is not None and bool(op.unique_indices.value.data)


RULES = (ScatterRows,)
