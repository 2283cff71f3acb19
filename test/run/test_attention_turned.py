"""Attentions whose softmax is a right operand, whose scores are transposed or get dims of 1."""

from __future__ import annotations

import numpy as np
import pytest
from attentions import Array, numbers
from sampled import alternating, sampled

import snippets_mlir


def program(b: str, s: str, t: str, element: str) -> str:
    """`v^T softmax((k q^T)^T / 2 + m)^T`, with heads before the last dim, as JAX writes it."""
    types = {
        "q": (b, s, "3", "8"),
        "k": (b, t, "3", "8"),
        "v": (b, t, "3", "5"),
        "m": (s, t),
        "qt": (b, "3", s, "8"),
        "kt": (b, "3", t, "8"),
        "vt": (b, "3", "5", t),
        "ts": (b, "3", t, s),
        "st": (b, "3", s, t),
        "vs": (b, "3", "5", s),
        "o": (b, s, "3", "5"),
    }
    aliases = [f"!{name} = tensor<{'x'.join(dims)}x{element}>" for name, dims in types.items()]
    return (
        "\n".join(aliases)
        + f"""
func.func @main(%q: !q, %k: !k, %v: !v, %m: !m) -> !o {{
  %half = snippets.constant dense<0.5> : tensor<{element}>
  %0 = snippets.transpose %q {{permutation = array<i64: 0, 2, 1, 3>}} : (!q) -> !qt
  %1 = snippets.transpose %k {{permutation = array<i64: 0, 2, 1, 3>}} : (!k) -> !kt
  %2 = snippets.transpose %v {{permutation = array<i64: 0, 2, 3, 1>}} : (!v) -> !vt
  %3 = snippets.matmul %1, %0 {{transpose_b}} : (!kt, !qt) -> !ts
  %4 = snippets.transpose %3 {{permutation = array<i64: 0, 1, 3, 2>}} : (!ts) -> !st
  %5 = snippets.multiply %4, %half : (!st, tensor<{element}>) -> !st
  %6 = snippets.add %5, %m : (!st, !m) -> !st
  %7 = snippets.softmax %6 {{axis = 3 : i64}} : !st
  %8 = snippets.transpose %7 {{permutation = array<i64: 0, 1, 3, 2>}} : (!st) -> !ts
  %9 = snippets.matmul %2, %8 : (!vt, !ts) -> !vs
  %10 = snippets.transpose %9 {{permutation = array<i64: 0, 3, 1, 2>}} : (!vs) -> !o
  func.return %10 : !o
}}
"""
    )


def values(seed: int, b: int, s: int, t: int, dtype: type = np.float32) -> list[Array]:
    """Arguments; the mask hides keys, and one row hides all of them where there are several."""
    *args, m = numbers(seed, (b, s, 3, 8), (b, t, 3, 8), (b, t, 3, 5), (s, t), dtype=dtype)
    m[m > 1] = -np.inf
    m[:, 0] = 0
    if s > 1:
        m[1] = -np.inf
    return [*args, m]


def expected(q: Array, k: Array, v: Array, m: Array) -> Array:
    q, k, v, m = (x.astype(np.float64) for x in (q, k, v, m))
    with np.errstate(invalid="ignore"):
        x = np.einsum("bshd,bthd->bhst", q, k) / 2 + m
        e = np.exp(x - x.max(-1, keepdims=True))
        return np.einsum("bhst,bthd->bshd", e / e.sum(-1, keepdims=True), v)


SIZES = [(20, 35), (2, 2), (33, 16)]


@pytest.mark.parametrize(("sizes", "element"), alternating(SIZES, ("f32", "f64")))
def test_one_kernel(sizes: tuple[int, int], element: str):
    (s, t), dtype = sizes, {"f32": np.float32, "f64": np.float64}[element]
    compiled = snippets_mlir.compile(program("2", str(s), str(t), element))
    assert len(compiled.kernels) == 1
    args = values(s, 2, s, t, dtype)
    tolerance = 2e-5 if dtype is np.float32 else 1e-12
    wanted = expected(*args)
    assert np.isnan(wanted[:, 1]).all()
    np.testing.assert_allclose(compiled(*args), wanted, tolerance, tolerance)


@pytest.mark.parametrize(
    "sizes", sampled([("?", "20", "35"), ("2", "?", "35"), ("2", "20", "?"), ("?", "?", "?")], 2)
)
def test_sizes_of_the_call(sizes: tuple[str, str, str]):
    """One kernel where rows and keys are two or more."""
    compiled = snippets_mlir.compile(program(*sizes, "f32"))
    for size in (1, 2, 33, 70):
        b, s, t = (size if known == "?" else int(known) for known in sizes)
        args = values(s, b, s, t)
        np.testing.assert_allclose(compiled(*args), expected(*args), 2e-5, 2e-5)
    assert len(compiled.kernels) == 1


def test_numbers_that_are_not_finite():
    compiled = snippets_mlir.compile(program("2", "20", "35", "f32"))
    q, k, v, m = values(3, 2, 20, 35)
    m[1] = 0
    q[0, 3, 1, 2], k[1, 4, 0, 5], v[0, 2, 2, 1] = np.nan, np.nan, np.inf
    wanted = expected(q, k, v, m)
    assert np.isnan(wanted).any()
    np.testing.assert_allclose(compiled(q, k, v, m), wanted, 2e-5, 2e-5)


