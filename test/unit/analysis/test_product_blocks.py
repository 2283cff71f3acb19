"""Blocks of the terms of products: within the bound for equal terms, and as few as it allows."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from snippets_mlir.analysis.kernels.product_blocks import (
    LEAST_BLOCK,
    LEAST_PART,
    LONGEST,
    LONGEST_PART,
    ONE,
    PARTS_FROM,
    SHORTEST,
    allowed,
    block_and_part,
    even_block,
)

UNIT = 2.0**-24
VALUES = np.concatenate(
    [
        np.random.default_rng(0).uniform(1, 2, 4000),
        1 + 2.0**-23 * np.arange(1, 1000),
        2 - 2.0**-24 * np.arange(1, 1000),
    ]
)


def _block(count: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Sums of `count` equal terms, one after the other, with one rounding each."""
    total = np.zeros_like(VALUES, dtype=np.float32)
    for _ in range(count):
        total = (total.astype(np.float64) + VALUES).astype(np.float32)
    return total


@pytest.mark.parametrize(
    "terms", [1, 2, 63, 64, 65, 75, 80, 87, 88, 89, 100, 128, 129, 191, 194, 300, 606, 1024, 2048]
)
def test_equal_terms_stay_within_the_bound(terms: int):
    block = even_block(terms, allowed(terms))
    total = np.zeros_like(VALUES, dtype=np.float32)
    whole, rest = divmod(terms, block)
    for length in [block] * whole + [rest] * bool(rest):
        total += _block(length)
    error = np.abs(total.astype(np.float64) - terms * VALUES) / (terms * VALUES)
    assert error.max() <= (2 * sqrt(terms) + 4) * UNIT


def test_more_terms_in_one_block_would_not():
    error = np.abs(_block(ONE + 8).astype(np.float64) - (ONE + 8) * VALUES)
    assert (error / ((ONE + 8) * VALUES)).max() > (2 * sqrt(ONE + 8) + 4) * UNIT


def test_there_are_as_few_blocks_as_the_law_allows():
    for terms in range(1, 3000):
        longest = allowed(terms)
        block = even_block(terms, longest)
        assert 1 <= block <= longest
        assert terms <= ONE or SHORTEST <= longest <= LONGEST
        assert terms % block == 0 or block == longest
        assert terms <= ONE or block >= SHORTEST or terms < 2 * longest
        assert terms % block == 0 or not any(terms % it == 0 for it in range(SHORTEST, longest))
    assert allowed(0) >= 2  # an empty sum is no loop to split


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        (8192, (256, 1024)),
        (11008, (172, 1376)),
        (4096, (256, 1024)),
        (5120, (256, 1280)),
        (2048, None),
        (8209, None),
        (2 * 4099, None),
    ],
)
def test_blocks_and_parts(terms: int, expected: tuple[int, int] | None) -> None:
    assert block_and_part(terms) == expected


def test_blocks_and_parts_leave_no_terms_over() -> None:
    found = {terms: block_and_part(terms) for terms in range(1, 9000)}
    assert sum(it is not None for it in found.values()) > 1000
    for terms, it in found.items():
        if it is not None:
            block, part = it
            assert terms > PARTS_FROM
            assert LEAST_BLOCK <= block <= LONGEST
            assert LEAST_PART <= part <= LONGEST_PART
            assert (terms % part, part % block) == (0, 0)


@pytest.mark.parametrize("terms", [2100, 3072, 5000, 11008])
def test_equal_terms_of_parts_stay_within_the_bound(terms: int) -> None:
    both = block_and_part(terms)
    assert both is not None
    block, part = both
    one, total = np.zeros_like(VALUES, np.float32), np.zeros_like(VALUES, np.float32)
    for _ in range(part // block):
        one += _block(block)
    for _ in range(terms // part):
        total += one
    error = np.abs(total.astype(np.float64) - terms * VALUES) / (terms * VALUES)
    assert error.max() <= (2 * sqrt(terms) + 4) * UNIT
