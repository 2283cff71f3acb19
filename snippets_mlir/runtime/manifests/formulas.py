"""The sizes of a program, each formula once, all evaluated together for a call.

    4, ?0 + 1, ?0*?1*4      the numbers 0, 1, 2
    ?0 = 3, ?1 = 5          the values [4, 4, 60]

A size is a sum of products of symbols (`dialects/builtin/dims.py`). A call computes each product
once; the values are a matrix of factors times the products.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from snippets_mlir.dialects.builtin.dims import Dim, terms_of
from snippets_mlir.dialects.builtin.polynomials import Monomial
from snippets_mlir.dialects.builtin.size_facts import symbols_of
from snippets_mlir.dialects.builtin.slots import FIRST_OFFSET

Numbers = np.ndarray[Any, np.dtype[np.int64]]

LIMIT = 1 << 62
"""A size that no array has; larger numbers in a text are replaced by it."""


class Formulas:
    """See the module."""

    def __init__(self) -> None:
        self._numbers: dict[Dim, int] = {}
        self._products: list[Monomial] = []
        self._factors: Numbers | None = None
        self._bounds = np.empty(0)
        self._most = 0.0  # of a row of the bounds
        self._symbolic: Sequence[int] = ()

    @property
    def sizes(self) -> tuple[Dim, ...]:
        """All sizes, in the order of their numbers."""
        return tuple(self._numbers)

    @property
    def symbolic(self) -> Sequence[int]:
        """The numbers of the sizes that have symbols."""
        self._matrix()
        return self._symbolic

    def number(self, size: Dim) -> int:
        """The number of a size; all sizes are numbered before the values are computed.

        ValueError for a size that is not known in a call: it has the offset of a buffer.
        """
        if (found := self._numbers.get(size)) is not None:
            return found
        assert self._factors is None, "a size after values were asked for"
        if max(symbols_of(size), default=0) >= FIRST_OFFSET:
            raise ValueError(f"no size of a call: {size}")
        self._numbers[size] = len(self._numbers)
        return self._numbers[size]

    def values(self, symbols: Sequence[int]) -> Numbers:
        """The value of each size, by number, if symbol `?i` is `symbols[i]`.

        Raises:
            ValueError: an array would have 2**62 elements or bytes.
        """
        factors = self._matrix()
        symbol = symbols.__getitem__
        products = [prod(map(symbol, product)) for product in self._products]
        if max(products, default=0) * self._most >= LIMIT:
            # In floating point, which does not overflow.
            largest = (self._bounds @ np.array(products, np.float64)).max(initial=0)
            if max(largest, *products, 0) >= LIMIT:
                raise ValueError("the sizes of the call give an array of 2**62 bytes or more")
        return factors @ np.array(products, np.int64)

    def _matrix(self) -> Numbers:
        """For each size the factor of each product."""
        if (found := self._factors) is None:
            known = [size for size in self._numbers if isinstance(size, int)]
            if len(known) == len(self._numbers):
                return self._known(known)
            places: dict[Monomial, int] = {}
            entries = [
                (row, places.setdefault(monomial, len(places)), factor)
                for size, row in self._numbers.items()
                for monomial, factor in terms_of(size)
            ]
            found = np.zeros((len(self._numbers), len(places)), np.int64)
            for row, column, factor in entries:
                found[row, column] = max(-LIMIT, min(factor, LIMIT))
            symbolic = [column for monomial, column in places.items() if monomial]
            self._bounds = np.abs(found).astype(np.float64)
            is_symbolic = found[:, symbolic].any(axis=1)
            self._bounds[~is_symbolic] = 0  # the text is not a size of a call
            self._most = max(1.0, float(self._bounds.sum(axis=1).max(initial=0)))
            self._symbolic = np.flatnonzero(is_symbolic).tolist()
            self._products, self._factors = [*places], found
        return found

    def _known(self, sizes: Sequence[int]) -> Numbers:
        """`_matrix` of a program without symbols: it has only the empty product."""
        factors = [[max(-LIMIT, min(size, LIMIT))] for size in sizes]
        self._bounds = np.zeros((len(sizes), 1))
        self._products, self._factors = [()], np.array(factors, np.int64).reshape(-1, 1)
        return self._factors
