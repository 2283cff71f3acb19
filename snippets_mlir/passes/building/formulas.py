"""Formulas: the meaning of an op, written as mathematics on the values of the IR.

    def softmax(x: Term, axes: Sequence[int]) -> Term:
        e = exp(x - max_(x, axes))
        return e / sum_(e, axes)

A `Term` is a value. Each operator and function inserts its op before the formula's op, in Python's
evaluation order. Numbers become scalars of the other operand's type. Reductions keep their dims.

    class Softmax(Formula[SoftmaxOp, Any]):
        def formula(self, op, match, build):
            return softmax(widened(Term(op.x, build)), op.normalized_dims())

is a pattern that replaces the op by its formula.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, cast

from typing_extensions import override
from xdsl.dialects.builtin import BFloat16Type, Float16Type, TensorType, f32, f64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Dim, Shape, Size
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, DivideOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.elementary import ExpOp, LogOp, SqrtOp
from snippets_mlir.dialects.snippets.extrema import MaximumOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp, ReduceOp, ReduceSumOp
from snippets_mlir.passes.building.graph import OpBuilder, in_a_graph, leave, not_skipped
from snippets_mlir.passes.patterns import Pattern

LOWEST: dict[Attribute, float] = {f32: -3.4028234663852886e38, f64: -1.7976931348623157e308}
"""The lowest finite number of the types with rows in blocks."""

OpT = TypeVar("OpT", bound=Operation)
MatchT = TypeVar("MatchT")


@dataclass(frozen=True)
class Term:
    """A tensor in a formula: Python operators on terms insert ops."""

    value: SSAValue
    build: OpBuilder

    @property
    def shape(self) -> Shape:
        """The sizes of the tensor."""
        return shape_of(self.value)

    @property
    def type(self) -> TensorType[Attribute]:
        """The tensor type: shape and element type."""
        return tensor_of(self.value)

    def _with(self, op: Operation) -> Term:
        return Term(self.build.add(op), self.build)

    def number(self, value: float | Size) -> Term:
        """A scalar of the element type of the term."""
        return Term(self.build.scalar(value, self.value), self.build)

    def _other(self, other: Term | float | Size) -> SSAValue:
        return (other if isinstance(other, Term) else self.number(other)).value

    def __add__(self, other: Term | float) -> Term:
        return self._with(AddOp(self.value, self._other(other)))

    def __sub__(self, other: Term) -> Term:
        return self._with(SubtractOp(self.value, other.value))

    def __mul__(self, other: Term) -> Term:
        return self._with(MultiplyOp(self.value, other.value))

    def __truediv__(self, other: Term | float | Size) -> Term:
        return self._with(DivideOp(self.value, self._other(other)))

    def __rtruediv__(self, other: float) -> Term:
        return self._with(DivideOp(self._other(other), self.value))

    def reduced(self, kind: type[ReduceOp], axes: Sequence[int]) -> Term:
        """Reduced by an op of this class."""
        return self._with(kind(self.value, axes, keep_dims=True))

    def applied(self, op: Callable[[SSAValue], Operation]) -> Term:
        """The result of an op class of one operand on this term."""
        return self._with(op(self.value))


def exp(x: Term) -> Term:
    """e to the power of each element of a float tensor."""
    return x.applied(ExpOp)


def log(x: Term) -> Term:
    """The natural logarithm of each element of a float tensor."""
    return x.applied(LogOp)


def sqrt(x: Term) -> Term:
    """The square root of each element of a float tensor."""
    return x.applied(SqrtOp)


def larger(x: Term, bound: Term | float) -> Term:
    """The larger of each element and a number, or of the elements of two terms."""
    other = bound if isinstance(bound, Term) else x.number(bound)
    return x.applied(lambda value: MaximumOp(value, other.value))


def sum_(x: Term, axes: Sequence[int]) -> Term:
    """The sum over `axes`, which stay with size 1."""
    return x.reduced(ReduceSumOp, axes)


def max_(x: Term, axes: Sequence[int]) -> Term:
    """The maximum over `axes`, which stay with size 1."""
    return x.reduced(ReduceMaxOp, axes)


def reshape(x: Term, shape: Sequence[Dim]) -> Term:
    """The elements of `x` in row-major order, in another shape of the same size."""
    return Term(x.build.reshape(x.value, shape), x.build)


def widened(x: Term) -> Term:
    """16-bit floats in f32, the type of their sums; other values unchanged."""
    is_narrow = isinstance(x.type.element_type, Float16Type | BFloat16Type)
    return x.applied(lambda value: ConvertTruncationOp(value, f32)) if is_narrow else x


class Formula(Pattern[OpT, MatchT]):
    """An op becomes its formula, rounded to the type of its result."""

    conditions: ClassVar[tuple[Callable[[Any], bool], ...]] = (not_skipped, in_a_graph)

    def match(self, op: OpT) -> MatchT | None:
        """The facts of the formula beside the op; nothing, unless a pattern overrides it."""
        return cast(MatchT, ())

    @abstractmethod
    def formula(self, op: OpT, match: MatchT, build: OpBuilder) -> Term:
        """The value that replaces the result of `op`."""

    def rewrite(self, op: OpT, match: MatchT, rewriter: PatternRewriter) -> None:
        """Write the formula before `op`, which is erased."""
        build = OpBuilder(op, rewriter)
        build.replace(self.formula(op, match, build).value)


class Refusal(Pattern[OpT, str]):
    """An op that has no formula gets the reason, which `match` finds."""

    conditions: ClassVar[tuple[Callable[[Any], bool], ...]] = (not_skipped, in_a_graph)

    @override
    def rewrite(self, op: OpT, match: str, rewriter: PatternRewriter) -> None:
        leave(op, match)
