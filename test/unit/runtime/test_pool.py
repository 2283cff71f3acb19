"""Memory of large outputs that is used again."""

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from snippets_mlir.runtime.pool import ALIGNMENT, KEPT, SMALL, OutputPool

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


def test_only_so_much_is_kept():
    pool = OutputPool()
    arrays = [pool.empty((SMALL,), F32) for _ in range(KEPT + 3)]
    assert len({address(a) for a in arrays}) == KEPT + 3
    arrays.clear()
    gc.collect()
    assert pool.free_bytes() == KEPT * (4 * SMALL + ALIGNMENT)


def test_two_threads_never_get_the_same_memory():
    pool = OutputPool()

    def fill(number: int) -> bool:
        array = pool.empty((SMALL // 4,), F32)
        array[...] = number
        return bool((array == number).all())

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(fill, range(200)))
