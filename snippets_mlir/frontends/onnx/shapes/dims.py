"""Sizes as integer expressions over named symbols, in one canonical form.

    s = symbol("s")
    (s + 1) * 4          Dim, printed "4*s + 4"
    (s * 4 + 5) // 4     "s + 1": whole multiples leave a division
    (s + 1) - s          1: a constant is a plain int, never a Dim

A `Dim` is a polynomial with integer coefficients over atoms: symbols, and calls of floor division,
minimum and maximum on other expressions. Equal polynomials are equal objects, so comparison and
hashing are structural. `ceildiv` and `%` are written with `//`. Every simplification holds for all
values of a symbol, including 0 and 1. `bounds.py` has the extrema, and decides facts that hold only
from 2 on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd
from typing import TypeAlias

from snippets_mlir.frontends.onnx.shapes.division import common_factor, divided
from snippets_mlir.frontends.onnx.shapes.terms import (
    CALLS,
    FLOORDIV,
    Atom,
    Call,
    Monomial,
    Terms,
    sum_text,
    term_order,
    times,
    weight_of,
    without,
)

LARGEST = 1 << 62
"""Coefficients beyond are an OverflowError."""

HEAVIEST = 256
"""Expressions with more atoms and terms in all are an OverflowError: no model needs them."""


class Dim:
    """An integer expression that is not a constant; see the module.

    Attributes:
        terms: the monomials with their coefficients, the highest degree first.
        weight: the number of terms and atoms, including those inside calls.

    Operations raise OverflowError for a result that is larger than any real model has.
    """

    __slots__ = ("_atoms", "_hash", "_text", "terms", "weight")

    def __init__(self, terms: Terms) -> None:
        """For the functions of this package; `terms` are canonical. Others call `symbol`."""
        self.terms = terms
        self.weight = sum(1 + sum(map(weight_of, monomial)) for monomial, _ in terms)
        if self.weight > HEAVIEST or any(abs(c) > LARGEST for _, c in terms):
            raise OverflowError("the expression is too large")
        self._hash = hash(terms)
        self._text: str | None = None
        self._atoms: frozenset[Atom] | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self._hash == other._hash and self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        if self._text is None:
            self._text = sum_text(self.terms)
        return self._text

    def __repr__(self) -> str:
        return f"Dim({self})"

    def __add__(self, other: Size) -> Size:
        return linear(((self, 1), (other, 1)))

    def __sub__(self, other: Size) -> Size:
        return linear(((self, 1), (other, -1)))

    def __rsub__(self, other: int) -> Size:
        return linear(((other, 1), (self, -1)))

    def __neg__(self) -> Size:
        return linear(((self, -1),))

    def __mul__(self, other: Size) -> Size:
        if isinstance(other, int):
            return linear(((self, other),))
        result: dict[Monomial, int] = {}
        for left, p in self.terms:
            for right, q in other.terms:
                monomial = times(left, right)
                result[monomial] = result.get(monomial, 0) + p * q
        return make(result)

    __radd__ = __add__
    __rmul__ = __mul__

    def __floordiv__(self, other: Size) -> Size:
        return floordiv(self, other)

    def __rfloordiv__(self, other: int) -> Size:
        return floordiv(other, self)

    def __mod__(self, other: Size) -> Size:
        return self - floordiv(self, other) * other

    def __rmod__(self, other: int) -> Size:
        return other - floordiv(other, self) * self

    @property
    def atoms(self) -> frozenset[Atom]:
        """The symbols and calls in the expression, including those inside calls."""
        if self._atoms is None:
            found: set[Atom] = {atom for monomial, _ in self.terms for atom in monomial}
            for atom in list(found):
                if isinstance(atom, Call):
                    found.update(*(arg.atoms for arg in atom.args if isinstance(arg, Dim)))
            self._atoms = frozenset(found)
        return self._atoms

    @property
    def symbols(self) -> frozenset[str]:
        """The names of all symbols in the expression."""
        return frozenset(atom for atom in self.atoms if isinstance(atom, str))

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The number that the expression is for these values of its symbols.

        KeyError for a symbol without a value, ZeroDivisionError if a divisor is 0.
        """
        total = 0
        for monomial, coefficient in self.terms:
            product = coefficient
            for atom in monomial:
                product *= values[atom] if isinstance(atom, str) else _call_value(atom, values)
            total += product
        return total


