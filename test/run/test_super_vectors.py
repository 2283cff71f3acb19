"""Machine code of large super-vectors: values, special values, arrays that overlap, its size."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from random_super_vectors import SuperVectors
from sampled import ends, sampled
from super_vector_checks import WHOLE, check_super_vectors, pipeline

import snippets_mlir
from snippets_mlir.emit.llvm_text import emit_llvm
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

ADD_2D = """func.func @vector_add_2d(%M: index, %N: index, %C: memref<?x?xf32>) -> f32 {
  %A = memref.alloc(%M, %N) : memref<?x?xf32>
  %B = memref.alloc(%M, %N) : memref<?x?xf32>
  %f1 = arith.constant 1.0 : f32
  %f2 = arith.constant 2.0 : f32
  affine.for %i0 = 0 to %M {
    affine.for %i1 = 0 to %N {
      affine.store %f1, %A[%i0, %i1] : memref<?x?xf32>
    }
  }
  affine.for %i2 = 0 to %M {
    affine.for %i3 = 0 to %N {
      affine.store %f2, %B[%i2, %i3] : memref<?x?xf32>
    }
  }
  affine.for %i4 = 0 to %M {
    affine.for %i5 = 0 to %N {
      %a5 = affine.load %A[%i4, %i5] : memref<?x?xf32>
      %b5 = affine.load %B[%i4, %i5] : memref<?x?xf32>
      %s5 = arith.addf %a5, %b5 : f32
      %s6 = arith.addf %s5, %f1 : f32
      %s7 = arith.addf %s5, %f2 : f32
      %s8 = arith.addf %s7, %s6 : f32
      affine.store %s8, %C[%i4, %i5] : memref<?x?xf32>
    }
  }
  %c7 = arith.constant 7 : index
  %c42 = arith.constant 42 : index
  %res = memref.load %C[%c7, %c42] : memref<?x?xf32>
  memref.dealloc %A : memref<?x?xf32>
  memref.dealloc %B : memref<?x?xf32>
  func.return %res : f32
}"""
"""The listing of the pass's founding document."""

CHAIN = """func.func @chain(%m: index, %n: index, %A: memref<?x?xf32>, %B: memref<?xf32>,
                            %C: memref<?x?xf32>) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %0 = affine.load %A[%i, %j] : memref<?x?xf32>
      %1 = affine.load %B[%j] : memref<?xf32>
OPS
      affine.store %2, %C[%i, %j] : memref<?x?xf32>
    }
  }
  func.return
}"""

MATMUL = """func.func @matmul(%A: memref<20x9xf32>, %B: memref<9x75xf32>, %C: memref<20x75xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to 75 {
      %s = affine.for %k = 0 to 9 iter_args(%acc = %zero) -> (f32) {
        %a = affine.load %A[%i, %k] : memref<20x9xf32>
        %b = affine.load %B[%k, %j] : memref<9x75xf32>
        %0 = arith.mulf %a, %b : f32
        %1 = arith.addf %acc, %0 : f32
        affine.yield %1 : f32
      }
      affine.store %s, %C[%i, %j] : memref<20x75xf32>
    }
  }
  func.return
}"""


def compiled(text: str, size: str, target: str = "threads=1") -> Any:
    before = f"affine-super-vectorize{{virtual-vector-size={size}}}"
    program = snippets_mlir.compile(text, pipeline=pipeline(4, before, target))
    assert "scf.for" in program.ir("convert-vector-to-scf")
    return program


def random_array(shape: tuple[int, ...]) -> Any:
    """Numbers, a NaN, a zero of each sign, and infinities."""
    array = np.random.default_rng(len(shape)).integers(-9, 9, shape).astype(np.float32)
    flat = array.reshape(-1)
    flat[:5] = np.resize(np.array([np.nan, -0.0, 0.0, np.inf, -np.inf], np.float32), len(flat[:5]))
    return array


SHAPES = ((8, 43), (31, 255), (32, 256), (33, 257), (65, 513))


@pytest.mark.parametrize(
    ("shape", "size"), sampled([(shape, n) for shape in SHAPES for n in ("256", "32,256")], 2)
)
def test_founding_listing(size: str, shape: tuple[int, int]):
    c = np.zeros((shape[0] + 1, shape[1] + 3), np.float32)
    assert compiled(ADD_2D, size)(*shape, c) == 9.0
    expected = np.zeros_like(c)
    expected[: shape[0], : shape[1]] = 9.0
    np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize(
    ("size", "target"),
    sampled(product(["80", "3,40", "16,64"], ["threads=1", "threads=1 target=x86-64-avx2"]), 2),
)
def test_sizes_around_the_vector(size: str, target: str):
    """Rows and columns less than a vector, as many, and more; elements after the loops stay."""
    program = compiled(CHAIN.replace("OPS", "%2 = arith.addf %0, %1 : f32"), size, target)
    for m in (0, 1, 2, 3, 4, 15, 16, 17):
        for n in (0, 1, 39, 40, 41, 63, 64, 65, 79, 80, 81, 161):
            a, b = random_array((m + 1, n + 2)), random_array((n + 1,))
            c = np.full((m + 2, n + 1), 7, np.float32)
            expected = c.copy()
            expected[:m, :n] = a[:m, :n] + b[:n]
            program(m, n, a, b, c)
            np.testing.assert_array_equal(c, expected)
            assert np.array_equal(np.signbit(c), np.signbit(expected))


