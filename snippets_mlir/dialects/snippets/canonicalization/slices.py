"""Canonical forms of slices: one slice in place of several ops.

    %1 = snippets.slice %0 {starts = array<i64: 2, 0>, steps = array<i64: 1, 1>} : 8x9 to 1x9
    %2 = snippets.reshape %1 : 1x9 to 9                  -> snippets.slice %0 {..., drops = [0]}
    %3 = snippets.slice %2 {starts = array<i64: 8>, steps = array<i64: -1>} : 9 to 9
                                                         -> snippets.slice %0, from (2, 8)

* A reshape or squeeze that only removes dims of size 1 of a slice becomes a slice that drops them.
* A slice of a slice is one slice of the first operand.
* `snippets.slice_to` of known sizes is a slice: the bounds are clamped.

Elements are only moved, so both rewrites are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.bounded_slicing import SliceToOp
from snippets_mlir.dialects.snippets.rules.match import in_linear_ir
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.slicing import SliceOp


def _replace(op: Operation, new: SliceOp, rewriter: PatternRewriter) -> None:
    new.attributes = dict(op.attributes)
    new.location = op.location
    rewriter.replace(op, new)


def slice_of(
    value: SSAValue,
    starts: Sequence[Dim],
    sizes: Sequence[Dim],
    steps: Sequence[int],
    drops: Sequence[int] = (),
) -> SliceOp:
    """A slice of `value`, or, if `value` is a slice, of its operand."""
    inner = value.owner
    if not isinstance(inner, SliceOp):
        return SliceOp(value, starts, sizes, steps, drops)
    places, strides, shape = list(inner.starts), list(inner.steps), list(inner.sizes)
    for place, dim in enumerate(inner.kept):
        places[dim] += starts[place] * inner.steps[dim]
        strides[dim] *= steps[place]
        shape[dim] = sizes[place]
    dropped = sorted((*inner.drops, *(inner.kept[place] for place in drops)))
    return SliceOp(inner.operand, places, shape, strides, dropped)


def kept_dims(slice: SliceOp, shape: Sequence[Dim]) -> list[int] | None:
    """The dims of the operand that `shape` keeps, in order; None if `shape` does more than drop
    dims.
    """
    kept, rest = list[int](), list(shape)
    for dim in slice.kept:
        if rest and slice.sizes[dim] == rest[0]:
            kept.append(dim)
            rest.pop(0)
        elif slice.sizes[dim] != 1:
            return None
    return None if rest else kept


class ReshapeOfSlice(RewritePattern):
    """A reshape that only removes dims of a slice is a slice that drops them."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Replace a reshape or a squeeze."""
        inner = op.operands[0].owner
        if not isinstance(inner, SliceOp) or in_linear_ir(op):
            return
        kept = kept_dims(inner, shape_of(op.results[0]))
        if kept is not None:
            drops = [dim for dim in range(len(inner.starts)) if dim not in kept]
            new = SliceOp(inner.operand, inner.starts, inner.sizes, inner.steps, drops)
            _replace(op, new, rewriter)


class SliceOfSlice(RewritePattern):
    """A slice of a slice is one slice."""

    @override
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        inner = op.operands[0].owner
        if not isinstance(op, SliceOp) or not isinstance(inner, SliceOp) or in_linear_ir(op):
            return
        _replace(op, slice_of(op.operand, op.starts, op.sizes, op.steps, op.drops), rewriter)


class KnownBounds(RewritePattern):
    """A slice by bounds of an operand of known sizes is a slice."""

    @override
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, SliceToOp) or not is_static(shape_of(op.operand)):
            return
        parts = op.parts()
        starts, sizes = [part.start for part in parts], [part.count for part in parts]
        _replace(op, SliceOp(op.operand, starts, sizes, op.steps, op.drops), rewriter)
