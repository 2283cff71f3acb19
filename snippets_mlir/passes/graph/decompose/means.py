"""Means as the decompositions write them: a sum, divided by the number of elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, Shape, Size
from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.sizes import SizeAttr
from snippets_mlir.dialects.snippets.arithmetic import DivideOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.reduction import ReduceSumOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.passes.building.graph import OpBuilder


def count_of(shape: Shape, axes: Sequence[int]) -> Dim | None:
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


def summed_for_mean(builder: OpBuilder, value: SSAValue) -> SSAValue:
    """What a mean adds up: 16-bit floats in f32, integers in 64 bits."""
    integers = integers_of(tensor_of(value).element_type)
    if integers is not None and integers.width < i64.width.data:
        return builder.add(ConvertTruncationOp(value, i64))
    return builder.widened(value)


def divide_by_count(
    builder: OpBuilder, total: SSAValue, shape: Shape, axes: Sequence[int]
) -> SSAValue:
    """`total`, of what `summed_for_mean` gives, divided by how many elements were summed.

    They are those of the dims `axes` of `shape`; `why_no_mean` has given None.
    """
    count = count_of(shape, axes)
    assert count is not None
    if isinstance(count, Size):
        size = SizeAttr((count, tensor_of(total).element_type))
        return builder.add(DivideOp(total, builder.add(ScalarOp(size))))
    return builder.add(DivideOp(total, builder.scalar(count, total)))


def add_mean(builder: OpBuilder, value: SSAValue, axes: Sequence[int]) -> SSAValue:
    """The mean over `axes`, which stay with size 1, in the type of `summed_for_mean`.

    `why_no_mean` has given None.
    """
    value = summed_for_mean(builder, value)
    total = builder.add(ReduceSumOp(value, axes, keep_dims=True))
    return divide_by_count(builder, total, shape_of(value), axes)
