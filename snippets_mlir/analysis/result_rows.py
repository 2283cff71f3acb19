"""Whether a product writes the rows of its result one after the other, or panel by panel.

    809 x 20 x 3265    rows of 13060 bytes, which begin anywhere in a cache line: rows one by one
    809 x 20 x 3264    rows of 204 cache lines: panels of columns

With the columns outside, a panel of 24 columns writes 96 bytes of each row, a page from the bytes
before. The processor foresees no such line, so a store waits for memory; where rows begin within
lines, most of these stores touch two. That is most of the time of a product with few terms whose
result is in no cache. With the rows outside, a tile of rows is written from left to right, in
streams that the processor foresees, and reads the whole right operand from the second-level cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippets_mlir.dialects.builtin.dims import Dim, static_shape
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.support.cache_lines import LINE


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
    return row % LINE != 0 and rows * row >= least and terms * row <= near
