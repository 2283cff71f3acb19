"""Transposed arrays that are copied in blocks: long ops and sums of rows, at every stage.

Sizes are around a vector, a cache line of rows and a block, arrays begin beside aligned places, and
values are exact, so that each level has to compute the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from levels import bits_at
from ml_dtypes import bfloat16
from numpy.typing import NDArray
from runnable import RUNNABLE
from sampled import alternating, sampled

import snippets_mlir

Array = NDArray[Any]
TYPES: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
}
Case = tuple[tuple[int, ...], tuple[int, ...]]
CASES: list[Case] = [
    ((300, 40), (1, 0)),
    ((129, 33), (1, 0)),
    ((257, 16), (1, 0)),
    ((16, 100), (1, 0)),
    ((15, 17), (1, 0)),
    ((40, 3), (1, 0)),
    ((40, 4), (1, 0)),
    ((20, 1), (1, 0)),
    ((1, 20), (1, 0)),
    ((5, 0), (1, 0)),
    ((0, 5), (1, 0)),
    ((1, 140, 36), (0, 2, 1)),
    ((3, 140, 36), (0, 2, 1)),
    ((9, 30, 32), (0, 2, 1)),
    ((5, 7, 40), (2, 1, 0)),
    ((130, 3, 20), (2, 1, 0)),
    ((2, 3, 18, 20), (0, 3, 1, 2)),
    ((2, 3, 18, 20), (3, 2, 1, 0)),
    ((4, 1, 150, 17), (0, 3, 1, 2)),
]
ROWS: list[Case] = [
    ((300, 40), (1, 0)),
    ((33, 17), (1, 0)),
    ((7, 5), (1, 0)),
    ((520, 19), (1, 0)),
    ((1, 20), (1, 0)),
    ((3, 70, 21), (0, 2, 1)),
    ((5, 40, 7), (1, 2, 0)),
]
LEVELS = (
    "lir-copy-transposed",
    "lir-insert-buffers",
    "lir-clean-repeated-data-pointer-shifts",
    "lir-jam-loops",
    "lir-insert-specific-iterations",
    "convert-lir-to-vector",
)


def tensor(shape: Sequence[object], element: str = "f32") -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def transposed(shape: Sequence[object], order: Sequence[int], element: str) -> tuple[str, str, str]:
    """The types of an array and of what it is transposed to, and the op that makes %t of %x."""
    x, y = tensor(shape, element), tensor([shape[dim] for dim in order], element)
    permutation = f"permutation = array<i64: {', '.join(map(str, order))}>"
    return x, y, f"%t = snippets.transpose %x {{{permutation}}} : ({x}) -> {y}"


def long_ops(shape: Sequence[object], order: Sequence[int], element: str = "f32") -> str:
    x, y, transpose = transposed(shape, order, element)
    return f"""func.func @main(%x: {x}, %y: {y}) -> {y} {{
      {transpose}
      %0 = snippets.add %t, %y : {y}
      %1 = snippets.multiply %0, %t : {y}
      %2 = snippets.subtract %1, %y : {y}
      %3 = snippets.maximum %2, %0 : {y}
      %4 = snippets.abs %2 : {y}
      %5 = snippets.subtract %4, %3 : {y}
      %6 = snippets.minimum %5, %1 : {y}
      %7 = snippets.add %6, %2 : {y}
      %8 = snippets.subtract %7, %t : {y}
      func.return %8 : {y}
    }}"""


def long_result(t: Array, y: Array) -> Array:
    a = t + y
    b = a * t
    c = b - y
    return np.minimum(abs(c) - np.maximum(c, a), b) + c - t


def row_sums(shape: Sequence[object], order: Sequence[int]) -> str:
    """What each element differs by from the sum and the maximum of its row."""
    x, y, transpose = transposed(shape, order, "f32")
    z = tensor([*(shape[dim] for dim in order[:-1]), 1])
    axes = f"{{axes = array<i64: {len(shape) - 1}>, keep_dims}} : ({y}) -> {z}"
    return f"""func.func @main(%x: {x}) -> {y} {{
      {transpose}
      %0 = snippets.reduce_sum %t {axes}
      %1 = snippets.subtract %t, %0 : ({y}, {z}) -> {y}
      %2 = snippets.reduce_max %1 {axes}
      %3 = snippets.subtract %1, %2 : ({y}, {z}) -> {y}
      func.return %3 : {y}
    }}"""


def row_result(t: Array) -> Array:
    d = t - t.sum(-1, keepdims=True)
    return d - d.max(-1, keepdims=True)


def numbers(shape: Sequence[int], element: str = "f32") -> Array:
    """Small whole numbers, one element after an aligned place."""
    x = np.empty(int(np.prod(shape)) + 1, TYPES[element])[1:].reshape(shape)
    x[...] = np.random.default_rng(7).integers(-50, 50, shape)
    return x


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_floats_of_two_bytes(element: str) -> None:
    x, y, transpose = transposed((140, 150), (1, 0), element)
    text = f"""func.func @main(%x: {x}) -> {y} {{
      {transpose}
      %0 = snippets.exp %t : {y}
      func.return %0 : {y}
    }}"""
    dtype = {"f16": np.dtype(np.float16), "bf16": np.dtype(bfloat16)}[element]
    a = (numbers((140, 150)) / 16).astype(dtype)
    compiled = snippets_mlir.compile(text, fallback="error", num_threads=2)
    found, exact = (it.astype(np.float32) for it in (compiled(a), np.exp(a.T)))
    assert np.allclose(found, exact, rtol=2.0**-7)


@pytest.mark.parametrize(("case", "threads"), alternating(sampled(CASES, 2), (1, 2)))
def test_long_ops(case: Case, threads: int) -> None:
    shape, order = case
    target = RUNNABLE[-1 - (sum(shape) + threads) % len(RUNNABLE)]
    x, y = numbers(shape), numbers([shape[dim] for dim in order])
    text = long_ops(shape, order)
    compiled = snippets_mlir.compile(text, fallback="error", target=target, num_threads=threads)
    assert np.array_equal(compiled(x, y), long_result(x.transpose(order), y))


@pytest.mark.parametrize(
    ("element", "target"), alternating([element for element in TYPES if element != "f32"], RUNNABLE)
)
def test_other_elements(element: str, target: str) -> None:
    x, y = numbers((140, 150), element), numbers((150, 140), element)
    text = long_ops((140, 150), (1, 0), element)
    compiled = snippets_mlir.compile(text, fallback="error", target=target, num_threads=2)
    assert np.array_equal(compiled(x, y), long_result(x.T, y))


@pytest.mark.parametrize("target", RUNNABLE)
def test_values_keep_their_bits(target: str) -> None:
    """The copy moves -0.0, infinities, NaN with their bits, and denormal numbers."""
    x, y, transpose = transposed((140, 150), (1, 0), "f32")
    text = f"""func.func @main(%x: {x}) -> ({y}, {y}) {{
      {transpose}
      %0 = snippets.tanh %t : {y}
      %1 = snippets.gelu %0 : {y}
      %2 = snippets.negative %t : {y}
      func.return %1, %2 : {y}, {y}
    }}"""
    compiled = snippets_mlir.compile(text, fallback="error", target=target, num_threads=2)
    values = np.array([0x80000000, 0, 0x7FC01234, 0x7F800000, 0xFF800000, 1, 0x3FC00000], np.uint32)
    a = np.random.default_rng(0).choice(values, (140, 150)).view(np.float32)
    assert np.array_equal(compiled(a)[1].view(np.uint32), a.T.view(np.uint32) ^ np.uint32(1 << 31))


@pytest.mark.parametrize(("case", "threads"), alternating(ROWS, (2, 1)))
def test_sums_of_rows(case: Case, threads: int) -> None:
    shape, order = case
    target = RUNNABLE[-1 - (sum(shape) + threads) % len(RUNNABLE)]
    text, x = row_sums(shape, order), numbers(shape)
    compiled = snippets_mlir.compile(text, fallback="error", target=target, num_threads=threads)
    assert np.array_equal(compiled(x), row_result(x.transpose(order)))


DYNAMIC: list[tuple[tuple[int | str, ...], tuple[int, ...]]] = [
    (("?", 20), (1, 0)),
    ((20, "?"), (1, 0)),
    (("?", "?"), (1, 0)),
    (("?", 5, "?"), (2, 1, 0)),
    ((2, "?", 36), (0, 2, 1)),
    (("?", 30, 20), (0, 2, 1)),
]


@pytest.mark.parametrize(("case", "kind"), alternating(DYNAMIC, ("ops", "sums")))
def test_dynamic_sizes(case: tuple[tuple[int | str, ...], tuple[int, ...]], kind: str) -> None:
    of, order = case
    text = long_ops(of, order) if kind == "ops" else row_sums(of, order)
    program = snippets_mlir.compile(text, fallback="error", num_threads=2)
    for size in (0, 1, 3, 4, 17, 33, 160):
        shape = [size if dim == "?" else int(dim) for dim in of]
        x, y = numbers(shape), numbers([shape[dim] for dim in order])
        if kind == "ops":
            assert np.array_equal(program(x, y), long_result(x.transpose(order), y))
        elif size:
            assert np.array_equal(program(x), row_result(x.transpose(order)))


def test_part_of_an_array() -> None:
    """The columns of a slice are transposed: neighbours are in one line, rows are not dense."""
    x, y, transpose = transposed((140, 24), (1, 0), "f32")
    text = f"""func.func @main(%y: tensor<150x40xf32>) -> {y} {{
      %x = snippets.slice %y {{starts = array<i64: 3, 5>, steps = array<i64: 1, 1>}}
        : (tensor<150x40xf32>) -> {x}
      {transpose}
      %0 = snippets.exp %t : {y}
      func.return %0 : {y}
    }}"""
    whole = numbers((150, 40)) / 8
    compiled = snippets_mlir.compile(text, fallback="error", num_threads=2)
    assert np.allclose(compiled(whole), np.exp(whole[3:143, 5:29].T), rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "shape"),
    sampled(
        [
            (long_ops((140, 21), (1, 0)), (140, 21)),
            (long_ops((2, 17, 9), (0, 2, 1)), (2, 17, 9)),
            (row_sums((37, 21), (1, 0)), (37, 21)),
            (row_sums((3, 20, 8), (0, 2, 1)), (3, 20, 8)),
        ],
        4,
    ),
)
def test_stages(text: str, shape: tuple[int, ...]) -> None:
    order = (*range(len(shape) - 2), len(shape) - 1, len(shape) - 2)
    x, y = numbers(shape), numbers([shape[dim] for dim in order])
    long = "%y" in text
    expected = long_result(x.transpose(order), y) if long else row_result(x.transpose(order))
    found = bits_at(
        text, "lir-copy-transposed", "snippets.broadcast", LEVELS, (x, y) if long else (x,)
    )
    assert set(found) == {expected.tobytes()}
