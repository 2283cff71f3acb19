"""Means as the decompositions write them: a sum, divided by the number of elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.integers import integers_of
from snippets_mlir.dialects.sizes import is_symbolic
from snippets_mlir.dialects.snippets.base import tensor_of
from snippets_mlir.dialects.snippets.binary import DivideOp
from snippets_mlir.dialects.snippets.reduction import ReduceSumOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.dialects.snippets.whole_tensor import Shape, shape_of
from snippets_mlir.passes.dataflow.building import OpBuilder


def count_of(shape: Shape, axes: Sequence[int]) -> int | None:
    """How many elements the dims `axes` of `shape` hold; None when that is not known."""
    sizes = [shape[axis] for axis in axes]
    count = prod(sizes)
    return None if DYNAMIC in sizes or is_symbolic(count) else count


def why_no_mean(shape: Shape, axes: Sequence[int]) -> str | None:
    """Why a mean cannot be written as a division by a constant, or None when it can."""
    count = count_of(shape, axes)
    if count is None:
        dims = ", ".join(map(str, axes))
        return (
            f"the number of elements in dims {dims} of {format_shape(shape)} is not known; "
            "compile it for the shapes of a call"
        )
    return None


def wrapped(count: int, element: Attribute) -> int:
    """`count` in the element type: integers keep the low bits."""
    if (integers := integers_of(element)) is None:
        return count
    low = count % (1 << integers.width)
    return low if low <= integers.largest else low - (1 << integers.width)


def add_mean(builder: OpBuilder, value: SSAValue, axes: Sequence[int]) -> SSAValue:
    """The mean over `axes`, which stay with size 1; `why_no_mean` has given None."""
    count = count_of(shape_of(value), axes)
    assert count is not None
    total = builder.add(ReduceSumOp(value, axes, keep_dims=True))
    divisor = builder.scalar(wrapped(count, tensor_of(value).element_type), value)
    return builder.add(DivideOp(total, divisor))
