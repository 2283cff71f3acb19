"""Memory of large outputs that is used again."""

import gc
import mmap
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from snippets_mlir.runtime.memory.pool import ALIGNMENT, KEPT, SHRINKS, SMALL, OutputPool
from snippets_mlir.runtime.memory.scratch import aligned_block

F32 = np.dtype(np.float32)


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_small_outputs_are_plain_arrays():
    pool = OutputPool()
    assert pool.empty((2, 3), F32).base is None
    assert pool.free_bytes() == 0


def test_large_outputs_are_aligned_and_writable():
    shape = (513, SMALL // 4 // 513 + 1)
    array = OutputPool().empty(shape, F32)
    array[...] = 1
    assert array.shape == shape
    assert array.flags.c_contiguous
    assert array.flags.writeable
    assert address(array) % ALIGNMENT == 0


def test_memory_comes_back_when_the_last_view_dies():
    pool = OutputPool()
    array = pool.empty((SMALL,), F32)
    where, view = address(array), array[5:7]
    del array
    gc.collect()
    assert pool.free_bytes() == 0
    assert address(pool.empty((SMALL,), F32)) != where
    view[...] = 3
    pool = OutputPool()
    array = pool.empty((SMALL,), F32)
    where = address(array)
    del array
    gc.collect()
    assert pool.free_bytes() > 0
    assert address(pool.empty((SMALL // 2,), np.dtype(np.float64))) == where


@pytest.mark.parametrize("outputs", [1, 3])
def test_sizes_that_occur_once_do_not_add_up(outputs: int):
    """Each call of a program with dynamic sizes may have outputs of new sizes."""
    pool = OutputPool(outputs)
    for call in range(20):
        arrays = [pool.empty((SMALL + call * outputs + i,), F32) for i in range(outputs)]
        del arrays
        gc.collect()
        assert pool.free_bytes() <= KEPT * outputs * (5 * SMALL)
    again = [pool.empty((SMALL + 19 * outputs + i,), F32) for i in range(outputs)]
    assert pool.free_bytes() <= (KEPT - 1) * outputs * (5 * SMALL)
    del again


def test_arrays_that_outlive_the_calls_are_freed():
    pool = OutputPool()
    arrays = [pool.empty((SMALL + call,), F32) for call in range(20)]
    del arrays
    gc.collect()
    assert pool.free_bytes() <= KEPT * (5 * SMALL)


def test_only_so_much_is_kept():
    pool = OutputPool()
    arrays = [pool.empty((SMALL,), F32) for _ in range(KEPT + 3)]
    assert len({address(a) for a in arrays}) == KEPT + 3
    arrays.clear()
    gc.collect()
    assert pool.free_bytes() == KEPT * (4 * SMALL + ALIGNMENT)


def test_caches_of_a_decoder_take_turns() -> None:
    """Each token makes longer ones while those of the last token are still read."""
    pool, seen, held = OutputPool(8), set[int](), list[np.ndarray]()
    for token in range(12):
        held = [pool.empty((1537 + token, 1024), F32) for _ in range(8)]
        seen.update(map(address, held))
        assert all(array.shape == (1537 + token, 1024) for array in held)
    assert len(held) == 8
    assert len(seen) == 16
    held.clear()
    gc.collect()
    assert pool.free_bytes() <= 16 * (7 << 20)


@pytest.mark.parametrize(("outputs", "large"), [(0, 8), (1, 8), (4, 8), (8, 4), (100, 1)])
def test_outputs_are_large_where_there_are_many(outputs: int, large: int) -> None:
    pool = OutputPool(outputs)
    assert pool.large == large << 20
    array = pool.maker((pool.large - 1,), np.dtype(np.uint8))()
    del array
    gc.collect()
    assert pool.free_bytes() == 0
    array = pool.maker((pool.large,), np.dtype(np.uint8))()
    del array
    gc.collect()
    assert pool.free_bytes() >= pool.large


def test_two_threads_never_get_the_same_memory():
    pool = OutputPool()

    def fill(number: int) -> bool:
        array = pool.empty((SMALL // 4,), F32)
        array[...] = number
        return bool((array == number).all())

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(fill, range(200)))


def test_blocks_of_arenas() -> None:
    """The last one that is given back fits, or is freed; one for ten times less is too large."""
    pool = OutputPool()
    assert pool.block(100) is None
    small, large = aligned_block(1 << 20), aligned_block(SMALL + 1)
    pool.give_back_block(small)
    assert pool.free_bytes() == small[1].size
    assert pool.block((1 << 20) + 1) is None  # and it is freed
    assert pool.block(1) is None
    pool.give_back_block(large)
    assert pool.block(SMALL // SHRINKS - 1) is None
    pool.give_back_block(large)
    assert pool.block(SMALL // SHRINKS + 1) is large
    for block in (small, large, aligned_block(64)):
        pool.give_back_block(block)
    assert pool.free_bytes() == large[1].size + 64 + ALIGNMENT  # the oldest one is freed


@pytest.mark.parametrize("size", [0, 1, 15, 1 << 14, (1 << 14) + 1, 1 << 18, (2 << 20) + 3])
def test_a_maker_gives_the_arrays_of_empty(size: int) -> None:
    """Of all three sizes: those of NumPy, with more room, and pieces that are used again."""
    pool = OutputPool()
    for dtype in (np.dtype(np.float32), np.dtype(np.bool_), np.dtype(np.int64)):
        make = pool.maker((1, size), dtype)
        first, second, other = make(), make(), pool.empty((1, size), dtype)
        assert first.shape == other.shape == (1, size)
        assert first.dtype == other.dtype == dtype
        assert first.flags.num == other.flags.num or size == 0
        assert first.flags.writeable
        assert first.flags.c_contiguous
        assert not np.shares_memory(first, second)
        first.fill(1)
        second.fill(0)
        assert first.all()


FAULTS = """
import resource, sys
import numpy as np
from snippets_mlir.runtime.memory.pool import keep_freed_memory

def rounds(count):
    for _ in range(count):
        arrays = [np.ones(3 << 20, np.uint8) for _ in range(4)]
        del arrays
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

if sys.argv[1] == "keep":
    keep_freed_memory()
print(-rounds(2) + rounds(10))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's rule for freed memory")
def test_freed_memory_is_kept():
    def faults(word: str) -> int:
        command = [sys.executable, "-c", FAULTS, word]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    pages = 10 * 4 * (3 << 20) // mmap.PAGESIZE
    assert faults("not") > pages / 2
    assert faults("keep") < pages / 100
