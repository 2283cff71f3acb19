"""Kernels that read slices of tensors of any size, and copies of slices between kernels."""

from __future__ import annotations

import numpy as np
import pytest

import snippets_mlir

SLICES = """
func.func @main(%x: tensor<?x72xf32>, %y: tensor<2x?x9xf32>)
    -> (tensor<?x24xf32>, tensor<?x24xf32>, tensor<2x?x4xf32>, tensor<?x9xf32>) {
  %a = snippets.slice %x {starts = array<i64: 0, 24>, steps = array<i64: 1, 1>}
    : (tensor<?x72xf32>) -> tensor<?x24xf32>
  %0 = snippets.relu %a : tensor<?x24xf32>
  %b = snippets.slice %x {starts = array<i64: 0, 71>, steps = array<i64: 1, -2>}
    : (tensor<?x72xf32>) -> tensor<?x24xf32>
  %1 = snippets.add %b, %a : tensor<?x24xf32>
  %c = snippets.slice %y {starts = array<i64: 0, 0, 3>, steps = array<i64: 1, 1, 1>}
    : (tensor<2x?x9xf32>) -> tensor<2x?x4xf32>
  %2 = snippets.abs %c : tensor<2x?x4xf32>
  %d = snippets.slice %y {starts = array<i64: 1, 0, 0>, steps = array<i64: 1, 1, 1>,
    drops = array<i64: 0>} : (tensor<2x?x9xf32>) -> tensor<?x9xf32>
  %3 = snippets.negative %d : tensor<?x9xf32>
  func.return %0, %1, %2, %3
    : tensor<?x24xf32>, tensor<?x24xf32>, tensor<2x?x4xf32>, tensor<?x9xf32>
}
"""


@pytest.fixture(scope="module")
def program() -> snippets_mlir.Compiled:
    return snippets_mlir.compile(SLICES)


@pytest.mark.parametrize("rows", [0, 1, 2, 7, 15, 16, 17, 33])
def test_any_number_of_rows(program: snippets_mlir.Compiled, rows: int):
    rng = np.random.default_rng(rows)
    x = rng.standard_normal((rows, 72), np.float32)
    y = rng.standard_normal((2, rows, 9), np.float32)
    x[:1, 24:26], y[:, :1, 3:5] = [np.nan, -0.0], [-np.inf, -0.0]
    wanted = np.maximum(x[:, 24:48], 0), x[:, 71:23:-2] + x[:, 24:48], abs(y[:, :, 3:7]), -y[1]
    for found, other in zip(program(x, y), wanted, strict=True):
        np.testing.assert_array_equal(found, other)
    assert not program.opaque


def test_a_slice_between_products_is_copied_by_a_kernel():
    """Each of three parts of a product is an operand of another one."""
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((5, 8), np.float32), rng.standard_normal((8, 72), np.float32)
    v = rng.standard_normal((24, 6), np.float32)
    slices = "\n".join(
        f"""%p{i} = snippets.slice %m {{starts = array<i64: 0, {24 * i}>,
          steps = array<i64: 1, 1>}} : (tensor<5x72xf32>) -> tensor<5x24xf32>
        %o{i} = snippets.matmul %p{i}, %v
          : (tensor<5x24xf32>, tensor<24x6xf32>) -> tensor<5x6xf32>"""
        for i in range(3)
    )
    results = ", ".join(f"%o{i}" for i in range(3))
    types = ", ".join(["tensor<5x6xf32>"] * 3)
    text = f"""
    func.func @main(%x: tensor<5x8xf32>, %w: tensor<8x72xf32>, %v: tensor<24x6xf32>)
        -> ({types}) {{
      %m = snippets.matmul %x, %w
        : (tensor<5x8xf32>, tensor<8x72xf32>) -> tensor<5x72xf32>
      {slices}
      func.return {results} : {types}
    }}"""
    compiled = snippets_mlir.compile(text)
    whole = x.astype(np.float64) @ w
    for i, found in enumerate(compiled(x, w, v)):
        np.testing.assert_allclose(found, whole[:, 24 * i : 24 * i + 24] @ v, 1e-4, 1e-4)
    assert not compiled.opaque
    assert {step["kind"] for step in compiled.manifest["steps"]} == {"kernel"}


RETURNED = """
func.func @main(%x: tensor<?x72xf32>) -> (tensor<?x24xf32>, tensor<?x2x12xf32>) {
  %a = snippets.slice %x {starts = array<i64: 0, 24>, steps = array<i64: 1, 1>}
    : (tensor<?x72xf32>) -> tensor<?x24xf32>
  %b = snippets.slice %x {starts = array<i64: 0, 48>, steps = array<i64: 1, 1>}
    : (tensor<?x72xf32>) -> tensor<?x24xf32>
  %c = snippets.reshape %b : (tensor<?x24xf32>) -> tensor<?x2x12xf32>
  func.return %a, %c : tensor<?x24xf32>, tensor<?x2x12xf32>
}
"""


def test_slices_that_the_caller_alone_reads():
    program = snippets_mlir.compile(RETURNED)
    for rows in (5, 1, 3, 0, 16):
        x = np.random.default_rng(rows).standard_normal((rows, 72), np.float32)
        first, second = program(x)
        np.testing.assert_array_equal(first, x[:, 24:48])
        np.testing.assert_array_equal(second, x[:, 48:].reshape(rows, 2, 12))


PARTS = """
func.func @main(%x: tensor<?x?xf32>, %i: tensor<i64>) -> (tensor<?x8xf32>, tensor<3x?xf32>) {
  %0 = snippets.dynamic_slice %x, %i {axes = array<i64: 1>}
    : (tensor<?x?xf32>, tensor<i64>) -> tensor<?x8xf32>
  %1 = snippets.exp %0 : tensor<?x8xf32>
  %2 = snippets.slice %x {starts = array<i64: 2, 0>, steps = array<i64: 1, 1>}
    : (tensor<?x?xf32>) -> tensor<3x?xf32>
  %3 = snippets.exp %2 : tensor<3x?xf32>
  func.return %1, %3 : tensor<?x8xf32>, tensor<3x?xf32>
}
"""


def test_parts_of_dims_that_are_too_small_are_an_error():
    """The same message as for known sizes, before and after calls that fit."""
    for first in ((6, 9), (4, 9), (6, 7)):
        program = snippets_mlir.compile(PARTS)
        for rows, columns in (first, (5, 8), (4, 8), (3, 20), (30, 7), (17, 33), (5, 1), (5, 0)):
            x = np.random.default_rng(rows).standard_normal((rows, columns), np.float32)
            for start in (0, 3, 99):
                if rows >= 5 and columns >= 8:
                    found = program(x, np.int64(start))
                    at = min(start, columns - 8)
                    np.testing.assert_allclose(found[0], np.exp(x[:, at : at + 8]), 1e-6)
                    np.testing.assert_allclose(found[1], np.exp(x[2:5]), 1e-6)
                else:
                    with pytest.raises(snippets_mlir.CompileError, match="C7: snippets"):
                        program(x, np.int64(start))
