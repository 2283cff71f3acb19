"""Attentions whose kernels read parts of a mask in place."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from attentions import Array, check_number_of_threads, expected, numbers, tensor
from onnx import helper
from onnx_models import model, value
from sampled import sampled

import snippets_mlir

ROWS = [(2, 2), (1, 17), (9, 7), (16, 8), (9, 9), (33, 300), (300, 33)]


def text_of(rows: Any, keys: Any, whole: str, taken: str, part: str, element: str) -> str:
    """4 heads of 8 columns; a part `taken` of the mask `whole`, or keys that it hides."""
    q, k, v = tensor((4, rows, 8)), tensor((4, keys, 8)), tensor((4, keys, 5))
    s, o = tensor((4, rows, keys)), tensor((4, rows, 5))
    m, p = f"tensor<{whole}x{element}>", f"tensor<{part}x{element}>"
    hidden = "%h = snippets.add %1, %p : (" + f"{s}, {p}) -> {s}"
    if element == "i1":
        hidden = f"%h = snippets.select %p, %1, %low : ({p}, {s}, tensor<f32>) -> {s}"
    return f"""
func.func @main(%q: {q}, %k: {k}, %v: {v}, %m: {m}) -> {o} {{
  %half = snippets.constant dense<0.5> : tensor<f32>
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %p = snippets.slice %m {{{taken}}} : ({m}) -> {p}
  %0 = snippets.matmul %q, %k {{transpose_b}} : ({q}, {k}) -> {s}
  %1 = snippets.multiply %0, %half : ({s}, tensor<f32>) -> {s}
  {hidden}
  %2 = snippets.softmax %h {{axis = 2 : i64}} : {s}
  %3 = snippets.matmul %2, %v : ({s}, {v}) -> {o}
  func.return %3 : {o}
}}
"""


def starts(*places: int) -> str:
    ones = ", ".join(["1"] * len(places))
    found = ", ".join(map(str, places))
    return f"starts = array<i64: {found}>, steps = array<i64: {ones}>"


def checked(program: Any, arguments: list[Array], part: Array) -> None:
    if part.dtype == np.bool_:
        part = np.where(part, np.float32(0), np.float32(-np.inf))
    q, k, v, _ = arguments
    np.testing.assert_allclose(program(*arguments), expected(q, k, v, part), 2e-5, 1e-5)
    (kernel,) = program.kernels
    assert kernel.ops.count("snippets.slice") == 1


def drawn(rows: int, keys: int, mask: tuple[int, ...], element: str) -> list[Array]:
    """Some keys are hidden, and all keys of a row; NaN and infinities are outside of the part."""
    arrays = numbers(rows + keys, (4, rows, 8), (4, keys, 8), (4, keys, 5), mask)
    m = arrays[3]
    m[..., 3::4] = -np.inf
    m[..., 2:3, :] = -np.inf
    m[..., 0, :], m[..., -1:] = np.nan, np.inf
    arrays[3] = m > 0 if element == "i1" else m
    return arrays


@pytest.mark.parametrize("target", [None, "generic"])
@pytest.mark.parametrize("element", ["f32", "i1"])
@pytest.mark.parametrize(("rows", "keys"), sampled(ROWS, 3))
def test_static(rows: int, keys: int, element: str, target: str | None):
    given: dict[str, Any] = {"num_threads": 2} | ({"target": target} if target else {})
    for heads, dropped in product((1, 4), (False, True)):
        mask = (*((2,) if dropped else ()), heads, rows + 4, keys + 9)
        taken = starts(*((1,) if dropped else ()), 0, 1, 5)
        taken += ", drops = array<i64: 0>" if dropped else ""
        whole, part = "x".join(map(str, mask)), f"{heads}x{rows}x{keys}"
        program = snippets_mlir.compile(text_of(rows, keys, whole, taken, part, element), **given)
        arguments = drawn(rows, keys, mask, element)
        own = arguments[3][1] if dropped else arguments[3]
        checked(program, arguments, own[:, 1 : 1 + rows, 5 : 5 + keys])


def test_sizes_of_a_call():
    """A call decides the number of rows; the mask has parts for two layers."""
    taken = starts(0, 1, 0, 5) + ", drops = array<i64: 1>"
    text = text_of("?", 17, "1x2x?x40", taken, "1x?x17", "f32")
    program = snippets_mlir.compile(text, num_threads=2)
    for rows in (2, 7, 8, 9, 40):
        arguments = drawn(rows, 17, (1, 2, rows, 40), "f32")
        arguments[3][:, :, 0] = 0
        checked(program, arguments, arguments[3][:, 1, :, 5:22])


def test_results_do_not_depend_on_the_number_of_threads():
    text = text_of(100, 333, "4x110x400", starts(0, 7, 30), "4x100x333", "f32")
    arguments = drawn(100, 333, (4, 110, 400), "f32")
    check_number_of_threads(text, arguments)


def test_one_kernel_gives_what_two_give():
    """Twin: the part is a result, too, and is copied."""
    text = text_of(9, 17, "4x13x26", starts(0, 1, 5), "4x9x17", "f32")
    both = text.replace("-> tensor<4x9x5xf32> {", "-> (tensor<4x9x5xf32>, tensor<4x9x17xf32>) {")
    both = both.replace("return %3 :", "return %3, %p :").replace("x5xf32>\n}", "x5xf32>, PART\n}")
    both = both.replace("PART", "tensor<4x9x17xf32>")
    arguments = drawn(9, 17, (4, 13, 26), "f32")
    alone = snippets_mlir.compile(text, num_threads=2)(*arguments)
    found, part = snippets_mlir.compile(both, num_threads=2)(*arguments)
    np.testing.assert_array_equal(found, alone)
    np.testing.assert_array_equal(part, arguments[3][:, 1:10, 5:22])


def test_left_operands_and_epilogues_of_products():
    """Slices in the text of a kernel: what a product reads is computed from one, and a bias."""
    text = """
