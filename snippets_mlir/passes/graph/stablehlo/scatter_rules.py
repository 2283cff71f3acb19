"""Convert the scatters of StableHLO that set or combine a part of each dim, at one place.

    %1 = "stablehlo.scatter"(%x, %i, %u) {set, one place}  -> %u where the places along the dim are
                                                              %i, %x elsewhere

`x.at[i].set(u)`, `x.at[i, 2].add(u)` and `x.at[2:5].set(u)` of JAX have one place. Elements outside
of the operand are ignored, as in XLA. Elements only move, unless the region combines them. Refused,
besides the cases of `scatter_matching.py`: a part of several places along a dim that begins at a
place only the call knows.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from typing_extensions import override
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_type
from snippets_mlir.dialects.snippets.comparison import EqualOp, GreaterEqualOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.iota import IotaOp
from snippets_mlir.dialects.snippets.logic import LogicalAndOp
from snippets_mlir.dialects.snippets.padding import PadOp
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.stablehlo.region_ops import ScatterOp
from snippets_mlir.passes.building.graph import OpBuilder
from snippets_mlir.passes.graph.stablehlo.builder import (
    Replacement,
    splat_of,
)
from snippets_mlir.passes.graph.stablehlo.gather_rules import within
from snippets_mlir.passes.graph.stablehlo.scatter_matching import (
    HERE,
    Combination,
    combination_of,
    combined,
    wide,
)
from snippets_mlir.passes.patterns import Pattern


class Part(NamedTuple):
    """One dim of the window of a place.

    Attributes:
        size: its elements.
        number: the index of the place's number for its begin; None: it begins at `start`.
        start: the known place.
    """

    size: int
    number: int | None
    start: int


class Window(NamedTuple):
    """The window of a scatter at one place: a part for each dim, and its combination."""

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
    """The window at the one place of a scatter; None if there are several, or it is unknown."""
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
    """A scatter at one place is a select between the operand and the new value."""

    name = "scatter-at-place"
    ops = (ScatterOp,)
    conditions = HERE

    def match(self, op: ScatterOp) -> Window | None:
        """The window, and its combination with the operand."""
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
        build.replace(combined(build, match.combination, chosen, value, x))


def _around(part: Part, whole: int) -> tuple[int, int]:
    """The elements of a dim before and after a part; none beside a single one, which broadcasts."""
    return (0, 0) if part.size == 1 else (part.start, whole - part.start - part.size)


def _places(build: OpBuilder, numbers: SSAValue, part: Part, whole: int) -> SSAValue:
    """For each place along a dim, whether it is in the part."""
    places = build.add(IotaOp(tensor_type(i64, [whole]), 0))
    if part.number is None:
        return _between(build, places, part.start, part.start + part.size)
    if shape_of(numbers) != (1,):
        numbers = build.add(SliceOp(numbers, [part.number], [1], [1]))
    return build.add(EqualOp(places, wide(build, numbers)))


def _between(build: OpBuilder, places: SSAValue, start: int, end: int) -> SSAValue:
    """Whether places are from `start` on and before `end`."""
    if start == 0:
        return within(build, places, end)
    after = build.add(GreaterEqualOp(places, build.scalar(start, places)))
    return build.add(LogicalAndOp(after, within(build, places, end)))


RULES = (ScatterAtPlace,)
