"""Heights of the blocks of rows that products share with what reads their rows."""

import pytest

from snippets_mlir.analysis.kernels.row_blocks import block_height, must_share, shared_height
from snippets_mlir.dialects.builtin.dims import symbol

CACHE = 1 << 20

SHARED = {
    "divided by 64": (512, 8192, 64),
    "divided by 60": (300, 8192, 60),
    "a prime: two blocks of 72 and 59": (131, 1024, 72),
    "a prime: 13 blocks": (1543, 2736, 120),
    "as many rows as fit": (127, 1024, 127),
    "no rows": (0, 1024, 0),
    "rows larger than the cache": (131, CACHE, 16),
}


@pytest.mark.parametrize("name", SHARED)
def test_heights_of_shared_blocks(name: str):
    rows, row_bytes, height = SHARED[name]
    assert block_height(rows, row_bytes, CACHE) == height


def test_one_block_is_enough_where_threads_need_not_share():
    assert block_height(131, 1024, CACHE, shared=False) == 131
    assert block_height(1543, 2736, CACHE, shared=False) == 120
    assert block_height(131, 8192, CACHE, shared=False) == 48


def test_rows_that_the_call_decides():
    assert block_height(symbol(0), 1024, CACHE) == 128


@pytest.mark.parametrize(
    ("outer", "threads", "shared"), [(1, 1, True), (3, 2, True), (4, 2, False), (9, 2, False)]
)
def test_loops_around_may_be_enough(outer: int, threads: int, shared: bool):
    assert must_share(outer, threads) is shared


@pytest.mark.parametrize(
    ("rows", "height", "shared"),
    [
        (300, 100, 75),  # four blocks instead of three
        (120, 120, 60),
        (127, 127, 64),  # 64 and 63 rows
        (64, 64, 32),
        (63, 63, 63),  # too few for two blocks
        (131, 72, 72),  # two blocks of a prime
        (512, 64, 64),
        (0, 0, 0),
    ],
)
def test_blocks_for_threads(rows: int, height: int, shared: int):
    assert shared_height(rows, height) == shared


def test_blocks_of_rows_that_the_call_decides():
    assert shared_height(symbol(0), 128) == 128
