"""Choose the blocks for the rows of a softmax; `snippets_online_softmax.py` has the rules."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from snippets_mlir.dialects.builtin.dims import Shape, static_shape
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.passes.graph.decompose.sharing import UNITS_PER_THREAD, divisors

FEWEST_VECTORS, MOST_VECTORS = 32, 256
"""Vectors of a block. Sums of more vectors have their own blocks (`lir-split-loops`)."""


@dataclass(frozen=True)
class Demand:
    """The conditions under which blocks are worth it.

    Attributes:
        threads: the number that shares the work.
        lanes: 32-bit elements of a vector.
        row_bytes: the least size of rows in blocks that are read twice; None for never.
        min_work: the least elements of few rows that threads share.
    """

    threads: int
    lanes: int
    row_bytes: int | None
    min_work: int


@dataclass(frozen=True)
class Forms:
    """The possible forms of a row's softmax.

    Attributes:
        twice: reading it twice, because it is in memory.
        kept: keeping exp, because the result is computed from it.
    """

    twice: bool
    kept: bool


@dataclass(frozen=True)
class Blocks:
    """A tensor of rows in blocks: `rows` times `count` times `length`.

    Attributes:
        kept: whether exp of a block is stored and scaled, not computed again.
    """

    rows: int
    count: int
    length: int
    kept: bool


def block_length(row: int, lanes: int, wanted: int) -> int | None:
    """The divisor of `row` for a block of about `wanted` elements or less, or None."""
    limits = range(FEWEST_VECTORS * lanes, min(MOST_VECTORS * lanes, row // 2) + 1)
    lengths = [d for d in divisors(row, limits.stop) if d in limits]
    lengths = [d for d in lengths if d % lanes == 0] or lengths
    return max((d for d in lengths if d <= wanted), default=min(lengths, default=None))


def plan_blocks(shape: Shape, width: int, demand: Demand, fits: Forms) -> Blocks | None:
    """How to split the softmax of rows into blocks; None: not at all.

    Args:
        shape: of the operand; the axis is its last dim.
        width: bytes of an element.
        demand: of the machine and the user.
        fits: which forms the op can have.
    """
    if not is_static(shape) or has_symbols(shape):
        return None
    *outer, row = static_shape(shape)
    rows = prod(outer)
    lanes = max(1, demand.lanes * 4 // width)
    work = rows * row
    few = 2 * rows <= demand.threads and work >= max(1, demand.min_work)
    long = fits.twice and demand.row_bytes is not None and row * width >= demand.row_bytes
    if not work or not (few or long):
        return None
    wanted = work // (UNITS_PER_THREAD * demand.threads) if few else MOST_VECTORS * lanes
    length = block_length(row, lanes, wanted)
    if length is None:
        return None
    return Blocks(rows, row // length, length, kept=fits.kept and not long)
