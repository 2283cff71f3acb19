"""The number of rows in the blocks that a matrix product shares with readers of its rows."""

from __future__ import annotations

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.size_estimates import assumed

MOST = 128
"""Rows of a block, at most."""

LEAST = 16
"""Rows of a block, at least."""

SOME_COLUMNS = 1024
"""The assumed columns for the rows of a block if they depend on the call."""


def assumed_columns(columns: Dim) -> int:
    """The columns for which the rows of a block are chosen; `SOME_COLUMNS` if they are dynamic."""
    return columns if isinstance(columns, int) else SOME_COLUMNS


ENOUGH = 4
"""With this many iterations of the outer loops for each thread, threads need not share the
blocks."""


SHARED = 32
"""The least rows of each of two blocks that threads share: each block copies the other operands."""

EVEN = 8
"""Unless all blocks are equal, their rows are a multiple of this, so that register tiles fill
them."""

TILE = 4
"""Before tiles are known, the numbers of rows that a call chooses from are multiples of this."""


def heights(height: int, unit: int = TILE) -> tuple[int, ...]:
    """The numbers of rows, at most `height`, that a call chooses from; the largest first.

    They are `height`, the multiples of `unit` (the rows of a tile) and fewer rows, but at least 2.
    """
    found = {height, *range(unit, height, unit)}
    while unit > 3:
        unit //= 2
        found.add(unit)
    return tuple(sorted((rows for rows in found if 2 <= rows <= height), reverse=True))


def chosen_bytes(cache: int) -> int:
    """The bytes of a buffer of the rows that a call chooses: two of them and a panel fit `cache`.

    Dynamic scores and their exponentials have a buffer each (C6 of lir-define-buffer-clusters).
    """
    return cache // 2 - cache // 64


def must_share(outer: int, threads: int) -> bool:
    """Whether threads have to share blocks of rows, with `outer` iterations of loops around."""
    return outer == 1 or (outer % threads != 0 and outer < ENOUGH * threads)


def block_height(rows: Dim, row_bytes: int, cache: int, *, shared: bool = True) -> int:
    """Rows of a block: `MOST`, half of it and so on, such that they fit half of `cache`, or fewer.

    Equal blocks are preferred if they have at least half as many rows. Otherwise the same number of
    blocks get about equally many rows. If threads need not share the rows, one block that is less
    than twice as high and fits has all of them: a last block of another height needs separate code.

    Args:
        rows: of the product.
        row_bytes: bytes of a row of its result.
        cache: bytes of the cache.
        shared: whether threads have to share the blocks; else the loops around have enough work.
    """
    height = MOST
    while height > LEAST and height * row_bytes > cache // 2:
        height //= 2
    number = assumed(rows)
    height = min(height, number)
    equal = (it for it in range(height, height // 2, -1) if number % it == 0)
    if (found := next(equal, None)) is not None:
        return found
    if not isinstance(rows, int) or rows == 0:
        return height
    if not shared and rows < 2 * MOST and rows * row_bytes <= cache // 2:
        return rows
    blocks = -(-rows // height)
    return min(height, -(-rows // (blocks * EVEN)) * EVEN)


def shared_height(rows: Dim, height: int) -> int:
    """Rows of a block for threads that have to share blocks of `height` rows, or fewer.

    An even number of blocks is preferred if it leaves no rows over and blocks have at least half as
    many rows. Rows that are one block become two from twice `SHARED` on.
    """
    if not isinstance(rows, int) or rows < 2 * SHARED:
        return height
    height = min(height, -(-rows // (2 * EVEN)) * EVEN)
    return next((it for it in range(height, height // 2, -1) if rows % (2 * it) == 0), height)
