"""Polynomials with integer coefficients, as tuples. Sizes consist of them (`dims.py`).

    (((0, 1), 4), ((), 16))      ?0*?1*4 + 16

A polynomial is a tuple of terms. A term is a product of symbols with its nonzero
coefficient. The highest degree comes first, the constant last. () is 0.

This module imports nothing of the compiler; see `dims.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Monomial = tuple[int, ...]
"""The indices of the symbols of a product in ascending order; () for a constant."""

Term = tuple[Monomial, int]
Terms = tuple[Term, ...]


def added(terms: Iterable[Term]) -> Terms:
    """The sum of terms in any order; several terms may have the same product."""
    total: dict[Monomial, int] = {}
    for monomial, factor in terms:
        total[monomial] = total.get(monomial, 0) + factor
    left = [(monomial, factor) for monomial, factor in total.items() if factor]
    return tuple(sorted(left, key=lambda term: (-len(term[0]), term[0])))


def multiplied(a: Terms, b: Terms) -> Terms:
    """The product of two polynomials."""
    products = [
        (tuple(sorted(first + second)), factor * other)
        for first, factor in a
        for second, other in b
    ]
    return tuple(products) if len(products) == 1 else added(products)


def constant_of(terms: Terms) -> int:
    """The factor of the term without symbols; 0 if there is none."""
    return terms[-1][1] if terms and not terms[-1][0] else 0


def divided_by_number(terms: Terms, divisor: int) -> tuple[Terms, int] | None:
    """Quotient, rounded down, and remainder; None if they depend on the symbols.

    Raises:
        ZeroDivisionError: the divisor is 0.
    """
    if any(factor % divisor for monomial, factor in terms if monomial):
        return None
    quotient = [(monomial, factor // divisor) for monomial, factor in terms]
    return added(quotient), constant_of(terms) % divisor


def quotient_of(terms: Terms, divisor: Terms) -> Terms | None:
    """What `divisor` has to be multiplied with to give `terms`, if it is one product or exact."""
    exact = len(divisor) == 1
    parts = [_term_quotient(term, divisor[0]) for term in (terms if exact else terms[:1])]
    if None in parts:
        return None
    result = added(part for part in parts if part is not None)
    return result if exact or multiplied(result, divisor) == terms else None


def _term_quotient(term: Term, divisor: Term) -> Term | None:
    left = list(term[0])
    for index in divisor[0]:
        if index not in left:
            return None
        left.remove(index)
    return None if term[1] % divisor[1] else (tuple(left), term[1] // divisor[1])


def value_of(terms: Terms, values: Sequence[int]) -> int:
    """The value of a polynomial if symbol `?i` is `values[i]`."""
    result = 0
    for monomial, factor in terms:
        for index in monomial:
            factor *= values[index]
        result += factor
    return result


def text_of(terms: Terms) -> str:
    """Products of symbols and constants, joined by ` + `."""
    return " + ".join(
        "*".join(
            [*(f"?{i}" for i in monomial), *([] if monomial and factor == 1 else [str(factor)])]
        )
        for monomial, factor in terms
    )
