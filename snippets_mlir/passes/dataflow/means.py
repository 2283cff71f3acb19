"""Means as the decompositions write them: a sum, divided by the number of elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import SSAValue

from snippets_mlir.dialects.integers import wrapped
from snippets_mlir.dialects.sizes import is_symbolic
from snippets_mlir.dialects.snippets.attributes import SizeAttr
from snippets_mlir.dialects.snippets.base import tensor_of
from snippets_mlir.dialects.snippets.binary import DivideOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
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


def add_count(builder: OpBuilder, value: SSAValue, shape: Shape, axes: Sequence[int]) -> SSAValue:
    """How many elements the dims `axes` of `shape` hold, as a scalar of the type of `value`."""
    count, element = count_of(shape, axes), tensor_of(value).element_type
    assert count is not None
    if is_symbolic(count):
        return builder.add(ScalarOp(SizeAttr(IntAttr(count), element)))
    return builder.scalar(wrapped(count, element), value)


def add_mean(builder: OpBuilder, value: SSAValue, axes: Sequence[int]) -> SSAValue:
    """The mean over `axes`, which stay with size 1; `why_no_mean` has given None."""
    total = builder.add(ReduceSumOp(value, axes, keep_dims=True))
    return builder.add(DivideOp(total, add_count(builder, value, shape_of(value), axes)))
