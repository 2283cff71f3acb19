"""Memory that asks for huge pages; whether it gets them depends on the machine."""

import os
import sys

import numpy as np
import pytest
from mapped_pages import facts_at, flags_at

from snippets_mlir.support.cache_lines import LINE, empty_on_line
from snippets_mlir.support.huge_pages import HUGE, empty_bytes

linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc")


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize("size", [0, 1, HUGE - 1, HUGE, HUGE + 1, 5 * HUGE + 12345])
def test_bytes_are_writable_and_as_many_as_wanted(size: int) -> None:
    memory = empty_bytes(size)
    assert memory.shape == (size,)
    assert memory.dtype == np.uint8
    memory[...] = 7
    assert (memory == 7).all()
    if size >= HUGE and sys.platform == "linux":
        assert address(memory) % HUGE == 0


@linux
def test_whole_pages_ask_for_huge_ones_and_the_rest_does_not() -> None:
    memory = empty_bytes(3 * HUGE + 4096)
    memory[...] = 1
    begin = address(memory)
    assert "hg" in flags_at(begin)
    assert "hg" in flags_at(begin + 3 * HUGE - 1)
    assert "hg" not in flags_at(begin + 3 * HUGE)


@linux
def test_a_forked_child_has_memory_of_its_own() -> None:
    memory = empty_bytes(HUGE)
    memory[:2] = 1, 2
    if (child := os.fork()) == 0:
        memory[0] = 9
        os._exit(int(memory[1]))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
    assert memory[0] == 1


@linux
def test_memory_is_given_back() -> None:
    memory = empty_bytes(40 * HUGE)
    begin, view = address(memory), memory[5:7]
    del memory
    assert flags_at(begin)
    view[...] = 3
    del view
    assert not facts_at(begin) or int(facts_at(begin)["Size"].split()[0]) < 40 * HUGE >> 10


@pytest.mark.parametrize("size", [1 << 50, 1 << 62, (1 << 63) - 1])
def test_more_than_there_is(size: int) -> None:
    with pytest.raises((MemoryError, OverflowError, ValueError)):
        empty_bytes(size)


@pytest.mark.parametrize("rows", [3, 300_000])
def test_arrays_on_lines(rows: int) -> None:
    array = empty_on_line((rows, 5), np.dtype(np.float32))
    array[...] = 2
    assert array.shape == (rows, 5)
    assert array.flags.c_contiguous
    assert address(array) % LINE == 0
