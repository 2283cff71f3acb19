"""Attentions as exporters and models write them: layouts, masks, sums of products."""

from __future__ import annotations

import numpy as np
import pytest
from attentions import Array, numbers

import snippets_mlir

LAYOUTS = """
!q = tensor<2x20x3x8xf32>
!k = tensor<2x35x3x8xf32>
!v = tensor<2x35x3x24xf32>
!qt = tensor<2x3x20x8xf32>
!kt = tensor<2x3x8x35xf32>
!vt = tensor<2x3x35x24xf32>
!m = tensor<2x1x1x35xi1>
!s = tensor<2x3x20x35xf32>
!o = tensor<2x3x20x24xf32>
func.func @main(%q: !q, %k: !k, %v: !v, %m: !m) -> !o {
  %low = snippets.constant dense<-1.0e4> : tensor<f32>
  %0 = snippets.transpose %q {permutation = array<i64: 0, 2, 1, 3>} : (!q) -> !qt
  %1 = snippets.transpose %k {permutation = array<i64: 0, 2, 3, 1>} : (!k) -> !kt
  %2 = snippets.transpose %v {permutation = array<i64: 0, 2, 1, 3>} : (!v) -> !vt
  %3 = snippets.matmul %0, %1 : (!qt, !kt) -> !s
  %4 = snippets.select %m, %3, %low : (!m, !s, tensor<f32>) -> !s
  %5 = snippets.softmax %4 {axis = 3 : i64} : !s
  %6 = snippets.matmul %5, %2 : (!s, !vt) -> !o
  func.return %6 : !o
}
"""


def test_layouts_and_a_mask_of_truth_values():
    program = snippets_mlir.compile(LAYOUTS)
    assert len(program.kernels) == 1
    q, k, v = numbers(5, (2, 20, 3, 8), (2, 35, 3, 8), (2, 35, 3, 24))
    mask = np.random.default_rng(6).random((2, 1, 1, 35)) < 0.7
    s = np.einsum("bshd,bthd->bhst", q, k, dtype=np.float64)
    s = np.where(mask, s, -1e4)
    e = np.exp(s - s.max(-1, keepdims=True))
    wanted = np.einsum("bhst,bthd->bhsd", e / e.sum(-1, keepdims=True), v)
    np.testing.assert_allclose(program(q, k, v, mask), wanted, 2e-5, 2e-6)


EXPORTED = """
!x = tensor<2x20x24xf32>
!y = tensor<2x35x24xf32>
!v = tensor<2x35x3x8xf32>
!qs = tensor<2x20x3x8xf32>
!ks = tensor<2x35x3x8xf32>
!kh = tensor<2x3x35x8xf32>
!qt = tensor<2x3x20x8xf32>
!kt = tensor<2x3x8x35xf32>
!vt = tensor<2x3x35x8xf32>
!km = tensor<6x35x8xf32>
!kn = tensor<6x8x35xf32>
!s = tensor<2x3x20x35xf32>
func.func @main(%q: !x, %k: !y, %v: !v) -> !x {
  %root = snippets.constant dense<0.59460356> : tensor<f32>
  %0 = snippets.reshape %q : (!x) -> !qs
  %1 = snippets.transpose %0 {permutation = array<i64: 0, 2, 1, 3>} : (!qs) -> !qt
  %2 = snippets.multiply %1, %root : (!qt, tensor<f32>) -> !qt
  %3 = snippets.reshape %k : (!y) -> !ks
  %4 = snippets.transpose %3 {permutation = array<i64: 0, 2, 1, 3>} : (!ks) -> !kh
  %5 = snippets.reshape %4 : (!kh) -> !km
  %6 = snippets.transpose %5 {permutation = array<i64: 0, 2, 1>} : (!km) -> !kn
  %7 = snippets.reshape %6 : (!kn) -> !kt
  %8 = snippets.multiply %7, %root : (!kt, tensor<f32>) -> !kt
  %9 = snippets.transpose %v {permutation = array<i64: 0, 2, 1, 3>} : (!v) -> !vt
  %10 = snippets.matmul %2, %8 : (!qt, !kt) -> !s
  %11 = snippets.softmax %10 {axis = 3 : i64} : !s
  %12 = snippets.matmul %11, %9 : (!s, !vt) -> !qt
  %13 = snippets.transpose %12 {permutation = array<i64: 0, 2, 1, 3>} : (!qt) -> !qs
  %14 = snippets.reshape %13 : (!qs) -> !x
  func.return %14 : !x
}
"""


def exported() -> tuple[list[Array], Array]:
    """Inputs and the expected result of `EXPORTED`."""
    arrays = numbers(11, (2, 20, 24), (2, 35, 24), (2, 35, 3, 8))
    left, right, values = (
        x.astype(np.float64).reshape(*x.shape[:2], 3, 8).swapaxes(1, 2) for x in arrays
    )
    s = left @ right.swapaxes(-1, -2) * 0.59460356**2
    e = np.exp(s - s.max(-1, keepdims=True))
    result = e / e.sum(-1, keepdims=True) @ values
    return arrays, result.swapaxes(1, 2).reshape(2, 20, 24)


def test_the_form_of_exports_of_pytorch():
    """Scales of both factors, a transpose of merged dims, and one of the result: one kernel."""
    program = snippets_mlir.compile(EXPORTED)
    assert len(program.kernels) == 1
    arrays, wanted = exported()
    np.testing.assert_allclose(program(*arrays), wanted, 2e-5, 2e-6)


