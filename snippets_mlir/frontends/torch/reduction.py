"""ATen's reductions, softmax and products.

    sum(x, [1], keepdim)        %y = snippets.reduce_sum %x {axes, keep_dims}
    var(x, [1], correction=1)   %y = snippets.reduce_sum (x - mean(x))^2 / (n - 1)
    cumsum(x, 1)                %y = snippets.cum_sum %x {axis}
    cummax(x, 1)                %y = snippets.cum_max %x {axis}, and the cum_max of the places where
                                x is %y
    argmax(x, 1)                %y = snippets.arg_max %x {axis}
    max(x, 1)                   both of snippets.reduce_max and snippets.arg_max
    any(x, 1)                   %y = snippets.reduce_max of x != 0 as i32, greater than 0
    _softmax(x, 1, false)       %y = snippets.softmax %x {axis = 1}
    mm(a, b)                    %y = snippets.matmul %a, %b

Source: the definitions of the ops in ATen.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import bf16, f16, f32, i1, i32, i64
from xdsl.ir import SSAValue

from snippets_mlir.analysis.graph.products import why_no_kernel
from snippets_mlir.dialects.builtin.dims import product, static_size
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.snippets.arg_reduction import ArgMaxOp, ArgMinOp, ArgReduceOp
from snippets_mlir.dialects.snippets.arithmetic import DivideOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.base import FLOAT, kind_of
from snippets_mlir.dialects.snippets.comparison import EqualOp, GreaterOp, NotEqualOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.cumulative import (
    CumMaxOp,
    CumMinOp,
    CumProdOp,
    CumSumOp,
    CumulativeOp,
)
from snippets_mlir.dialects.snippets.layout import SqueezeOp
from snippets_mlir.dialects.snippets.normalization import LogSoftmaxOp, SoftmaxOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.reduction import (
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceOp,
    ReduceProdOp,
    ReduceSumOp,
)
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.frontends.torch.layout import Rule, numbers_along
from snippets_mlir.frontends.torch.node import NodeBuilder, Unheld, Values


def _axes(b: NodeBuilder) -> list[int]:
    return b.axes() if "dim" in b.arguments else list(range(len(shape_of(b.tensor()))))


def _keeps(b: NodeBuilder) -> bool:
    return bool(b.arguments.get("keepdim", False))


def _reduction(op: type[ReduceOp]) -> Rule:
    """Of operands in the type of the result: sums of truth values count, extremes are numbers."""

    def build(b: NodeBuilder) -> SSAValue:
        wide = i32 if b.element == i1 else b.element
        found = b.emit(op(b.operand("self", wide), _axes(b), _keeps(b)))
        return b.convert(found, b.element)

    return build


def _any(b: NodeBuilder) -> SSAValue:
    truth = b.convert(b.convert(b.tensor(), i1), i32)
    return b.emit(GreaterOp(b.emit(ReduceMaxOp(truth, _axes(b), _keeps(b))), b.scalar(0, i32)))


def _moments(b: NodeBuilder) -> tuple[SSAValue, SSAValue]:
    """Variance and mean along the axes, which stay as dims of size 1; of 16-bit floats in f32."""
    x, axes = b.tensor(), _axes(b)
    if tensor_of(x).element_type in (f16, bf16):
        x = b.convert(x, f32)
    correction = b.arguments.get("correction")
    correction = 1 if correction is None else correction
    sizes = [shape_of(x)[axis] for axis in axes]
    if not is_static(sizes):
        raise Unheld("the number of elements is known only when it is called")
    divisor = assumed(product(sizes)) - correction
    if divisor <= 0:
        raise Unheld("there are no more elements than the correction")
    mean = b.emit(ReduceMeanOp(x, axes, keep_dims=True))
    distance = b.emit(SubtractOp(x, mean))
    total = b.emit(ReduceSumOp(b.emit(MultiplyOp(distance, distance)), axes, keep_dims=True))
    count = b.scalar(divisor, tensor_of(x).element_type)
    return b.emit(DivideOp(total, count)), mean


def _place(op: type[ArgReduceOp]) -> Rule:
    """Of all elements in their order without `dim`."""

    def build(b: NodeBuilder) -> SSAValue:
        x = b.tensor()
        shape = shape_of(x)
        if b.arguments["dim"] is not None and shape:
            return b.emit(op(x, b.arguments["dim"], _keeps(b)))
        if not is_static(shape):
            raise Unheld("the number of elements is known only when it is called")
        place = b.emit(op(b.emit(ReshapeOp(x, (product(shape),))), 0))
        return b.emit(ReshapeOp(place, (1,) * len(shape))) if _keeps(b) else place

    return build


def _with_place(values: type[ReduceOp], places: type[ArgReduceOp]) -> Callable[..., Values]:
    """Of all elements the extreme, along a dim also its place."""

    def build(b: NodeBuilder) -> Values:
        x = b.tensor()
        if "other" in b.names or not shape_of(x):
            raise Unheld("it has no dims to reduce")
        if "dim" not in b.names:
            return b.emit(values(x, range(len(shape_of(x)))))
        dim = b.arguments["dim"]
        return b.emit(values(x, [dim], _keeps(b))), b.emit(places(x, dim, _keeps(b)))

    return build


def _dropped(b: NodeBuilder, value: SSAValue) -> SSAValue:
    axes, value = _axes(b), b.convert(value, tensor_of(b.tensor()).element_type)
    return value if _keeps(b) or not axes else b.emit(SqueezeOp(value, axes))


def _var(b: NodeBuilder) -> SSAValue:
    return _dropped(b, _moments(b)[0])


def _var_mean(b: NodeBuilder) -> Values:
    return tuple(_dropped(b, value) for value in _moments(b))


def _softmax(op: type[SoftmaxOp | LogSoftmaxOp]) -> Rule:
    def build(b: NodeBuilder) -> SSAValue:
        x = b.operand("self", b.element)
        if not shape_of(x):
            raise Unheld("it has no dims")
        return b.emit(op(x, b.arguments["dim"]))

    return build


def _cumulative(op: type[CumulativeOp]) -> Rule:
    """Of operands in the type of the result: integers and truth values are i64 there."""

    def build(b: NodeBuilder) -> SSAValue:
        x = b.operand("self", b.element)
        return b.emit(op(x, b.arguments["dim"])) if shape_of(x) else x

    return build


def _cumulative_extreme(op: type[CumMaxOp | CumMinOp]) -> Callable[..., Values]:
    """The extremes and their places: of equal ones the last, from a NaN on that of the last NaN."""

    def build(b: NodeBuilder) -> Values:
        x = b.tensor()
        shape, element = shape_of(x), tensor_of(x).element_type
        if not shape:
            raise Unheld("it has no dims")
        axis = int(b.arguments["dim"]) % len(shape)
        values = b.emit(op(x, axis))
        chosen = b.emit(EqualOp(x, values))
        if kind_of(element) == FLOAT:
            # No NaN is equal to one.
            number = b.emit(EqualOp(x, x))
            chosen = b.emit(SelectOp(number, chosen, b.emit(NotEqualOp(x, x))))
        place = _places_along(b, x, axis)
        here = b.emit(SelectOp(chosen, place, b.scalar(0, i64)))
        return values, b.emit(CumMaxOp(here, axis))

    return build


def _places_along(b: NodeBuilder, x: SSAValue, axis: int) -> SSAValue:
    """0, 1, 2, ... along a dim of `x`; of a dynamic one they are counted."""
    shape = shape_of(x)
    if is_static((shape[axis],)):
        along = [static_size(size) if dim == axis else 1 for dim, size in enumerate(shape)]
        return numbers_along(b, along, axis, i64)
    one = b.scalar(1, i64)
    ones = b.emit(SelectOp(b.emit(EqualOp(x, x)), one, one))
    return b.emit(SubtractOp(b.emit(CumSumOp(ones, axis)), one))


def _product(b: NodeBuilder) -> SSAValue:
    """Of 16-bit floats in f32, rounded once, as torch computes it."""
    element = f32 if b.element in (f16, bf16) else b.element
    op = MatMulOp(b.operand("self", element), b.operand("mat2", element))
    if (reason := why_no_kernel(op)) is not None:
        raise Unheld(reason)
    return b.convert(b.emit(op), b.element)


REDUCTIONS: dict[str, Callable[[NodeBuilder], Values]] = {
    "_log_softmax": _softmax(LogSoftmaxOp),
    "_softmax": _softmax(SoftmaxOp),
    "amax": _reduction(ReduceMaxOp),
    "amin": _reduction(ReduceMinOp),
    "any": _any,
    "argmax": _place(ArgMaxOp),
    "argmin": _place(ArgMinOp),
    "cummax": _cumulative_extreme(CumMaxOp),
    "cummin": _cumulative_extreme(CumMinOp),
    "cumprod": _cumulative(CumProdOp),
    "cumsum": _cumulative(CumSumOp),
    "max": _with_place(ReduceMaxOp, ArgMaxOp),
    "mean": _reduction(ReduceMeanOp),
    "min": _with_place(ReduceMinOp, ArgMinOp),
    "prod": _reduction(ReduceProdOp),
    "sum": _reduction(ReduceSumOp),
    "var": _var,
    "var_mean": _var_mean,
}

PRODUCTS: dict[str, Rule] = {"bmm": _product, "mm": _product}
