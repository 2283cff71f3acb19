"""Linear forms over integers: the expanded form of affine maps and subscripts.

A `Linear` is a sum of integer multiples of *variables* plus a constant. A variable is any hashable
object: an SSA value, or a `Floor`, the quotient of a form by a positive constant, rounded down.
With `Floor`, the quasi-affine parts of a map are also linear:

    e floordiv c = Floor(e, c)
    e ceildiv c  = Floor(e + c - 1, c)
    e mod c      = e - c * Floor(e, c)

Numbers are Python integers, so there is no overflow.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)


@dataclass(frozen=True)
class Linear:
    """`constant` plus the sum of `coefficient * variable`; no coefficient is 0."""

    terms: frozenset[tuple[Hashable, int]] = frozenset()
    constant: int = 0

    @staticmethod
    def of(terms: Mapping[Hashable, int], constant: int = 0) -> Linear:
        """A form from coefficients, which may be 0."""
        return Linear(frozenset((v, c) for v, c in terms.items() if c), constant)

    @staticmethod
    def variable(variable: Hashable) -> Linear:
        """The form `1 * variable` of any hashable object."""
        return Linear(frozenset(((variable, 1),)))

    def coefficients(self) -> dict[Hashable, int]:
        """The coefficient of each variable, never 0."""
        return dict(self.terms)

    def coefficient(self, variable: Hashable) -> int:
        """The coefficient of a variable, 0 where it does not occur."""
        return dict(self.terms).get(variable, 0)

    def is_constant(self) -> bool:
        """Whether the form has no variables."""
        return not self.terms

    def variables(self) -> Iterator[Hashable]:
        """All variables, including variables inside quotients."""
        for variable, _ in self.terms:
            yield variable
            if isinstance(variable, Floor):
                yield from variable.numerator.variables()

    def mentions(self, variable: Hashable) -> bool:
        """Whether a variable occurs, be it inside of a quotient."""
        return any(found == variable for found in self.variables())

    def __add__(self, other: Linear | int) -> Linear:
        if isinstance(other, int):
            return Linear(self.terms, self.constant + other)
        terms = dict(self.terms)
        for variable, coefficient in other.terms:
            terms[variable] = terms.get(variable, 0) + coefficient
        return Linear.of(terms, self.constant + other.constant)

    def __mul__(self, factor: int) -> Linear:
        return Linear.of({v: c * factor for v, c in self.terms}, self.constant * factor)

    def __sub__(self, other: Linear | int) -> Linear:
        return self + (other * -1)

    def __str__(self) -> str:
        parts = [f"{c}*{getattr(v, 'name_hint', None) or v}" for v, c in self.terms]
        return " + ".join((*sorted(parts), str(self.constant)))


@dataclass(frozen=True)
class Floor:
    """The largest integer not above `numerator / divisor`; the divisor is positive."""

    numerator: Linear
    divisor: int


def floor_div(numerator: Linear, divisor: int) -> Linear:
    """`numerator floordiv divisor`, without a quotient if it divides.

    Every coefficient that the divisor divides is taken out, so that equal values tend to be equal
    forms.
    """
    outside = {v: c // divisor for v, c in numerator.terms if c % divisor == 0}
    inside = {v: c for v, c in numerator.terms if c % divisor}
    whole, rest = divmod(numerator.constant, divisor)
    taken = Linear.of(outside, whole)
    return taken + Linear.variable(Floor(Linear.of(inside, rest), divisor)) if inside else taken


def linear_of(expr: AffineExpr, operands: Sequence[Linear], num_dims: int) -> Linear | None:
    """The form of an affine expression.

    Args:
        expr: over dims and symbols.
        operands: the forms of the dims, then of the symbols.
        num_dims: how many of them are dims.

    Returns:
        None for a product of variables, or a divisor that is not a positive constant.
    """
    match expr:
        case AffineConstantExpr(value=value):
            return Linear(constant=value)
        case AffineDimExpr(position=position):
            return operands[position]
        case AffineSymExpr(position=position):
            return operands[num_dims + position]
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            left = linear_of(lhs, operands, num_dims)
            right = linear_of(rhs, operands, num_dims)
            return None if left is None or right is None else _combine(kind, left, right)
        case _:
            return None


def _combine(kind: AffineBinaryOpKind, left: Linear, right: Linear) -> Linear | None:
    if kind is AffineBinaryOpKind.Add:
        return left + right
    if kind is AffineBinaryOpKind.Mul:
        if left.is_constant():
            left, right = right, left
        return left * right.constant if right.is_constant() else None
    if not right.is_constant() or right.constant <= 0:
        return None
    divisor = right.constant
    if kind is AffineBinaryOpKind.FloorDiv:
        return floor_div(left, divisor)
    if kind is AffineBinaryOpKind.CeilDiv:
        return floor_div(left + (divisor - 1), divisor)
    return left - floor_div(left, divisor) * divisor
