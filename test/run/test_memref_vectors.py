"""Vectors of any rank in functions on memrefs: transfers, moves, contractions, masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir

RNG: Any = np.random.default_rng(7)
TYPES: dict[str, Any] = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}


def random_array(shape: Any, dtype: Any) -> Any:
    return RNG.integers(-50, 50, shape).astype(dtype)


def vector_text(type: str) -> str:
    add = "arith.addf" if type.startswith("f") else "arith.addi"
    zero = "0.0" if type.startswith("f") else "0"
    return f"""
    func.func @add(%A: memref<?x?x{type}>, %B: memref<?x?x{type}>, %i: index, %j: index) {{
      %p = arith.constant {zero} : {type}
      %0 = vector.transfer_read %A[%i, %j], %p : memref<?x?x{type}>, vector<3x20x{type}>
      %1 = vector.transfer_read %A[%j, %i], %p {{permutation_map =
        affine_map<(d0, d1) -> (d1, d0)>}} : memref<?x?x{type}>, vector<3x20x{type}>
      %2 = vector.transfer_read %A[%i, %j], %p {{permutation_map =
        affine_map<(d0, d1) -> (d0, 0)>}} : memref<?x?x{type}>, vector<3x20x{type}>
      %3 = {add} %0, %1 : vector<3x20x{type}>
      %4 = {add} %3, %2 : vector<3x20x{type}>
      vector.transfer_write %4, %B[%i, %j] : vector<3x20x{type}>, memref<?x?x{type}>
      func.return
    }}"""


@pytest.mark.parametrize("type", sampled(TYPES, 2))
def test_transfers_at_the_edges_of_memory(type: str):
    m = snippets_mlir.compile(vector_text(type))
    for shape, i, j in (((30, 30), 2, 5), ((4, 22), 2, 5), ((23, 7), 0, 0), ((1, 1), 0, 0)):
        a = random_array(shape, TYPES[type])
        b = np.zeros(shape, TYPES[type])
        m(a, b, i, j)
        padded = np.zeros((80, 80), TYPES[type])
        padded[: shape[0], : shape[1]] = a
        value = padded[i : i + 3, j : j + 20] + padded[j : j + 20, i : i + 3].T
        value = value + padded[i : i + 3, j : j + 1]
        expected = np.zeros((80, 80), TYPES[type])
        expected[i : i + 3, j : j + 20] = value
        np.testing.assert_array_equal(b, expected[: shape[0], : shape[1]])


MOVES = """
func.func @moves(%A: memref<2x3x5xf32>, %T: memref<5x3x2xf32>, %S: memref<6x5xf32>,
                 %E: memref<2x2xf32>, %I: memref<2x3x5xf32>, %X: memref<4xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %a = vector.load %A[%c0, %c0, %c0] : memref<2x3x5xf32>, vector<2x3x5xf32>
  %t = vector.transpose %a, [2, 1, 0] : vector<2x3x5xf32> to vector<5x3x2xf32>
  vector.store %t, %T[%c0, %c0, %c0] : memref<5x3x2xf32>, vector<5x3x2xf32>
  %s = vector.shape_cast %a : vector<2x3x5xf32> to vector<6x5xf32>
  vector.store %s, %S[%c0, %c0] : memref<6x5xf32>, vector<6x5xf32>
  %e = vector.extract_strided_slice %s {offsets = [3, 1], sizes = [2, 2], strides = [1, 1]}
    : vector<6x5xf32> to vector<2x2xf32>
  vector.store %e, %E[%c0, %c0] : memref<2x2xf32>, vector<2x2xf32>
  %k = arith.constant dense<[[9.0, 8.0, 7.0, 6.0, 5.0], [4.0, 3.0, 2.0, 1.0, 0.0]]>
    : vector<2x5xf32>
  %r = vector.extract %k[1] : vector<5xf32> from vector<2x5xf32>
  %n = vector.insert %r, %a [%i, 1] : vector<5xf32> into vector<2x3x5xf32>
  vector.store %n, %I[%c0, %c0, %c0] : memref<2x3x5xf32>, vector<2x3x5xf32>
  %p, %q = vector.deinterleave %e : vector<2x2xf32> -> vector<2x1xf32>
  %m = vector.interleave %q, %p : vector<2x1xf32> -> vector<2x2xf32>
  %x = vector.shape_cast %m : vector<2x2xf32> to vector<4xf32>
  vector.store %x, %X[%c0] : memref<4xf32>, vector<4xf32>
  %d = vector.extract %s[%i, 4] : f32 from vector<6x5xf32>
  func.return %d : f32
}
"""


def test_moves_of_elements():
    m = snippets_mlir.compile(MOVES)
    for i in (0, 1):
        a = random_array((2, 3, 5), np.float32)
        t, s = np.zeros((5, 3, 2), np.float32), np.zeros((6, 5), np.float32)
        e, n = np.zeros((2, 2), np.float32), np.zeros((2, 3, 5), np.float32)
        x = np.zeros(4, np.float32)
        d = m(a, t, s, e, n, x, i)
        flat = a.reshape(6, 5)
        np.testing.assert_array_equal(t, a.transpose(2, 1, 0))
        np.testing.assert_array_equal(s, flat)
        np.testing.assert_array_equal(e, flat[3:5, 1:3])
        expected = a.copy()
        expected[i, 1] = [4, 3, 2, 1, 0]
        np.testing.assert_array_equal(n, expected)
        np.testing.assert_array_equal(x, e[:, ::-1].reshape(4))
        assert d == flat[i, 4]


COMBINE = """
func.func @combine(%A: memref<5x12xf32>, %B: memref<12x19xf32>, %C: memref<5x19xf32>,
                   %R: memref<12xf32>, %O: memref<5x12xf32>) -> (f32, f32, i32) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %a = vector.load %A[%c0, %c0] : memref<5x12xf32>, vector<5x12xf32>
  %b = vector.load %B[%c0, %c0] : memref<12x19xf32>, vector<12x19xf32>
  %c = vector.load %C[%c0, %c0] : memref<5x19xf32>, vector<5x19xf32>
  %d = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
    affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %c
    : vector<5x12xf32>, vector<12x19xf32> into vector<5x19xf32>
  vector.store %d, %C[%c0, %c0] : memref<5x19xf32>, vector<5x19xf32>
  %r0 = arith.constant dense<1.0> : vector<12xf32>
  %r = vector.multi_reduction <mul>, %a, %r0 [0] : vector<5x12xf32> to vector<12xf32>
  vector.store %r, %R[%c0] : memref<12xf32>, vector<12xf32>
  %s = vector.multi_reduction <minimumf>, %a, %z [0, 1] : vector<5x12xf32> to f32
  %col = vector.extract_strided_slice %b {offsets = [0, 0], sizes = [5, 1], strides = [1, 1]}
    : vector<12x19xf32> to vector<5x1xf32>
  %u = vector.shape_cast %col : vector<5x1xf32> to vector<5xf32>
  %v = vector.extract %a[2] : vector<12xf32> from vector<5x12xf32>
  %o = vector.outerproduct %u, %v, %a {kind = #vector.kind<add>} : vector<5xf32>, vector<12xf32>
  vector.store %o, %O[%c0, %c0] : memref<5x12xf32>, vector<5x12xf32>
  %dot = vector.contract {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
    affine_map<(i) -> ()>], iterator_types = ["reduction"]} %v, %r0, %z
    : vector<12xf32>, vector<12xf32> into f32
  %bits = vector.bitcast %v : vector<12xf32> to vector<12xi32>
  %x = vector.reduction <xor>, %bits : vector<12xi32> into i32
  func.return %s, %dot, %x : f32, f32, i32
}
"""


def test_contractions_and_reductions():
    m = snippets_mlir.compile(COMBINE)
    a = RNG.standard_normal((5, 12)).astype(np.float32)
    b = RNG.standard_normal((12, 19)).astype(np.float32)
    c = RNG.standard_normal((5, 19)).astype(np.float32)
    expected = c + a @ b
    r, o = np.zeros(12, np.float32), np.zeros((5, 12), np.float32)
    smallest, dot, bits = m(a, b, c, r, o)
    np.testing.assert_allclose(c, expected, atol=1e-5)
    np.testing.assert_allclose(r, a.prod(0), rtol=1e-5)
    np.testing.assert_allclose(o, a + np.outer(b[:5, 0], a[2]), atol=1e-5)
    assert smallest == min(a.min(), 0)
    np.testing.assert_allclose(dot, a[2].sum(), atol=1e-5)
    assert bits == np.bitwise_xor.reduce(a[2].view(np.int32))


def test_gathers_scatters_and_masks():
    m = snippets_mlir.compile("""
    func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %I: memref<?xi32>, %n: index) {
      %c0 = arith.constant 0 : index
      %i = vector.load %I[%c0] : memref<?xi32>, vector<20xi32>
      %m = vector.create_mask %n : vector<20xi1>
      %p = arith.constant dense<-1.0> : vector<20xf32>
      %v = vector.gather %A[%c0] [%i], %m, %p
        : memref<?xf32>, vector<20xi32>, vector<20xi1>, vector<20xf32> into vector<20xf32>
      vector.scatter %B[%c0] [%i], %m, %v
        : memref<?xf32>, vector<20xi32>, vector<20xi1>, vector<20xf32>
      func.return
    }""")
    index = RNG.permutation(20).astype(np.int32)
    for n in (0, 1, 8, 13, 20, 25):
        a, b = random_array(20, np.float32), np.full(20, 99, np.float32)
        m(a, b, index, n)
        expected = np.full(20, 99, np.float32)
        expected[index[:n]] = a[index[:n]]
        np.testing.assert_array_equal(b, expected)
