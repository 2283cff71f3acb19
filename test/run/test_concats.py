# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""Kernels that join and pad, against NumPy: sizes around the vector, all types, strided parts.

Elementwise ops after a join are computed on its parts (`snippets-sink-concats`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from random_joins import Program, same_bits
from runnable import RUNNABLE
from sampled import ALL, sampled

import snippets_mlir


@pytest.mark.parametrize("seed", sampled(range(60), 5))
def test_random_joins(seed: int) -> None:
    """Every bit, in kernels of each target of this machine."""
    program = Program(seed)
    text, wanted = program.whole()
    compiled = snippets_mlir.compile(text, target=program.draw.choice(RUNNABLE))
    same_bits(np.asarray(compiled(*program.arrays)), wanted)


def random_function(seed: int) -> tuple[Any, list[Any]]:
    """A function of exact elementwise ops on joins and arrays that broadcast, and its arguments."""
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    rank, arrays = draw.randint(1, 3), list[Any]()
    axis = draw.randrange(rank)
    whole = [draw.choice([1, 2, 3, 5, 17]) for _ in range(rank)]
    sizes = [draw.choice([1, 2, 8, 16, 17, 33]) for _ in range(draw.randint(2, 4))]

    def array(shape: Sequence[int]) -> int:
        arrays.append(numbers.integers(-9, 9, shape).astype(np.float32))
        return len(arrays) - 1

    parts = [array([*whole[:axis], size, *whole[axis + 1 :]]) for size in sizes]
    whole[axis] = sum(sizes)
    others = list[int]()
    for _ in range(draw.randint(1, 4)):
        shape = [size if draw.random() < 0.7 else 1 for size in whole]
        others.append(array(shape[draw.choice([0, 0, 0, 1]) :]))
    steps = [(draw.randrange(6), *(draw.randrange(60) for _ in "ab")) for _ in range(6)]
    steps, second = steps[: draw.randint(1, 6)], draw.random() < 0.4

    def function(*given: Any) -> tuple[Any, ...]:
        pieces = [-given[p] if i % 2 else given[p] for i, p in enumerate(parts)]
        values = [np.concatenate(pieces, axis)]
        if second:
            values.append(np.concatenate([piece + 1 for piece in pieces], axis))
        for kind, one, two in steps:
            x, rest = values[one % len(values)], [*(given[o] for o in others), *values]
            y = rest[two % len(rest)]
            y = abs(y) if (one + two) % 3 == 0 else y
            ways = (
                lambda x=x, y=y: x + y,
                lambda x=x, y=y: x - y,
                lambda x=x, y=y: np.maximum(x, y),
                lambda x=x: -x,
                lambda x=x, y=y: np.where(y > 0, x, y),
                lambda x=x, y=y: abs(x) * y,
            )
            values.append(ways[kind]())
        results = [values[-1]]
        if seed % 5 == 0:
            results.append(values[-2])
        return (*results, values[-1][..., 1:]) if seed % 7 == 0 else tuple(results)

    return function, arrays


@pytest.mark.parametrize("seed", [*sampled(range(40), 3), 103, 109])
def test_elementwise_ops_after_joins(seed: int) -> None:
    """Rows beside rows that broadcast, two joins, values that are read twice, slices of results."""
    function, arrays = random_function(seed)
    for found, wanted in zip(snippets_mlir.jit(function)(*arrays), function(*arrays), strict=True):
        np.testing.assert_array_equal(found, wanted)
        assert found.shape == wanted.shape


def rotated(x: Any, c: Any, s: Any) -> Any:
    """A rotary embedding."""
    half = x.shape[-1] // 2
    return x * c + np.concatenate([-x[..., half:], x[..., :half]], -1) * s


KERNELS: dict[str, tuple[Any, int, tuple[tuple[int, ...], ...]]] = {
    "rotary embedding": (rotated, 1, ((2, 3, 5, 64), (5, 64), (5, 64))),
    "activation": (lambda a, b: np.tanh(np.concatenate([a, b], 1)), 1, ((40, 64), (40, 33))),
    "gate": (
        lambda a, b: (lambda c: c / (1 + np.exp(-c)))(np.concatenate([a, b], 1)),
        1,
        ((40, 64), (40, 33)),
    ),
    "rows": (lambda a, b: np.concatenate([a, b]) * 2 + a[:1], 1, ((700, 300), (300, 300))),
    "channels": (
        lambda a, b, c: np.concatenate([a, b], 1) + c,
        1,
        ((3, 8, 7, 7), (3, 5, 7, 7), (13, 1, 1)),
    ),
    "stack": (lambda a, b: np.stack([np.sin(a), np.cos(b)], -1), 1, ((40, 33), (40, 33))),
    "stack of rows": (lambda a, b: np.stack([np.sin(a), b]), 1, ((40, 33), (40, 33))),
    "roll": (lambda a: np.roll(a, 3, 1) * a, 1, ((40, 64),)),
    "zeros around": (lambda a: np.maximum(np.pad(a, 1), 0.5), 1, ((20, 70),)),
    "edges around": (lambda a: np.pad(np.exp(a), ((0, 0), (2, 1)), mode="edge"), 2, ((9, 64),)),
    "mirrored": (lambda a: np.pad(a, 2, mode="reflect") * 2, 1, ((9, 64),)),
    "wrapped": (lambda a: np.pad(a, ((1, 2), (3, 0)), mode="wrap") * 2, 1, ((9, 64),)),
    "known rows": (lambda a: a[[0, 1, 2, 7]] * 2, 1, ((9, 64),)),
    "softmax": (
        lambda a, b: (lambda c: np.exp(c) / np.exp(c).sum(1, keepdims=True))(
            np.concatenate([a, b], 1)
        ),
        2,
        ((40, 64), (40, 32)),
    ),
    "of a product": (lambda a, b, w: np.concatenate([a @ w, b], 1), 2, ((9, 20), (9, 5), (20, 8))),
}
"""Functions, their kernels, and the shapes of their arguments."""


@pytest.mark.parametrize("name", sampled(KERNELS, 2))
def test_kernels_of_functions(name: str) -> None:
    function, kernels, shapes = KERNELS[name]
    numbers = np.random.default_rng(3)
    arrays = [numbers.standard_normal(shape).astype(np.float32) for shape in shapes]
    traced = snippets_mlir.jit(function)
    np.testing.assert_allclose(traced(*arrays), function(*arrays), rtol=3e-5, atol=1e-5)
    lines = traced.explain(*arrays).splitlines()
    assert len(lines) == kernels, "\n".join(lines)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
def test_pads_of_numpy(mode: Any) -> None:
    x = np.random.default_rng(0).standard_normal((5, 37)).astype(np.float32)
    short = (0, 1, (1, 2)) if ALL or mode == "constant" else ()
    for amounts in (*short, ((0, 2), (3, 0)), 4):
        found = snippets_mlir.jit(lambda x, n=amounts: np.pad(x, n, mode=mode))(x)
        same_bits(found, np.pad(x, amounts, mode=mode))
    small = np.arange(6).reshape(2, 3)
    found = snippets_mlir.jit(lambda x: np.pad(x, 9 if mode == "wrap" else 3, mode=mode))(small)
    same_bits(found, np.pad(small, 9 if mode == "wrap" else 3, mode=mode))


def test_constants_around() -> None:
    x = np.arange(12).reshape(3, 4)
    values = ((1, 2), (3, 4))
    functions: list[Any] = [
        lambda x: np.pad(x, ((1, 2), (3, 4)), constant_values=values),
        lambda x: np.pad(x, 1, constant_values=2.7),
        lambda x: np.pad(x > 3, 1, constant_values=True),
        lambda x: np.pad(x[0], (0, 3)),
        lambda x: np.pad(x[:0], 1, constant_values=5),
    ]
    for function in functions:
        same_bits(snippets_mlir.jit(function)(x), function(x))
    found = snippets_mlir.jit(lambda x, v: np.pad(x, 1, constant_values=v))(x, np.int64(7))
    same_bits(found, np.pad(x, 1, constant_values=7))


DYNAMIC = """func.func @f(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = snippets.negative %y : tensor<?x?xf32>
  %1 = snippets.concat %x, %0 {axis = AXIS : i64} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  func.return %1 : tensor<?x?xf32>
}"""  # noqa: E501


@pytest.mark.parametrize(("axis", "threads"), sampled([(0, 1), (0, 3), (1, 3), (1, 1)], 2))
def test_sizes_of_a_call(axis: int, threads: int) -> None:
    """One program for all sizes but 0 and 1, which have programs of their own."""
    numbers = np.random.default_rng(axis)
    compiled = snippets_mlir.compile(DYNAMIC.replace("AXIS", str(axis)), num_threads=threads)
    sizes = [(5, 7, 3), (1, 9, 4), (9, 1, 4), (0, 5, 3), (5, 0, 3), (3, 4, 0), (3, 4, 1), (0, 0, 2)]
    for one, two, other in [*sizes, (2000, 700, 65), (33, 3000, 17)]:
        shapes = [(one, other), (two, other)]
        shapes = shapes if axis == 0 else [shape[::-1] for shape in shapes]
        x, y = (numbers.standard_normal(shape).astype(np.float32) for shape in shapes)
        same_bits(compiled(x, y), np.concatenate([x, -y], axis))
    assert compiled.per_shape is None
    with pytest.raises(snippets_mlir.CompileError, match=r"C9: snippets\.concat expects"):
        compiled(np.ones((2, 1) if axis else (1, 2), np.float32), np.ones((3, 3), np.float32))


def test_pads_of_a_call() -> None:
    text = """func.func @f(%x: tensor<?x?xf32>, %v: tensor<f32>) -> tensor<?x?xf32> {
      %0 = snippets.negative %x : tensor<?x?xf32>
      %1 = snippets.pad %0, %v {low = array<i64: 1, 0>, high = array<i64: 2, 3>} : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
      func.return %1 : tensor<?x?xf32>
    }"""  # noqa: E501
    compiled = snippets_mlir.compile(text)
    for shape in ((4, 5), (0, 5), (5, 0), (1, 1), (300, 77)):
        x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
        wanted = np.pad(-x, ((1, 2), (0, 3)), constant_values=7)
        same_bits(compiled(x, np.float32(7)), wanted)
    assert compiled.per_shape is None


LARGE: tuple[tuple[tuple[tuple[int, ...], ...], int], ...] = (
    (((3000, 513), (7, 513), (1000, 513)), 0),
    (((100003,), (1,), (70000,)), 0),
    (((900, 700), (900, 33)), 1),
    (((1, 300, 200), (1, 77, 200)), 1),
)
"""Shapes of parts, and the axis along which they are joined."""


@pytest.mark.parametrize(
    ("join", "streaming", "threads"), sampled(product(LARGE, ["auto", "always"], [1, 2, 5]), 3)
)
def test_large_joins_on_threads(join: Any, streaming: Any, threads: int) -> None:
    """Nests one after the other share the domain, and rows past the caches stream."""
    shapes, axis = join
    numbers = np.random.default_rng(threads)
    arrays = [numbers.standard_normal(shape).astype(np.float32) for shape in shapes]
    joined = snippets_mlir.jit(
        lambda *x: np.concatenate([-x[0], *x[1:]], axis), num_threads=threads, streaming=streaming
    )
    same_bits(joined(*arrays), np.concatenate([-arrays[0], *arrays[1:]], axis))


def test_more_parts_than_a_kernel_has() -> None:
    x = np.arange(40, dtype=np.float32)
    joined = snippets_mlir.jit(lambda x: np.concatenate([x[i : i + 2] for i in range(0, 40, 2)]))
    same_bits(joined(x), x)
    assert "20 parts, above 16" in joined.explain(x)


@pytest.mark.parametrize("partitioner", ["tokenize", "fuse-ops"])
def test_partitioners(partitioner: Any) -> None:
    text = """func.func @f(%x: tensor<9x20xf32>, %y: tensor<9x5xf32>) -> tensor<9x25xf32> {
      %0 = snippets.exp %x : tensor<9x20xf32>
      %1 = snippets.concat %0, %y {axis = 1 : i64} : (tensor<9x20xf32>, tensor<9x5xf32>) -> tensor<9x25xf32>
      %2 = snippets.softmax %1 {axis = 1 : i64} : tensor<9x25xf32>
      func.return %2 : tensor<9x25xf32>
    }"""  # noqa: E501
    x, y = (np.random.default_rng(0).standard_normal((9, n)).astype(np.float32) for n in (20, 5))
    found = snippets_mlir.compile(text, partitioner=partitioner)(x, y)
    e = np.exp(np.concatenate([np.exp(x), y], 1))
    np.testing.assert_allclose(found, e / e.sum(1, keepdims=True), rtol=1e-5)
