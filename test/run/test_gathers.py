"""Kernels that read rows at indices, and slices at places of the call, against NumPy."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from runnable import HOST, RUNNABLE
from sampled import sampled

import snippets_mlir

Array = np.ndarray[Any, Any]

ELEMENTS = {
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "i32": np.int32, "i64": np.int64,
    "i8": np.int8, "i1": np.bool_,
}  # fmt: skip
LANES = HOST.lanes
SIZES = [1, 2, 3, LANES - 1, LANES, LANES + 1, 2 * LANES + 3]


def tensor(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def numbers(rng: np.random.Generator, shape: tuple[int, ...], element: str) -> Array:
    found = rng.integers(-9, 9, shape).astype(ELEMENTS[element])
    if found.dtype.kind == "f" and found.size:
        found.flat[0], found.flat[-1] = -0.0, np.nan
    return found


def same(found: Array, wanted: Array) -> None:
    """Equal in every bit, and of one shape."""
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    assert found.tobytes() == wanted.tobytes()


def taken(x: Array, axis: int, indices: Array, from_end: bool = False) -> Array:
    """What a gather gives."""
    size = x.shape[axis]
    places = indices.astype(np.int64)
    if from_end:
        places = np.where(places < 0, places + size, places)
    return np.take(x, places.clip(0, size - 1), axis)


def cut(x: Array, starts: dict[int, int], sizes: tuple[int, ...]) -> Array:
    """What a dynamic slice gives."""
    parts = [slice(None)] * x.ndim
    for axis, start in starts.items():
        first = min(max(start, 0), x.shape[axis] - sizes[axis])
        parts[axis] = slice(first, first + sizes[axis])
    return x[tuple(parts)]


def target_for(draw: random.Random, element: str) -> str:
    """A target of this machine; not all have 16-bit floats."""
    return HOST.name if element == "f16" else draw.choice(RUNNABLE)


def kernel_ops(compiled: snippets_mlir.Compiled) -> list[list[str]]:
    return [list(kernel.ops) for kernel in compiled.kernels]


@pytest.mark.parametrize("seed", sampled(range(48), 4))
def test_random_gathers(seed: int):
    """Any axis, any number of indices, inside and outside, with what reads them."""
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    element, index = draw.choice([*ELEMENTS]), draw.choice(["i32", "i64"])
    rank, axis = draw.randint(1, 4), 0
    shape = tuple(draw.choice(SIZES if d > rank - 3 else SIZES[:3]) for d in range(rank))
    axis = draw.randrange(rank)
    places = tuple(
        draw.choice(SIZES[1:] if d == 0 else SIZES[:3]) for d in range(draw.randint(0, 2))
    )
    result = (*shape[:axis], *places, *shape[axis + 1 :])
    from_end = draw.random() < 0.5
    x, i, r = tensor(shape, element), tensor(places, index), tensor(result, element)
    mode = ", from_end" if from_end else ""
    text = f"""func.func @main(%x: {x}, %i: {i}) -> {r} {{
      %0 = snippets.gather %x, %i {{axis = {axis} : i64{mode}}} : ({x}, {i}) -> {r}
      func.return %0 : {r}
    }}"""
    compiled = snippets_mlir.compile(text, target=target_for(draw, element))
    assert kernel_ops(compiled) == [["snippets.gather"]]
    data = numbers(rng, shape, element)
    most = shape[axis]
    indices = rng.integers(-2 * most - 2, 2 * most + 2, places).astype(ELEMENTS[index])
    same(compiled(data, indices), taken(data, axis, indices, from_end))


@pytest.mark.parametrize("seed", sampled(range(32), 3))
def test_random_slices_at_places(seed: int):
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    element = draw.choice([*ELEMENTS])
    rank = draw.randint(1, 4)
    sizes = tuple(draw.choice(SIZES if d > rank - 3 else SIZES[:3]) for d in range(rank))
    axes = sorted(draw.sample(range(rank), draw.randint(1, rank)))
    shape = tuple(n + draw.choice([0, 1, n]) if d in axes else n for d, n in enumerate(sizes))
    x, r = tensor(shape, element), tensor(sizes, element)
    kinds = [draw.choice(["i32", "i64"]) for _ in axes]
    names = [f"%s{axis}" for axis in axes]
    arguments = "".join(f", {n}: tensor<{k}>" for n, k in zip(names, kinds, strict=True))
    types = ", ".join([x, *(f"tensor<{kind}>" for kind in kinds)])
    text = f"""func.func @main(%x: {x}{arguments}) -> {r} {{
      %0 = snippets.dynamic_slice %x, {", ".join(names)}
        {{axes = array<i64: {", ".join(map(str, axes))}>}} : ({types}) -> {r}
      func.return %0 : {r}
    }}"""
    compiled = snippets_mlir.compile(text, target=target_for(draw, element))
    assert kernel_ops(compiled) == [["snippets.dynamic_slice"]]
    data = numbers(rng, shape, element)
    for _ in range(4):
        starts = {axis: int(rng.integers(-3, shape[axis] + 3)) for axis in axes}
        values = [ELEMENTS[k](starts[axis]) for k, axis in zip(kinds, axes, strict=True)]
        same(compiled(data, *map(np.asarray, values)), cut(data, starts, sizes))


@pytest.mark.parametrize("index", ["i8", "ui8", "i16", "ui16", "ui32", "ui64"])
def test_places_of_other_integers(index: str):
    """They are converted to i64; those of ui64 are read by NumPy, and the largest are outside."""
    dtype = np.dtype(("uint" if index[0] == "u" else "int") + index.lstrip("ui"))
    text = f"""func.func @main(%x: tensor<9x5xf32>, %i: tensor<3x{index}>) -> tensor<3x5xf32> {{
      %0 = snippets.gather %x, %i {{axis = 0 : i64}} : (tensor<9x5xf32>, tensor<3x{index}>) -> tensor<3x5xf32>
      %1 = snippets.negative %0 : tensor<3x5xf32>
      func.return %1 : tensor<3x5xf32>
    }}"""  # noqa: E501
    compiled = snippets_mlir.compile(text)
    x = np.arange(45, dtype=np.float32).reshape(9, 5)
    i = np.array([2, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
    same(compiled(x, i), -x[[2, 8, 0]])
    assert bool(compiled.opaque) == (index == "ui64")


def test_sizes_of_the_call():
    """One program for tables and indices of any size; nothing to read gives nothing."""
    text = """func.func @main(%x: tensor<?x?xf32>, %i: tensor<?xi64>) -> tensor<?x?xf32> {
      %0 = snippets.gather %x, %i {axis = 0 : i64} : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
      %1 = snippets.negative %0 : tensor<?x?xf32>
      func.return %1 : tensor<?x?xf32>
    }"""  # noqa: E501
    compiled = snippets_mlir.compile(text)
    rng = np.random.default_rng(0)
    for rows, columns, count in [
        (5, 7, 3),
        (1, 17, 4),
        (9, 1, 2),
        (4, 33, 1),
        (3, 3, 0),
        (8, 0, 2),
    ]:
        x = rng.standard_normal((rows, columns), np.float32)
        i = rng.integers(-3, rows + 3, count)
        same(compiled(x, i), -taken(x, 0, i))
    assert compiled.per_shape is None
    with pytest.raises(snippets_mlir.CompileError, match="expects an axis with elements"):
        compiled(np.empty((0, 3), np.float32), np.zeros(2, np.int64))
    assert compiled(np.empty((0, 3), np.float32), np.zeros(0, np.int64)).shape == (0, 3)


def test_strided_arrays_and_one_array_twice():
    text = """func.func @main(%x: tensor<6xi64>, %i: tensor<6xi64>) -> tensor<6xi64> {
      %0 = snippets.gather %x, %i {axis = 0 : i64} : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi64>
      %1 = snippets.add %0, %i : tensor<6xi64>
      func.return %1 : tensor<6xi64>
    }"""
    compiled = snippets_mlir.compile(text)
    x = np.array([5, 4, 3, 2, 1, 0])
    same(compiled(x, x), x[x] + x)
    wide = np.arange(24)[::4]
    places = np.array([[5, 0], [4, 0], [3, 0], [3, 0], [0, 0], [1, 0]])[:, 0]
    same(compiled(wide, places), wide[places] + places)
