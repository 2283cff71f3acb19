"""Programs of one matrix product, and what they compute in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Shape = tuple[int, ...]


def tensor(shape: Shape, element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def program(a: Shape, b: Shape, flags: str = "", element: str = "f32") -> str:
    """A product alone in its subgraph."""
    left, right = np.zeros(a, np.int8), np.zeros(b, np.int8)
    left = left.swapaxes(-1, -2) if "transpose_a" in flags else left
    right = right.swapaxes(-1, -2) if "transpose_b" in flags else right
    x, y = tensor(a, element), tensor(b, element)
    r = tensor(np.matmul(left, right).shape, element)
    return f"""
func.func @main(%a: {x}, %b: {y}) -> {r} {{
  %0 = snippets.subgraph (%x = %a, %y = %b) : ({x}, {y}) -> {r} {{
    %1 = snippets.matmul %x, %y {flags} : ({x}, {y}) -> {r}
    snippets.yield %1 : {r}
  }}
  func.return %0 : {r}
}}
"""


def product(a: Array, b: Array, flags: str) -> tuple[Array, Array]:
    """The product in float64, and the sum of the absolute terms."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    a = a.swapaxes(-1, -2) if "transpose_a" in flags else a
    b = b.swapaxes(-1, -2) if "transpose_b" in flags else b
    return np.matmul(a, b), np.matmul(abs(a), abs(b))


def check(found: Array, a: Array, b: Array, flags: str) -> None:
    """The bound of `snippets.matmul`."""
    expected, size = product(a, b, flags)
    terms = a.shape[-2 if "transpose_a" in flags else -1]
    unit = 2.0**-24 if a.dtype == np.float32 else 2.0**-52
    assert found.shape == expected.shape
    assert np.all(np.abs(found - expected) <= (2 * np.sqrt(terms) + 4) * unit * size)


def operands(a: Shape, b: Shape, dtype: str = "float32") -> tuple[Array, Array]:
    random = np.random.default_rng(5)
    return random.standard_normal(a).astype(dtype), random.standard_normal(b).astype(dtype)
