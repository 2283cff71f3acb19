"""Canonical forms of gathers and of slices whose positions are operands.

    snippets.gather %x, %i : (8x4xf32, 3xui8)    -> snippets.convert_truncation of %i to i64 before
    snippets.dynamic_slice %x, %c {axes = [1]}   -> snippets.slice, where %c is a constant

Kernels read i32 or i64 positions. Positions of other types are converted to i64, which keeps their
value; ui64 positions stay. Constant positions that are outside are clamped. Both rewrites are
exact.
"""

from __future__ import annotations

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, IntegerType, Signedness, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.dynamic_slicing import DynamicSliceOp
from snippets_mlir.dialects.snippets.gathering import PlacesOp
from snippets_mlir.dialects.snippets.rules.match import dense_constant, in_linear_ir, splat_value
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.slicing import SliceOp


def is_place(value: SSAValue) -> bool:
    """Whether kernels read places of the element type of `value`."""
    return tensor_of(value).element_type in (i32, i64)


class WidenPlaces(RewritePattern):
    """Places of other integers than i32 and i64 are converted to i64."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Convert the operands that are of such types."""
        if not isinstance(op, PlacesOp) or in_linear_ir(op):
            return
        wide = {v: ConvertTruncationOp(v, i64) for v in op.places if _is_widened(v)}
        if not wide:
            return
        new = type(op).create(
            operands=[op.source, *(wide[v].result if v in wide else v for v in op.places)],
            result_types=[op.results[0].type],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        for made in (*wide.values(), new):
            made.location = op.location
        rewriter.replace(op, [*wide.values(), new])


def _is_widened(value: SSAValue) -> bool:
    element = tensor_of(value).element_type
    return not is_place(value) and element != IntegerType(64, Signedness.UNSIGNED)


def integer_of(value: SSAValue) -> int | None:
    """The integer in a constant of one element; None for another value."""
    if isinstance(value.owner, ScalarOp):
        attr = value.owner.value
        return attr.value.data if isinstance(attr, IntegerAttr) else None
    constant = dense_constant(value)
    number = None if constant is None else splat_value(constant)
    return None if number is None else int(number)


class KnownSlice(RewritePattern):
    """A dynamic slice at places that are constants is a slice."""

    @override
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, DynamicSliceOp) or in_linear_ir(op):
            return
        whole, sizes = shape_of(op.operand), shape_of(op.result)
        if not all(is_static(s) and not has_symbols(s) for s in (whole, sizes)) or 0 in sizes:
            return
        starts = [0] * len(whole)
        for axis, value in zip(op.axes, op.starts, strict=True):
            if (number := integer_of(value)) is None:
                return
            starts[axis] = min(
                max(number, 0), static_shape(whole)[axis] - static_shape(sizes)[axis]
            )
        new = SliceOp(op.operand, starts, sizes, [1] * len(whole))
        new.attributes = dict(op.attributes)
        new.location = op.location
        rewriter.replace(op, new)
