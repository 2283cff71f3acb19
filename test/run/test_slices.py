# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""Kernels that read slices, against NumPy: sizes around the vector, steps, reversed dims."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from runnable import HOST, RUNNABLE
from sampled import sampled

import snippets_mlir

ELEMENTS = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "i1": np.bool_}


def random_slice(draw: random.Random, shape: tuple[int, ...], sizes: tuple[int, ...]) -> str:
    """Starts and steps of a slice of `sizes` of an array of `shape`, as attributes."""
    starts, steps = list[int](), list[int]()
    for whole, size in zip(shape, sizes, strict=True):
        most = (whole - 1) // (size - 1) if size > 1 else 3
        step = draw.randint(1, min(most, 3)) * draw.choice([1, 1, -1])
        reach = (size - 1) * abs(step)
        start = draw.randint(0, whole - 1 - reach)
        starts.append(start if step > 0 else start + reach)
        steps.append(step)
    texts = (", ".join(map(str, values)) for values in (starts, steps))
    return "{{starts = array<i64: {}>, steps = array<i64: {}>}}".format(*texts)


def taken(x: Any, attributes: str, sizes: tuple[int, ...]) -> Any:
    """The elements that the attributes name."""
    lists = [part.partition(">")[0].split(", ") for part in attributes.split("array<i64: ")[1:]]
    starts, steps = [[int(n) for n in values] for values in lists]
    places = [
        start + step * np.arange(size)
        for start, step, size in zip(starts, steps, sizes, strict=True)
    ]
    return x[np.ix_(*places)]


@pytest.mark.parametrize("seed", sampled(range(24), 2))
def test_random_slices(seed: int) -> None:
    """Two slices of one array, one of another, in elementwise ops and a sum of rows."""
    draw = random.Random(seed)
    element = draw.choice(["f32", "f32", "f64", "i32", "i64"])
    rank = draw.randint(1, 4)
    lanes = HOST.lanes
    sizes = tuple(
        draw.choice(
            [1, 2, 3, lanes - 1, lanes, lanes + 1, 2 * lanes + 3][: 7 if d > rank - 3 else 3]
        )
        for d in range(rank)
    )
    shapes = [tuple(size + draw.choice([1, 2, size, 2 * size]) for size in sizes) for _ in "xy"]
    kinds = [f"tensor<{'x'.join(map(str, shape))}x{element}>" for shape in shapes]
    result = f"tensor<{'x'.join(map(str, sizes))}x{element}>"
    total = f"tensor<{''.join(f'{size}x' for size in sizes[:-1])}{element}>"
    one, two = (random_slice(draw, shapes[0], sizes) for _ in "ab")
    other = random_slice(draw, shapes[1], sizes)
    text = f"""func.func @f(%x: {kinds[0]}, %y: {kinds[1]}) -> ({result}, {total}) {{
      %a = snippets.slice %x {one} : ({kinds[0]}) -> {result}
      %b = snippets.slice %x {two} : ({kinds[0]}) -> {result}
      %c = snippets.slice %y {other} : ({kinds[1]}) -> {result}
      %0 = snippets.subtract %a, %b : {result}
      %1 = snippets.maximum %0, %c : {result}
      %2 = snippets.reduce_sum %c {{axes = array<i64: {rank - 1}>}} : ({result}) -> {total}
      func.return %1, %2 : {result}, {total}
    }}"""
    numbers = np.random.default_rng(seed)
    x, y = (numbers.integers(-9, 9, shape).astype(ELEMENTS[element]) for shape in shapes)
    compiled = snippets_mlir.compile(text, target=draw.choice(RUNNABLE))
    ops = [op for kernel in compiled.kernels for op in kernel.ops]
    assert "snippets.slice" in ops
    found, sums = compiled(x, y)
    a, b, c = taken(x, one, sizes), taken(x, two, sizes), taken(y, other, sizes)
    np.testing.assert_array_equal(found, np.maximum(a - b, c))
    np.testing.assert_array_equal(sums, c.sum(-1))