Size: TypeAlias = int | Dim
"""A size: a number, or an expression."""


def evaluate(size: Size, values: Mapping[str, int]) -> int:
    """The number that `size` is; see `Dim.evaluate`."""
    return size if isinstance(size, int) else size.evaluate(values)


def symbol(name: str) -> Dim:
    """The symbol called `name`, any text that is not empty."""
    return Dim((((name,), 1),))


def call(op: str, args: tuple[Size, ...]) -> Dim:
    """The atom `op(args)`, not simplified."""
    return Dim((((Call(op, args),), 1),))


def terms_of(size: Size) -> Terms:
    """The monomials of `size` with their coefficients."""
    if isinstance(size, Dim):
        return size.terms
    return (((), size),) if size else ()


def make(terms: Mapping[Monomial, int]) -> Size:
    """The size with these monomials and coefficients."""
    kept = [term for term in terms.items() if term[1]]
    if not kept or (len(kept) == 1 and not kept[0][0]):
        return kept[0][1] if kept else 0
    if len(kept) > 1:
        kept.sort(key=term_order)
    return Dim(tuple(kept))


def linear(parts: Iterable[tuple[Size, int]]) -> Size:
    """The sum of sizes times numbers."""
    result: dict[Monomial, int] = {}
    for size, factor in parts:
        for monomial, coefficient in terms_of(size):
            result[monomial] = result.get(monomial, 0) + factor * coefficient
    return make(result)


def product(sizes: Iterable[Size]) -> Size:
    """The product of sizes; 1 for none."""
    result: Size = 1
    for size in sizes:
        result = result * size
    return result


def ceildiv(a: Size, b: Size) -> Size:
    """`a / b` rounded up, for positive `b`."""
    return floordiv(a + b - 1, b)


def floordiv(a: Size, b: Size) -> Size:
    """`a / b` rounded down, as Python does. ZeroDivisionError when `b` is the number 0."""
    if isinstance(b, int):
        return _by_number(-a, -b) if b < 0 else _by_number(a, b)
    quotient, rest = map(make, divided(terms_of(a), b.terms))
    return quotient if rest == 0 else quotient + _reduced_fraction(rest, b)


def _by_number(a: Size, b: int) -> Size:
    """`a // b`: whole multiples leave, nested divisions become one, common factors cancel."""
    if b == 0:
        raise ZeroDivisionError
    if isinstance(a, int) or b == 1:
        return a // b if isinstance(a, int) else a
    whole = {m: c // b for m, c in a.terms}
    rest = {m: c % b for m, c in a.terms if c % b}
    if all(not m for m in rest):
        return make(whole)
    for monomial, coefficient in rest.items():
        inner = monomial[0] if len(monomial) == 1 and coefficient == 1 else None
        if isinstance(inner, Call) and inner.op == FLOORDIV and isinstance(inner.args[1], int):
            # (p + x // d) // b is (p * d + x) // (d * b).
            others = make({m: c for m, c in rest.items() if m != monomial})
            x, d = inner.args[0], inner.args[1]
            return make(whole) + _by_number(others * d + x, d * b)
    common = gcd(b, *(c for m, c in rest.items() if m))
    if common > 1:
        small = make({m: c // common for m, c in rest.items()})
        return make(whole) + _by_number(small, b // common)
    return make(whole) + call(FLOORDIV, (make(rest), b))


def _reduced_fraction(a: Size, b: Dim) -> Size:
    """`a // b` without the factors that all terms of both have in common."""
    common, number = common_factor((*terms_of(a), *b.terms))
    if common or number > 1:
        small, below = (
            make({without(m, common) or (): c // number for m, c in terms_of(x)}) for x in (a, b)
        )
        return floordiv(small, below)
    return call(FLOORDIV, (a, b))


def _call_value(atom: Call, values: Mapping[str, int]) -> int:
    args = [evaluate(a, values) for a in atom.args]
    return CALLS[atom.op](*args)
