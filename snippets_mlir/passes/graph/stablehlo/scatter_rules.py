"""Scatters of StableHLO that set or combine a part of each dim, or rows.

    %1 = "stablehlo.scatter"(%x, %i, %u) {set, one place}  -> %u where the places along the dim are
                                                              %i, %x elsewhere
    %2 = "stablehlo.scatter"(%x, %i, %u) {set, rows}       -> for each row of %x the last of the %i
                                                              that names it, if one does, and the
                                                              row of %u that belongs to it

`x.at[i].set(u)`, `x.at[i, 2].add(u)` and `x.at[2:5].set(u)` of JAX have one place, and
`x.at[indices].set(u)` has rows. What is outside of the operand is left out, as XLA does. Elements
only move, unless the region combines them. Refused: dynamic dims, batching dims, regions of more
than one op, a part of several places along a dim that begins where only the call knows, and rows
that the indices may name twice unless they are set, or so many indices that comparing them with the
rows takes longer than to copy the operand.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from typing_extensions import override
from xdsl.dialects.builtin import IntegerType, Signedness, i1, i64
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.comparison import EqualOp, GreaterEqualOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp, SelectOp
from snippets_mlir.dialects.snippets.extrema import MaximumOp
from snippets_mlir.dialects.snippets.gathering import GatherOp
from snippets_mlir.dialects.snippets.iota import IotaOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.logic import LogicalAndOp
from snippets_mlir.dialects.snippets.padding import PadOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.stablehlo.names import record_for
from snippets_mlir.dialects.stablehlo.reduction import combiner_of
from snippets_mlir.dialects.stablehlo.region_ops import ScatterOp
from snippets_mlir.passes.building.graph import OpBuilder
from snippets_mlir.passes.graph.stablehlo.builder import (
    Replacement,
    in_a_function,
    of_known_elements,
    splat_of,
)
from snippets_mlir.passes.graph.stablehlo.gather_rules import within
from snippets_mlir.passes.graph.stablehlo.movement_rules import has_elements
from snippets_mlir.passes.patterns import Pattern

MOST_COMPARISONS = 1
"""Comparisons of an index with a row, for each element of the operand, that rows are worth."""


def of_one_static_input(op: ScatterOp) -> bool:
    """One tensor is changed; all sizes are known, and the updates have elements."""
    shapes = [shape_of(value) for value in op.operands]
    return len(op.inputs) == 3 and all(map(is_static, shapes)) and 0 not in shapes[2]


def of_signed_indices(op: ScatterOp) -> bool:
    """Indices are converted to i64."""
    unsigned = IntegerType(64, Signedness.UNSIGNED)
    return tensor_of(op.inputs[1]).element_type != unsigned


def without_batches(op: ScatterOp) -> bool:
    """No dim of the operand belongs to one of the indices."""
    return not op.scatter_dimension_numbers.dims("input_batching_dims")


_HERE = (
    in_a_function,
    of_known_elements,
    of_one_static_input,
    has_elements,
    of_signed_indices,
    without_batches,
)


class Combination(NamedTuple):
    """What a region makes of an element and an update; `op` is None where it is the update."""

    op: type[ComputeOp] | None


def combination_of(op: ScatterOp) -> Combination | None:
    """What the region does; None where that is more than one op."""
    block = op.body.block
    last = block.last_op
    if len(block.args) == 2 and last is not None and tuple(last.operands) == (block.args[1],):
        return Combination(None) if block.first_op is last else None
    combiner = combiner_of(block)
    record = None if combiner is None else record_for(combiner)
    if record is None or tensor_of(op.inputs[0]).element_type == i1:
        return None
    return Combination(record.op)


class Part(NamedTuple):
    """What one dim of the operand has of the window of a place.

    Attributes:
        size: its elements.
        number: which number of the place says where it begins; None: `start` is where.
        start: the known place.
    """

    size: int
    number: int | None
    start: int


class Window(NamedTuple):
    """The window of a scatter at one place: a part for each dim, and how it is combined."""

    parts: tuple[Part, ...]
    combination: Combination


def known_number(indices: SSAValue, place: int) -> int | None:
    """The number of a vector of indices, if it is a constant."""
    if isinstance(join := indices.owner, ConcatOp) and len(join.operands) > place:
        indices = join.operands[place]
        if shape_of(indices) != (1,):
            return None
    number = splat_of(indices)
    return None if number is None else int(number)


def window_of(op: ScatterOp) -> tuple[Part, ...] | None:
    """The window at the one place of a scatter; None where there are several, or it is unknown."""
    numbers, shape = op.scatter_dimension_numbers, static_shape(shape_of(op.inputs[0]))
    indices = list(static_shape(shape_of(op.inputs[1])))
    if (vector := numbers.number("index_vector_dim")) < len(indices):
        indices.pop(vector)
    if prod(indices) != 1:
        return None
    updates = static_shape(shape_of(op.inputs[2]))
    sizes = iter([updates[dim] for dim in numbers.dims("update_window_dims")])
    inserted = numbers.dims("inserted_window_dims")
    named = list(numbers.dims("scatter_dims_to_operand_dims"))
    parts: list[Part] = []
    for dim, whole in enumerate(shape):
        size = 1 if dim in inserted else next(sizes)
        if dim not in named:
            parts.append(Part(size, None, 0))
        elif size == 1:
            parts.append(Part(1, named.index(dim), 0))
        else:
            start = known_number(op.inputs[1], named.index(dim))
            if start is None or not 0 <= start <= whole - size:
                return None
            parts.append(Part(size, None, start))
    return tuple(parts)


class ScatterAtPlace(Pattern[ScatterOp, Window]):
    """A scatter at one place is a choice between the operand and what is there then."""

    name = "scatter-at-place"
    ops = (ScatterOp,)
    conditions = _HERE

    def match(self, op: ScatterOp) -> Window | None:
        """The window, and how it is combined with the operand."""
        combination, parts = combination_of(op), window_of(op)
        return None if combination is None or parts is None else Window(parts, combination)

    @override
    def rewrite(self, op: ScatterOp, match: Window, rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        x, indices, updates = op.inputs
        shape = static_shape(shape_of(x))
        value = build.reshape(updates, [part.size for part in match.parts])
        low, high = (
            [amount[side] for amount in map(_around, match.parts, shape)] for side in (0, 1)
        )
        if any((*low, *high)):
            value = build.add(PadOp(value, build.scalar(0, value), low, high))
        numbers = build.reshape(indices, (prod(shape_of(indices)),))
        chosen: SSAValue | None = None
        for dim, (part, whole) in enumerate(zip(match.parts, shape, strict=True)):
            if part.number is None and part.size == whole:
                continue
            here = build.reshape(
                _places(build, numbers, part, whole),
                [whole if other == dim else 1 for other in range(len(shape))],
            )
            chosen = here if chosen is None else build.add(LogicalAndOp(chosen, here))
        build.replace(_combined(build, match.combination, chosen, value, x))


def _around(part: Part, whole: int) -> tuple[int, int]:
    """How many elements a dim has before and after a part; none beside one, which is repeated."""
    return (0, 0) if part.size == 1 else (part.start, whole - part.start - part.size)


def _places(build: OpBuilder, numbers: SSAValue, part: Part, whole: int) -> SSAValue:
    """For each place along a dim, whether it is in the part."""
    places = build.add(IotaOp(tensor_type(i64, [whole]), 0))
    if part.number is None:
        return _between(build, places, part.start, part.start + part.size)
    if shape_of(numbers) != (1,):
        numbers = build.add(SliceOp(numbers, [part.number], [1], [1]))
    return build.add(EqualOp(places, _wide(build, numbers)))


def _between(build: OpBuilder, places: SSAValue, start: int, end: int) -> SSAValue:
    """Whether places are from `start` on and before `end`."""
    if start == 0:
        return within(build, places, end)
    after = build.add(GreaterEqualOp(places, build.scalar(start, places)))
    return build.add(LogicalAndOp(after, within(build, places, end)))


def _wide(build: OpBuilder, indices: SSAValue) -> SSAValue:
    if tensor_of(indices).element_type == i64:
        return indices
    return build.add(ConvertTruncationOp(indices, i64))


def _combined(
    build: Replacement,
    combination: Combination,
    chosen: SSAValue | None,
    value: SSAValue,
    x: SSAValue,
) -> SSAValue:
    """`x`, and where it is `chosen` the combination with `value`."""
    if combination.op is not None:
        value = build.apply(combination.op, x, value)
    return value if chosen is None else build.add(SelectOp(chosen, value, x))


class Rows(NamedTuple):
    """A scatter of whole rows.

    Attributes:
        axis: the dim of the operand that the indices name places of.
        order: the dims of the updates in the order of those of the operand.
        combination: how they are combined with the operand.
    """

    axis: int
    order: tuple[int, ...]
    combination: Combination


class ScatterRows(Pattern[ScatterOp, Rows]):
    """Rows that a scatter sets are chosen for each row of the operand, the last one of several."""

    name = "scatter-rows"
    ops = (ScatterOp,)
    conditions = _HERE

    def match(self, op: ScatterOp) -> Rows | None:
        """The dim of the rows, where one vector of indices names them."""
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
        named = build.add(EqualOp(places, _wide(build, build.reshape(indices, (1, count)))))
        order = build.add(IotaOp(tensor_type(i64, [1, count]), 1))
        found = build.add(SelectOp(named, order, build.scalar(-1, order)))
        last = build.add(ReduceMaxOp(found, [1]))
        zero = build.scalar(0, last)
        taken = build.add(GatherOp(updates, build.add(MaximumOp(last, zero)), match.axis))
        chosen = build.reshape(
            build.add(GreaterEqualOp(last, zero)),
            [size if dim == match.axis else 1 for dim, size in enumerate(shape)],
        )
        build.replace(_combined(build, match.combination, chosen, taken, x))


def _is_unique(op: ScatterOp) -> bool:
    """Whether no two places are the same."""
    return op.unique_indices is not None and bool(op.unique_indices.value.data)


RULES = (ScatterAtPlace, ScatterRows)
