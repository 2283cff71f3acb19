"""Machine code of vectorized loops: types, sizes, arrays that start anywhere, special values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from loop_texts import REDUCTION, SAXPY, SPECIAL, TRANSPOSED
from sampled import alternating

import snippets_mlir

SIZES = (0, 1, 3, 4, 5, 7, 8, 9, 12, 13)
TYPES = {"f16": "e", "f32": "f", "f64": "d", "i8": "b", "i16": "h", "i32": "i", "i64": "q"}

ROWS = """func.func @rows(%n: index, %s: index, %A: memref<4x17xT, strided<[?, 1]>>,
                          %B: memref<4x20xT>) {
  %C = memref.subview %B[0, %s] [4, %n] [1, 1]
    : memref<4x20xT> to memref<4x?xT, strided<[20, 1], offset: ?>>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to %n {
      %0 = affine.load %A[%i, %j + symbol(%s)] : memref<4x17xT, strided<[?, 1]>>
      %1 = affine.load %A[%i, 1] : memref<4x17xT, strided<[?, 1]>>
      %2 = arith.ADD %0, %1 : T
      affine.store %2, %C[%i, %j] : memref<4x?xT, strided<[20, 1], offset: ?>>
    }
  }
  func.return
}"""


def compiled(text: str, options: str, before: str = "snippets-set-target{threads=1}") -> Any:
    program = snippets_mlir.compile(
        text, pipeline=f"{before},affine-super-vectorize{{{options}}},affine-to-llvm"
    )
    assert "vector<" in program.ir("affine-super-vectorize")
    return program


@pytest.mark.parametrize(
    ("element", "peel"), alternating(TYPES, ["", ",affine-loop-peeling{size=4}"])
)
def test_saxpy_of_every_type(element: str, peel: str):
    """Arrays that begin at any element; elements after the end of the loop stay."""
    letter = "f" if element.startswith(("f", "b")) else "i"
    text = SAXPY.replace("MUL", f"mul{letter}").replace("ADD", f"add{letter}")
    before = f"snippets-set-target{{threads=1}}{peel}"
    program = compiled(text.replace("T", element), "virtual-vector-size=4", before)
    numbers = np.arange(-9, 9).astype(TYPES[element])
    for size in SIZES:
        for start in range(3):
            x, y = numbers[start:], (numbers * 2)[start:]
            expected = y.copy()
            expected[1 : size + 1] += x[:size] * numbers.dtype.type(5)
            program(size, numbers.dtype.type(5), x, y)
            np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("element", TYPES)
def test_rows_that_lie_apart(element: str):
    """Parts of larger arrays, of sizes around the vector's; what is between the rows stays."""
    text = ROWS.replace("ADD", "addf" if element.startswith("f") else "addi")
    program = compiled(text.replace("T", element), "virtual-vector-size=4")
    for size in SIZES:
        for start in range(3):
            source = np.arange(6 * 17).reshape(6, 17).astype(TYPES[element])
            target = np.full((4, 20), 7, TYPES[element])
            expected = target.copy()
            expected[:, start : start + size] = source[1:5, start : start + size] + source[1:5, 1:2]
            program(size, start, source[1:5], target)
            np.testing.assert_array_equal(target, expected)


def test_two_dims_the_other_way_round():
    program = compiled(TRANSPOSED, "virtual-vector-size=2,4")
    source = np.arange(14 * 9, dtype=np.int32).reshape(14, 9)
    for m in range(7):
        for n in SIZES:
            target = np.full((15, 9), -1, np.int32)
            expected = target.copy()
            expected[1 : n + 1, :m] = source[:n, :m]
            program(m, n, source, target)
            np.testing.assert_array_equal(target, expected)


@pytest.mark.parametrize("kind", ["addf", "minimumf", "maximumf", "minnumf", "maxnumf"])
def test_reductions(kind: str):
    """Special values one at a time among others; -0.0 alone stays -0.0."""
    options = "virtual-vector-size=4 vectorize-reductions=true"
    program = compiled(REDUCTION.replace("KIND", kind), options)
    combine: dict[str, Any] = {
        "addf": np.add,
        "minimumf": np.minimum,
        "maximumf": np.maximum,
        "minnumf": np.fmin,
        "maxnumf": np.fmax,
    }
    for size in SIZES:
        for value in SPECIAL:
            array = np.full(13, 2.0, np.float32)
            array[size // 2] = value
            init = np.float32(1.0)
            with np.errstate(all="ignore"):
                expected = combine[kind].reduce(array[:size], initial=init)
            np.testing.assert_allclose(program(size, init, array), expected, 1e-6)
    zeros = np.full(13, -0.0, np.float32)
    assert all(np.signbit(program(size, np.float32(-0.0), zeros)) for size in SIZES)
