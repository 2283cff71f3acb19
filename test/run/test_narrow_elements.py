"""16-bit floats and narrow integers in kernels, which compute in wider types, against NumPy."""

from __future__ import annotations

from importlib import import_module
from itertools import product
from typing import Any

import numpy as np
import pytest
from runnable import HOST, RUNNABLE
from sampled import ALL, sampled

import snippets_mlir
from snippets_mlir.dialects.snippets.values.evaluate import value_of

TYPES: dict[str, Any] = {
    "bf16": import_module("ml_dtypes").bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i1": np.bool_,
    "i8": np.int8,
    "ui8": np.uint8,
    "i16": np.int16,
    "ui16": np.uint16,
    "i32": np.int32,
    "ui32": np.uint32,
    "i64": np.int64,
}
HALVES = ("bf16", "f16")


def numbers_of(name: str, count: int) -> Any:
    """Ends, ties of roundings and one beside them, and random numbers."""
    numbers = np.random.default_rng(5)
    dtype = np.dtype(TYPES[name])
    if dtype.kind == "b":
        return numbers.integers(0, 2, count).astype(dtype)
    if dtype.kind in "iu":
        ties = [2**60 + 2**52, 2**60 + 2**52 + 1, -(2**60 + 2**52 + 1), 2**53 + 2**45 + 1]
        ties += [257, 2**24 + 2**16, 2**24 + 2**16 + 1, 65519, 65520, 0, -1]
        limits = np.iinfo(dtype)
        some = numbers.integers(limits.min, limits.max, count, dtype, endpoint=True)
        ends = np.array([limits.min, limits.max], dtype)
        return np.concatenate([np.array(ties).astype(dtype), ends, some])[:count]
    special = [np.nan, 0.0, -0.0, np.inf, -np.inf, 1e-8, -3e-8, 1e-42, 7e38, 3.3895e38, -2.5, 0.5]
    tie = 1 + 2.0**-8
    special += [tie, tie + 1e-12, tie - 1e-12, tie + 2.0**-7, 1 + 2.0**-11, 1 + 2.0**-11 + 1e-12]
    special += [65519.99, 65520.0, 2**31 - 1.0, 2.0**31, -129.0, 255.5, 1e19]
    values = np.concatenate([special, numbers.standard_normal(count) * 50])[:count]
    return values.astype(dtype)


CONVERSIONS = [(s, t, n) for s in TYPES for t in TYPES if s != t for n in (1, 67)]


@pytest.mark.parametrize(("source", "target", "count"), sampled(CONVERSIONS, 10))
def test_conversions(source: str, target: str, count: int) -> None:
    with np.errstate(all="ignore"):
        x = numbers_of(source, count)
        types = f"(tensor<{count}x{source}>) -> tensor<{count}x{target}>"
        text = f"""func.func @f(%x: tensor<{count}x{source}>)
            -> (tensor<{count}x{target}>, tensor<{count}x{target}>) {{
          %0 = snippets.convert_truncation %x : {types}
          %1 = snippets.convert_saturation %x : {types}
          func.return %0, %1 : tensor<{count}x{target}>, tensor<{count}x{target}>
        }}"""
        compiled = snippets_mlir.compile(text)
        assert compiled.kernels
        for found, op in zip(compiled(x), ("truncation", "saturation"), strict=True):
            wanted = value_of(f"snippets.convert_{op}")(None, np.dtype(TYPES[target]), x)
            assert found.dtype == wanted.dtype
            if wanted.dtype.kind in "biu":
                np.testing.assert_array_equal(found, wanted)
            else:  # assert_array_equal does not know NaN of bfloat16
                np.testing.assert_array_equal(*(v.astype(np.float64) for v in (found, wanted)))
                assert (np.signbit(found) == np.signbit(wanted))[~np.isnan(wanted)].all()


def program(name: str, shape: tuple[int, int]) -> str:
    rows, columns = shape
    t, c = f"tensor<{rows}x{columns}x{name}>", f"tensor<{rows}x1x{name}>"
    u, v = f"tensor<{columns}x{rows}x{name}>", f"tensor<{rows}x{rows}x{name}>"
    return f"""func.func @f(%x: {t}, %y: {t}) -> ({t}, {c}, {v}) {{
      %0 = snippets.multiply %x, %y : {t}
      %1 = snippets.exp %0 : {t}
      %2 = snippets.reduce_mean %1 {{axes = array<i64: 1>, keep_dims}} : ({t}) -> {c}
      %3 = snippets.divide %1, %2 : ({t}, {c}) -> {t}
      %4 = snippets.transpose %y {{permutation = array<i64: 1, 0>}} : ({t}) -> {u}
      %5 = snippets.matmul %3, %4 : ({t}, {u}) -> {v}
      func.return %3, %2, %5 : {t}, {c}, {v}
    }}"""


