"""Attentions of one row, as a decoder computes for each token: one kernel."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from attentions import Array, attention, check_number_of_threads, expected, numbers, tensor
from sampled import sampled

import snippets_mlir

KEYS = (2, 3, 15, 16, 17, 31, 64, 100, 257, 1000)


def checked(text: str, arguments: list[Array], wanted: Array, **given: Any) -> Any:
    program = snippets_mlir.compile(text, num_threads=2, **given)
    compare(program, arguments, wanted)
    return program


def compare(program: Any, arguments: list[Array], wanted: Array) -> None:
    found = np.asarray(program(*arguments))
    double = arguments[0].dtype == np.float64
    np.testing.assert_allclose(found, wanted, *((1e-12, 1e-13) if double else (2e-5, 1e-5)))
    assert [kernel.ops.count("snippets.matmul") for kernel in program.kernels] == [2]


def with_hidden(mask: Array) -> Array:
    """Some keys are hidden; in the first row of several, all are."""
    mask[..., ::3] = -np.inf
    if mask.ndim > 1 and len(mask) > 1:
        mask[0] = -np.inf
    return mask


@pytest.mark.parametrize(("dtype", "element"), [(np.float32, "f32"), (np.float64, "f64")])
@pytest.mark.parametrize("target", [None, "x86-64-avx2", "generic"])
def test_static(dtype: type, element: str, target: str | None):
    given = {} if target is None else {"target": target}
    for keys, width in sampled(product(KEYS, (2, 5, 16, 64)), 3):
        shapes = ((4, 1, width), (4, keys, width), (4, keys, 7), (4, 1, keys))
        arguments = numbers(keys, *shapes, dtype=dtype)
        with_hidden(arguments[3])
        checked(attention(*shapes, element=element), arguments, expected(*arguments), **given)


def text_of(n: object, h: object) -> str:
    """Keys as `[keys, heads, width]`, and a result of `[1, heads, width]`."""
    q, k, s = (f"tensor<{h}x{shape}xf32>" for shape in ("1x8", f"{n}x8", f"1x{n}"))
    turned, m = f"tensor<{n}x{h}x8xf32>", f"tensor<{n}xf32>"
    return f"""
func.func @main(%q: {q}, %k: {turned}, %v: {turned}, %m: {m}) -> {q} {{
  %half = snippets.constant dense<0.5> : tensor<f32>
  %a = snippets.transpose %k {{permutation = array<i64: 1, 0, 2>}} : ({turned}) -> {k}
  %b = snippets.transpose %v {{permutation = array<i64: 1, 0, 2>}} : ({turned}) -> {k}
  %0 = snippets.matmul %q, %a {{transpose_b}} : ({q}, {k}) -> {s}
  %1 = snippets.multiply %0, %half : ({s}, tensor<f32>) -> {s}
  %2 = snippets.add %1, %m : ({s}, {m}) -> {s}
  %3 = snippets.softmax %2 {{axis = 2 : i64}} : {s}
  %4 = snippets.matmul %3, %b : ({s}, {k}) -> {q}
  func.return %4 : {q}
}}
"""


@pytest.mark.parametrize("dynamic", [True, False])
def test_keys_by_row(dynamic: bool):
    """Transposes of keys and values are views; a call decides how many there are."""
    program = snippets_mlir.compile(text_of("?", "?"), num_threads=2) if dynamic else None
    for n, h in ((100, 4), *sampled(product(KEYS, (4, 5)), 3)):
        q, k, v, m = numbers(n, (h, 1, 8), (n, h, 8), (n, h, 8), (n,))
        wanted = expected(q, k.swapaxes(0, 1), v.swapaxes(0, 1), with_hidden(m))
        found = program or snippets_mlir.compile(text_of(n, h), num_threads=2)
        compare(found, [q, k, v, m], wanted)


@pytest.mark.parametrize("n", [16, 33])
def test_keys_with_terms_first(n: int):
    """Keys that the product need not transpose."""
    q, k, s, v = map(tensor, ((4, 1, 8), (4, 8, n), (4, 1, n), (4, n, 5)))
    o = tensor((4, 1, 5))
    text = f"""
func.func @main(%q: {q}, %k: {k}, %v: {v}) -> {o} {{
  %0 = snippets.matmul %q, %k : ({q}, {k}) -> {s}
  %1 = snippets.softmax %0 {{axis = 2 : i64}} : {s}
  %2 = snippets.matmul %1, %v : ({s}, {v}) -> {o}
  func.return %2 : {o}
}}
"""
    arguments = numbers(n, (4, 1, 8), (4, 8, n), (4, n, 5))
    q_, k_, v_ = arguments
    wanted = expected(2 * q_, k_.swapaxes(1, 2), v_, np.zeros(n, np.float32))
    checked(text, arguments, wanted)


def test_nan_and_infinity():
    """A NaN in a key, and infinities in values of hidden keys, give what NumPy gives."""
    shapes = ((4, 1, 16), (4, 40, 16), (4, 40, 7), (4, 1, 40))
    arguments = numbers(1, *shapes)
    arguments[3][2] = -np.inf
    arguments[1][0, 3, 5] = np.nan
    arguments[2][1, 0, 0] = np.inf
    with np.errstate(invalid="ignore"):
        wanted = expected(*arguments)
    checked(attention(*shapes), arguments, wanted)


def test_many_keys():
    """Values beyond the second-level cache."""
    shapes = ((4, 1, 64), (4, 20000, 64), (4, 20000, 64), (20000,))
    arguments = numbers(2, *shapes)
    checked(attention(*shapes), arguments, expected(*arguments))


@pytest.mark.parametrize("heads", [1, 3, 4, 12])
def test_results_do_not_depend_on_the_number_of_threads(heads: int):
    shapes = ((heads, 1, 64), (heads, 333, 64), (heads, 333, 64), (333,))
    arguments = numbers(heads, *shapes)
    check_number_of_threads(attention(*shapes), arguments)


def test_few_heads():
    """Twin: threads share the keys, in a kernel for each step."""
    shapes = ((1, 8), (300, 8), (300, 8), (300,))
    arguments = numbers(3, *shapes)
    program = snippets_mlir.compile(attention(*shapes), num_threads=2)
    np.testing.assert_allclose(program(*arguments), expected(*arguments), 2e-5, 1e-5)
    assert len(program.kernels) == 3
