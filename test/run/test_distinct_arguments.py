"""Loops that passes took apart refuse arrays that overlap; other loops do not."""

from __future__ import annotations

import numpy as np
import pytest

import snippets_mlir

SHIFT = """func.func @shift(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf32>
    affine.store %0, %B[%i] : memref<?xf32>
  }
  func.return
}"""
PARALLEL = "snippets-set-target,affine-parallelize,affine-to-llvm"


def test_a_scalar_loop_takes_overlapping_arrays():
    array = np.arange(1, 6, dtype=np.float32)
    snippets_mlir.compile(SHIFT)(array[:4], array[1:], 4)
    assert array.tolist() == [1, 1, 1, 1, 1]


def test_a_changed_loop_refuses_them():
    program = snippets_mlir.compile(SHIFT, pipeline=PARALLEL)
    array = np.arange(1, 6, dtype=np.float32)
    with pytest.raises(ValueError, match=r"input 'B': expected memory of its own.*'A'"):
        program(array[:4], array[1:], 4)
    assert array.tolist() == [1, 2, 3, 4, 5]


def test_and_takes_arrays_that_only_lie_close():
    """Neighbours, and every other element of one buffer."""
    program = snippets_mlir.compile(SHIFT, pipeline=PARALLEL)
    array = np.arange(8, dtype=np.float32)
    program(array[:4], array[4:], 4)
    assert array.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    strided = SHIFT.replace("memref<?xf32>", "memref<?xf32, strided<[2]>>")
    program = snippets_mlir.compile(strided, pipeline=PARALLEL)
    program(array[1::2], array[::2], 4)
    assert array.tolist() == [1, 1, 3, 3, 1, 1, 3, 3]
