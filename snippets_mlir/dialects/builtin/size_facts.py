"""Sums of sizes, the symbols in them, and facts that hold for all values of these symbols."""

from __future__ import annotations

from collections.abc import Iterable

from snippets_mlir.dialects.builtin.dims import Dim, Size, divided, terms_of


def symbols_of(size: Dim) -> tuple[int, ...]:
    """The indices of the symbols in `size`, ascending, each once."""
    if not isinstance(size, Size):
        return ()
    return tuple(sorted({index for monomial, _ in size.terms for index in monomial}))


def has_symbols(sizes: Iterable[Dim]) -> bool:
    """Whether one of `sizes` contains a symbol."""
    return Size in map(type, sizes)


def never_one(size: Dim) -> bool:
    """Whether `size` is known not to be 1: symbols never are, nor sums of their products."""
    terms = terms_of(size)
    return all(factor > 0 and (monomial or factor > 1) for monomial, factor in terms)


def known_multiple(size: Dim, divisor: Dim) -> bool:
    """Whether `divisor` is known to divide `size` for all values of the symbols."""
    parts = divided(size, divisor)
    return parts is not None and parts[1] == 0


def sum_of(sizes: Iterable[Dim]) -> Dim:
    """The sum of `sizes`; 0 for none."""
    result: Dim = 0
    for size in sizes:
        result = result + size
    return result
