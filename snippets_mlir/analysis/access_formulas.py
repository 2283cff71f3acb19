"""Formulas of indices: affine in what is known of a call, and in quotients of such formulas.

4 * (i floordiv 4) + dim(x, 0)      Affine(0, ((Quotient(i, 4), 4), ((0, 0), 1)))
i mod 4                             Affine(0, ((i, 1), (Quotient(i, 4), -4)))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Atom = tuple[int, int]
"""Dim `(argument, dim)`; an argument of type index, `(argument, -1)`; a counter, `(-1, depth)`."""


@dataclass(frozen=True)
class Quotient:
    """`numerator` divided by a positive constant, rounded down."""

    numerator: Affine
    divisor: int


@dataclass(frozen=True)
class Affine:
    """A constant, plus a coefficient for each atom and each quotient."""

    constant: int = 0
    terms: tuple[tuple[Atom | Quotient, int], ...] = ()

    @staticmethod
    def quotient(numerator: Affine, divisor: int) -> Affine:
        """`numerator floordiv divisor`."""
        if not numerator.terms:
            return Affine(numerator.constant // divisor)
        return Affine(0, ((Quotient(numerator, divisor), 1),))

    def plus(self, other: Affine, times: int = 1) -> Affine:
        """`self + times * other`."""
        terms = dict(self.terms)
        for term, factor in other.terms:
            terms[term] = terms.get(term, 0) + times * factor
        kept = tuple((term, factor) for term, factor in terms.items() if factor)
        return Affine(self.constant + times * other.constant, kept)

    def scaled(self, factor: int) -> Affine:
        """`factor * self`."""
        return Affine().plus(self, factor)

    def counters(self) -> Iterator[int]:
        """The depths of the loops whose counters it has, also in quotients."""
        for term, _ in self.terms:
            if isinstance(term, Quotient):
                yield from term.numerator.counters()
            elif term[0] < 0:
                yield term[1]

    @property
    def is_plain(self) -> bool:
        """Whether it has no quotients."""
        return not any(isinstance(term, Quotient) for term, _ in self.terms)

    def value(self, atom: Callable[[Atom], Any]) -> Any:
        """Its value, from those of the atoms: integers, or arrays of them."""
        total: Any = self.constant
        for term, factor in self.terms:
            if isinstance(term, Quotient):
                total = total + term.numerator.value(atom) // term.divisor * factor
            else:
                total = total + atom(term) * factor
        return total

    def range(self, atom: Callable[[Atom], tuple[int, int]]) -> tuple[int, int]:
        """Its smallest and largest value, from those of the atoms, or numbers beyond them.

        They are reached where it is plain and the atoms are independent.
        """
        low = high = self.constant
        for term, factor in self.terms:
            if isinstance(term, Quotient):
                least, most = (end // term.divisor for end in term.numerator.range(atom))
            else:
                least, most = atom(term)
            low += min(factor * least, factor * most)
            high += max(factor * least, factor * most)
        return low, high
