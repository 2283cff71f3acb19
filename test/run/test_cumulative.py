"""Kernels of cumulative sums, products, maxima and minima, against NumPy."""

from __future__ import annotations

import random
from itertools import product
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

ELEMENTS: dict[str, Any] = {
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "i32": np.int32, "i64": np.int64,
    "i8": np.int8, "ui8": np.uint8, "i16": np.int16,
}  # fmt: skip
UFUNCS: dict[str, tuple[np.ufunc, float]] = {
    "sum": (np.add, 0), "prod": (np.multiply, 1),
    "max": (np.maximum, -np.inf), "min": (np.minimum, np.inf),
}  # fmt: skip
LANES = HOST.lanes
SIZES = [1, 2, 3, LANES - 1, LANES, LANES + 1, 4 * LANES, 5 * LANES + 3]


def tensor(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def first_of(kind: str, dtype: np.dtype[Any]) -> Any:
    start = UFUNCS[kind][1]
    if dtype.kind == "f" or np.isfinite(start):
        return dtype.type(start)
    return np.iinfo(dtype).min if start < 0 else np.iinfo(dtype).max


def cumulated(
    x: Array, kind: str, axis: int, *, exclusive: bool = False, reverse: bool = False
) -> Array:
    """By the ufunc's own `accumulate`, 16-bit floats in f32."""
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    wide = np.flip(wide, axis) if reverse else wide
    found = UFUNCS[kind][0].accumulate(wide, axis=axis, dtype=wide.dtype)
    if exclusive and x.shape[axis]:
        start = np.full_like(found.take([0], axis), first_of(kind, x.dtype))
        rest = found.take(range(x.shape[axis] - 1), axis)
        found = np.concatenate([start, rest], axis)
    found = np.flip(found, axis) if reverse else found
    return found.astype(x.dtype)


def check(found: Array, wanted: Array, kind: str) -> None:
    """Equal, but for the order in which floats are added and multiplied."""
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    if wanted.dtype.kind == "f" and kind in ("sum", "prod"):
        rtol = 2e-3 if wanted.dtype == np.float16 else 2e-5
        np.testing.assert_allclose(found, wanted, rtol, rtol)
    else:
        np.testing.assert_array_equal(found, wanted)


def numbers(rng: np.random.Generator, shape: tuple[int, ...], element: str, kind: str) -> Array:
    dtype = np.dtype(ELEMENTS[element])
    if dtype.kind == "f":
        low, high = (0.8, 1.25) if kind == "prod" else (-4, 4)
        return rng.uniform(low, high, shape).astype(dtype)
    bounds = np.iinfo(dtype)
    return rng.integers(bounds.min, bounds.max, shape, dtype, endpoint=True)


def program(shape: tuple[int, ...], element: str, kind: str, axis: int, mode: str = "") -> str:
    t = tensor(shape, element)
    return f"""func.func @main(%x: {t}) -> {t} {{
      %0 = snippets.cum_{kind} %x {{axis = {axis} : i64{mode}}} : {t}
      func.return %0 : {t}
    }}"""


def target_for(draw: random.Random, element: str) -> str:
    """A target of this machine; not all have 16-bit floats."""
    return HOST.name if element == "f16" else draw.choice(RUNNABLE)


@pytest.mark.parametrize("seed", sampled(range(96), 6))
def test_random_cumulatives(seed: int):
    """Any axis, sizes around those of vectors, all elements, forward and inclusive: one kernel."""
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    element, kind = draw.choice([*ELEMENTS]), draw.choice([*UFUNCS])
    rank = draw.randint(1, 4)
    shape = tuple(draw.choice(SIZES if d > rank - 3 else SIZES[:3]) for d in range(rank))
    axis = draw.randrange(rank)
    threads = draw.choice([1, 2])
    text = program(shape, element, kind, axis)
    compiled = snippets_mlir.compile(text, target=target_for(draw, element), num_threads=threads)
    assert not compiled.opaque
    assert len(compiled.kernels) == (shape[axis] != 1)
    x = numbers(rng, shape, element, kind)
    check(compiled(x), cumulated(x, kind, axis), kind)


@pytest.mark.parametrize("seed", sampled(range(64), 6))
def test_random_orders(seed: int):
    """Exclusive, reverse and both: no op is left to NumPy."""
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    element, kind = draw.choice([*ELEMENTS]), draw.choice([*UFUNCS])
    exclusive, reverse = draw.choice([(True, False), (False, True), (True, True)])
    rank = draw.randint(1, 3)
    shape = tuple(draw.choice([0, *SIZES]) for _ in range(rank))
    axis = draw.randrange(rank)
    mode = ", exclusive" * exclusive + ", reverse" * reverse
    text = program(shape, element, kind, axis, mode)
    compiled = snippets_mlir.compile(text, target=target_for(draw, element), fallback="error")
    assert {op.op for op in compiled.opaque} <= {"snippets.slice"}  # a view of a kernel's result
    x = numbers(rng, shape, element, kind)
    found = compiled(x)
    check(found, cumulated(x, kind, axis, exclusive=exclusive, reverse=reverse), kind)


@pytest.mark.parametrize(("kind", "target", "axis"), sampled(product(UFUNCS, RUNNABLE, [0, 1]), 2))
def test_special_values(kind: str, axis: int, target: str):
    """-0.0 stays at the front; NaN, and the extremes of all -inf, go on to the end of their row."""
    n = LANES + 5
    x = np.ones((8, n), np.float32)
    x[0] = -0.0
    x[1, 3] = np.nan
    x[2], x[3] = -np.inf, np.inf
    x[4, 2], x[4, LANES] = np.inf, -np.inf
    x[5, 1:] = -0.0
    x[6] = np.where(np.arange(n) % 2, 0.0, -0.0)
    x = x if axis == 1 else np.ascontiguousarray(x.T)
    compiled = snippets_mlir.compile(program(x.shape, "f32", kind, axis), target=target)
    with np.errstate(all="ignore"):
        wanted = cumulated(x, kind, axis)
    found = compiled(x)
    np.testing.assert_array_equal(found, wanted)
    if kind in ("sum", "prod"):  # NumPy's extremes of two zeros are either of them
        still = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found)[still], np.signbit(wanted)[still])


