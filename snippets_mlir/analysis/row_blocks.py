"""How many rows of a matrix product the blocks have that it shares with what reads its rows."""

from __future__ import annotations

from snippets_mlir.dialects.builtin.dims import Dim, assumed

MOST = 128
"""Rows of a block, at most."""

LEAST = 16
"""Rows of a block, at least."""

SOME_COLUMNS = 1024
"""Columns that the rows of a block are for where the call decides about them."""


def assumed_columns(columns: Dim) -> int:
    """The columns that the rows of a block are for."""
    return columns if isinstance(columns, int) else SOME_COLUMNS


def block_height(rows: Dim, row_bytes: int, cache: int, *, shared: bool = True) -> int:
    """Rows of a block: `MOST` or half of them and so on, that fit half of `cache`, or fewer.

    Equal blocks are preferred where they have at least half as many rows: threads can share them.
    Rows that have none, and that threads do not share, are one block if it is less than twice as
    high and fits: a last block of another height would have code of its own.

    Args:
        rows: of the product.
        row_bytes: bytes of a row of its result.
        cache: bytes of the cache.
        shared: whether threads share blocks that are not equal.
    """
    height = MOST
    while height > LEAST and height * row_bytes > cache // 2:
        height //= 2
    number = assumed(rows)
    height = min(height, number)
    equal = (it for it in range(height, height // 2, -1) if number % it == 0)
    if (found := next(equal, None)) is not None:
        return found
    alone = not shared and isinstance(rows, int) and rows < 2 * MOST
    return number if alone and number * row_bytes <= cache // 2 else height
