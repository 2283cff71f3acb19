"""Kernels whose buffers live in outputs give the same bits as with a scratchpad."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from placed_arrays import check_around, placed
from sampled import sampled

import snippets_mlir
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

Array = NDArray[Any]
PLACE = "lir-place-buffers-in-outputs"
SIZES = ((3, 37), (1, 37), (3, 1), (1, 1), (0, 5), (5, 0))


def pipeline(least: int, upto: str = "", streaming: str = "auto") -> str:
    """All passes down to LLVM or to `upto`; `least` is the option of the pass."""
    text = PIPELINES["snippets-to-llvm"].replace(PLACE, f"{PLACE}{{least={least}}}")
    text = text.replace("set-target", f"set-target{{streaming={streaming}}}", 1)
    return text[: text.index(f",{upto}")] if upto else text


def outputs_of(text: str, streaming: str = "auto", least: int = 0) -> list[int | None]:
    """For each buffer of a program the output that it lives in."""
    ctx = make_context()
    module = parse_module(text, ctx)
    passes = parse_pipeline(pipeline(least, "lir-expand-math", streaming), ctx)
    run_passes(module, ctx, passes, verify_each=True)
    return [op.decided("output") for op in module.walk() if isinstance(op, BufferOp)]


def results(text: str, *arrays: Array, least: int = 0) -> tuple[Array, ...]:
    """What a program gives on two threads; the interpreter computes the same."""
    inputs = {f"arg{i}": array for i, array in enumerate(arrays)}
    compiled = snippets_mlir.compile(
        text, pipeline=pipeline(least), num_threads=2, fallback="error"
    )
    return tuple(compiled.run(inputs).values())


def same_bits(found: tuple[Array, ...], expected: tuple[Array, ...]) -> None:
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b, strict=True)
        np.testing.assert_array_equal(np.signbit(a[a == 0]), np.signbit(b[b == 0]))


def norm(rows: int, columns: int) -> str:
    t, r = f"tensor<{rows}x{columns}xf32>", f"tensor<{columns}xf32>"
    return (
        f"func.func @main(%arg0: {t}, %arg1: {t}, %arg2: {r}, %arg3: {r}) -> {t} {{\n"
        f"  %0 = snippets.add %arg0, %arg1 : {t}\n"
        f"  %1 = snippets.layer_norm %0, %arg2, %arg3 {{axis = 1 : i64, epsilon = 1.0e-05 : f32}}"
        f" : ({t}, {r}, {r}) -> {t}\n  func.return %1 : {t}\n}}"
    )


def softmax(rows: int, columns: int, axis: int = 1) -> str:
    t = f"tensor<{rows}x{columns}xf32>"
    return (
        f"func.func @main(%arg0: {t}, %arg1: {t}) -> {t} {{\n"
        f"  %0 = snippets.multiply %arg0, %arg1 : {t}\n"
        f"  %1 = snippets.softmax %0 {{axis = {axis} : i64}} : {t}\n  func.return %1 : {t}\n}}"
    )


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("shape", sampled([*SIZES, (64, 300)], 3))
def test_layer_norm(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(shape))
    x, y = (rng.standard_normal(shape, np.float32) for _ in range(2))
    g, b = (rng.standard_normal(shape[1:], np.float32) for _ in range(2))
    text = norm(*shape)
    (found,) = results(text, x, y, g, b)
    same_bits((found,), results(text, x, y, g, b, least=-1))
    if x.size:
        t = x.astype(np.float64) + y
        d = t - t.mean(1, keepdims=True)
        want = d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5) * g + b
        np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("axis", sampled([0, 1], 2))
def test_special_values(axis: int) -> None:
    x = np.random.default_rng(axis).standard_normal((7, 21)).astype(np.float32)
    x[1, 20], x[2, 3], x[3, :], x[4, 0], x[5, :] = np.nan, -np.inf, -np.inf, np.inf, -0.0
    y = np.where(np.arange(21) % 2, np.float32(1), np.float32(-1)) * np.ones_like(x)
    text = softmax(7, 21, axis)
    assert outputs_of(text) == [0, 0]
    found = results(text, x, y)
    same_bits(found, results(text, x, y, least=-1))
    same_bits(tuple(Interpreter(lowered(text)).run("main", [x, y])), found)


def lowered(text: str) -> Any:
    ctx = make_context()
    module = parse_module(text, ctx)
    run_passes(module, ctx, parse_pipeline(pipeline(0, "convert-lir-to-vector"), ctx))
    return module


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("offset", [4, 36])
def test_unaligned_arrays(offset: int) -> None:
    """Nothing beside the output is written, and inputs stay as they are."""
    text, shape = softmax(6, 43), (6, 43)
    compiled = snippets_mlir.compile(text, pipeline=pipeline(0), num_threads=2, fallback="error")
    arrays = [placed(6 * 43, np.float32, offset) for _ in range(3)]
    x, y, out = (array.reshape(shape) for array, _ in arrays)
    x[...], y[...] = np.random.default_rng(offset).standard_normal((2, *shape), np.float32)
    before = x.copy(), y.copy()
    compiled(x, y, out=out)
    same_bits((out.copy(), x, y), (*results(text, *before, least=-1), *before))
    for array, memory in arrays:
        check_around(array, memory)


T, R = "tensor<5x37xf32>", "tensor<5x1xf32>"
HEAD = f"""
  %t = snippets.exp %x : {T}
  %n = snippets.reduce_max %t {{axes = array<i64: 1>, keep_dims}} : ({T}) -> {R}
  %u = snippets.subtract %t, %n : ({T}, {R}) -> {T}
  %m = snippets.reduce_max %u {{axes = array<i64: 1>, keep_dims}} : ({T}) -> {R}"""
LAST = f"  %b = snippets.multiply %u, %m : ({T}, {R}) -> {T}"

# Lines after HEAD, the results, and the output of each buffer.
PROGRAMS: dict[str, tuple[str, str, list[int | None]]] = {
    "one over the other": (LAST, "%b", [0, 0]),
    "both are read in the last loop": (
        f"  %a = snippets.add %t, %m : ({T}, {R}) -> {T}\n{LAST}",
        "%a, %b",
        [0, 1],
    ),
    "each dies in a loop of its own": (f"  %a = snippets.abs %t : {T}\n{LAST}", "%a, %b", [0, 1]),
    "a buffer is a result, too": (LAST, "%t, %b", [1, 1]),
    "lives that do not meet": (
        f"""  %c = snippets.multiply %x, %m : ({T}, {R}) -> {T}
  %k = snippets.reduce_max %c {{axes = array<i64: 1>, keep_dims}} : ({T}) -> {R}
  %b = snippets.subtract %c, %k : ({T}, {R}) -> {T}""",
        "%b",
        [0, 0],
    ),
}


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("name", sampled(PROGRAMS, 2))
def test_which_output(name: str) -> None:
    lines, values, expected = PROGRAMS[name]
    types = ", ".join([T] * len(values.split(",")))
    argument = f'%x: {T} {{snippets.name = "arg0"}}'
    text = f"func.func @main({argument}) -> ({types}) {{{HEAD}\n{lines}\n"
    text += f"  func.return {values} : {types}\n}}"
    assert outputs_of(text) == expected
    x = np.random.default_rng(7).standard_normal((5, 37), np.float32)
    x[1, 3] = np.nan
    same_bits(results(text, x), results(text, x, least=-1))


@pytest.mark.parametrize(("inner", "outer"), [("f64", "f32"), ("f32", "f64"), ("f32", "i32")])
def test_other_elements_stay_in_the_scratchpad(inner: str, outer: str) -> None:
    """Also where both have as many bytes."""
    x, t, result = (f"tensor<4x40x{element}>" for element in ("f32", inner, outer))
    text = f"""func.func @main(%arg0: {x}) -> {result} {{
  %0 = snippets.convert_truncation %arg0 : ({x}) -> {t}
  %1 = snippets.softmax %0 {{axis = 1 : i64}} : {t}
  %2 = snippets.convert_truncation %1 : ({t}) -> {result}
  func.return %2 : {result}
}}"""
    assert set(outputs_of(text)) == {None}


def test_stores_past_the_caches_keep_the_scratchpad() -> None:
    assert outputs_of(softmax(64, 1024), streaming="always") == [None, None]


def test_small_arrays_keep_the_scratchpad() -> None:
    assert outputs_of(softmax(64, 1024), least=-1) == [None, None]