SHAPES = ((1, 1), (3, 15), (4, 16), (5, 17), (9, 67), (0, 4))


@pytest.mark.parametrize(("shape", "name", "target"), sampled(product(SHAPES, HALVES, RUNNABLE), 3))
def test_floats_are_rounded_where_they_are_stored(
    shape: tuple[int, int], name: str, target: str
) -> None:
    numbers = np.random.default_rng(3)
    x, y = (numbers.standard_normal(shape).astype(TYPES[name]) for _ in "xy")
    compiled = snippets_mlir.compile(program(name, shape), target=target)
    ops = {op for kernel in compiled.kernels for op in kernel.ops}
    assert {"snippets.matmul", "snippets.exp"} <= ops or 0 in shape
    found = compiled(x, y)
    with np.errstate(all="ignore"):
        e = np.exp(x.astype(np.float64) * y.astype(np.float64))
        mean = e.sum(1, keepdims=True) / shape[1]
        wanted = (e / mean, mean, (e / mean) @ y.astype(np.float64).T)
    unit = float(import_module("ml_dtypes").finfo(TYPES[name]).eps)
    for value, right in zip(found, wanted, strict=True):
        # Half a unit for the one rounding; a sum of products may cancel.
        terms = np.abs(e / mean) @ np.abs(y.astype(np.float64)).T if value is found[2] else 0
        error = np.abs(value.astype(np.float64) - right)
        assert (error <= 0.51 * unit * np.abs(right) + 1e-5 * terms + 1e-7).all()


@pytest.mark.parametrize("name", HALVES)
def test_strict_rounds_after_each_op(name: str) -> None:
    dtype = TYPES[name]
    t = f"tensor<7x37x{name}>"
    text = f"""func.func @f(%x: {t}, %y: {t}) -> {t} {{
      %0 = snippets.multiply %x, %y : {t}
      %1 = snippets.add %0, %y : {t}
      %2 = snippets.squared_difference %1, %x : {t}
      func.return %2 : {t}
    }}"""
    numbers = np.random.default_rng(4)
    x, y = (numbers.standard_normal((7, 37)).astype(dtype) for _ in "xy")
    each = x * y + y - x
    once = (x.astype(np.float64) * y.astype(np.float64) + y.astype(np.float64) - x) ** 2
    strict = snippets_mlir.compile(text, math="strict")
    np.testing.assert_array_equal(strict(x, y), each * each)
    assert len(strict.kernels) == 1
    found = snippets_mlir.compile(text)(x, y)
    np.testing.assert_array_equal(found, once.astype(np.float32).astype(dtype))
    assert (found != each * each).any()


@pytest.mark.parametrize("name", ["i8", "ui8", "i16", "ui16", "ui32"])
def test_integers_wrap(name: str) -> None:
    def function(x: Any, y: Any) -> Any:
        return x * y + x, (x * x).sum(1, dtype=x.dtype), x.max(0), x < y

    f = snippets_mlir.jit(function)
    x, y = numbers_of(name, 69).reshape(3, 23), numbers_of(name, 138)[69:].reshape(3, 23)
    assert "multiply" in f.explain(x, y).split("snippets.", 1)[1]
    for found, right in zip(f(x, y), function(x, y), strict=True):
        assert found.dtype == right.dtype
        np.testing.assert_array_equal(found, right)


def test_stablehlo_of_bf16() -> None:
    text = """module { func.func public @main(%arg0: tensor<5x9xbf16>) -> tensor<5x9xbf16> {
      %0 = stablehlo.multiply %arg0, %arg0 : tensor<5x9xbf16>
      return %0 : tensor<5x9xbf16>
    } }"""
    x = np.random.default_rng(6).standard_normal((5, 9)).astype(TYPES["bf16"])
    compiled = snippets_mlir.compile(text)
    np.testing.assert_array_equal(compiled(x), x * x)
    assert [kernel.ops.count("snippets.multiply") for kernel in compiled.kernels] == [1]


