"""The values of symbols at run time, which a kernel reads from `rt`, its second argument.

`rt[i]` is the value of symbol `?i`. Symbols of dimensions come first. The symbols from
`FIRST_OFFSET` on are the offsets of clusters of buffers. The clusters lie one after the other, each
rounded up to the alignment of the scratchpad. The last symbol is the size of the scratchpad.
Rounding up is not a polynomial, so each of these sums has a symbol. This module imports no xDSL
module.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippets_mlir.dialects.builtin.dims import MAX_SYMBOLS, Dim
from snippets_mlir.dialects.builtin.size_estimates import evaluate

FIRST_OFFSET = 32
"""Symbols from here on are the offsets of buffers; smaller symbols are dimensions."""

SCRATCH = 63
"""The symbol of the bytes of scratchpad that a thread needs."""


def aligned(size: int, alignment: int = 64) -> int:
    """`size` rounded up to a multiple of `alignment`."""
    return -(-size // alignment) * alignment


def runtime_slots(dims: Sequence[int], clusters: Sequence[Dim]) -> list[int]:
    """The values of all symbols for one call of a kernel.

    Args:
        dims: the value of each symbol that is a dimension.
        clusters: the sizes in bytes of the kernel's clusters of buffers.
    """
    slots = [*dims, *[0] * (MAX_SYMBOLS - len(dims))]
    offset = 0
    for index, size in enumerate(clusters):
        slots[FIRST_OFFSET + index] = offset
        offset += aligned(evaluate(size, dims))
    slots[SCRATCH] = offset
    return slots
