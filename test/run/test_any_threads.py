"""Results do not depend on the number of threads: the same bits with 1 and with 2, 3 and 16."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir

SHAPES = [
    # Everything and long rows: blocks for any number of threads.
    ((100_003,), (0,)),
    ((100_000,), (0,)),
    ((64, 4096), (0, 1)),
    ((3, 100_000), (1,)),
    # Columns: how many vectors are summed at once.
    ((300, 768), (0,)),
    ((777, 96), (0,)),
    ((4096, 64), (0,)),
    ((4000, 17), (0,)),
    ((100_000, 3), (0,)),
    # Few matrices around them.
    ((2, 49, 768), (1,)),
    ((3, 49, 200), (1,)),
    ((8, 196, 64), (1,)),
    ((2, 16, 60, 60), (0, 2, 3)),
]
THREADS = (2, 3, 16)


def tensor(shape: Sequence[int]) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def reduced(shape: Sequence[int], axes: Sequence[int], *, around: bool) -> str:
    """A sum, alone or between other ops."""
    x = tensor(shape)
    y = tensor([1 if dim in axes else size for dim, size in enumerate(shape)])
    what = f"{{axes = array<i64: {', '.join(map(str, axes))}>, keep_dims}} : ({x}) -> {y}"
    if not around:
        return f"""func.func @main(%x: {x}) -> {y} {{
          %0 = snippets.reduce_sum %x {what}
          func.return %0 : {y}
        }}"""
    return f"""func.func @main(%x: {x}) -> {x} {{
      %0 = snippets.tanh %x : {x}
      %1 = snippets.reduce_mean %0 {what}
      %2 = snippets.subtract %0, %1 : ({x}, {y}) -> {x}
      func.return %2 : {x}
    }}"""


def same_bits(text: str, shape: Sequence[int], threads: int) -> np.ndarray:
    """What the program gives with one thread, and with several."""
    x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    one, several = (
        np.asarray(snippets_mlir.compile(text, fallback="error", num_threads=count)(x))
        for count in (1, threads)
    )
    assert one.tobytes() == several.tobytes()
    return one


@pytest.mark.parametrize(("case", "threads"), sampled(product(SHAPES, THREADS), 3))
def test_sums(case: tuple[tuple[int, ...], tuple[int, ...]], threads: int) -> None:
    shape, axes = case
    found = same_bits(reduced(shape, axes, around=False), shape, threads)
    x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    exact = x.astype(np.float64).sum(axes, keepdims=True)
    bound = 300 * 2.0**-24 * np.abs(x.astype(np.float64)).sum(axes, keepdims=True)
    assert (np.abs(found - exact) <= bound).all()


@pytest.mark.parametrize(("case", "threads"), sampled(product(SHAPES[2::3], THREADS), 3))
def test_means_between_other_ops(
    case: tuple[tuple[int, ...], tuple[int, ...]], threads: int
) -> None:
    shape, axes = case
    same_bits(reduced(shape, axes, around=True), shape, threads)


ROWS = ((1, 65536), (2, 65536), (4, 16384))


@pytest.mark.parametrize(
    ("shape", "op", "threads"), sampled(product(ROWS, ["softmax", "log_softmax"], THREADS), 6)
)
def test_softmax(shape: tuple[int, ...], op: str, threads: int) -> None:
    x = tensor(shape)
    text = f"""func.func @main(%x: {x}) -> {x} {{
      %0 = snippets.tanh %x : {x}
      %1 = snippets.{op} %0 {{axis = 1 : i64}} : {x}
      func.return %1 : {x}
    }}"""
    same_bits(text, shape, threads)
