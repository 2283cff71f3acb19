"""The check of accesses in vectors, local memory, calls, and under unknown conditions."""

# ruff: noqa: E501 - MLIR text
from __future__ import annotations

import numpy as np
import pytest
from memref_functions import function

import snippets_mlir


def test_transfers_that_may_end_outside_are_clipped() -> None:
    text = function(
        "%v = vector.broadcast %one : f32 to vector<4xf32>\n"
        "%at = arith.subi %n, %c1 : index\n"
        "vector.transfer_write %v, %a[%at] : vector<4xf32>, memref<?xf32>"
    )
    compiled, a = snippets_mlir.compile(text), np.zeros(9, np.float32)
    compiled(a[:3], 2)
    compiled(a[:3], 5)
    np.testing.assert_array_equal(np.flatnonzero(a), [1, 2])
    with pytest.raises(ValueError, match=r"transfer_write at .* accesses index -1 of dim 0"):
        compiled(a[:3], 0)


def test_local_memory_is_checked() -> None:
    text = function(
        "%s = memref.alloc(%n) : memref<?xf32>\n"
        "affine.for %i = 0 to 4 { affine.store %one, %s[%i] : memref<?xf32> }\n"
        "memref.dealloc %s : memref<?xf32>"
    )
    compiled, a = snippets_mlir.compile(text), np.zeros(1, np.float32)
    compiled(a, 4)
    with pytest.raises(
        ValueError, match=r"^memref.alloc at .* accesses index 3 of dim 0, .* size 3"
    ):
        compiled(a, 3)


def test_rows_of_a_transposed_matrix() -> None:
    text = """func.func @f(%a: memref<?x?xf32>, %n: index) {
      %one = arith.constant 1.0 : f32
      %t = memref.transpose %a (d0, d1) -> (d1, d0) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
      %r = memref.subview %t[%n, 0] [1, 2] [1, 1] : memref<?x?xf32, strided<[1, ?]>> to memref<2xf32, strided<[?], offset: ?>>
      affine.for %i = 0 to 2 { affine.store %one, %r[%i] : memref<2xf32, strided<[?], offset: ?>> }
      func.return
    }"""
    compiled, a = snippets_mlir.compile(text), np.zeros((2, 5), np.float32)
    compiled(a, 4)
    np.testing.assert_array_equal(np.argwhere(a), [[0, 4], [1, 4]])
    with pytest.raises(ValueError, match=r"accesses index 5 of dim 1, which has size 5"):
        compiled(a, 5)
    with pytest.raises(ValueError, match=r"accesses index 1 of dim 0, which has size 1"):
        compiled(a[:1], 4)


@pytest.mark.parametrize(
    "choice",
    [
        "%x = memref.load %a[%c0] : memref<?xf32>\n %c = arith.cmpf ogt, %x, %one : f32\n scf.if %c",
        "%c = arith.constant true\n %d = arith.xori %c, %c : i1\n scf.if %d",
    ],
)
def test_accesses_under_unknown_conditions_are_left_out(choice: str) -> None:
    """They may not happen: the call must not be refused."""
    text = function(f"{choice} {{ memref.store %one, %a[%n] : memref<?xf32> }}")
    a = np.zeros(2, np.float32)
    snippets_mlir.compile(text)(a, 2)
    assert not a.any()


def test_recursion_ends() -> None:
    text = """func.func @f(%a: memref<?xf32>, %n: index) {
      %one = arith.constant 1.0 : f32
      %c1 = arith.constant 1 : index
      %m = arith.subi %n, %c1 : index
      %more = arith.cmpi sgt, %m, %c1 : index
      scf.if %more { func.call @f(%a, %m) : (memref<?xf32>, index) -> () }
      memref.store %one, %a[%m] : memref<?xf32>
      func.return
    }"""
    compiled, a = snippets_mlir.compile(text), np.zeros(4, np.float32)
    compiled(a, 4)
    np.testing.assert_array_equal(a, [0, 1, 1, 1])
    with pytest.raises(ValueError, match="accesses index 4"):
        compiled(a, 5)
