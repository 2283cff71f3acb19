"""Whether a product writes the rows of its result one after the other, or panel by panel.

With the columns outside, a panel of 24 columns writes 96 bytes of each row, a page away from the
previous bytes. The processor does not prefetch such a line, so a store waits for the caches or
memory. If rows begin within lines, most of these stores touch two lines. This is most of the time
of a product with few terms. With the rows outside, a tile of rows is written from left to right, in
streams that the processor prefetches, but reads the whole right operand from the second-level
cache.

    x86-64-avx2, Zen 3
    2000 x 4 x 2001    rows of 8004 bytes, which begin anywhere in a cache line: rows one by one
    2000 x 4 x 2000    rows of 125 cache lines: panels of columns
    809 x 20 x 3265    a panel's lines are asked for during the sums (`prefetch-tiles`): panels

    x86-64-avx512, Sapphire Rapids
    200 x 16 x 200     rows one by one: a store waits even for the second-level cache
    500 x 96 x 500     panels: the sums of a tile take longer than its stores

`RowsFirst` has the limits of a machine; docs/kernel-measurements.md has the times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from snippets_mlir.dialects.builtin.dims import Dim, static_shape
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.support.cache_lines import LINE


@dataclass(frozen=True)
class RowsFirst:
    """Where a machine gains by writing a product row by row.

    Attributes:
        least: minimal bytes of the result; in a batch, of one matrix.
        terms: the number from which panels are faster.
        whole: whether it also gains if rows are whole lines.
        near: bytes of a right operand that stays in the second-level cache; all rows read it.
        called: bytes of a right operand up to which this is done if the rows depend on the call:
            one thread then computes few rows; None for never.
    """

    least: int
    terms: int = 11
    whole: bool = False
    near: int = 512 << 10
    called: int | None = None


def are_apart(sizes: Sequence[Dim], element: int, gain: RowsFirst | None, products: int) -> bool:
    """Whether panels of columns would write lines that are apart, which takes longer than rows.

    Args:
        sizes: rows, columns and terms of the product; never true if columns or terms depend on the
            call.
        element: bytes of an element.
        gain: when the machine gains by rows; None for never.
        products: of one left operand, side by side; each has a right operand.
    """
    if gain is None or has_symbols(sizes[1:]):
        return False
    columns, terms = static_shape(sizes[1:])
    row = columns * element
    right = products * terms * row
    if terms >= gain.terms or right > gain.near or (row % LINE == 0 and not gain.whole):
        return False
    if has_symbols(sizes[:1]):
        return gain.called is not None and right <= gain.called
    return static_shape(sizes[:1])[0] * row >= gain.least
