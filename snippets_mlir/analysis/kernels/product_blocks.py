"""The number of terms of a matrix product that one accumulator adds, before the next one.

K equal terms, which may all round in one direction, have to stay within (2 sqrt(K) + 4) units of
half a last place of their sum. n blocks of b terms lose at most about (b + n) / 4 of these units: b
<= 88 is valid for K = b, and longer blocks for more terms: 128 from 218 on, 256 from 961 on. Fewer
blocks are faster, because each block reads and writes all accumulators of a tile. So K up to `ONE`
is one block, and a larger K has the fewest blocks that the law allows. Among possible lengths a
length without a rest is chosen, because a rest needs separate code: 1000 terms are 4 blocks of 250.

Thousands of terms are divided into equal parts, each with its own sum, and the parts into blocks,
if neither leaves a rest: `lir-brgemm-part-sums` can then compute one part after the other. 11008
terms are 8 parts of 8 blocks of 172. The order of a sum does not depend on whether the pass does
so.

The law was computed for K up to 2560 and for powers of two up to 8192 (`test_product_blocks.py`
has some of them); it is not proven.
"""

from __future__ import annotations

from math import sqrt

from snippets_mlir.dialects.builtin.dims import Dim, Size

ONE = 88
"""The most terms of a single block."""

LONGEST, SHORTEST, STEP = 256, 64, 4
"""The lengths of several blocks; `SHORTEST` is right for every K."""

PARTS_FROM = 2048
"""A sum with more terms has parts: up to this number, the second-level cache holds a panel."""

LEAST_PART, LONGEST_PART, LEAST_BLOCK = 384, 1536, 48
"""Terms of a part, and of its blocks at least. Parts of up to 1024 and of up to 2048 terms take the
same time within a few percent (docs/kernel-measurements.md)."""


def allowed(terms: int) -> int:
    """The longest block that the law allows for a sum of `terms` terms."""
    if terms <= ONE:
        return max(2, terms)
    most = 2 * sqrt(terms) + 3
    lengths = range(LONGEST, SHORTEST, -STEP)
    return next((b for b in lengths if (b + -(-terms // b)) / 4 <= most), SHORTEST)


def even_block(terms: int, longest: int) -> int:
    """The longest block near `longest` without a rest, `longest` if there is none.

    A length is near if it is at least three quarters of it, at least `SHORTEST`, or makes no more
    blocks: a rest takes longer than some more blocks.
    """
    blocks = -(-terms // longest)
    least = min(-(-longest * 3 // 4), -(-terms // blocks) if blocks else longest, SHORTEST)
    lengths = range(longest, least - 1, -1)
    return next((length for length in lengths if terms % length == 0), longest)


def block_and_part(terms: int) -> tuple[int, int] | None:
    """Terms of a block and of a part, the longest without a rest; None if there are none."""
    if terms <= PARTS_FROM:
        return None
    for part in range(LONGEST_PART, LEAST_PART - 1, -1):
        if terms % part == 0:
            for block in range(LONGEST, LEAST_BLOCK - 1, -1):
                if part % block == 0:
                    return block, part
    return None


def widest_panel(terms: Dim, vector: int, room: int) -> int:
    """The vectors of a panel, of `vector` bytes each, whose `terms` fit `room` bytes; at least one.

    0 stands for any number: the parts of a sum fit (`lir-brgemm-part-sums`), or only the call knows
    the terms. Wider panels would be narrowed when they are copied (`lir-brgemm-copy-b`), and so
    would the tile.
    """
    if isinstance(terms, Size) or block_and_part(terms) is not None:
        return 0
    return max(1, room // max(1, terms * vector))
