"""Match means, variances and quotients by roots among the ops of a normalization."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

import numpy as np
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.dtypes import Array, numpy_dtype
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.arithmetic import DivideOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.elementary import RsqrtOp, SqrtOp
from snippets_mlir.dialects.snippets.extrema import MaximumOp
from snippets_mlir.dialects.snippets.reduction import ReduceSumOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.values.evaluate import value_of
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.dialects.stablehlo.elementwise import StableElementwiseOp
from snippets_mlir.passes.graph.stablehlo.builder import splat_of
from snippets_mlir.passes.graph.stablehlo.matching import both_ways, made_by

MOST_STEPS = 4
"""Ops on constants between a number and its use."""


class Mean(NamedTuple):
    """A mean over the dims from `axis` on."""

    of: SSAValue
    axis: int


class Quotient(NamedTuple):
    """`top / sqrt(radicand) * scale`; the scale may be missing."""

    top: SSAValue
    radicand: SSAValue
    scale: SSAValue | None


def number_of(value: SSAValue, steps: int = MOST_STEPS) -> float | int | None:
    """The one value of all elements, if it follows from constants by a few ops."""
    found = splat_of(value)
    if found is not None or steps == 0:
        return found
    while isinstance(value.owner, BroadcastOp):
        value = value.owner.operand
    op = value.owner
    if not isinstance(op, ComputeOp) or isinstance(op, WholeTensorOp):
        return None
    arrays = list[Array]()
    for operand in op.operands:
        if (number := number_of(operand, steps - 1)) is None:
            return None
        arrays.append(np.asarray(number, numpy_dtype(tensor_of(operand).element_type)))
    with np.errstate(all="ignore"):
        return value_of(op.name)(op, numpy_dtype(tensor_of(value).element_type), *arrays).item()


def scaled_sums(value: SSAValue) -> Iterator[tuple[ReduceSumOp, SSAValue, bool]]:
    """Sums whose multiple `value` is, the factor, and whether this is a divisor."""
    if (quotient := made_by(value, DivideOp)) is not None:
        if (total := made_by(quotient.lhs, ReduceSumOp)) is not None:
            yield total, quotient.rhs, True
    elif (product := made_by(value, MultiplyOp)) is not None:
        for factor, number in both_ways(product):
            if (total := made_by(factor, ReduceSumOp)) is not None:
                yield total, number, False


def mean_of(value: SSAValue) -> Mean | None:
    """`value` as a mean, through broadcasts."""
    for total, count, divides in scaled_sums(value):
        shape, axes = shape_of(total.operand), total.axes
        last = axes == tuple(range(len(shape) - len(axes), len(shape)))
        if not (last and axes and total.keeps_dims and is_static(shape)) or has_symbols(shape):
            continue
        size = prod(static_shape(shape)[axes[0] :])
        dtype = numpy_dtype(tensor_of(count).element_type)
        if size and number_of(count) == dtype.type(size if divides else 1 / size).item():
            return Mean(total.operand, axes[0])
    return None


def square_of(value: SSAValue) -> SSAValue | None:
    """The value whose square `value` is."""
    product = made_by(value, MultiplyOp)
    return product.lhs if product is not None and product.lhs is product.rhs else None


def quotients(op: StableElementwiseOp) -> Iterator[Quotient]:
    """`op` as a quotient by a root, in each possible form."""
    if op.name == "stablehlo.divide":
        if (root := made_by(op.inputs[1], SqrtOp)) is not None:
            yield Quotient(op.inputs[0], root.operand, None)
        return
    if op.name != "stablehlo.multiply":
        return
    for top, factor in both_ways(op):
        if (root := made_by(factor, RsqrtOp)) is not None:
            yield Quotient(top, root.operand, None)
        elif (product := made_by(factor, MultiplyOp)) is not None:
            for inverse, scale in both_ways(product):
                if (root := made_by(inverse, RsqrtOp)) is not None:
                    yield Quotient(top, root.operand, scale)


def chosen(value: SSAValue) -> SSAValue:
    """`value`, or the operand that a select on constants takes."""
    select = made_by(value, SelectOp)
    condition = None if select is None else number_of(select.condition)
    if select is None or condition is None:
        return value
    return select.on_true if condition else select.on_false


def centred(value: SSAValue) -> Mean | None:
    """`x` with its mean, if `value` is `x - mean(x)`."""
    distance = made_by(value, SubtractOp)
    mean = None if distance is None else mean_of(distance.rhs)
    return mean if distance is not None and mean is not None and mean.of is distance.lhs else None


def variance_of(value: SSAValue) -> Mean | None:
    """`x`, if `value` is the mean of its squared distances from its mean."""
    value = chosen(value)
    if (largest := made_by(value, MaximumOp)) is not None:
        raised = (a for a, zero in both_ways(largest) if number_of(zero) == 0)
        value = next(raised, value)
    if (difference := made_by(value, SubtractOp)) is not None:
        squares, root = mean_of(difference.lhs), square_of(difference.rhs)
        mean = None if root is None else mean_of(root)
        of_squares = mean is not None and squares is not None and square_of(squares.of) is mean.of
    else:
        squares = mean_of(value)
        distance = None if squares is None else square_of(squares.of)
        mean = None if distance is None else centred(distance)
        of_squares = mean is not None
    if mean is None or squares is None or not of_squares or mean.axis != squares.axis:
        return None
    return mean