func.func @main(%x: tensor<30x40xf32>, %w: tensor<16x24xf32>, %b: tensor<20x40xf32>)
    -> tensor<9x24xf32> {
  %r = snippets.subgraph (%y = %x, %v = %w, %c = %b)
      : (tensor<30x40xf32>, tensor<16x24xf32>, tensor<20x40xf32>) -> tensor<9x24xf32> {
    %0 = snippets.slice %y {STARTS} : (tensor<30x40xf32>) -> tensor<9x16xf32>
    %1 = snippets.tanh %0 : tensor<9x16xf32>
    %2 = snippets.matmul %1, %v : (tensor<9x16xf32>, tensor<16x24xf32>) -> tensor<9x24xf32>
    %3 = snippets.slice %c {STARTS} : (tensor<20x40xf32>) -> tensor<9x24xf32>
    %4 = snippets.add %2, %3 : tensor<9x24xf32>
    snippets.yield %4 : tensor<9x24xf32>
  }
  func.return %r : tensor<9x24xf32>
}
""".replace("STARTS", starts(2, 5))
    x, w, b = numbers(0, (30, 40), (16, 24), (20, 40))
    wanted = np.tanh(x[2:11, 5:21]) @ w + b[2:11, 5:29]
    for target in ("x86-64-avx2", "generic"):
        program = snippets_mlir.compile(text, target=target)
        assert len(program.kernels) == 1
        np.testing.assert_allclose(program(x, w, b), wanted, 2e-5, 1e-5)


@pytest.mark.parametrize(("rows", "heads", "groups"), [(9, 4, 4), (1, 8, 2), (5, 8, 2)])
def test_onnx(rows: int, heads: int, groups: int):
    """Slice before Attention, whose rows without a key are 0."""
    keys = 17
    shapes = (2, heads, rows, 16), (2, groups, keys, 16), (2, groups, keys, 16)
    arguments = numbers(rows, *shapes, (2, 1, rows + 3, keys + 9))
    arguments[3][..., ::3] = -np.inf
    arguments[3][0, :, 3] = -np.inf
    bounds = {"first": np.array([2, 5]), "last": np.array([2 + rows, 5 + keys])}
    nodes = [
        helper.make_node("Slice", ["m", "first", "last", "axes"], ["part"]),
        helper.make_node("Attention", ["q", "k", "v", "part"], ["y"]),
    ]
    inputs = [value(n, array.shape) for n, array in zip("qkvm", arguments, strict=True)]
    constants = {**bounds, "axes": np.array([2, 3])}
    made = model(nodes, inputs, [value("y", None)], constants, opset=23)
    program = snippets_mlir.compile(made, mark_skipped="none", num_threads=2)
    session: Any = ort.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (wanted,) = session.run(None, dict(zip("qkvm", arguments, strict=True)))
    np.testing.assert_allclose(program(*arguments), wanted, 2e-5, 1e-5)
    (kernel,) = program.kernels
    assert kernel.ops.count("snippets.slice") == 1