@pytest.mark.parametrize("axis", [0, 1])
def test_zeros_of_both_signs(axis: int):
    """0.0 is larger than -0.0, as in the op's value."""
    x = np.array([[-0.0, 0.0, -0.0], [0.0, -0.0, 0.0]], np.float32)
    for kind, negative in (("max", np.logical_and), ("min", np.logical_or)):
        compiled = snippets_mlir.compile(program(x.shape, "f32", kind, axis))
        wanted = negative.accumulate(np.signbit(x), axis=axis)
        np.testing.assert_array_equal(np.signbit(compiled(x)), wanted)


def test_a_long_sum_is_as_exact_as_numpys():
    """Vectors of prefixes round less often than one sum of all."""
    x = np.random.default_rng(0).uniform(0, 1, 1 << 18).astype(np.float32)
    exact = np.cumsum(x.astype(np.float64))
    own = abs(snippets_mlir.compile(program(x.shape, "f32", "sum", 0))(x) - exact) / exact
    assert own.max() <= 1.1 * (abs(np.cumsum(x) - exact) / exact).max()


FUSED = """
func.func @main(%x: tensor<{n}x{m}xf32>, %y: tensor<{n}x{m}xf32>) -> tensor<{n}x{m}xf32> {{
  %0 = snippets.tanh %x : tensor<{n}x{m}xf32>
  %1 = snippets.cum_sum %0 {{axis = {axis} : i64}} : tensor<{n}x{m}xf32>
  %2 = snippets.multiply %1, %y : tensor<{n}x{m}xf32>
  %3 = snippets.cum_max %2 {{axis = {axis} : i64}} : tensor<{n}x{m}xf32>
  func.return %3 : tensor<{n}x{m}xf32>
}}"""


AROUND = [(3, 5), (40, LANES), (7, 8 * LANES + 1), (64, 200)]


@pytest.mark.parametrize(
    ("n", "m", "axis"), sampled([(*sizes, axis) for sizes in AROUND for axis in (0, 1)], 2)
)
def test_what_is_around_is_in_the_kernel(n: int, m: int, axis: int):
    rng = np.random.default_rng(n)
    compiled = snippets_mlir.compile(FUSED.format(n=n, m=m, axis=axis))
    assert [list(kernel.ops) for kernel in compiled.kernels] == [
        ["snippets.tanh", "snippets.cum_sum", "snippets.multiply", "snippets.cum_max"]
    ]
    x, y = rng.standard_normal((2, n, m), np.float32)
    wanted = np.maximum.accumulate(np.cumsum(np.tanh(x), axis) * y, axis)
    np.testing.assert_allclose(compiled(x, y), wanted, 1e-4, 1e-4)


TOP_P = """
func.func @main(%x: tensor<{n}x{m}xf32>) -> (tensor<{n}x{m}xf32>, tensor<{n}x1xf32>) {{
  %0 = snippets.softmax %x {{axis = 1 : i64}} : tensor<{n}x{m}xf32>
  %1 = snippets.cum_sum %0 {{axis = 1 : i64}} : tensor<{n}x{m}xf32>
  %2 = snippets.reduce_max %1 {{axes = array<i64: 1>, keep_dims}}
    : (tensor<{n}x{m}xf32>) -> tensor<{n}x1xf32>
  func.return %1, %2 : tensor<{n}x{m}xf32>, tensor<{n}x1xf32>
}}"""


