"""Numbers in place of sizes: the sizes of a call, or the sizes that heuristics assume."""

from __future__ import annotations

from collections.abc import Sequence

from snippets_mlir.dialects.builtin.dims import MAX_SYMBOLS, Dim, Size
from snippets_mlir.dialects.builtin.polynomials import value_of


def evaluate(size: Dim, values: Sequence[int]) -> int:
    """The number that `size` is when symbol `?i` is `values[i]`."""
    return value_of(size.terms, values) if isinstance(size, Size) else size


ASSUMED = tuple((1 << 30) + 3 + 2 * index for index in range(MAX_SYMBOLS))
"""Values of all symbols that are very long dimensions."""


def assumed(size: Dim) -> int:
    """A number in place of `size` for heuristics: dynamic dimensions count as very long.

    Only for decisions between correct alternatives; necessary conditions use `known_less`.
    """
    return evaluate(size, ASSUMED) if isinstance(size, Size) else size