ONES = """
!q = tensor<2x3x20x8xf32>
!k = tensor<2x3x35x8xf32>
!s = tensor<2x3x20x35xf32>
!s5 = tensor<2x3x20x1x35xf32>
!t5 = tensor<1x2x3x20x35xf32>
!b = tensor<1x35xf32>
!m = tensor<1x2x1x20x35xi1>
!o = tensor<2x3x20x8xf32>
func.func @main(%q: !q, %k: !k, %v: !k, %b: !b, %m: !m) -> !o {
  %low = snippets.constant dense<-1.0e4> : tensor<f32>
  %0 = snippets.matmul %q, %k {transpose_b} : (!q, !k) -> !s
  %1 = snippets.reshape %0 : (!s) -> !s5
  %2 = snippets.add %1, %b : (!s5, !b) -> !s5
  %3 = snippets.reshape %2 : (!s5) -> !t5
  %4 = snippets.select %m, %3, %low : (!m, !t5, tensor<f32>) -> !t5
  %5 = snippets.softmax %4 {axis = 4 : i64} : !t5
  %6 = snippets.reshape %5 : (!t5) -> !s
  %7 = snippets.matmul %6, %v : (!s, !k) -> !o
  func.return %7 : !o
}
"""


def test_dims_of_one_between_the_products():
    compiled = snippets_mlir.compile(ONES)
    assert len(compiled.kernels) == 1
    q, k, v, b = numbers(5, (2, 3, 20, 8), (2, 3, 35, 8), (2, 3, 35, 8), (1, 35))
    m = np.random.default_rng(6).random((1, 2, 1, 20, 35)) < 0.7
    x = q.astype(np.float64) @ k.swapaxes(-1, -2) + b
    x = np.where(m[0], x, -1e4)
    e = np.exp(x - x.max(-1, keepdims=True))
    wanted = e / e.sum(-1, keepdims=True) @ v
    np.testing.assert_allclose(compiled(q, k, v, b, m), wanted, 2e-5, 2e-5)


SHARED = """
!q = tensor<2x20x3x2x8xf32>
!k = tensor<2x3x35x8xf32>
!v = tensor<2x3x35x5xf32>
!qt = tensor<2x3x20x2x8xf32>
!qm = tensor<2x3x40x8xf32>
!s = tensor<2x3x40x35xf32>
!s5 = tensor<2x3x20x2x35xf32>
!p = tensor<2x2x3x20x35xf32>
!pt = tensor<2x3x35x2x20xf32>
!pm = tensor<2x3x35x40xf32>
!om = tensor<2x3x5x40xf32>
!o5 = tensor<2x3x5x2x20xf32>
!o = tensor<2x20x3x2x5xf32>
func.func @main(%q: !q, %k: !k, %v: !v, %m: tensor<20x35xf32>) -> !o {
  %half = snippets.constant dense<0.5> : tensor<f32>
  %0 = snippets.transpose %q {permutation = array<i64: 0, 2, 1, 3, 4>} : (!q) -> !qt
  %1 = snippets.reshape %0 : (!qt) -> !qm
  %2 = snippets.matmul %1, %k {transpose_b} : (!qm, !k) -> !s
  %3 = snippets.reshape %2 : (!s) -> !s5
  %4 = snippets.multiply %3, %half : (!s5, tensor<f32>) -> !s5
  %5 = snippets.transpose %4 {permutation = array<i64: 3, 0, 1, 2, 4>} : (!s5) -> !p
  %6 = snippets.add %5, %m : (!p, tensor<20x35xf32>) -> !p
  %7 = snippets.softmax %6 {axis = 4 : i64} : !p
  %8 = snippets.transpose %7 {permutation = array<i64: 1, 2, 4, 0, 3>} : (!p) -> !pt
  %9 = snippets.reshape %8 : (!pt) -> !pm
  %10 = snippets.matmul %v, %9 {transpose_a} : (!v, !pm) -> !om
  %11 = snippets.reshape %10 : (!om) -> !o5
  %12 = snippets.transpose %11 {permutation = array<i64: 0, 4, 1, 3, 2>} : (!o5) -> !o
  func.return %12 : !o
}
"""


def test_heads_that_share_keys():
    compiled = snippets_mlir.compile(SHARED)
    assert len(compiled.kernels) == 1
    q, k, v, m = numbers(7, (2, 20, 3, 2, 8), (2, 3, 35, 8), (2, 3, 35, 5), (20, 35))
    m[m > 1] = -np.inf
    m[3], q[1, 2, 0, 1, 3] = -np.inf, np.nan
    with np.errstate(invalid="ignore"):
        x = np.einsum("bshgd,bhtd->bhgst", q, k, dtype=np.float64) / 2 + m
        e = np.exp(x - x.max(-1, keepdims=True))
        wanted = np.einsum("bhgst,bhtd->bshgd", e / e.sum(-1, keepdims=True), v)
    assert np.isnan(wanted[:, 3]).all()
    np.testing.assert_allclose(compiled(q, k, v, m), wanted, 2e-5, 2e-5)
