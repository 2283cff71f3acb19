"""The values of symbols at run time, which a kernel reads from `rt`, its second argument.

`rt[i]` is the value of symbol `?i`. Symbols of dimensions come first. The symbols from
`FIRST_OFFSET` on are the offsets of clusters of buffers. The clusters lie one after the other, each
rounded up to the alignment of the scratchpad. The last symbol is the size of the scratchpad.
Rounding up is not a polynomial, so each of these sums has a symbol. The symbol before it, `CHOSEN`,
is a number that a call chooses by its sizes (`Choice`): the rows of a block.
This module imports no xDSL module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snippets_mlir.dialects.builtin.dims import MAX_SYMBOLS, Dim
from snippets_mlir.dialects.builtin.size_estimates import CHOSEN, evaluate
from snippets_mlir.dialects.builtin.size_text import size_from

FIRST_OFFSET = 32
"""Symbols from here on are the offsets of buffers; smaller symbols are dimensions."""

SCRATCH = 63
"""The symbol of the bytes of scratchpad that a thread needs."""


class Choice(NamedTuple):
    """A number that a call chooses: the first of `among` that fits, else the last.

    Attributes:
        size: the bytes for each unit.
        limit: the bytes that are enough.
        among: numbers of units, the largest first.
    """

    size: Dim
    limit: int
    among: tuple[int, ...]

    def number(self, dims: Sequence[int]) -> int:
        """The number for these values of the symbols."""
        size = evaluate(self.size, dims)
        return next((it for it in self.among if it * size <= self.limit), self.among[-1])


def aligned(size: int, alignment: int = 64) -> int:
    """`size` rounded up to a multiple of `alignment`."""
    return -(-size // alignment) * alignment


class Slots(NamedTuple):
    """The values in the slots of a kernel besides the dimensions.

    Attributes:
        clusters: the sizes in bytes of its clusters of buffers.
        choice: the number that a call chooses, if it does.
    """

    clusters: tuple[Dim, ...]
    choice: Choice | None


def choice_from(entry: Sequence[int | str] | None) -> Choice | None:
    """The choice of a manifest; raises an exception for malformed data."""
    if entry is None:
        return None
    size, limit, *among = entry
    return Choice(size_from(size), int(limit), tuple(map(int, among)))


def runtime_slots(
    dims: Sequence[int], clusters: Sequence[Dim], choice: Choice | None = None
) -> list[int]:
    """The values of all symbols for one call of a kernel.

    Args:
        dims: the value of each symbol that is a dimension.
        clusters: the sizes in bytes of the kernel's clusters of buffers.
        choice: the number that the call chooses, if it does.
    """
    slots = [*dims, *[0] * (MAX_SYMBOLS - len(dims))]
    if choice is not None:
        slots[CHOSEN] = choice.number(dims)
    offset = 0
    for index, size in enumerate(clusters):
        slots[FIRST_OFFSET + index] = offset
        offset += aligned(evaluate(size, slots))
    slots[SCRATCH] = offset
    return slots
