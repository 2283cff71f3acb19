"""Functions on memrefs, executed: dtypes, strides, sizes, views, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir import CompileError

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
SIZES = (0, 1, 3, 7, 8, 9, 15, 16, 17, 24, 31, 33)


def random_array(shape: Any, dtype: Any) -> Any:
    return RNG.integers(-50, 50, shape).astype(dtype)


def add_text(type: str) -> str:
    add = "arith.addf" if type.startswith("f") else "arith.addi"
    return f"""
    func.func @add(%A: memref<?x{type}, strided<[?], offset: ?>>, %B: memref<?x{type}>) {{
      %c0 = arith.constant 0 : index
      %n = memref.dim %B, %c0 : memref<?x{type}>
      affine.for %i = 0 to %n {{
        %0 = affine.load %A[%i] : memref<?x{type}, strided<[?], offset: ?>>
        %1 = affine.load %B[%i] : memref<?x{type}>
        %2 = {add} %0, %1 : {type}
        affine.store %2, %B[%i] : memref<?x{type}>
      }}
      func.return
    }}"""


@pytest.mark.parametrize("type", TYPES)
def test_strided_and_dynamic_arrays_of_each_dtype(type: str):
    m = snippets_mlir.compile(add_text(type))
    for n in SIZES:
        memory = random_array(3 * n + 5, TYPES[type])
        for a in (memory[:n], memory[1 : 1 + 3 * n : 3], memory[: n + 1][:0:-1]):
            b = random_array(n + 1, TYPES[type])[1:]  # not aligned to a vector
            expected = a[:n] + b
            m(a[:n], b)
            np.testing.assert_array_equal(b, expected)


def test_memory_by_reference_and_by_value():
    m = snippets_mlir.compile("""
    func.func @f(%A: memref<?x4xf32>, %n: index, %b: i1) -> (memref<?xf32>, memref<?x4xf32>, i1) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %new = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
      %row = memref.subview %A[1, 0] [1, 4] [1, 1]
        : memref<?x4xf32> to memref<4xf32, strided<[1], offset: 4>>
      %small = memref.alloca() : memref<4xf32>
      memref.copy %row, %small : memref<4xf32, strided<[1], offset: 4>> to memref<4xf32>
      affine.for %i = 0 to %n {
        %0 = affine.load %small[%i mod 4] : memref<4xf32>
        affine.store %0, %new[%i] : memref<?xf32>
      }
      func.return %new, %A, %b : memref<?xf32>, memref<?x4xf32>, i1
    }""")
    a = random_array((3, 4), np.float32)
    for n in (0, 1, 6):
        new, same, flag = m(a, n, True)
        np.testing.assert_array_equal(new, np.resize(a[1], n))
        assert same is a
        assert flag is np.True_


def test_constants_and_views():
    m = snippets_mlir.compile("""
    memref.global "private" constant @c : memref<2x3xi16> = dense<[[1, 2, 3], [4, 5, 6]]>
    func.func @f(%X: memref<6xi16>) -> (memref<2x3xi16>, i16) {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %g = memref.get_global @c : memref<2x3xi16>
      %t = memref.transpose %g (a, b) -> (b, a)
        : memref<2x3xi16> to memref<3x2xi16, strided<[1, 3]>>
      %0 = memref.load %t[%c2, %c1] : memref<3x2xi16, strided<[1, 3]>>
      %flat = memref.collapse_shape %g [[0, 1]] : memref<2x3xi16> into memref<6xi16>
      memref.copy %flat, %X : memref<6xi16> to memref<6xi16>
      func.return %g, %0 : memref<2x3xi16>, i16
    }""")
    x = np.zeros(6, np.int16)
    g, last = m(x)
    np.testing.assert_array_equal(g, [[1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(x, [1, 2, 3, 4, 5, 6])
    assert last == 6


@pytest.mark.parametrize("type", ["f16", "f64", "i8", "index"])
def test_scalars_in_and_out(type: str):
    m = snippets_mlir.compile(
        f"func.func @f(%x: {type}, %c: i1) -> {type} {{\n"
        f"  %0 = arith.select %c, %x, %x : {type}\n  func.return %0 : {type}\n}}"
    )
    assert m(3, False) == 3


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ((np.zeros((4, 8), np.float32)[:, ::2],), "expected stride 4 of dimension 0, found 8"),
        ((np.zeros((4, 4), np.float64),), "expected float32, found float64"),
        ((np.zeros((4, 5), np.float32),), "expected shape"),
        ((np.zeros(4, np.float32),), "expected rank 2"),
        ((np.zeros(65, np.uint8)[1:].view(np.float32).reshape(4, 4),), "aligned to its elements"),
    ],
)
def test_arrays_that_do_not_fit(arrays: tuple[Any, ...], message: str):
    m = snippets_mlir.compile("""
    func.func @f(%A: memref<?x4xf32>) {
      %c0 = arith.constant 0 : index
      %x = arith.constant 1.0 : f32
      memref.store %x, %A[%c0, %c0] : memref<?x4xf32>
      func.return
    }""")
    with pytest.raises((ValueError, TypeError), match=message):
        m(*arrays)


def test_read_only_arrays_may_be_read():
    text = """
    func.func @f(%A: memref<4xf32>, %B: memref<4xf32>) {{
      %c0 = arith.constant 0 : index
      %x = memref.load %A[%c0] : memref<4xf32>
      memref.store %x, {0}[%c0] : memref<4xf32>
      func.return
    }}"""
    a, b = np.ones(4, np.float32), np.zeros(4, np.float32)
    a.flags.writeable = False
    snippets_mlir.compile(text.format("%B"))(a, b)
    assert b[0] == 1
    with pytest.raises(ValueError, match="may write to it, but the array is read-only"):
        snippets_mlir.compile(text.format("%A"))(a, b)


def test_what_cannot_be_compiled_says_where():
    with pytest.raises(CompileError, match=r"'vector.print' cannot be lowered") as error:
        snippets_mlir.compile(
            "func.func @f(%x: i64) {\n  %0 = arith.extsi %x : i64 to i128\n"
            "  vector.print %0 : i128\n  func.return\n}"
        )
    assert error.value.line == 3
    with pytest.raises(CompileError, match="expected a memref or a scalar"):
        snippets_mlir.compile("func.func @f(%x: vector<4xf32>) {\n  func.return\n}")


def test_questions_about_floats():
    m = snippets_mlir.compile("""
    func.func @f(%x: f32, %y: f32) -> (i1, i1, i1, f32, f32, i1) {
      %5 = math.isnormal %x : f32
      %0 = math.isnan %x : f32
      %1 = math.isinf %x : f32
      %2 = math.isfinite %x : f32
      %3 = math.clampf %x to [%y, %y] : f32
      %4 = arith.remf %x, %y : f32
      func.return %0, %1, %2, %3, %4, %5 : i1, i1, i1, f32, f32, i1
    }""")
    for x in (0.0, -5.5, 3.0, np.inf, -np.inf, np.nan, 2.0**-126, -(2.0**-127)):
        is_nan, is_inf, is_finite, clamped, rest, is_normal = m(x, 2.0)
        assert is_normal == (bool(np.isfinite(x)) and abs(x) >= 2.0**-126)
        assert (is_nan, is_inf, is_finite) == (np.isnan(x), np.isinf(x), np.isfinite(x))
        np.testing.assert_equal(clamped, np.float32(np.nan if np.isnan(x) else 2.0))
        with np.errstate(invalid="ignore"):
            np.testing.assert_equal(rest, np.fmod(np.float32(x), np.float32(2.0)))
