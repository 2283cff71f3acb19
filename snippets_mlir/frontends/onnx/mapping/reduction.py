"""The reductions of ONNX: one `snippets` reduction with elementwise ops around it.

    ReduceMean, ReduceMax, ...     %y = snippets.reduce_mean %x {axes, keep_dims}
    ReduceL1                       %y = snippets.reduce_sum |x|
    ReduceL2                       %y = sqrt(snippets.reduce_sum x * x)
    ReduceLogSumExp                %y = log(snippets.reduce_sum exp(x - m)) + m, with m = max(x)

The axes are an attribute in older versions and an input in newer ones; the input has to be a
constant. Without axes all dims are reduced, or none with `noop_with_empty_axes`; the ops around the
reduction are then still computed. Source: the operators' definitions in ONNX.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import UnitAttr, i1, i32
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.base import FLOAT, ComputeOp, kind_of
from snippets_mlir.dialects.snippets.comparison import GreaterOp, IsFiniteOp
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.elementary import ExpOp, LogOp, SqrtOp
from snippets_mlir.dialects.snippets.layout import SqueezeOp
from snippets_mlir.dialects.snippets.reduction import (
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceOp,
    ReduceProdOp,
    ReduceSumOp,
)
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.snippets.signs import AbsOp
from snippets_mlir.frontends.onnx.node import Build, NodeBuilder, Opaque, Row

Step = Callable[[SSAValue], ComputeOp]


def constant_axes(b: NodeBuilder) -> list[int] | None:
    """The axes from the attribute `axes` or input 1; None when neither is given.

    Raises Opaque for an input that is known only at run time.
    """
    if "axes" in b.node.attributes:
        return [int(axis) for axis in b.node.attributes["axes"]]
    if not b.has(1):
        return None
    array = b.array(1)
    if array is not None:
        return [int(axis) for axis in array.reshape(-1)]
    type_ = b.any_value(1).type
    if is_tensor(type_) and 0 in shape_of(type_):
        return []
    raise Opaque(f"the axes of {b.node.op_type} are no constant")


def _axes(b: NodeBuilder, rank: int) -> list[int]:
    axes = constant_axes(b)
    if axes:
        return axes
    return [] if b.flag("noop_with_empty_axes") else list(range(rank))


def _reduced(b: NodeBuilder, x: SSAValue, op: type[ReduceOp]) -> SSAValue:
    axes, shape = _axes(b, len(shape_of(x))), shape_of(x)
    made = op(x, axes, bool(b.flag("keepdims", 1)))
    if isinstance(made, ReduceMeanOp) and any(shape[axis] in (0, DYNAMIC) for axis in made.axes):
        made.or_zero = UnitAttr()  # the mean of no elements is 0 in onnxruntime
    return b.emit(made)


def _reduction(op: type[ReduceOp], before: Step | None = None, after: Step | None = None) -> Build:
    def build(b: NodeBuilder) -> SSAValue:
        x = b.value(0)
        result = _reduced(b, x if before is None else b.emit(before(x)), op)
        return result if after is None else b.emit(after(result))

    return build


def _extremum(op: type[ReduceOp]) -> Build:
    """Maximum or minimum; truth values are integers, and more than 0 is true."""

    def build(b: NodeBuilder) -> SSAValue:
        x = b.value(0)
        if tensor_of(x).element_type != i1:
            return _reduced(b, x, op)
        # Without elements the result is the lowest integer (false) or the highest (true).
        best = _reduced(b, b.emit(ConvertTruncationOp(x, i32)), op)
        return b.emit(GreaterOp(best, b.scalar(0, i32)))

    return build


def _square(x: SSAValue) -> ComputeOp:
    return MultiplyOp(x, x)


def _log_sum_exp(b: NodeBuilder) -> SSAValue:
    """log(sum(exp(x - m))) + m with m = max(x), or 0 where that is no number.

    Then infinities and NaN go through exp, sum and log, and nothing else overflows.
    """
    x = b.value(0)
    if kind_of(tensor_of(x).element_type) != FLOAT:
        raise Opaque("ReduceLogSumExp of integers is not compiled")
    axes = _axes(b, len(shape_of(x)))
    largest = b.emit(ReduceMaxOp(x, axes, keep_dims=True))
    shift = b.emit(SelectOp(b.emit(IsFiniteOp(largest)), largest, b.like(0.0, x)))
    powers = b.emit(ExpOp(b.emit(SubtractOp(x, shift))))
    total = b.emit(LogOp(b.emit(ReduceSumOp(powers, axes, keep_dims=True))))
    result = b.emit(AddOp(total, shift))
    return result if b.flag("keepdims", 1) else b.emit(SqueezeOp(result, axes))


def _rows(since: Sequence[int], **builds: Build) -> dict[str, Row]:
    return {name: Row(tuple(since), build) for name, build in builds.items()}


ROWS: dict[str, Row] = {
    **_rows(
        (1, 11, 13, 18),
        ReduceL1=_reduction(ReduceSumOp, before=AbsOp),
        ReduceL2=_reduction(ReduceSumOp, before=_square, after=SqrtOp),
        ReduceMean=_reduction(ReduceMeanOp),
        ReduceProd=_reduction(ReduceProdOp),
        ReduceSumSquare=_reduction(ReduceSumOp, before=_square),
    ),
    **_rows((1, 11, 13), ReduceSum=_reduction(ReduceSumOp)),
    **_rows(
        (1, 11, 12, 13, 18, 20), ReduceMax=_extremum(ReduceMaxOp), ReduceMin=_extremum(ReduceMinOp)
    ),
    **_rows(
        (1, 11, 13, 18, 28),
        ReduceLogSum=_reduction(ReduceSumOp, after=LogOp),
        ReduceLogSumExp=_log_sum_exp,
    ),
}
