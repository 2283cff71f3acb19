"""Attentions in one kernel against NumPy in float64, and the interpreter at each level."""

from __future__ import annotations

import numpy as np
import pytest
from attentions import Shape, attention, expected, numbers
from inner_loops import assert_no_spills
from runnable import RUNNABLE
from sampled import sampled

import snippets_mlir
from snippets_mlir.driver import Partitioner
from snippets_mlir.targets.machine import machine

CASES: dict[str, tuple[Shape, Shape, Shape, Shape]] = {
    "least": ((2, 2), (2, 2), (2, 2), (2, 2)),
    "one below a vector": ((2, 15, 15), (2, 15, 15), (2, 15, 15), (15, 15)),
    "equal sizes": ((2, 16, 16), (2, 16, 16), (2, 16, 16), (16, 16)),
    "one above a vector": ((17, 17), (17, 17), (17, 17), (17,)),
    "tails of blocks": ((2, 300, 64), (2, 257, 64), (2, 257, 33), (300, 257)),
    "shared keys": ((2, 3, 20, 8), (2, 1, 35, 8), (2, 1, 35, 24), (2, 1, 1, 35)),
    "blocks of terms": ((130, 65), (700, 65), (700, 5), (700,)),
    "blocks of equal and other sizes": ((2, 131, 8), (2, 40, 8), (2, 40, 8), (40,)),
    "one block": ((1, 1, 128, 64), (1, 1, 128, 64), (1, 1, 128, 64), (128, 128)),
}


@pytest.mark.parametrize("name", sampled(CASES, 2))
def test_one_kernel(name: str):
    shapes = CASES[name]
    program = snippets_mlir.compile(attention(*shapes))
    assert len(program.kernels) == 1
    arrays = numbers(1, *shapes)
    np.testing.assert_allclose(program(*arrays), expected(*arrays), 2e-5, 1e-5)


@pytest.mark.parametrize("target", ["x86-64-avx2", "generic"])
def test_other_targets_and_f64(target: str):
    shapes = CASES["tails of blocks"]
    program = snippets_mlir.compile(attention(*shapes, "f64"), target=target)
    arrays = numbers(2, *shapes, dtype=np.float64)
    np.testing.assert_allclose(program(*arrays), expected(*arrays), 1e-13, 1e-14)


def test_rows_that_are_masked_completely_and_nan():
    """A row of nothing but -inf is NaN, as its softmax is; other rows do not change."""
    shapes = ((2, 21, 8), (2, 19, 8), (2, 19, 18), (21, 19))
    program = snippets_mlir.compile(attention(*shapes))
    q, k, v, mask = numbers(3, *shapes)
    mask[4], mask[7, 3:] = -np.inf, -np.inf
    q[1, 9, 2], q[0, 11, 1], v[1, 5, 6] = np.nan, np.inf, np.inf
    result, wanted = np.asarray(program(q, k, v, mask)), expected(q, k, v, mask)
    assert np.isnan(wanted[:, 4]).all()
    assert np.isnan(wanted[1, 9]).all()
    np.testing.assert_allclose(result, wanted, 2e-5, 2e-6)


@pytest.mark.parametrize(
    ("partitioner", "element"),
    sampled(
        [("tokenize", "f32"), ("tokenize", "f64"), ("fuse-ops", "f64"), ("fuse-ops", "f32")], 2
    ),
)
def test_reciprocals_multiply_the_result(partitioner: Partitioner, element: str):
    """Of rows with large and small scores, infinite and huge values; also in f64."""
    dtype = {"f32": np.float32, "f64": np.float64}[element]
    shapes = ((2, 37, 8), (2, 67, 8), (2, 67, 18), (37, 67))
    program = snippets_mlir.compile(attention(*shapes, element), partitioner=partitioner)
    q, k, v, mask = numbers(6, *shapes, dtype=dtype)
    q[0, 3], q[1, 4], v[0] = 1e4, -1e-30, v[0] * (float(np.finfo(dtype).max) / 1000)
    v[1, 7, 2], mask[5, 1:], mask[6, :] = -np.inf, -np.inf, -1e30
    result, wanted = np.asarray(program(q, k, v, mask)), expected(q, k, v, mask)
    assert np.isnan(wanted).any()
    assert np.isinf(wanted).any()
    np.testing.assert_allclose(result[0], wanted[0], 2e-4, float(np.finfo(dtype).max) * 1e-8)
    np.testing.assert_allclose(result[1], wanted[1], 2e-4, 1e-5)


