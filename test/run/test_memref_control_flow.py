"""Control flow in functions on memrefs, executed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.driver.memrefs.program import MemRefProgram

RNG: Any = np.random.default_rng(7)


def random_array(shape: Any, dtype: Any) -> Any:
    return RNG.integers(-50, 50, shape).astype(dtype)


def test_structured_control_flow():
    m = snippets_mlir.compile("""
    func.func @collatz(%n: index) -> index {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %r:2 = scf.while (%x = %n, %k = %c0) : (index, index) -> (index, index) {
        %go = arith.cmpi ne, %x, %c1 : index
        scf.condition(%go) %x, %k : index, index
      } do {
      ^bb0(%x: index, %k: index):
        %odd = arith.remsi %x, %c2 : index
        %next = scf.index_switch %odd -> index
        case 0 {
          %half = arith.divsi %x, %c2 : index
          scf.yield %half : index
        }
        default {
          %m = arith.muli %x, %c3 : index
          %p = arith.addi %m, %c1 : index
          scf.yield %p : index
        }
        %l = arith.addi %k, %c1 : index
        scf.yield %next, %l : index, index
      }
      func.return %r#1 : index
    }""")
    assert m(27) == 111
    assert m(1) == 0


@pytest.mark.parametrize("type", ["i8", "i64", "index"])
def test_switch(type: str):
    """Blocks with arguments, of which one is the target of several cases; and no case at all."""
    m = snippets_mlir.compile(f"""
    func.func @f(%i: {type}, %x: f32, %y: f32) -> f32 {{
      cf.switch %i : {type}, [
        default: ^bb1(%x : f32),
        7: ^bb2(%x, %y : f32, f32),
        -3: ^bb1(%y : f32)
      ]
    ^bb1(%a: f32):
      func.return %a : f32
    ^bb2(%b: f32, %c: f32):
      %0 = arith.addf %b, %c : f32
      cf.switch %i : {type}, [
        default: ^bb1(%0 : f32)
      ]
    }}""")
    assert isinstance(m, MemRefProgram)
    dtype = m.inputs[0].dtype.type
    for i, expected in ((-3, 2.0), (7, 3.5), (0, 1.5), (-4, 1.5)):
        assert m(i, 1.5, 2.0) == expected
        assert m.interpreted([dtype(i), np.float32(1.5), np.float32(2.0)]) == (expected,)


def test_affine_divisions_round_down():
    m = snippets_mlir.compile("""
    func.func @f(%A: memref<3xindex>, %i: index) {
      %0 = affine.apply affine_map<(d0) -> (d0 floordiv 3)>(%i)
      %1 = affine.apply affine_map<(d0) -> (d0 mod 3)>(%i)
      %2 = affine.apply affine_map<(d0) -> (d0 ceildiv 3)>(%i)
      affine.store %0, %A[0] : memref<3xindex>
      affine.store %1, %A[1] : memref<3xindex>
      affine.store %2, %A[2] : memref<3xindex>
      func.return
    }""")
    for i in (*range(-10, 11), 2**63 - 1, -(2**63)):
        a = np.zeros(3, np.int64)
        m(a, i)
        assert list(a) == [i // 3, i % 3, -(-i // 3)]


def test_parallel_loops_with_reductions():
    m = snippets_mlir.compile("""
    func.func @f(%A: memref<?x?xf32>) -> (f32, f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = memref.dim %A, %c0 : memref<?x?xf32>
      %m = memref.dim %A, %c1 : memref<?x?xf32>
      %s:2 = affine.parallel (%i, %j) = (0, 0) to (%n, %m)
          reduce ("addf", "maximumf") -> (f32, f32) {
        %x = affine.load %A[%i, %j] : memref<?x?xf32>
        affine.yield %x, %x : f32, f32
      }
      func.return %s#0, %s#1 : f32, f32
    }""")
    a = random_array((5, 7), np.float32)
    total, largest = m(a)
    assert (total, largest) == (a.sum(), a.max())
    assert m(a[:0]) == (0, -np.inf)
