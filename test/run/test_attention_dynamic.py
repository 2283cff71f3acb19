"""Attentions of a dynamic number of rows or keys, in blocks of rows, against NumPy in float64."""

from __future__ import annotations

import numpy as np
import pytest
from attentions import attention, expected, numbers
from inner_loops import inner_loops
from runnable import RUNNABLE
from sampled import sampled

import snippets_mlir

WIDE = [target for target in RUNNABLE if "avx" in target]
KEYS = (2, 15, 33, 47, 49, 257)
ROWS = (2, 7, 13, 125, 126, 127, 128, 129, 255, 381)


@pytest.mark.usefixtures("untuned")
@pytest.mark.parametrize("target", sampled(WIDE, 2))
def test_keys_of_any_number_are_copied_once_for_all_blocks(target: str):
    """Panels whose tails have all widths; threads that share blocks copy in each: the same bits."""
    text = attention((2, 2, 131, 5), (2, 1, 103, 5), (2, 1, 103, 66), (131, 103))
    text = text.replace("103x", "?x")
    one, three = (
        snippets_mlir.compile(text, num_threads=threads, target=target) for threads in (1, 3)
    )
    for keys in KEYS:
        arrays = numbers(keys, (2, 2, 131, 5), (2, 1, keys, 5), (2, 1, keys, 66), (131, keys))
        result = one(*arrays)
        np.testing.assert_allclose(result, expected(*arrays), 2e-5, 1e-5)
        np.testing.assert_array_equal(result, three(*arrays))
    assert ", panels " in one.kernels[0].ir("lir-brgemm-copy-b")
    assert ", panels " not in three.kernels[0].ir("lir-brgemm-copy-b")


@pytest.mark.usefixtures("untuned")
@pytest.mark.parametrize("target", sampled(WIDE, 2))
def test_blocks_of_any_number_of_rows_have_whole_tiles(target: str):
    text = attention((3, 131, 24), (3, 40, 24), (3, 40, 64), (131, 40)).replace("131x", "?x")
    program = snippets_mlir.compile(text, num_threads=2, target=target)
    for rows in ROWS:
        arrays = numbers(rows, (3, rows, 24), (3, 40, 24), (3, 40, 64), (rows, 40))
        arrays[3][rows // 2] = np.nan
        np.testing.assert_allclose(program(*arrays), expected(*arrays), 2e-5, 1e-5)
    assert "inner of 1, jam" in program.kernels[0].ir("lir-brgemm-whole-tiles")


@pytest.mark.usefixtures("untuned", "unverified")
@pytest.mark.skipif("x86-64-avx512" not in RUNNABLE, reason="needs AVX-512")
def test_tall_tiles_of_rows_at_any_distance_stay_in_registers():
    """A block of scores has as many rows in a tile as a known number of keys would give it."""
    text = attention((2, 512, 64), (2, 103, 64), (2, 103, 64), (512, 103)).replace("103x", "?x")
    unrolled = ["after:convert-lir-to-vector:unroll-terms{count=4}"]
    program = snippets_mlir.compile(
        text, num_threads=1, target="x86-64-avx512", insert_passes=unrolled
    )
    arrays = numbers(1, (2, 512, 64), (2, 103, 64), (2, 103, 64), (512, 103))
    np.testing.assert_allclose(program(*arrays), expected(*arrays), 2e-5, 1e-5)
    loops = inner_loops(program.kernels[0].ir("asm"))
    assert max(sum("vbroadcastss" in line for line in loop) for loop in loops) > 8
    for line in (line for loop in loops for line in loop):
        assert not ("(%rsp" in line and "mm" in line), line


@pytest.mark.usefixtures("untuned")
@pytest.mark.parametrize("target", sampled(RUNNABLE, 2))
def test_keys_in_a_range_have_sums_of_two_levels(target: str):
    text = attention((2, 9, 64), (2, 103, 64), (2, 103, 66), (9, 103)).replace("103x", "?x")
    for keys in (15, 257, 2048):
        program = snippets_mlir.compile(text, num_threads=1, target=target)
        arrays = numbers(keys, (2, 9, 64), (2, keys, 64), (2, keys, 66), (9, keys))
        np.testing.assert_allclose(program(*arrays), expected(*arrays), 2e-5, 1e-5)
        assert "inc 64, dim 1>" in (loops := program.kernels[0].ir("lir-split-loops"))
        assert "inc 16384" not in loops
