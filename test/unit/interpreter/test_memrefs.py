"""The interpreter on memrefs: as machine code computes, and strict."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.interpreter.memrefs import run_on_memrefs
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

RNG = np.random.default_rng(3)
LOOPS = """
func.func @f(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %k: index) -> (f32, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %m = memref.dim %A, %c1 : memref<?x?xf32>
  %T = memref.alloc(%n, %m) : memref<?x?xf32>
  memref.copy %A, %T : memref<?x?xf32> to memref<?x?xf32>
  %V = memref.subview %T[0, 1] [%n, 2] [1, 2]
    : memref<?x?xf32> to memref<?x2xf32, strided<[?, 2], offset: 1>>
  affine.for %i = 0 to %n {
    affine.for %j = max affine_map<(d0) -> (0, d0 - 1)>(%i)
        to min affine_map<(d0)[s0] -> (s0, d0 + 2)>(%i)[%m] {
      affine.if affine_set<(d0, d1) : ((d0 + d1) mod 2 == 0)>(%i, %j) {
        %0 = affine.load %T[%i, %j] : memref<?x?xf32>
        affine.store %0, %B[%i, %j] : memref<?x?xf32>
      } else {
        %0 = affine.load %V[%i, %j floordiv 4] : memref<?x2xf32, strided<[?, 2], offset: 1>>
        affine.store %0, %B[%i, %j] : memref<?x?xf32>
      }
    }
  }
  %s = affine.parallel (%i, %j) = (0, 0) to (%n, min(%m, 3)) reduce ("maximumf") -> (f32) {
    %0 = affine.load %T[%i, %j] : memref<?x?xf32>
    affine.yield %0 : f32
  }
  memref.dealloc %T : memref<?x?xf32>
  %l = affine.max affine_map<(d0)[s0] -> (d0, s0 ceildiv 2)>(%k)[%n]
  func.return %s, %l : f32, index
}
"""
VECTORS = """
func.func @f(%A: memref<6x11xf32>, %B: memref<11x6xf32>, %I: memref<8xi32>, %k: index) -> f32 {
  %c0 = arith.constant 0 : index
  %p = arith.constant -1.0 : f32
  %m = vector.create_mask %k, %k : vector<4x8xi1>
  %a = vector.transfer_read %A[%k, %k], %p, %m : memref<6x11xf32>, vector<4x8xf32>
  %t = vector.transpose %a, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
  %b = vector.transfer_read %B[%c0, %c0], %p
    {permutation_map = affine_map<(d0, d1) -> (0, d0)>} : memref<11x6xf32>, vector<4x8xf32>
  %acc = vector.shape_cast %a : vector<4x8xf32> to vector<32xf32>
  %small = vector.extract_strided_slice %acc {offsets = [3], sizes = [16], strides = [1]}
    : vector<32xf32> to vector<16xf32>
  %square = vector.shape_cast %small : vector<16xf32> to vector<4x4xf32>
  %d = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
    affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<maximumf>}
    %b, %t, %square : vector<4x8xf32>, vector<8x4xf32> into vector<4x4xf32>
  vector.transfer_write %d, %B[%k, %k] {permutation_map = affine_map<(d0, d1) -> (d1, d0)>}
    : vector<4x4xf32>, memref<11x6xf32>
  %i = vector.load %I[%c0] : memref<8xi32>, vector<8xi32>
  %row = vector.extract %m[0] : vector<8xi1> from vector<4x8xi1>
  %pass = vector.broadcast %p : f32 to vector<8xf32>
  %g = vector.gather %A[%k, %c0] [%i], %row, %pass
    : memref<6x11xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.compressstore %A[%c0, %c0], %row, %g : memref<6x11xf32>, vector<8xi1>, vector<8xf32>
  %e = vector.expandload %A[%c0, %c0], %row, %pass
    : memref<6x11xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %r = vector.multi_reduction <maximumf>, %a, %p [0, 1] : vector<4x8xf32> to f32
  %q = vector.reduction <minimumf>, %e, %r : vector<8xf32> into f32
  func.return %q : f32
}
"""


def interpret(text: str, passes: str, values: list[Any]) -> tuple[Any, ...]:
    ctx = make_context()
    module = parse_module(text, ctx)
    run_passes(module, ctx, parse_pipeline(passes, ctx) if passes else [], verify_each=True)
    return run_on_memrefs(Interpreter(module), "f", values)


def copied(values: list[Any]) -> list[Any]:
    return [v.copy() if isinstance(v, np.ndarray) else v for v in values]


@pytest.mark.parametrize(
    ("passes", "shape"),
    sampled(
        product(
            ["", "lower-affine,memref-expand", "canonicalize,lower-affine"],
            [(0, 5), (1, 4), (5, 9)],
        ),
        2,
    ),
)
def test_loops(passes: str, shape: tuple[int, int]):
    a = RNG.standard_normal(shape).astype(np.float32)
    values = [a, np.zeros(shape, np.float32), 2]
    native, reference = copied(values), copied(values)
    expected = snippets_mlir.compile(LOOPS)(*native)
    found = interpret(LOOPS, passes, reference)
    assert tuple(map(float, found)) == tuple(map(float, expected))
    np.testing.assert_array_equal(reference[1], native[1])
    np.testing.assert_array_equal(reference[0], a)


@pytest.mark.parametrize(
    ("passes", "k"),
    sampled(
        product(
            ["", "canonicalize", "vector-unroll{lanes=4}", "vector-unroll,lower-vector-transfers"],
            [0, 1, 3],
        ),
        2,
    ),
)
def test_vectors(passes: str, k: int):
    values = [
        RNG.standard_normal((6, 11)).astype(np.float32),
        RNG.standard_normal((11, 6)).astype(np.float32),
        RNG.permutation(8).astype(np.int32),
        k,
    ]
    native, reference = copied(values), copied(values)
    expected = snippets_mlir.compile(VECTORS)(*native)
    (found,) = interpret(VECTORS, passes, reference)
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(reference[0], native[0])
    np.testing.assert_allclose(reference[1], native[1], rtol=1e-6)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("%0 = memref.load %A[%i] : memref<4xf32>", "index 4 of dimension 0 is outside of 4"),
        ("%0 = vector.load %A[%c] : memref<4xf32>, vector<4xf32>", "index 4 of dimension 0"),
        (
            "%0 = memref.alloc() : memref<4xf32>\n"
            "memref.dealloc %0 : memref<4xf32>\n"
            "%1 = memref.load %0[%c] : memref<4xf32>",
            "after it was freed",
        ),
        (
            "%0 = memref.subview %A[2] [3] [1] "
            ": memref<4xf32> to memref<3xf32, strided<[1], offset: 2>>",
            "a view of 3 elements from 2 is outside of 4",
        ),
        (
            "%p = ub.poison : f32\n"
            "%0 = vector.transfer_read %A[%i], %p : memref<4xf32>, vector<4xf32>\n"
            "vector.transfer_write %0, %A[%c] : vector<4xf32>, memref<4xf32>",
            "poison",
        ),
    ],
)
def test_what_is_wrong_is_an_error(body: str, message: str):
    text = f"func.func @f(%A: memref<4xf32>, %c: index, %i: index) {{\n{body}\nfunc.return\n}}"
    with pytest.raises(CompileError, match=message):
        interpret(text, "", [np.zeros(4, np.float32), 1, 4])
