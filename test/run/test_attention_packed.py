"""Attentions of queries, keys and values that are parts of one array: views of it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from attentions import Array, numbers, tensor
from runnable import RUNNABLE
from sampled import alternating, sampled
from test_attention_levels import LAST, LEVELS, check_levels

import snippets_mlir

FORMS = ("parts of rows", "parts of heads", "dropped")
SIZES = [(2, 3, 20, 8), (1, 2, 15, 16), (3, 1, 17, 33), (1, 4, 130, 64), (2, 2, 31, 5)]


def packed(form: str, sizes: tuple[int, int, int, int], element: str = "f32") -> str:
    """Attention of parts of one array, whose result has heads after rows."""
    batch, heads, rows, width = sizes
    whole, starts, permutation, drops = {
        "parts of rows": ((batch, rows, 3 * heads, width), (0, 0, heads, 0), (0, 2, 1, 3), ""),
        "parts of heads": ((batch, heads, rows, 3 * width), (0, 0, 0, width), (0, 1, 2, 3), ""),
        "dropped": (
            (batch, rows, 3, heads, width),
            (0, 0, 1, 0, 0),
            (0, 2, 1, 3),
            "drops = array<i64: 2>, ",
        ),
    }[form]
    head, part = (batch, heads, rows, width), (batch, rows, heads, width)
    source, q = tensor(whole, element), tensor(head, element)
    taken = q if permutation == (0, 1, 2, 3) else tensor(part, element)
    s, y = tensor((batch, heads, rows, rows), element), tensor(part, element)
    flat = tensor((batch, rows * heads * 3 * width), element)
    lines = [f"%a = snippets.reshape %x : ({flat}) -> {source}"]
    for index, name in enumerate("qkv"):
        first = ", ".join(str(index * start) for start in starts)
        steps = ", ".join("1" for _ in starts)
        lines += [
            f"%{name}0 = snippets.slice %a {{{drops}starts = array<i64: {first}>, "
            f"steps = array<i64: {steps}>}} : ({source}) -> {taken}",
            f"%{name} = snippets.transpose %{name}0 "
            f"{{permutation = array<i64: {', '.join(map(str, permutation))}>}} : ({taken}) -> {q}",
        ]
    text = "\n  ".join(lines)
    return f"""func.func @main(%x: {flat}) -> {y} {{
  {text}
  %0 = snippets.matmul %q, %k {{transpose_b}} : ({q}, {q}) -> {s}
  %1 = snippets.softmax %0 {{axis = 3 : i64}} : {s}
  %2 = snippets.matmul %1, %v : ({s}, {q}) -> {q}
  %3 = snippets.transpose %2 {{permutation = array<i64: 0, 2, 1, 3>}} : ({q}) -> {y}
  func.return %3 : {y}
}}
"""


def arguments(sizes: tuple[int, int, int, int], dtype: Any = np.float32) -> Array:
    batch, heads, rows, width = sizes
    (x,) = numbers(sum(sizes), (batch, rows * heads * 3 * width), dtype=dtype)
    return x


def wanted(form: str, sizes: tuple[int, int, int, int], x: Array) -> Array:
    batch, heads, rows, width = sizes
    x = x.astype(np.float64)
    if form == "parts of heads":
        q, k, v = np.split(x.reshape(batch, heads, rows, 3 * width), 3, -1)
    else:
        parts = x.reshape(batch, rows, 3, heads, width)
        q, k, v = (parts[:, :, i].swapaxes(1, 2) for i in range(3))
    scores = q @ k.swapaxes(-1, -2)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True) @ v).swapaxes(1, 2)


@pytest.mark.parametrize(("form", "sizes"), sampled(product(FORMS, SIZES), 3))
def test_parts_are_views(form: str, sizes: tuple[int, int, int, int]):
    """So are those of one head, whose transpose is a reshape."""
    program = snippets_mlir.compile(packed(form, sizes), fallback="error")
    assert len(program.kernels) == 1
    x = arguments(sizes)
    np.testing.assert_allclose(program(x), wanted(form, sizes, x), 2e-4, 2e-5)


@pytest.mark.parametrize(("form", "target"), alternating(FORMS, RUNNABLE))
def test_other_targets_and_f64(form: str, target: str):
    sizes = 2, 3, 37, 18
    program = snippets_mlir.compile(packed(form, sizes, "f64"), target=target, fallback="error")
    assert len(program.kernels) == 1
    x = arguments(sizes, np.float64)
    np.testing.assert_allclose(program(x), wanted(form, sizes, x), 1e-11, 1e-12)


@pytest.mark.parametrize("form", sampled(FORMS, 3))
def test_every_level(form: str):
    sizes = 2, 2, 5, 3
    x = arguments(sizes)
    levels = LEVELS if form == "dropped" else LAST
    check_levels(packed(form, sizes), [x], wanted(form, sizes, x), levels=levels)
