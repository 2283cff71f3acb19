"""Means as the decompositions write them: a sum, divided by the number of elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import IntAttr, i64
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.integers import integers_of
from snippets_mlir.dialects.sizes import is_symbolic
from snippets_mlir.dialects.snippets.attributes import SizeAttr
from snippets_mlir.dialects.snippets.base import tensor_of
from snippets_mlir.dialects.snippets.binary import DivideOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.reduction import ReduceSumOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.dialects.snippets.whole_tensor import Shape, shape_of
from snippets_mlir.passes.dataflow.building import OpBuilder


def count_of(shape: Shape, axes: Sequence[int]) -> int | None:
    """How many elements the dims `axes` of `shape` hold, or None; symbols are known to a call."""
    sizes = [shape[axis] for axis in axes]
    return None if DYNAMIC in sizes else prod(sizes)


def why_no_mean(shape: Shape, axes: Sequence[int]) -> str | None:
    """Why a mean cannot be written as a division by a count, or None when it can."""
    if count_of(shape, axes) is None:
        dims = ", ".join(map(str, axes))
        return (
            f"the number of elements in dims {dims} of {format_shape(shape)} is not known; "
            "compile it for the shapes of a call"
        )
    return None


def _add_count(builder: OpBuilder, count: int, value: SSAValue) -> SSAValue:
    """`count` as a scalar of the type of `value`, which holds it."""
    if is_symbolic(count):
        size = SizeAttr(IntAttr(count), tensor_of(value).element_type)
        return builder.add(ScalarOp(size))
    return builder.scalar(count, value)


def _holds(element: Attribute, count: int) -> bool:
    """Whether a number of the element type can be `count`, whatever a call brings."""
    integers = integers_of(element)
    if integers is None or integers.width == i64.width.data:
        return True
    return not is_symbolic(count) and count <= integers.largest


def divide_by_count(
    builder: OpBuilder, total: SSAValue, shape: Shape, axes: Sequence[int]
) -> SSAValue:
    """`total` divided by how many elements the dims `axes` of `shape` hold; they are known.

    Integers that cannot be as large as the count are divided in i64.
    """
    count, element = count_of(shape, axes), tensor_of(total).element_type
    assert count is not None
    if _holds(element, count):
        return builder.add(DivideOp(total, _add_count(builder, count, total)))
    wide = builder.add(ConvertTruncationOp(total, i64))
    quotient = builder.add(DivideOp(wide, _add_count(builder, count, wide)))
    return builder.add(ConvertTruncationOp(quotient, element))


def add_mean(builder: OpBuilder, value: SSAValue, axes: Sequence[int]) -> SSAValue:
    """The mean over `axes`, which stay with size 1; `why_no_mean` has given None."""
    total = builder.add(ReduceSumOp(value, axes, keep_dims=True))
    return divide_by_count(builder, total, shape_of(value), axes)
