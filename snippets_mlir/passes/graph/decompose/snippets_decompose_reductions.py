"""Rewrite reductions to the form of kernels: sum, prod, max and min that keep their dims.

    %1 = snippets.reduce_mean %0 {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>

becomes

    %2 = snippets.reduce_sum %0 {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>
    %n = snippets.scalar 8.0 : f32
    %3 = snippets.divide %2, %n : .. -> tensor<4x1xf32>
    %1 = snippets.reshape %3 : (tensor<4x1xf32>) -> tensor<4xf32>

* A mean is a sum divided by the number of elements. For dynamic dims this number is
  `snippets.scalar #snippets.size<?0*8 : f32>`. Integers are added and divided in i64, where neither
  a sum of `i32` nor the number wraps, and truncated towards zero.
* A reduction that drops its dims keeps them with size 1, and a reshape drops them
  (`snippets.squeeze` if more than one size is unknown).
* A reduction of no elements is its neutral value, repeated: 0, 1, -inf or inf or the limits of the
  integer type, NaN for a mean of floats without `or_zero`.
* A reduction of a single element becomes a reshape. A sum of floats is 0.0 plus the element,
  because sums are never -0.0.
* `snippets.squeeze` and `snippets.unsqueeze` become reshapes.

Refuses a mean over dims of unknown size, with the reason on the op. Means of 16-bit floats are
computed in f32. Ops marked `snippets.skipped` stay. Exact.
"""

from dataclasses import dataclass
from typing import Any

from typing_extensions import override
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.canonicalization.reductions import combines_nothing
from snippets_mlir.dialects.snippets.internal import ReduceMaxnumOp
from snippets_mlir.dialects.snippets.layout import SqueezeOp, UnsqueezeOp
from snippets_mlir.dialects.snippets.reduction import (
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceOp,
    ReduceProdOp,
    ReduceSumOp,
    combines_elements,
)
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, is_static
from snippets_mlir.passes.building.formulas import Formula, Refusal, Term, reshape
from snippets_mlir.passes.building.graph import OpBuilder
from snippets_mlir.passes.graph.decompose.means import mean, why_no_mean
from snippets_mlir.passes.graph.graph_passes import FormulaPass


def neutral_value(op: ReduceOp, element: Attribute) -> float:
    """The result of `op` for no elements of a type."""
    integers = integers_of(element)
    if isinstance(op, ReduceMeanOp):
        return 0 if op.gives_zero else float("nan")
    if isinstance(op, ReduceMaxOp | ReduceMaxnumOp):
        return -float("inf") if integers is None else integers.smallest
    if isinstance(op, ReduceMinOp):
        return float("inf") if integers is None else integers.largest
    return 1 if isinstance(op, ReduceProdOp) else 0


def _follows(source: Shape, target: Shape) -> bool:
    """Whether a reshape can tell the sizes of `target` from the elements of `source`."""
    known = [size for size in target if size != DYNAMIC]
    return len(target) - len(known) <= (1 if 0 not in known else 0)


def _dropped(x: Term, op: ReduceOp) -> Term:
    """`x` without the dims that `op` drops, which have size 1."""
    target = shape_of(op.result)
    if len(x.shape) == len(target):
        return x
    if _follows(x.shape, target):
        return reshape(x, target)
    return x.applied(lambda value: SqueezeOp(value, op.axes))


def _sizes(op: ReduceOp) -> list[Dim]:
    """The sizes of the reduced dims."""
    shape = shape_of(op.operand)
    return [shape[axis] for axis in op.axes]


def size_follows(op: SqueezeOp | UnsqueezeOp) -> bool:
    """A reshape can tell the sizes of the result."""
    return _follows(shape_of(op.operand), shape_of(op.result))


def reduces_nothing(op: ReduceOp) -> bool:
    """There are no elements to reduce, and `neutral_value` knows the result."""
    return combines_elements(op) and 0 in _sizes(op) and is_static(shape_of(op.result))


def drops_dims(op: ReduceOp) -> bool:
    """The dims that are reduced are not in the result."""
    return not op.keeps_dims


def count_is_known(op: ReduceMeanOp) -> bool:
    """The number of averaged elements follows from the type, or from sizes with symbols."""
    return why_no_mean(shape_of(op.operand), op.axes) is None


class Squeezed(Formula[SqueezeOp | UnsqueezeOp, Any]):
    """A squeeze, or an unsqueeze, is a reshape."""

    name = "squeeze"
    ops = (SqueezeOp, UnsqueezeOp)
    conditions = (*Formula.conditions, size_follows)

    def formula(self, op: SqueezeOp | UnsqueezeOp, match: Any, build: OpBuilder) -> Term:
        """The operand in the shape of the result."""
        return reshape(Term(op.operand, build), shape_of(op.result))


class OfNothing(Formula[ReduceOp, Any]):
    """A reduction of no elements is its neutral value."""

    name = "of-nothing"
    ops = (ReduceOp,)
    conditions = (*Formula.conditions, reduces_nothing)

    @override
    def formula(self, op: ReduceOp, match: Any, build: OpBuilder) -> Term:
        x = Term(op.operand, build)
        return x.number(neutral_value(op, x.type.element_type))


class OfOne(Formula[ReduceOp, Any]):
    """A reduction of a single element is the element; a sum of floats is `0.0 + x`, never -0.0."""

    name = "of-one"
    ops = (ReduceOp,)
    conditions = (*Formula.conditions, combines_nothing)

    @override
    def formula(self, op: ReduceOp, match: Any, build: OpBuilder) -> Term:
        x = Term(op.operand, build)
        is_sum = isinstance(op, ReduceSumOp | ReduceMeanOp)
        is_float = isinstance(x.type.element_type, AnyFloat)
        return _dropped(x + 0.0 if is_sum and is_float else x, op)


class MeanOfUnknownCount(Refusal[ReduceMeanOp]):
    """The number of elements of the mean has to be known."""

    name = "mean-of-unknown-count"
    ops = (ReduceMeanOp,)

    @override
    def match(self, op: ReduceMeanOp) -> str | None:
        return why_no_mean(shape_of(op.operand), op.axes)


class Mean(Formula[ReduceMeanOp, Any]):
    """`sum(x) / count`."""

    name = "mean"
    ops = (ReduceMeanOp,)
    conditions = (*Formula.conditions, count_is_known)

    def formula(self, op: ReduceMeanOp, match: Any, build: OpBuilder) -> Term:
        """The mean, without the dims that are dropped."""
        return _dropped(mean(Term(op.operand, build), op.axes), op)


class Dropped(Formula[ReduceOp, Any]):
    """A reduction that drops dims becomes one that keeps them, and a reshape."""

    name = "dropped-dims"
    ops = (ReduceOp,)
    conditions = (*Formula.conditions, drops_dims)

    @override
    def formula(self, op: ReduceOp, match: Any, build: OpBuilder) -> Term:
        return _dropped(Term(op.operand, build).reduced(type(op), op.axes), op)


@dataclass(frozen=True)
class SnippetsDecomposeReductionsPass(FormulaPass):
    """Rewrite reductions as sums, products, maxima and minima that keep their dims."""

    name = "snippets-decompose-reductions"
    PATTERNS = (Squeezed, OfNothing, OfOne, MeanOfUnknownCount, Mean, Dropped)