@pytest.mark.parametrize(("n", "m"), [(2, 1000), (40, 65), (33, 5000), (1, 20000)])
def test_beside_reductions(n: int, m: int):
    """The loop of a sum may be split into blocks, and that of a scan may not."""
    x = np.random.default_rng(m).standard_normal((n, m), np.float32)
    compiled = snippets_mlir.compile(TOP_P.format(n=n, m=m))
    assert not compiled.opaque
    e = np.exp(x - x.max(1, keepdims=True)).astype(np.float64)
    wanted = np.cumsum(e / e.sum(1, keepdims=True), 1)
    sums, largest = compiled(x)
    np.testing.assert_allclose(sums, wanted, 1e-4, 1e-6)
    np.testing.assert_array_equal(largest, sums.max(1, keepdims=True))


VIEWS = """
func.func @main(%x: tensor<9x40xf32>) -> (tensor<40x9xf32>, tensor<5x40xf32>) {
  %0 = snippets.transpose %x {permutation = array<i64: 1, 0>}
    : (tensor<9x40xf32>) -> tensor<40x9xf32>
  %1 = snippets.cum_sum %0 {axis = 0 : i64} : tensor<40x9xf32>
  %2 = snippets.slice %x {starts = array<i64: 8, 0>, steps = array<i64: -2, 1>}
    : (tensor<9x40xf32>) -> tensor<5x40xf32>
  %3 = snippets.cum_prod %2 {axis = 0 : i64} : tensor<5x40xf32>
  func.return %1, %3 : tensor<40x9xf32>, tensor<5x40xf32>
}"""


def test_transposed_and_sliced_operands():
    x = np.random.default_rng(0).uniform(0.5, 2, (9, 40)).astype(np.float32)
    compiled = snippets_mlir.compile(VIEWS)
    assert not compiled.opaque
    sums, products = compiled(x)
    np.testing.assert_allclose(sums, np.cumsum(x.T, 0), 1e-5)
    np.testing.assert_allclose(products, np.cumprod(x[8::-2], 0), 1e-5)


@pytest.mark.parametrize("axis", [0, 1])
def test_dynamic_sizes(axis: int):
    """Sizes of a call: 0, 1, below and above a vector; the kernels are compiled once."""
    compiled = snippets_mlir.compile(
        f"""func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {{
          %0 = snippets.abs %x : tensor<?x?xf32>
          %1 = snippets.cum_sum %0 {{axis = {axis} : i64}} : tensor<?x?xf32>
          func.return %1 : tensor<?x?xf32>
        }}"""
    )
    assert compiled.per_shape is None
    for shape in [(3, 5), (1, 7), (7, 1), (0, 4), (4, 0), (LANES + 1, LANES - 1), (50, 333)]:
        x = np.random.default_rng(1).standard_normal(shape, np.float32)
        np.testing.assert_allclose(compiled(x), np.cumsum(abs(x), axis), 1e-5, 1e-5)


def test_dynamic_sizes_backwards():
    """Slices begin at numbers: a program that goes backwards is compiled for each shape."""
    compiled = snippets_mlir.compile(
        """func.func @main(%x: tensor<?xi64>) -> tensor<?xi64> {
          %0 = snippets.cum_sum %x {axis = 0 : i64, reverse, exclusive} : tensor<?xi64>
          func.return %0 : tensor<?xi64>
        }"""
    )
    for size in (0, 1, 2, 70):
        x = np.arange(size)
        wanted = cumulated(x, "sum", 0, exclusive=True, reverse=True)
        np.testing.assert_array_equal(compiled(x), wanted)


LEVELS = {
    "rows": (FUSED.format(n=3, m=19, axis=1), [(3, 19), (3, 19)]),
    "columns": (FUSED.format(n=6, m=11, axis=0), [(6, 11), (6, 11)]),
    "flat": (program((67,), "f32", "sum", 0), [(67,)]),
    "beside a sum": (TOP_P.format(n=2, m=25), [(2, 25)]),
}


@pytest.mark.parametrize("name", sampled(LEVELS, 2))
def test_every_level_computes_the_same(name: str):
    """The interpreter runs the module before and after passes, also with registers."""
    text, shapes = LEVELS[name]
    ctx = make_context()
    module = parse_module(text, ctx)
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    wanted = Interpreter(module).run("main", inputs)
    options = "{target=x86-64-avx2}"
    pipeline = PIPELINES["snippets-to-llvm"].replace(
        "snippets-set-target", f"snippets-set-target{options}"
    )
    for one in parse_pipeline(pipeline.removesuffix(",llvm-constants-to-memory"), ctx):
        run_passes(module, ctx, [one])
        if not (ALL or is_level(one.name)):
            continue
        for found, other in zip(Interpreter(module).run("main", inputs), wanted, strict=True):
            np.testing.assert_allclose(
                np.asarray(found), np.asarray(other), 1e-4, 1e-5, err_msg=one.name
            )
