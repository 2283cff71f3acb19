"""Heights of the blocks of rows that products share with what reads their rows."""

import pytest

from snippets_mlir.analysis.kernels.row_blocks import block_height, must_share
from snippets_mlir.dialects.builtin.dims import symbol

CACHE = 1 << 20

SHARED = {
    "divided by 64": (512, 8192, 64),
    "an even number of blocks": (300, 8192, 50),
    "four equal blocks": (180, 8192, 45),
    "an odd number of equal blocks": (171, 8192, 57),
    "a prime: two blocks of 72 and 59": (131, 1024, 72),
    "a prime: 13 blocks": (1543, 2736, 120),
    "two blocks of what would fit one": (127, 1024, 64),
    "two equal blocks": (120, 1024, 60),
    "too few rows for two blocks": (63, 1024, 63),
    "no rows": (0, 1024, 0),
    "rows larger than the cache": (131, CACHE, 16),
}


@pytest.mark.parametrize("name", SHARED)
def test_heights_of_shared_blocks(name: str):
    rows, row_bytes, height = SHARED[name]
    assert block_height(rows, row_bytes, CACHE) == height


def test_one_block_is_enough_where_threads_need_not_share():
    assert block_height(131, 1024, CACHE, shared=False) == 131
    assert block_height(300, 8192, CACHE, shared=False) == 60
    assert block_height(1543, 2736, CACHE, shared=False) == 120
    assert block_height(131, 8192, CACHE, shared=False) == 48


def test_rows_that_the_call_decides():
    assert block_height(symbol(0), 1024, CACHE) == 128


@pytest.mark.parametrize(
    ("outer", "threads", "shared"), [(1, 1, True), (3, 2, True), (4, 2, False), (9, 2, False)]
)
def test_loops_around_may_be_enough(outer: int, threads: int, shared: bool):
    assert must_share(outer, threads) is shared
