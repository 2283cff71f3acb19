"""Jammed loops: tiles of transposed arrays and columns of reductions, at every stage.

Sizes are around one and four vectors and around a tile, arrays begin beside aligned places, and
values are exact, so that each level has to compute the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16
from numpy.typing import NDArray
from runnable import RUNNABLE
from sampled import alternating, sampled

import snippets_mlir
from snippets_mlir.checkers.linear_ir import verify_linear_ir
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import LIR_TO_VECTOR, PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

Array = NDArray[Any]
TYPES: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": bfloat16,
    "i16": np.int16,
    "i8": np.int8,
    "ui8": np.uint8,
}
TURNED = [
    ((512, 4), (1, 0)),
    ((33, 5), (1, 0)),
    ((15, 17), (1, 0)),
    ((17, 15), (1, 0)),
    ((3, 40), (1, 0)),
    ((20, 1), (1, 0)),
    ((5, 0), (1, 0)),
    ((3, 17, 9), (0, 2, 1)),
    ((4, 17, 9), (0, 2, 1)),
    ((5, 7, 20), (2, 1, 0)),
    ((2, 3, 18, 20), (0, 3, 1, 2)),
    ((2, 2, 3, 5, 8), (4, 3, 2, 1, 0)),
]
COLUMNS = [
    ((16, 8, 16), 1),
    ((5, 70), 0),
    ((33, 3, 70), 0),
    ((33, 3, 70), 1),
    ((9, 515), 0),
    ((1, 40), 0),
    ((40, 1), 0),
    ((20, 0), 0),
]


def tensor(shape: Sequence[int], element: str = "f32") -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def transpose(order: Sequence[int], of: str, to: str) -> str:
    """The op that makes %t of %x."""
    permutation = f"permutation = array<i64: {', '.join(map(str, order))}>"
    return f"%t = snippets.transpose %x {{{permutation}}} : ({of}) -> {to}"


def turned(shape: Sequence[int], order: Sequence[int], element: str = "f32") -> str:
    x, y = tensor(shape, element), tensor([shape[dim] for dim in order], element)
    return f"""func.func @main(%x: {x}, %y: {y}) -> {y} {{
      {transpose(order, x, y)}
      %z = snippets.add %t, %y : {y}
      func.return %z : {y}
    }}"""


def columns(shape: Sequence[int], axis: int, element: str = "f32") -> str:
    """A sum and a maximum over one dim."""
    x = tensor(shape, element)
    y = tensor([1 if dim == axis else size for dim, size in enumerate(shape)], element)
    return f"""func.func @main(%x: {x}) -> ({y}, {y}) {{
      %0 = snippets.reduce_sum %x {{axes = array<i64: {axis}>, keep_dims}} : ({x}) -> {y}
      %1 = snippets.reduce_max %x {{axes = array<i64: {axis}>, keep_dims}} : ({x}) -> {y}
      func.return %0, %1 : {y}, {y}
    }}"""


def numbers(shape: Sequence[int], element: str = "f32") -> Array:
    """Small whole numbers, one element after an aligned place."""
    x = np.empty(int(np.prod(shape)) + 1, TYPES[element])[1:].reshape(shape)
    least = 0 if element.startswith("u") else -50
    x[...] = np.random.default_rng(7).integers(least, 50, shape)
    return x


def same(found: Sequence[Array], expected: Sequence[Array]) -> None:
    for a, b in zip(found, expected, strict=True):
        assert np.array_equal(a, b)


def check(text: str, arguments: Sequence[Array], expected: Sequence[Array], target: str) -> None:
    """Compare the program; with small arrays each stage, too, on one of two targets."""
    compiled = snippets_mlir.compile(text, fallback="error", target=target, num_threads=2)
    names = [spec.name for spec in compiled.inputs]
    found = compiled.run(dict(zip(names, arguments, strict=True)))
    same(list(found.values()), expected)
    *outer, _ = arguments[0].shape
    if arguments[0].size > 2000 or target != RUNNABLE[-(sum(outer) % 2)]:
        return
    ctx = make_context()
    module = parse_module(text, ctx)
    place = LIR_TO_VECTOR.index("lir-jam-loops") + 1
    start = PIPELINES["snippets-to-lir"].replace(
        "set-target", f"set-target{{target={target} threads=2}}"
    )
    stages = (",".join((start, *LIR_TO_VECTOR[:place])), *LIR_TO_VECTOR[place:])
    before = ""
    for passes in stages:
        run_passes(module, ctx, parse_pipeline(passes, ctx))
        if (now := print_module(module)) == before:
            continue
        before = now
        module.verify()
        verify_linear_ir(module)
        same(Interpreter(module).run("main", list(arguments)), expected)


@pytest.mark.parametrize(
    ("shape", "order", "target"), sampled([(*case, t) for case in TURNED for t in RUNNABLE], 4)
)
def test_tiles(shape: tuple[int, ...], order: tuple[int, ...], target: str) -> None:
    x, y = numbers(shape), numbers([shape[dim] for dim in order])
    check(turned(shape, order), (x, y), (x.transpose(order) + y,), target)


@pytest.mark.parametrize(
    ("rows", "target"), sampled([(n, target) for n in (3, 5, 6, 7) for target in RUNNABLE], 3)
)
def test_tiles_of_few_rows(rows: int, target: str) -> None:
    """A product that is read transposed: its loop takes fewer iterations together than a tile."""
    x, a, b = numbers((rows, 4)), numbers((4, rows)), numbers((4, rows))
    of, to, square = tensor((rows, 4)), tensor((4, rows)), tensor((rows, rows))
    text = f"""func.func @main(%x: {of}, %a: {to}, %b: {to}) -> {square} {{
      %0 = snippets.matmul %x, %a : ({of}, {to}) -> {square}
      %1 = snippets.transpose %0 {{permutation = array<i64: 1, 0>}} : {square}
      %2 = snippets.matmul %x, %b : ({of}, {to}) -> {square}
      %3 = snippets.subtract %1, %2 : {square}
      func.return %3 : {square}
    }}"""
    check(text, (x, a, b), ((x @ a).T - x @ b,), target)


@pytest.mark.parametrize(("element", "target"), alternating(sampled([*TYPES], 2), RUNNABLE))
def test_tiles_of_other_elements(element: str, target: str) -> None:
    x, y = numbers((9, 35), element), numbers((35, 9), element)
    check(turned((9, 35), (1, 0), element), (x, y), (x.T + y,), target)


@pytest.mark.parametrize(
    ("shape", "axis", "target"), sampled([(*case, t) for case in COLUMNS for t in RUNNABLE], 4)
)
def test_columns(shape: tuple[int, ...], axis: int, target: str) -> None:
    x = numbers(shape)
    expected = x.sum(axis, keepdims=True), x.max(axis, keepdims=True)
    check(columns(shape, axis), (x,), expected, target)


def test_specials_stay_in_their_columns() -> None:
    x = numbers((12, 70))
    x[3, ::7], x[4, ::5], x[:, 11], x[:, 40] = np.nan, np.inf, -0.0, -np.inf
    compiled = snippets_mlir.compile(columns((12, 70), 0), fallback="error", num_threads=2)
    with np.errstate(invalid="ignore"):
        expected = x.sum(0, keepdims=True), x.max(0, keepdims=True)
    for found, exact in zip(compiled(x), expected, strict=True):
        assert np.array_equal(found, exact, equal_nan=True)


@pytest.mark.parametrize(
    ("of", "to"), [("?x20", "20x?"), ("20x?", "?x20"), ("?x?", "?x?"), ("2x?x20", "2x20x?")]
)
def test_sizes_that_a_call_brings(of: str, to: str) -> None:
    rank = of.count("x") + 1
    order = (*range(rank - 2), rank - 1, rank - 2)
    x, y = f"tensor<{of}xf32>", f"tensor<{to}xf32>"
    compiled = snippets_mlir.compile(
        f"""func.func @main(%x: {x}) -> {y} {{
          {transpose(order, x, y)}
          %z = snippets.abs %t : {y}
          func.return %z : {y}
        }}""",
        fallback="error",
        num_threads=2,
    )
    for size in (0, 1, 3, 4, 17, 33):
        a = numbers([size if dim == "?" else int(dim) for dim in of.split("x")])
        same([compiled(a)], [abs(a).transpose(order)])


def test_text_goes_on_alike() -> None:
    ctx = make_context()
    passes = partial(parse_pipeline, ctx=ctx)
    place = LIR_TO_VECTOR.index("lir-jam-loops") + 1
    for text in (turned((33, 21), (1, 0)), columns((9, 3, 70), 1)):
        module = parse_module(text, ctx)
        start = ",".join((PIPELINES["snippets-to-lir"], *LIR_TO_VECTOR[:place]))
        run_passes(module, ctx, passes(start))
        again = parse_module(str(module), ctx)
        rest = passes(",".join((*LIR_TO_VECTOR[place:], PIPELINES["vector-to-llvm"])))
        for each in (module, again):
            run_passes(each, ctx, rest)
        assert str(again) == str(module)