ROWS = """
!a = tensor<3x70x9xf32>
!b = tensor<9x33xf32>
!c = tensor<3x70x33xf32>
!d = tensor<3x70x1xf32>
func.func @main(%a: !a, %b: !b) -> (!c, !d) {
  %r, %t = snippets.subgraph (%x = %a, %y = %b) : (!a, !b) -> (!c, !d) {
    %0 = snippets.matmul %x, %y : (!a, !b) -> !c
    %1 = snippets.softmax %0 {axis = 2 : i64} : !c
    %2 = snippets.reduce_sum %0 {axes = array<i64: 2>, keep_dims} : (!c) -> !d
    snippets.yield %1, %2 : !c, !d
  }
  func.return %r, %t : !c, !d
}
"""


def test_a_mask_of_the_size_of_another_product():
    """The node that makes it runs before the kernel, which is an attention."""
    types = "tensor<9x7xf32>", "tensor<7x7xf32>", "tensor<9x4xf32>", "tensor<7x4xf32>"
    names = ", ".join(f"%{n}: {t}" for n, t in zip("xwqk", types, strict=True))
    program = snippets_mlir.compile(
        f"func.func @main({names}, %v: tensor<7x5xf32>) -> tensor<9x5xf32> {{\n"
        f"  %y = snippets.matmul %x, %w : ({types[0]}, {types[1]}) -> {types[0]}\n"
        f'  %0 = onnx.node "Shape"(%y) {{domain = "", version = 13 : i64}}'
        f" : ({types[0]}) -> tensor<2xi64>\n"
        f'  %m = onnx.node "ConstantOfShape"(%0) {{domain = "", version = 9 : i64}}'
        f" : (tensor<2xi64>) -> {types[0]}\n"
        f"  %s = snippets.matmul %q, %k {{transpose_b}} : ({types[2]}, {types[3]}) -> {types[0]}\n"
        f"  %1 = snippets.add %s, %m : {types[0]}\n"
        f"  %p = snippets.softmax %1 {{axis = 1 : i64}} : {types[0]}\n"
        f"  %o = snippets.matmul %p, %v : ({types[0]}, tensor<7x5xf32>) -> tensor<9x5xf32>\n"
        f"  func.return %o : tensor<9x5xf32>\n}}\n"
    )
    rng = np.random.default_rng(0)
    shapes = (9, 7), (7, 7), (9, 4), (7, 4), (7, 5)
    x, w, q, k, v = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    scores = np.exp(q.astype(np.float64) @ k.T)
    expected = scores / scores.sum(axis=1, keepdims=True) @ v
    np.testing.assert_allclose(program(x, w, q, k, v), expected, 1e-5, 1e-6)
    assert 2 in [kernel.ops.count("snippets.matmul") for kernel in program.kernels]


@pytest.mark.parametrize("turned", [False, True])
def test_scores_that_are_a_sum_of_products(turned: bool):
    """One product is in the attention, with a term of its scores that another kernel computes."""
    term = "tensor<3x9x7xf32>"
    types = "tensor<3x9x7xf32>", "tensor<7x7xf32>", "tensor<3x9x4xf32>", "tensor<3x7x4xf32>"
    names = ", ".join(f"%{n}: {t}" for n, t in zip("xwqk", types, strict=True))
    products = [
        f"  %y = snippets.matmul %x, %w : ({types[0]}, {types[1]}) -> {term}\n",
        f"  %s = snippets.matmul %q, %k {{transpose_b}} : ({types[2]}, {types[3]}) -> {term}\n",
    ]
    program = snippets_mlir.compile(
        f"func.func @main({names}, %v: tensor<3x7x5xf32>) -> tensor<3x9x5xf32> {{\n"
        + "".join(products[::-1] if turned else products)
        + f"  %1 = snippets.add %s, %y : {term}\n"
        f"  %p = snippets.softmax %1 {{axis = 2 : i64}} : {term}\n"
        f"  %o = snippets.matmul %p, %v : ({term}, tensor<3x7x5xf32>) -> tensor<3x9x5xf32>\n"
        f"  func.return %o : tensor<3x9x5xf32>\n}}\n"
    )
    rng = np.random.default_rng(0)
    shapes = (3, 9, 7), (7, 7), (3, 9, 4), (3, 7, 4), (3, 7, 5)
    x, w, q, k, v = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    scores = np.exp(x.astype(np.float64) @ w + q.astype(np.float64) @ k.transpose(0, 2, 1))
    expected = scores / scores.sum(axis=2, keepdims=True) @ v
    np.testing.assert_allclose(program(x, w, q, k, v), expected, 1e-4, 1e-5)
    assert [kernel.ops.count("snippets.matmul") for kernel in program.kernels] == [1, 2]


def test_reductions_of_the_rows_of_one_product():
    program = snippets_mlir.compile(ROWS)
    assert len(program.kernels) == 1
    a, b = numbers(7, (3, 70, 9), (9, 33))
    product = a.astype(np.float64) @ b
    e = np.exp(product - product.max(-1, keepdims=True))
    parts, total = program(a, b)
    np.testing.assert_allclose(parts, e / e.sum(-1, keepdims=True), 2e-5, 2e-6)
    np.testing.assert_allclose(total, product.sum(-1, keepdims=True), 2e-4, 2e-5)
