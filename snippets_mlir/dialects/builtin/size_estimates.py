"""Numbers in place of sizes: the sizes of a call, or the sizes that heuristics assume."""

from __future__ import annotations

from collections.abc import Sequence

from snippets_mlir.dialects.builtin.dims import MAX_SYMBOLS, Dim, Size
from snippets_mlir.dialects.builtin.polynomials import value_of


def evaluate(size: Dim, values: Sequence[int]) -> int:
    """The value of `size` if symbol `?i` is `values[i]`."""
    return value_of(size.terms, values) if isinstance(size, Size) else size


CHOSEN = 62
"""The symbol of the number that a call chooses."""

CHOSEN_AS = 128
"""The assumed value of the number that a call chooses: the rows of a block."""

ASSUMED = tuple(
    CHOSEN_AS if index == CHOSEN else (1 << 30) + 3 + 2 * index for index in range(MAX_SYMBOLS)
)
"""Values of all symbols: dimensions are very long."""


def assumed(size: Dim) -> int:
    """A number in place of `size` for heuristics: dynamic dimensions count as very long.

    Only for decisions between correct alternatives; necessary conditions use `known_less`.
    """
    return evaluate(size, ASSUMED) if isinstance(size, Size) else size