SHARED = {
    "equal blocks": (1, 256, 2),
    "a last block of fewer rows": (1, 131, 2),
    "as many for each of three heads": (3, 131, 6),
    "heads are enough": (4, 131, 4),
    "a last block of one row": (3, 8 * 47 + 1, 9),
}
"""Heads, rows, and units for two threads: each of them may be a range of its own."""


@pytest.mark.parametrize("name", sampled(SHARED, 5))
def test_threads_share_blocks(name: str):
    heads, rows, units = SHARED[name]
    shapes = ((heads, rows, 8), (heads, 40, 8), (heads, 40, 8), (rows, 40))
    program = snippets_mlir.compile(attention(*shapes), num_threads=2)
    assert program.kernels[0].entry.domain == units
    arrays = numbers(9, *shapes)
    result = program(*arrays)
    np.testing.assert_allclose(result, expected(*arrays), 2e-5, 1e-5)
    if heads == 3 and rows == 131:  # some threads share blocks of rows and others share heads
        for threads in (1, 5):
            other = snippets_mlir.compile(attention(*shapes), num_threads=threads)
            np.testing.assert_array_equal(result, other(*arrays), err_msg="the same bits")


@pytest.mark.usefixtures("untuned")
@pytest.mark.parametrize(
    ("keys", "target"),
    sampled([(n, target) for target in RUNNABLE if "avx" in target for n in (33, 47, 49, 257)], 8),
)
def test_keys_are_copied_once_for_all_blocks(keys: int, target: str):
    """Whole panels, panels with tails of all widths; the next head overwrites those of the last."""
    shapes = ((2, 2, 131, 5), (2, 1, keys, 5), (2, 1, keys, 66), (131, keys))
    arrays = numbers(9, *shapes)
    program = snippets_mlir.compile(attention(*shapes), num_threads=1, target=target)
    (kernel,) = program.kernels
    copied = 2 if machine(target).narrow else 1  # the values of narrow panels, too
    assert kernel.ir("lir-brgemm-copy-b").count(", panels ") == 2 * copied
    np.testing.assert_allclose(program(*arrays), expected(*arrays), 2e-5, 1e-5)
    shared = snippets_mlir.compile(attention(*shapes), num_threads=3, target=target)
    assert ", panels " not in shared.kernels[0].ir("lir-brgemm-copy-b")
    np.testing.assert_array_equal(program(*arrays), shared(*arrays))


@pytest.mark.usefixtures("untuned")
@pytest.mark.parametrize(
    ("columns", "target"),
    sampled([(n, target) for target in RUNNABLE if "avx" in target for n in (80, 40)], 4),
)
def test_both_products_have_the_tile_that_was_chosen(columns: int, target: str):
    """Of 80 columns, the products of an attention have tiles of 8 x 3 and 5 x 5 with AVX-512."""
    shapes = ((2, 131, columns), (2, 147, columns), (2, 147, columns), (131, 147))
    compiled = snippets_mlir.compile(attention(*shapes), target=target)
    (kernel,) = compiled.kernels
    assert_no_spills(kernel.ir("asm"), copies=True)  # of constants of exp
    arrays = numbers(5, *shapes)
    np.testing.assert_allclose(compiled(*arrays), expected(*arrays), 2e-5, 1e-5)


def test_dynamic_rows_and_keys():
    """One kernel for all sizes of two and more; the scratchpad grows with the keys."""
    static = attention((2, 101, 8), (2, 103, 8), (2, 103, 8), (101, 103))
    program = snippets_mlir.compile(static.replace("101x", "?x").replace("103x", "?x"))
    for rows, keys in ((5, 1), (1, 5), (0, 3), (3, 3), (2, 65), (130, 40), (150, 260)):
        arrays = numbers(keys, (2, rows, 8), (2, keys, 8), (2, keys, 8), (rows, keys))
        arrays[3][:, keys // 2 :: 3] = -np.inf
        np.testing.assert_allclose(program(*arrays), expected(*arrays), 1e-5, 1e-5)
    (kernel,) = program.kernels
    assert "lir.brgemm" in kernel.ir("lir-brgemm-row-blocks")


def test_one_row_has_kernels_of_its_own():
    shapes = ((2, 1, 8), (2, 19, 8), (2, 19, 18), (1, 19))
    program = snippets_mlir.compile(attention(*shapes))
    assert len(program.kernels) > 1
    arrays = numbers(4, *shapes)
    np.testing.assert_allclose(program(*arrays), expected(*arrays), 2e-5, 2e-6)