def test_halves_are_in_kernels_of_a_target_without_their_conversions() -> None:
    x = np.linspace(-3, 3, 21, dtype=np.float16)
    text = """func.func @f(%x: tensor<21xf16>) -> tensor<21xf32> {
      %0 = snippets.multiply %x, %x : tensor<21xf16>
      %1 = snippets.convert_saturation %0 : (tensor<21xf16>) -> tensor<21xf32>
      %2 = snippets.add %1, %1 : tensor<21xf32>
      func.return %2 : tensor<21xf32>
    }"""
    compiled = snippets_mlir.compile(text, target="generic")
    np.testing.assert_array_equal(compiled(x), (x * x).astype(np.float32) * 2)
    assert len(compiled.kernels) == 1
    assert not compiled.opaque


@pytest.mark.parametrize("name", ["bf16", "f16", "i8", "i16"])
def test_stores_of_a_few_truncated_lanes(name: str) -> None:
    """What is left of a row is stored by masks; LLVM gets the one of a single lane wrong."""
    for rest in (1, 2, 3) if ALL or name == "bf16" else (1,):
        columns = HOST.lanes + rest
        types = f"(tensor<4x4xf32>, tensor<4x{columns}xf32>) -> tensor<4x{columns}xf32>"
        result = f"tensor<4x{columns}x{name}>"
        text = f"""func.func @f(%x: tensor<4x4xf32>, %y: tensor<4x{columns}xf32>) -> {result} {{
          %0 = snippets.matmul %x, %y : {types}
          %1 = snippets.convert_truncation %0 : (tensor<4x{columns}xf32>) -> {result}
          func.return %1 : {result}
        }}"""
        numbers = np.random.default_rng(8)
        x, y = (numbers.integers(-3, 4, s).astype(np.float32) for s in ((4, 4), (4, columns)))
        whole = np.full((6, columns), 7, TYPES[name])
        snippets_mlir.compile(text)(x, y, out=whole[1:5])
        np.testing.assert_array_equal(whole[1:5], (x @ y).astype(TYPES[name]))
        np.testing.assert_array_equal(whole[[0, 5]], np.full((2, columns), 7, TYPES[name]))


MOVES = """func.func @f(%x: tensor<?x?x{t}>, %c: tensor<?x?xi1>, %i: tensor<?xi64>, %p: tensor<{t}>)
    -> (tensor<?x?x{t}>, tensor<?x?x{t}>, tensor<?x?x{t}>, tensor<?x?x{t}>) {{
  %0 = snippets.concat %x, %x {{axis = 1 : i64}}
     : (tensor<?x?x{t}>, tensor<?x?x{t}>) -> tensor<?x?x{t}>
  %1 = snippets.select %c, %x, %p
     : (tensor<?x?xi1>, tensor<?x?x{t}>, tensor<{t}>) -> tensor<?x?x{t}>
  %2 = snippets.gather %1, %i {{axis = 0 : i64}}
     : (tensor<?x?x{t}>, tensor<?xi64>) -> tensor<?x?x{t}>
  %3 = snippets.pad %x, %p {{low = array<i64: 1, 2>, high = array<i64: 0, 1>}}
     : (tensor<?x?x{t}>, tensor<{t}>) -> tensor<?x?x{t}>
  func.return %0, %1, %2, %3
     : tensor<?x?x{t}>, tensor<?x?x{t}>, tensor<?x?x{t}>, tensor<?x?x{t}>
}}"""
"""Each of these stores an element that it loads at more than one place, with a mask at the end."""


@pytest.mark.parametrize(
    ("target", "partitioner", "name"),
    sampled(product(RUNNABLE, ["tokenize", "fuse-ops"], HALVES), 3),
)
def test_moved_elements_keep_their_bits(target: str, partitioner: Any, name: str) -> None:
    """`generic` and AVX2 store each lane of a mask in a block of its own."""
    compiled = snippets_mlir.compile(MOVES.format(t=name), target=target, partitioner=partitioner)
    for rows, columns in ((1, 1), (5, 7), (3, 16), (4, 33)):
        # no NaN: a choice is made in f32, where a signalling one becomes quiet
        bits = np.random.default_rng(6).integers(0, 0x7B00, (rows, columns), np.uint16)
        chosen = np.arange(rows * columns).reshape(rows, columns) % 3 == 0
        places, value = np.arange(rows)[::-1].copy(), np.asarray(0xC041, np.uint16)
        selected = np.where(chosen, bits, value)
        padded = np.pad(bits, [(1, 0), (2, 1)], constant_values=value)
        wanted = np.concatenate([bits, bits], 1), selected, selected[places], padded
        views = (bits.view(TYPES[name]), chosen, places, value.view(TYPES[name]))
        for found, right in zip(compiled(*views), wanted, strict=True):
            np.testing.assert_array_equal(found.view(np.uint16), right)
