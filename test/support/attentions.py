"""Attentions as text, their arguments, and their values by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import snippets_mlir

Array = NDArray[Any]
Shape = tuple[int, ...]


def tensor(shape: Shape, element: str = "f32") -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def attention(q: Shape, k: Shape, v: Shape, mask: Shape, element: str = "f32") -> str:
    """`softmax(q k^T / 2 + mask) v`, its batch dims those of `q`."""
    scores, result = (*q[:-1], k[-2]), (*q[:-1], v[-1])
    types = [tensor(shape, element) for shape in (q, k, v, mask, scores, result)]
    left, right, values, added, s, r = types
    return f"""
func.func @main(%q: {left}, %k: {right}, %v: {values}, %m: {added}) -> {r} {{
  %half = snippets.constant dense<0.5> : tensor<{element}>
  %0 = snippets.matmul %q, %k {{transpose_b}} : ({left}, {right}) -> {s}
  %1 = snippets.multiply %0, %half : ({s}, tensor<{element}>) -> {s}
  %2 = snippets.add %1, %m : ({s}, {added}) -> {s}
  %3 = snippets.softmax %2 {{axis = {len(q) - 1} : i64}} : {s}
  %4 = snippets.matmul %3, %v : ({s}, {values}) -> {r}
  func.return %4 : {r}
}}
"""


def numbers(seed: int, *shapes: Shape, dtype: type = np.float32) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def expected(q: Array, k: Array, v: Array, mask: Array) -> Array:
    q, k, v, mask = (x.astype(np.float64) for x in (q, k, v, mask))
    with np.errstate(invalid="ignore"):
        s = q @ k.swapaxes(-1, -2) / 2 + mask
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        return (e / e.sum(axis=-1, keepdims=True)) @ v


def check_number_of_threads(source: Any, arguments: list[Array], **options: Any) -> None:
    """The bits of the result are the same for each number of threads."""
    first, *others = (
        np.asarray(snippets_mlir.compile(source, num_threads=threads, **options)(*arguments))
        for threads in (1, 2, 3, 16)
    )
    for found in others:
        np.testing.assert_array_equal(found, first)
