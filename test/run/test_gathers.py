"""Kernels that read rows at indices, and slices at places of the call, against NumPy."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from levels import is_level
from runnable import HOST, RUNNABLE
from sampled import ALL, sampled

import snippets_mlir
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

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


EMBEDDING = """
func.func @main(%t: tensor<50x{n}xf32>, %i: tensor<3x4xi64>, %p: tensor<4x{n}xf32>,
    %w: tensor<{n}xf32>, %b: tensor<{n}xf32>) -> tensor<3x4x{n}xf32> {{
  %0 = snippets.gather %t, %i {{axis = 0 : i64, from_end}}
    : (tensor<50x{n}xf32>, tensor<3x4xi64>) -> tensor<3x4x{n}xf32>
  %1 = snippets.add %0, %p : (tensor<3x4x{n}xf32>, tensor<4x{n}xf32>) -> tensor<3x4x{n}xf32>
  %2 = snippets.layer_norm %1, %w, %b {{axis = 2 : i64, epsilon = 1.0e-5 : f32}}
    : (tensor<3x4x{n}xf32>, tensor<{n}xf32>, tensor<{n}xf32>) -> tensor<3x4x{n}xf32>
  func.return %2 : tensor<3x4x{n}xf32>
}}
"""


def embedding(t: Array, i: Array, p: Array, w: Array, b: Array) -> Array:
    rows = t[i].astype(np.float64) + p
    apart = rows - rows.mean(-1, keepdims=True)
    return apart / np.sqrt((apart**2).mean(-1, keepdims=True) + 1e-5) * w + b


@pytest.mark.parametrize(
    ("size", "threads"), sampled([(size, n) for size in (1, 15, 33, 256) for n in (1, 2)], 2)
)
def test_an_embedding_with_its_norm_is_one_kernel(size: int, threads: int):
    rng = np.random.default_rng(size)
    compiled = snippets_mlir.compile(EMBEDDING.format(n=size), num_threads=threads)
    assert len(compiled.kernels) == 1
    assert not compiled.opaque
    t, p = rng.standard_normal((50, size), np.float32), rng.standard_normal((4, size), np.float32)
    w, b = rng.standard_normal((2, size), np.float32)
    i = rng.integers(-50, 50, (3, 4))
    np.testing.assert_allclose(compiled(t, i, p, w, b), embedding(t, i, p, w, b), 1e-4, 1e-4)


LEVELS = {
    "rows": """
func.func @main(%x: tensor<7x19xf32>, %i: tensor<3xi64>) -> tensor<3x1xf32> {
  %0 = snippets.gather %x, %i {axis = 0 : i64}
    : (tensor<7x19xf32>, tensor<3xi64>) -> tensor<3x19xf32>
  %1 = snippets.reduce_max %0 {axes = array<i64: 1>, keep_dims}
    : (tensor<3x19xf32>) -> tensor<3x1xf32>
  func.return %1 : tensor<3x1xf32>
}""",
    "columns": """
func.func @main(%x: tensor<3x19xf32>, %i: tensor<11xi64>) -> tensor<3x11xf32> {
  %0 = snippets.gather %x, %i {axis = 1 : i64, from_end}
    : (tensor<3x19xf32>, tensor<11xi64>) -> tensor<3x11xf32>
  %1 = snippets.negative %0 : tensor<3x11xf32>
  func.return %1 : tensor<3x11xf32>
}""",
    "a slice": """
