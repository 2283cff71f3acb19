"""Means in the form of the decompositions: a sum divided by the number of elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import i64

from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.passes.building.formulas import Term, sum_, widened


def count_of(shape: Shape, axes: Sequence[int]) -> Dim:
    """The number of elements in the dims `axes` of `shape`; `why_no_mean` has given None."""
    return prod(shape[axis] for axis in axes)


def why_no_mean(shape: Shape, axes: Sequence[int]) -> str | None:
    """Why a mean cannot be written as a division by a count, or None if it can."""
    if DYNAMIC in [shape[axis] for axis in axes]:
        dims = ", ".join(map(str, axes))
        return (
            f"the number of elements in dims {dims} of {format_shape(shape)} is not known; "
            "compile it for the shapes of a call"
        )
    return None


def summable(x: Term) -> Term:
    """The operand of a mean's sum: 16-bit floats in f32, integers in 64 bits."""
    integers = integers_of(x.type.element_type)
    if integers is not None and integers.width < i64.width.data:
        return x.applied(lambda value: ConvertTruncationOp(value, i64))
    return widened(x)


def mean(x: Term, axes: Sequence[int]) -> Term:
    """The mean over `axes`, in the type of `summable`."""
    return sum_(summable(x), axes) / count_of(x.shape, axes)
