"""Linear forms of values that are known in a call, and of values that a run computes.

Forms are linear forms as in `linear_forms.py`. Their variables are *atoms*: sizes and indices that
are known in a call, and counters and minima that a run computes. The product of a form with a form
that is known in a call is also a variable until the call.

    for %i in 0..%n:  a[%i * %m]      i * m is Product(i, m), and 5 * i in a call whose m is 5
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from snippets_mlir.analysis.loops.linear_forms import Floor, Linear, floor_div

Atom = tuple[int, int]
"""Dim `(argument, dim)`; an integer argument, `(argument, -1)`; a value of the run, `(-1, n)`."""

Interval = tuple[int, int]


@dataclass(frozen=True)
class Product:
    """Two forms multiplied; one consists only of values known in a call."""

    left: Linear
    right: Linear


def product(left: Linear, right: Linear) -> Linear:
    """`left * right`."""
    if left.is_constant():
        return right * left.constant
    if right.is_constant():
        return left * right.constant
    return Linear.variable(Product(left, right))


def leaves(form: Linear) -> Iterator[Hashable]:
    """The variables; quotients and products are replaced by their variables."""
    for variable, _ in form.terms:
        match variable:
            case Floor(numerator=numerator):
                yield from leaves(numerator)
            case Product(left=left, right=right):
                yield from leaves(left)
                yield from leaves(right)
            case _:
                yield variable


def of_call(form: Linear) -> bool:
    """Whether its value is known in a call."""
    return all(isinstance(leaf, tuple) and leaf[0] in range(2**31) for leaf in leaves(form))


def is_known(form: Linear) -> bool:
    """Whether a call makes it linear in values of the run, with quotients."""
    for variable, _ in form.terms:
        match variable:
            case Floor(numerator=numerator):
                known = is_known(numerator)
            case Product(left=left, right=right):
                known = is_known(left) and is_known(right) and (of_call(left) or of_call(right))
            case _:
                known = isinstance(variable, tuple)
        if not known:
            return False
    return True


def substituted(form: Linear, known: Mapping[Atom, int]) -> Linear:
    """The form in a call in which some atoms are known."""
    total = Linear(constant=form.constant)
    for variable, factor in form.terms:
        match variable:
            case Floor(numerator=numerator, divisor=divisor):
                new = floor_div(substituted(numerator, known), divisor)
            case Product(left=left, right=right):
                new = product(substituted(left, known), substituted(right, known))
            case (int(), int()) if variable in known:
                new = Linear(constant=known[cast("Atom", variable)])
            case _:
                new = Linear.variable(variable)
        total += new * factor
    return total


def interval(form: Linear, ranges: Mapping[Atom, Interval]) -> Interval:
    """Bounds on its smallest and largest value, from the bounds of the atoms.

    They are exact if it has no quotients and products, and its atoms are independent.
    """
    low = high = form.constant
    for variable, factor in form.terms:
        match variable:
            case Floor(numerator=numerator, divisor=divisor):
                ends = [end // divisor for end in interval(numerator, ranges)]
            case Product(left=left, right=right):
                sides = interval(left, ranges), interval(right, ranges)
                ends = [a * b for a in sides[0] for b in sides[1]]
            case (int(), int()):
                ends = list(ranges[cast("Atom", variable)])
            case _:
                raise AssertionError(f"no atom: {variable}")
        scaled = [factor * end for end in ends]
        low, high = low + min(scaled), high + max(scaled)
    return low, high
