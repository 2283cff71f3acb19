"""Convert StableHLO's concats, pads, and slices and updates at known places.

    %1 = stablehlo.concatenate %x, %y, dim = 0           -> snippets.concat
    %2 = stablehlo.pad %x, %v, low = [1], high = [-2],   -> snippets.pad of a snippets.slice
         interior = [0]
    %3 = stablehlo.dynamic_slice %x, %c, sizes = [2]     -> snippets.slice, if %c is a constant
    %4 = stablehlo.dynamic_update_slice %x, %u, %c       -> snippets.concat of slices and %u, too

Places outside of the operand are clamped, as StableHLO says. Elements only move. Refused: dynamic
dims, and pads between elements. `gather_rules.py` handles places that only the call knows.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.canonicalization.gathers import integer_of
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.padding import PadOp
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.stablehlo import slices
from snippets_mlir.dialects.stablehlo.gathers import DynamicSliceOp, DynamicUpdateSliceOp
from snippets_mlir.passes.graph.stablehlo.builder import (
    Replacement,
    in_a_function,
    of_known_elements,
)
from snippets_mlir.passes.graph.stablehlo.movement_rules import has_elements, of_static_shape
from snippets_mlir.passes.patterns import Pattern

_HERE = (in_a_function, of_known_elements, of_static_shape)


class Concatenate(Pattern[slices.ConcatenateOp, int]):
    """`stablehlo.concatenate` is `snippets.concat`."""

    name = "concatenate"
    ops = (slices.ConcatenateOp,)
    conditions = _HERE

    @override
    def match(self, op: slices.ConcatenateOp) -> int:
        return op.dim

    @override
    def rewrite(self, op: slices.ConcatenateOp, match: int, rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        build.replace(build.add(ConcatOp(op.operands, match)))


class Pad(Pattern[slices.PadOp, list[tuple[int, int]]]):
    """`stablehlo.pad` around the elements is `snippets.pad`; negative amounts are a slice."""

    name = "pad"
    ops = (slices.PadOp,)
    conditions = (*_HERE, has_elements)

    def match(self, op: slices.PadOp) -> list[tuple[int, int]] | None:
        """The amounts of each dim; None if there is padding between elements."""
        sizes = static_shape(shape_of(op.operand))
        if any(inner and size > 1 for size, (_, _, inner) in zip(sizes, op.amounts, strict=True)):
            return None
        amounts = [(low, high) for low, high, _ in op.amounts]
        # The part cut off on one side reaches no further than the elements.
        kept = all(-low <= n and -high <= n for n, (low, high) in zip(sizes, amounts, strict=True))
        return amounts if kept else None

    @override
    def rewrite(
        self, op: slices.PadOp, match: list[tuple[int, int]], rewriter: PatternRewriter
    ) -> None:
        build = Replacement(op, rewriter)
        x = op.operand
        starts = [max(0, -low) for low, _ in match]
        sizes = [
            size + min(0, low) + min(0, high)
            for size, (low, high) in zip(static_shape(shape_of(x)), match, strict=True)
        ]
        if sizes != list(shape_of(x)):
            x = build.add(SliceOp(x, starts, sizes, [1] * len(sizes)))
        low, high = ([max(0, amounts[side]) for amounts in match] for side in (0, 1))
        build.replace(build.add(PadOp(x, op.padding_value, low, high)))


def known_starts(
    starts: Sequence[SSAValue], limits: Sequence[int], sizes: Sequence[int]
) -> list[int] | None:
    """The constant places `starts`, clamped to `limits`; None if they are no constants."""
    found: list[int] = []
    for start, limit, size in zip(starts, limits, sizes, strict=True):
        if (value := integer_of(start)) is None:
            return None
        found.append(min(max(value, 0), limit - size))
    return found


class KnownSlice(Pattern[DynamicSliceOp, list[int]]):
    """A dynamic slice at a known place is a slice."""

    name = "known-slice"
    ops = (DynamicSliceOp,)
    conditions = (*_HERE, has_elements)

    @override
    def match(self, op: DynamicSliceOp) -> list[int] | None:
        shapes = (static_shape(shape_of(v)) for v in (op.operand, op.output))
        return known_starts(op.start_indices, *shapes)

    @override
    def rewrite(self, op: DynamicSliceOp, match: list[int], rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        build.replace(build.add(SliceOp(op.operand, match, shape_of(op.output), [1] * len(match))))


class KnownUpdate(Pattern[DynamicUpdateSliceOp, list[int]]):
    """An update at a known place is a concat of the update and the parts around it."""

    name = "known-update"
    ops = (DynamicUpdateSliceOp,)
    conditions = (*_HERE, has_elements)

    @override
    def match(self, op: DynamicUpdateSliceOp) -> list[int] | None:
        shapes = (static_shape(shape_of(v)) for v in (op.operand, op.update))
        return known_starts(op.start_indices, *shapes)

    def rewrite(
        self, op: DynamicUpdateSliceOp, match: list[int], rewriter: PatternRewriter
    ) -> None:
        """Replace the op: along each dim the part before, the other dims, the part after."""
        build = Replacement(op, rewriter)
        whole, sizes = (static_shape(shape_of(v)) for v in (op.operand, op.update))
        if 0 in sizes:
            build.replace(op.operand)
            return
        value = op.update
        for dim in reversed(range(len(match))):

            def around(start: int, end: int, dim: int = dim) -> list[SSAValue]:
                """The operand from `start` to `end` along `dim`, beside the update before it."""
                if start == end:
                    return []
                starts = [*match[:dim], start, *(0 for _ in match[dim + 1 :])]
                shape = [*sizes[:dim], end - start, *whole[dim + 1 :]]
                return [build.add(SliceOp(op.operand, starts, shape, [1] * len(shape)))]

            last = match[dim] + sizes[dim]
            parts = [*around(0, match[dim]), value, *around(last, whole[dim])]
            value = build.add(ConcatOp(parts, dim)) if len(parts) > 1 else value
        build.replace(value)


RULES = (Concatenate, Pad, KnownSlice, KnownUpdate)
