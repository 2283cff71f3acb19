"""Division of polynomials, on their terms.

divided(4*s + 6, s + 1)      4, and 2 is left
common_factor(2*s*t + 4*s)   s and 2
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from snippets_mlir.frontends.onnx.shapes.terms import (
    Monomial,
    Terms,
    term_order,
    times,
    without,
)

STEPS = 64
"""A division ends after this many terms of the quotient."""


def divided(a: Terms, b: Terms) -> tuple[dict[Monomial, int], dict[Monomial, int]]:
    """A quotient and the rest: `a == quotient * b + rest`."""
    (lead, factor), *others = b
    quotient: dict[Monomial, int] = {}
    rest = dict(a)
    skipped: set[Monomial] = set()
    for _ in range(STEPS):
        terms = [term for term in rest.items() if term[0] not in skipped]
        if not terms:
            break
        monomial, coefficient = min(terms, key=term_order)
        remaining = without(monomial, lead)
        if remaining is None or coefficient % factor:
            if others:
                # The quotient of a sum is exact, or it is not looked for.
                return {}, dict(a)
            skipped.add(monomial)
            continue
        part = coefficient // factor
        quotient[remaining] = part
        for other, c in b:
            product = times(remaining, other)
            left = rest.pop(product, 0) - part * c
            if left:
                rest[product] = left
    return quotient, rest


def common_factor(terms: Sequence[tuple[Monomial, int]]) -> tuple[Monomial, int]:
    """The monomial and the number that all terms are multiples of."""
    common: Monomial = ()
    for atom in terms[0][0]:
        longer = times(common, (atom,))
        if all(without(monomial, longer) is not None for monomial, _ in terms):
            common = longer
    return common, gcd(*(coefficient for _, coefficient in terms))
