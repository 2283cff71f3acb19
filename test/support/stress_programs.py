"""Programs of random sizes for `stress.py`, whose results NumPy knows to the bit.

Values are whole numbers that f32 and bf16 hold exactly, sums included, so the order of operations
does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

STATIC = """
func.func @main(%x: tensor<HxWxT>, %y: tensor<WxT>) -> tensor<HxWxT> {
  %0 = snippets.add %x, %y : (tensor<HxWxT>, tensor<WxT>) -> tensor<HxWxT>
  %1 = snippets.maximum %0, %x : tensor<HxWxT>
  func.return %1 : tensor<HxWxT>
}"""

TWO = """
func.func @main(%x: tensor<HxWxf32>) -> (tensor<HxWxf32>, tensor<Hx1xf32>) {
  %0 = snippets.add %x, %x : tensor<HxWxf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 1>, keep_dims}
      : (tensor<HxWxf32>) -> tensor<Hx1xf32>
  %2 = snippets.subtract %0, %1 : (tensor<HxWxf32>, tensor<Hx1xf32>) -> tensor<HxWxf32>
  func.return %2, %1 : tensor<HxWxf32>, tensor<Hx1xf32>
}"""

DYNAMIC = """
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = snippets.add %x, %y : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}"""

REGION = """
func.func @main(%x: tensor<HxHxf32>) -> tensor<HxHxf32> {
  %0 = snippets.add %x, %x : tensor<HxHxf32>
  %1 = onnx.node "MatMul"(%0, %x) {domain = "", version = 13 : i64}
      : (tensor<HxHxf32>, tensor<HxHxf32>) -> tensor<HxHxf32>
  %2 = snippets.maximum %1, %x : tensor<HxHxf32>
  func.return %2 : tensor<HxHxf32>
}"""

NEST = """
func.func @main(%A: memref<HxWxf32>, %B: memref<HxWxf32>) {
  affine.parallel (%i, %j) = (0, 0) to (H, W) {
    %0 = affine.load %A[%i, %j] : memref<HxWxf32>
    %1 = arith.addf %0, %0 : f32
    affine.store %1, %B[%i, %j] : memref<HxWxf32>
  }
  func.return
}"""


@dataclass(frozen=True)
class Case:
    """A program and what it computes.

    Attributes:
        text: its source.
        inputs: makes arrays for a call.
        expected: their results.
        options: of `compile`.
        on_memrefs: whether the last input is the result.
    """

    text: str
    inputs: Callable[[Random], list[Array]]
    expected: Callable[..., list[Array]]
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    on_memrefs: bool = False


def filled(text: str, height: int, width: int, element: str = "f32") -> str:
    """A text with sizes and an element type."""
    sized = text.replace("H", str(height)).replace("W", str(width))
    return sized.replace("xT>", f"x{element}>")


def whole(rng: Random, *shape: int, dtype: Any = np.float32) -> Array:
    generator = np.random.default_rng(rng.randrange(1 << 30))
    return generator.integers(-4, 5, shape).astype(dtype)


def random_case(rng: Random) -> Case:
    """A program; half of them are large enough for several threads."""
    height, width = rng.randint(1, 40), rng.randint(1, 300)
    if rng.random() < 0.5:
        height, width = rng.randint(200, 300), rng.randint(900, 1000)
    options = {"num_threads": rng.choice([1, 2, 2, 3])}

    def one(rng: Random) -> list[Array]:
        return [whole(rng, height, width)]

    def pair(rng: Random) -> list[Array]:
        return [whole(rng, height, width), np.zeros((height, width), np.float32)]

    match rng.choice(["static"] * 3 + ["bf16", "two", "dynamic", "region", "nest", "watched"]):
        case "static":
            return _static(height, width, "f32", np.float32, options)
        case "bf16":
            return _static(height, width, "bf16", ml_dtypes.bfloat16, options)
        case "two":
            return Case(filled(TWO, height, width), one, _two, options)
        case "dynamic":
            return Case(DYNAMIC, _any_size, _sum, options)
        case "region":
            height = width = rng.randint(2, 120)
            return Case(filled(REGION, height, width), one, _product, options)
        case "nest":
            return Case(filled(NEST, height, width), pair, _doubled, options, on_memrefs=True)
        case _:
            extra = rng.choice([{"perf_count": "body"}, {"segfault_detector": True}])
            return _static(height, width, "f32", np.float32, {**options, **extra})


def _static(height: int, width: int, element: str, dtype: Any, options: dict[str, Any]) -> Case:
    def inputs(rng: Random) -> list[Array]:
        return [whole(rng, height, width, dtype=dtype), whole(rng, width, dtype=dtype)]

    def expected(x: Array, y: Array) -> list[Array]:
        return [np.maximum(x + y, x)]

    return Case(filled(STATIC, height, width, element), inputs, expected, options)


def _any_size(rng: Random) -> list[Array]:
    height, width = rng.choice([0, 1, 2, 300]), rng.choice([1, 5, 1000])
    return [whole(rng, height, width), whole(rng, rng.choice([width, width, 1]))]


def _two(x: Array) -> list[Array]:
    sums = (x + x).sum(axis=1, keepdims=True)
    return [x + x - sums, sums]


def _sum(x: Array, y: Array) -> list[Array]:
    return [x + y]


def _product(x: Array) -> list[Array]:
    integers = x.astype(np.int64)  # whose product takes no BLAS, which does not like forks
    return [np.maximum((2 * integers @ integers).astype(x.dtype), x)]


def _doubled(x: Array, _: Array) -> list[Array]:
    return [x + x]