@pytest.mark.parametrize("size", ["80", "8,64", "5,30", "32,256"])
def test_loops_that_carry_super_vectors(size: str):
    """Sums of products of integers, which no order changes."""
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-5, 5, s).astype(np.float32) for s in ((20, 9), (9, 75)))
    c = np.zeros((20, 75), np.float32)
    compiled(MATMUL, size)(a, b, c)
    np.testing.assert_array_equal(c, a @ b)


SUM = """func.func @f(%A: memref<100xT>) -> T {
  %c0 = arith.constant 0 : index
  %0 = vector.load %A[%c0] : memref<100xT>, vector<100xT>
  %1 = vector.reduction <KIND>, %0FLAGS : vector<100xT> into T
  func.return %1 : T
}"""


@pytest.mark.parametrize(
    ("kind", "type", "flags"),
    [
        ("add", "f32", ""),
        ("add", "f32", " fastmath<reassoc>"),
        ("mul", "f64", ""),
        ("maximumf", "f32", ""),
        ("minnumf", "f32", ""),
        ("add", "i8", ""),
        ("minsi", "i32", ""),
    ],
)
def test_reductions(kind: str, type: str, flags: str):
    """The bits of the whole vector, which are those of a sum in order where order counts."""
    text = SUM.replace("T", type).replace("KIND", kind).replace("FLAGS", flags)
    numbers = np.random.default_rng(3).standard_normal(100) * 9
    dtype = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32}[type]
    whole, tiled = (snippets_mlir.compile(text, pipeline=pipeline(most)) for most in (WHOLE, 1))
    for extra in (1.0, np.nan, -0.0, np.inf) if type.startswith("f") else (1.0,):
        numbers[7] = extra
        array = numbers.astype(dtype)
        if flags:
            np.testing.assert_allclose(tiled(array), whole(array), rtol=1e-5, atol=1e-4)
        else:
            np.testing.assert_array_equal(tiled(array), whole(array))
        if (kind, flags) == ("add", ""):
            np.testing.assert_array_equal(tiled(array), np.cumsum(array, dtype=dtype)[-1])


def test_arrays_that_overlap():
    """All of a vector is read before any of it is written, also where arguments share memory."""
    text = """func.func @shift(%A: memref<?xf32>, %B: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %0 = vector.transfer_read %A[%c0], %p : memref<?xf32>, vector<300xf32>
      vector.transfer_write %0, %B[%c0] : vector<300xf32>, memref<?xf32>
      func.return
    }"""
    program = snippets_mlir.compile(text, pipeline=pipeline(4))
    array = np.arange(301, dtype=np.float32)
    program(array[:-1], array[1:])
    np.testing.assert_array_equal(array, [0, *range(300)])


@pytest.mark.parametrize("seed", sampled(range(6), 2))
def test_tiles_have_the_bits_of_whole_vectors(seed: int):
    check_super_vectors(seed, most=1)


def test_calls_of_random_functions_reach_all_cases():
    functions = [SuperVectors(seed) for seed in range(60)]
    for word in ("iter_args", "scf.if", "-> (d1, d0)", "create_mask", "transpose", "reduction"):
        assert any(word in function.text for function in functions), word


ROW_SUM = """func.func @f(%A: memref<?xf32>, %n: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %s = affine.for %j = 0 to %n iter_args(%acc = %zero) -> (f32) {
    %0 = affine.load %A[%j] : memref<?xf32>
    %1 = arith.addf %acc, %0 : f32
    affine.yield %1 : f32
  }
  func.return %s : f32
}"""


def llvm_lines(text: str, size: str) -> int:
    ctx = make_context()
    module = parse_module(text, ctx)
    passes = f"snippets-set-target{{target=x86-64-avx2}},affine-super-vectorize{{{size}}}"
    run_passes(module, ctx, parse_pipeline(f"{passes},affine-to-llvm", ctx))
    return len(emit_llvm(module).splitlines())


def test_code_does_not_grow_with_the_super_vector():
    small, *large = (
        llvm_lines(ADD_2D, f"virtual-vector-size={size}")
        for size in ends(("8,64", "32,256", "64,4096"))
    )
    assert small < 3000
    assert all(lines == small for lines in large)
    options = ("virtual-vector-size=1024", "virtual-vector-size=16384")
    first, second = (llvm_lines(ROW_SUM, f"{size} vectorize-reductions=true") for size in options)
    assert first == second < 1000


def test_code_grows_linearly_with_the_ops():
    def lines(count: int) -> int:
        ops = "%s0 = arith.addf %0, %1 : f32"
        ops += "".join(f"\n%s{k} = arith.mulf %s{k - 1}, %1 : f32" for k in range(1, count))
        ops += f"\n%2 = arith.addf %s{count - 1}, %1 : f32"
        return llvm_lines(CHAIN.replace("OPS", ops), "virtual-vector-size=32,256")

    first, second, third = lines(1), lines(21), lines(41)
    assert third - second == second - first <= 20 * 8


@pytest.mark.parametrize("options", ["most=0", "tile=0", "lanes=-1"])
def test_options_out_of_range(options: str):
    ctx = make_context()
    module = parse_module("func.func @f() {\n  func.return\n}", ctx)
    passes = parse_pipeline(f"convert-vector-to-scf{{{options}}}", ctx)
    with pytest.raises(CompileError, match=r"expected lanes from 0, most and tile from 1, found"):
        run_passes(module, ctx, passes)