def test_special_values_and_bools() -> None:
    x = np.array([np.nan, -0.0, np.inf, -np.inf, 1.0, -0.0], np.float32)
    text = """func.func @f(%x: tensor<6xf32>, %m: tensor<4xi1>) -> (tensor<3xf32>, tensor<2xi1>) {
      %0 = snippets.slice %x {starts = array<i64: 5>, steps = array<i64: -2>} : (tensor<6xf32>) -> tensor<3xf32>
      %1 = snippets.negative %0 : tensor<3xf32>
      %2 = snippets.slice %m {starts = array<i64: 1>, steps = array<i64: 2>} : (tensor<4xi1>) -> tensor<2xi1>
      %3 = snippets.logical_not %2 : tensor<2xi1>
      func.return %1, %3 : tensor<3xf32>, tensor<2xi1>
    }"""  # noqa: E501
    m = np.array([True, False, False, True])
    found, flags = snippets_mlir.compile(text)(x, m)
    np.testing.assert_array_equal(found.view(np.uint32), (-x[::-2]).view(np.uint32))
    np.testing.assert_array_equal(flags, ~m[1::2])


@pytest.mark.parametrize("partitioner", ["tokenize", "fuse-ops"])
def test_slices_of_computed_values(partitioner: Any) -> None:
    text = """func.func @f(%x: tensor<9x20xf32>) -> tensor<8x20xf32> {
      %0 = snippets.exp %x : tensor<9x20xf32>
      %1 = snippets.slice %0 {starts = array<i64: 1, 0>, steps = array<i64: 1, 1>} : (tensor<9x20xf32>) -> tensor<8x20xf32>
      %2 = snippets.negative %1 : tensor<8x20xf32>
      func.return %2 : tensor<8x20xf32>
    }"""  # noqa: E501
    x = np.random.default_rng(0).standard_normal((9, 20)).astype(np.float32)
    found = snippets_mlir.compile(text, partitioner=partitioner)(x)
    np.testing.assert_allclose(found, -np.exp(x[1:]), rtol=1e-6)


FUNCTIONS: dict[str, Any] = {
    "stencil": lambda x: x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:],
    "steps": lambda x: np.exp(x[::2, 1::3]) + x[1, 2],
    "a row and a column": lambda x: x[0] * x[:, 0:1] + x[1:2],
    "columns": lambda x: x[:, 0] + x[:, -1],
    "reversed": lambda x: x[::-1, ::-2] * 2,
    "row sums": lambda x: (x[1:] * x[:-1]).sum(1),
    "column sums": lambda x: x[2:, 3:].sum(0),
    "largest": lambda x: x[:, 2:] - x[:, 2:].max(1, keepdims=True),
    "of a computed value": lambda x: np.exp(x)[1:] + np.exp(x)[:-1],
    "with a new dim": lambda x: x[1:, None, :] + x[:-1],
    "of a product": lambda x: x[1:] @ x[1:].T + 1,
    "differences": lambda x: np.diff(x, axis=0),
    "flipped": lambda x: np.flip(x, 0) + x,
    "nothing": lambda x: x[:0] * 2,
}  # fmt: skip


@pytest.mark.parametrize("name", sampled(FUNCTIONS, 2))
def test_functions_of_numpy(name: str) -> None:
    numbers = np.random.default_rng(7)
    function = FUNCTIONS[name]
    for shape in ((3, 5), (9, 37), (4, 16)):
        x = numbers.standard_normal(shape).astype(np.float32)
        found, wanted = snippets_mlir.jit(function)(x), function(x)
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-5)


def test_a_stencil_is_one_kernel() -> None:
    traced = snippets_mlir.jit(FUNCTIONS["stencil"])
    assert len(traced.explain(np.ones((9, 9), np.float32)).splitlines()) == 1


def test_sums_of_slices_of_other_sizes():
    """Their kernels differ in the number of rows alone."""
    function = snippets_mlir.jit(lambda x: x[1:4].sum(0) - x[1:3].sum(0))
    x = np.random.default_rng(0).standard_normal((9, 6), np.float32)
    np.testing.assert_allclose(function(x), x[3], 1e-5, 1e-5)
