"""Whether a product writes the rows of its result one after the other, or panel by panel.

    2000 x 4 x 2001    rows of 8004 bytes, which begin anywhere in a cache line: rows one by one
    2000 x 4 x 2000    rows of 125 cache lines: panels of columns
    809 x 20 x 3265    a panel's lines are asked for during the sums (`prefetch-tiles`): panels

With the columns outside, a panel of 24 columns writes 96 bytes of each row, a page from the bytes
before. The processor foresees no such line, so a store waits for memory; where rows begin within
lines, most of these stores touch two. That is most of the time of a product with few terms whose
result is in no cache, and sums of less than `FEW` terms are over before a prefetch would help. With
the rows outside, a tile of rows is written from left to right, in streams that the processor
foresees, and reads the whole right operand from the second-level cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippets_mlir.dialects.builtin.dims import Dim, static_shape
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.support.cache_lines import LINE

FEW = 11
"""Terms from which panels are faster. Rows of 2001 columns take 0.44 of the time with 2 terms, 0.94
with 8, and 1.25 with 12 to 17."""


def are_apart(sizes: Sequence[Dim], element: int, least: int | None, near: int) -> bool:
    """Whether panels of columns would write lines that are apart and that the rows share.

    Args:
        sizes: rows, columns and terms of the product; sizes of the call count as small.
        element: bytes of an element.
        least: bytes of a result from which it matters on the machine; None for never.
        near: bytes of a right operand that stays in the second-level cache.
    """
    if least is None or has_symbols(sizes):
        return False
    rows, columns, terms = static_shape(sizes)
    row = columns * element
    return terms < FEW and row % LINE != 0 and rows * row >= least and terms * row <= near