func.func @main(%x: tensor<7x19xf32>, %i: tensor<3xi64>) -> tensor<2x11xf32> {
  %s = snippets.slice %i {starts = array<i64: 0>, steps = array<i64: 1>, drops = array<i64: 0>}
    : (tensor<3xi64>) -> tensor<i64>
  %0 = snippets.dynamic_slice %x, %s, %s {axes = array<i64: 0, 1>}
    : (tensor<7x19xf32>, tensor<i64>, tensor<i64>) -> tensor<2x11xf32>
  %1 = snippets.negative %0 : tensor<2x11xf32>
  func.return %1 : tensor<2x11xf32>
}""",
}  # fmt: skip


@pytest.mark.parametrize("name", LEVELS)
def test_every_level_computes_the_same(name: str):
    """The interpreter runs the module before and after passes, also with registers."""
    ctx = make_context()
    module = parse_module(LEVELS[name], ctx)
    shape = (3, 19) if name == "columns" else (7, 19)
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    i = np.array([5, -2, 100] if name != "columns" else [5, -2, 100, *range(8)], np.int64)
    wanted = Interpreter(module).run("main", [x, i])
    options = "{target=x86-64-avx2}"
    text = PIPELINES["snippets-to-llvm"].replace(
        "snippets-set-target", f"snippets-set-target{options}"
    )
    for one in parse_pipeline(text, ctx):
        run_passes(module, ctx, [one])
        if not (ALL or is_level(one.name)):
            continue
        for found, other in zip(Interpreter(module).run("main", [x, i]), wanted, strict=True):
            np.testing.assert_array_equal(np.asarray(found), np.asarray(other), one.name)


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


def test_a_computed_table_is_a_kernel_of_its_own():
    """What indices choose from has to be in memory, and so have they."""
    text = """func.func @main(%x: tensor<9x5xf32>, %i: tensor<3xi64>) -> tensor<3x5xf32> {
      %e = snippets.exp %x : tensor<9x5xf32>
      %j = snippets.add %i, %i : tensor<3xi64>
      %0 = snippets.gather %e, %j {axis = 0 : i64} : (tensor<9x5xf32>, tensor<3xi64>) -> tensor<3x5xf32>
      %1 = snippets.negative %0 : tensor<3x5xf32>
      func.return %1 : tensor<3x5xf32>
    }"""  # noqa: E501
    x, i = np.random.default_rng(0).random((9, 5), np.float32), np.array([0, 2, 4])
    for partitioner in ("tokenize", "fuse-ops"):
        compiled = snippets_mlir.compile(text, partitioner=partitioner)
        assert not compiled.opaque
        np.testing.assert_allclose(compiled(x, i), -np.exp(x)[i + i], 1e-6)


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


READ_TWICE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "the table, element by element": lambda x, i, j: x[i] + x,
    "rows and columns of one table": lambda x, i, j: x[i] * x[:, j],
    "all three": lambda x, i, j: x[i] * x[:, j] - x,
    "the indices as numbers": lambda x, i, j: x[i] + i[:, None] + j,
    "rows twice": lambda x, i, j: x[i] + x[(i + 1) % 33],
    "a table of its own places": lambda x, i, j: j[j % 65] + j,
}


@pytest.mark.parametrize("name", READ_TWICE)
def test_an_array_that_others_read_too(name: str):
    """Each way of reading an array has a pointer of its own: loops move them in other ways."""
    function = READ_TWICE[name]
    rng = np.random.default_rng(0)
    x = rng.standard_normal((33, 65)).astype(np.float32)
    i, j = rng.integers(0, 33, 33), rng.integers(0, 65, 65)
    np.testing.assert_array_equal(snippets_mlir.jit(function)(x, i, j), function(x, i, j))


OF_A_DYNAMIC_TABLE = """
func.func @main(%x: tensor<?x64xf32>, %i: tensor<4xi64>, %s: tensor<i64>)
    -> (tensor<4x64xf32>, tensor<3x64xf32>) {
  %a = snippets.gather %x, %i {axis = 0 : i64}
    : (tensor<?x64xf32>, tensor<4xi64>) -> tensor<4x64xf32>
  %b = snippets.exp %a : tensor<4x64xf32>
  %c = snippets.dynamic_slice %x, %s {axes = array<i64: 0>}
    : (tensor<?x64xf32>, tensor<i64>) -> tensor<3x64xf32>
  func.return %b, %c : tensor<4x64xf32>, tensor<3x64xf32>
}
"""


@pytest.mark.parametrize("streaming", ["auto", "always"])
def test_the_call_decides_about_the_table_alone(streaming: Any):
    """Loops are static, and what bounds an index is a size of the call."""
    program = snippets_mlir.compile(OF_A_DYNAMIC_TABLE, num_threads=2, streaming=streaming)
    for rows in (3, 9, 1000):
        table = np.random.default_rng(rows).normal(size=(rows, 64)).astype(np.float32)
        places = np.array([0, 1, rows - 1, rows + 7])
        found, part = program(table, places, np.array(rows - 2))
        wanted = np.exp(table[np.clip(places, 0, rows - 1)].astype(np.float64))
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
        np.testing.assert_array_equal(part, table[rows - 3 :])
