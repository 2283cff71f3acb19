"""Sizes of dynamic dimensions: a `Dim` is an `int`, or a `Size` that contains symbols.

A *symbol* `?i` is the size of one dynamic dimension. A `Size` is a polynomial in symbols with
integer coefficients. A static size is a plain `int`, and an operation whose result has no symbol
returns an `int`. Passes therefore compute with static and dynamic shapes in the same way, and the
formulas of a kernel are written in its sizes:

    ?0           the first symbol
    ?0*?1*4      two symbols and a constant
    ?0*64 + 16   a sum, the constant last

These rules hold for every symbol:

* It is 0 or larger at run time, and never 1, because a size of 1 broadcasts and needs other code.
  Modules of ONNX models may be called with 1, and say so (`MAY_BE_ONE` in `sizes.py`).
* Two sizes are equal (`==`) only if they are the same polynomial. `?0 == 4` is False: dimensions
  that have to be equal share one symbol, and a dimension that has to be 4 has no symbol.

`known_less(a, b)` returns True, False or None. `known_multiple(a, b)` returns whether a divisor is
known to divide. An order comparison, a truth value, a quotient or a remainder that does not follow
from these rules raises `UndecidedError`. Type checkers refuse every `Dim` in `<` and as a
condition: a pass calls `known_less` and handles the answer None.

This module imports only `polynomials.py` and the errors: a program from the cache evaluates its
sizes without the compiler. Source: MLIR's affine expressions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, NoReturn, TypeAlias, final

from snippets_mlir.dialects.builtin.polynomials import (
    Terms,
    added,
    constant_of,
    divided_by_number,
    multiplied,
    quotient_of,
    text_of,
)
from snippets_mlir.support.errors import UndecidedError

MAX_SYMBOLS = 64


class TooManySizesError(ValueError):
    """A program has more dynamic dimensions than there are symbols."""


def _undecided(question: str) -> NoReturn:
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    file = frame.f_code.co_filename.replace("\\", "/").rpartition("snippets_mlir/")[2]
    raise UndecidedError(question, f"{file}:{frame.f_lineno}")


@final
class Size:
    """A size that contains symbols; see the module. It is immutable.

    Attributes:
        terms: the polynomial; one product at least has a symbol.
    """

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: Terms) -> None:
        """Only for this module: `terms` are canonical. Other code calls `symbol` and computes with
        it.
        """
        self.terms = terms
        self._hash = hash(terms)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Size) and self.terms == other.terms)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Size], tuple[Terms]]:
        return Size, (self.terms,)

    def __str__(self) -> str:
        return format_size(self)

    def __repr__(self) -> str:
        return f"Size({self})"

    def __add__(self, other: Dim) -> Dim:
        return _of(added([*self.terms, *terms_of(other)]))

    __radd__ = __add__

    def __neg__(self) -> Size:
        return Size(tuple((monomial, -factor) for monomial, factor in self.terms))

    def __sub__(self, other: Dim) -> Dim:
        return self + -other

    def __rsub__(self, other: Dim) -> Dim:
        return -self + other

    def __mul__(self, other: Dim) -> Dim:
        if isinstance(other, Size):
            return Size(multiplied(self.terms, other.terms))
        if other == 1:
            return self
        return Size(tuple((m, factor * other) for m, factor in self.terms)) if other else 0

    __rmul__ = __mul__

    def __floordiv__(self, other: Dim) -> Dim:
        parts = divided(self, other)
        return _undecided(f"{self} // {format_size(other)}") if parts is None else parts[0]

    def __rfloordiv__(self, other: int) -> int:
        return 0 if other == 0 else _undecided(f"{other} // {self}")

    def __mod__(self, other: Dim) -> int:
        parts = divided(self, other)
        return _undecided(f"{self} % {format_size(other)}") if parts is None else parts[1]

    def __rmod__(self, other: int) -> int:
        return 0 if other == 0 else _undecided(f"{other} % {self}")

    if TYPE_CHECKING:

        def __bool__(self) -> None:
            """Always raises: a size is not a condition, and type checkers refuse it."""

    else:

        def __bool__(self):
            if known_less(0, self) or known_less(self, 0):
                return True
            _undecided(f"{self} != 0")

        def __lt__(self, other):
            return _decided(known_less(self, other), self, "<", other)

        def __gt__(self, other):
            return _decided(known_less(other, self), self, ">", other)

        def __le__(self, other):
            more = known_less(other, self)
            return _decided(None if more is None else not more, self, "<=", other)

        def __ge__(self, other):
            less = known_less(self, other)
            return _decided(None if less is None else not less, self, ">=", other)


Dim: TypeAlias = int | Size
"""A size: a number, or a formula over symbols."""

Shape: TypeAlias = tuple[Dim, ...]
"""Sizes, outermost first."""


@cache
def symbol(index: int) -> Size:
    """The size `?index`; TooManySizesError from `MAX_SYMBOLS` on."""
    if not 0 <= index < MAX_SYMBOLS:
        raise TooManySizesError(f"expected a symbol of ?0 to ?{MAX_SYMBOLS - 1}, found ?{index}")
    return Size((((index,), 1),))


def terms_of(size: Dim) -> Terms:
    """The terms of the sum `size`, each with its coefficient; none for 0."""
    if isinstance(size, Size):
        return size.terms
    return (((), size),) if size else ()


def _of(terms: Terms) -> Dim:
    """The size of canonical terms: a number if there is no symbol."""
    return Size(terms) if terms and terms[0][0] else constant_of(terms)


def product(sizes: Iterable[Dim]) -> Dim:
    """The product of `sizes`; 1 for none."""
    result: Dim = 1
    for size in sizes:
        result = result * size
    return result


def known_less(a: Dim, b: Dim) -> bool | None:
    """Whether `a < b` for all values of the symbols, which are 0 or larger; None if it depends on
    them.
    """
    if not isinstance(a, Size) and not isinstance(b, Size):
        return a < b
    difference = b - a
    if not isinstance(difference, Size):
        return difference > 0
    constant = constant_of(difference.terms)
    factors = [factor for monomial, factor in difference.terms if monomial]
    if min(factors) > 0 and constant > 0:
        return True
    return False if max(factors) < 0 and constant <= 0 else None


def _decided(answer: bool | None, a: Size, operation: str, b: object) -> bool:
    return _undecided(f"{a} {operation} {b}") if answer is None else answer


def divided(size: Dim, divisor: Dim) -> tuple[Dim, int] | None:
    """Quotient (rounded down) and remainder; None if they depend on the values of symbols.

    With symbols in the divisor, only exact quotients are known: they hold for every value but 0.

    Raises:
        ZeroDivisionError: the divisor is the number 0.
    """
    if isinstance(divisor, Size):
        exact = quotient_of(terms_of(size), divisor.terms)
        return None if exact is None else (_of(exact), 0)
    if not isinstance(size, Size):
        return divmod(size, divisor)
    parts = divided_by_number(size.terms, divisor)
    return None if parts is None else (_of(parts[0]), parts[1])


def format_size(size: Dim) -> str:
    """`size` as text: a number, or products of symbols and constants, joined by ` + `."""
    return text_of(size.terms) if isinstance(size, Size) else str(size)


def static_shape(shape: Iterable[Dim]) -> tuple[int, ...]:
    """The numbers of a shape without symbols; UndecidedError if it has symbols."""
    sizes = tuple(shape)
    numbers = tuple(size for size in sizes if not isinstance(size, Size))
    return numbers if len(numbers) == len(sizes) else _undecided(f"the numbers of {sizes}")


def static_size(size: Dim) -> int:
    """A size without symbols, as a number; UndecidedError if it has symbols."""
    return _undecided(f"the number of {size}") if isinstance(size, Size) else size


def known_max(a: Dim, b: Dim) -> Dim:
    """The larger of two sizes; UndecidedError if it is not known."""
    if known_less(b, a) is False:
        return b
    return a if known_less(a, b) is False else _undecided(f"max({a}, {b})")
