"""Bring reductions to the form that kernels have: sum, prod, max and min that keep their dims.

    %1 = snippets.reduce_mean %0 {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>

becomes

    %2 = snippets.reduce_sum %0 {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>
    %n = snippets.scalar 8.0 : f32
    %3 = snippets.divide %2, %n : .. -> tensor<4x1xf32>
    %1 = snippets.reshape %3 : (tensor<4x1xf32>) -> tensor<4xf32>

* A mean is a sum divided by the number of elements. Of dynamic dimensions it is
  `snippets.scalar #snippets.size<?0*8 : f32>`. Integers are added and divided in i64, where neither
  the sum of `i32` nor the number wraps, and cut towards zero.
* Dims that go are kept with size 1 and dropped by a reshape (`snippets.squeeze` where more than one
  size is unknown).
* A reduction of nothing is its neutral value, repeated: 0, 1, -inf or inf or the limits of the
  integer type, NaN for a mean of floats.
* A reduction of single elements is the element: a reshape; a sum of floats is 0.0 plus the element,
  because sums are never -0.0.
* `snippets.squeeze` and `snippets.unsqueeze` become reshapes.

Refuses a mean over dims of unknown size, with the reason on the op. Means of 16-bit floats are
computed in f32. Ops marked `snippets.skipped` stay. Exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.internal import ReduceMaxnumOp
from snippets_mlir.dialects.snippets.layout import SqueezeOp, UnsqueezeOp
from snippets_mlir.dialects.snippets.reduction import (
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceOp,
    ReduceProdOp,
    ReduceSumOp,
)
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, is_static
from snippets_mlir.passes.building.graph import OpBuilder, computing_ops, leave, tensor_blocks
from snippets_mlir.passes.graph.decompose.means import add_mean, why_no_mean


@dataclass(frozen=True)
class Neutral:
    """The result is `value` everywhere: nothing is reduced."""

    value: float


@dataclass(frozen=True)
class Single:
    """Each element of the result is one element; `plus_zero`: 0.0 added to it."""

    plus_zero: bool


@dataclass(frozen=True)
class Keep:
    """Reduce with dims kept, then drop them; `mean`: and divide."""

    mean: bool


@dataclass(frozen=True)
class Reshaped:
    """A squeeze or unsqueeze that is a reshape."""


Plan = Neutral | Single | Keep | Reshaped


def neutral_value(op: ReduceOp, element: Attribute) -> float:
    """What `op` gives for no elements of a type."""
    integers = integers_of(element)
    if isinstance(op, ReduceMeanOp):
        return float("nan") if integers is None else 0
    if isinstance(op, ReduceMaxOp | ReduceMaxnumOp):
        return -float("inf") if integers is None else integers.smallest
    if isinstance(op, ReduceMinOp):
        return float("inf") if integers is None else integers.largest
    return 1 if isinstance(op, ReduceProdOp) else 0


def _follows(source: Shape, target: Shape) -> bool:
    """Whether a reshape can tell the sizes of `target` from the elements of `source`."""
    known = [size for size in target if size != DYNAMIC]
    return len(target) - len(known) <= (1 if 0 not in known else 0)


def _plan(op: Operation) -> Plan | str | None:
    """What becomes of `op`, why it has to stay, or None when it may stay."""
    if isinstance(op, SqueezeOp | UnsqueezeOp):
        return Reshaped() if _follows(shape_of(op.operand), shape_of(op.result)) else None
    if not isinstance(op, ReduceOp):
        return None
    shape, element = shape_of(op.operand), tensor_of(op.operand).element_type
    sizes = [shape[axis] for axis in op.axes]
    if 0 in sizes and is_static(shape_of(op.result)):
        return Neutral(neutral_value(op, element))
    if all(size == 1 for size in sizes):
        is_sum = isinstance(op, ReduceSumOp | ReduceMeanOp) and isinstance(element, AnyFloat)
        return Single(is_sum)
    is_mean = isinstance(op, ReduceMeanOp)
    if is_mean and (why := why_no_mean(shape, op.axes)) is not None:
        return why
    return None if op.keeps_dims and not is_mean else Keep(is_mean)


def _dropped(value: SSAValue, axes: Sequence[int], target: Shape, builder: OpBuilder) -> SSAValue:
    """`value` without the dims `axes`, of size 1; `value` itself when it has the shape."""
    if len(shape_of(value)) == len(target):
        return value
    if _follows(shape_of(value), target):
        return builder.reshape(value, target)
    return builder.add(SqueezeOp(value, axes))


def _apply(op: Operation, plan: Plan) -> None:
    builder, target = OpBuilder(op), shape_of(op.results[0])
    operand = op.operands[0]
    match plan:
        case Neutral(value):
            scalar = builder.scalar(value, operand)
            builder.replace(builder.add(BroadcastOp(scalar, target)) if target else scalar)
        case Reshaped():
            builder.replace(builder.reshape(operand, target))
        case Single(plus_zero):
            assert isinstance(op, ReduceOp)
            if plus_zero:
                operand = builder.add(AddOp(operand, builder.scalar(0.0, operand)))
            builder.replace(_dropped(operand, op.axes, target, builder))
        case Keep(mean):
            assert isinstance(op, ReduceOp)
            if mean:
                value = add_mean(builder, operand, op.axes)
            else:
                value = builder.add(type(op)(operand, op.axes, keep_dims=True))
            builder.replace(_dropped(value, op.axes, target, builder))


@dataclass(frozen=True)
class SnippetsDecomposeReductionsPass(ModulePass):
    """Bring reductions to sums, products, maxima and minima that keep their dims."""

    name = "snippets-decompose-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions and the bodies of subgraphs."""
        for block in tensor_blocks(op):
            for inner in computing_ops(block):
                plan = _plan(inner)
                if isinstance(plan, str):
                    leave(inner, plan)
                elif plan is not None:
                    _apply(inner, plan)
