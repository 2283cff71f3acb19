"""Left operands that the kernel of their product computes: casts, gates, masks, views, vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from product_rows import tensor
from sampled import sampled

import snippets_mlir

Array = NDArray[Any]
ROWS, TERMS, COLUMNS = 133, 40, 17
X, W, Y = (tensor(s, "f32") for s in ((ROWS, TERMS), (TERMS, COLUMNS), (ROWS, COLUMNS)))
ROW, VECTOR = tensor((ROWS, 1), "f32"), tensor((TERMS,), "f32")


def text(inputs: dict[str, str], lines: list[str], after: list[str]) -> str:
    """The lines for %p, its product with %w, and the ops after it, in one subgraph."""
    types = {**inputs, "w": W}
    given = ", ".join(f"%{name} = %{name}_0" for name in types)
    arguments = ", ".join(f"%{name}_0: {type_}" for name, type_ in types.items())
    product = f"%{'m' if after else 'y'} = snippets.matmul %p, %w : ({X}, {W}) -> {Y}"
    body = "\n".join([*lines, product, *after, f"snippets.yield %y : {Y}"])
    return (
        f"func.func @main({arguments}) -> {Y} {{\n"
        f"%r = snippets.subgraph ({given}) : ({', '.join(types.values())}) -> {Y} {{\n{body}\n}}\n"
        f"func.return %r : {Y}\n}}"
    )


def check(
    inputs: dict[str, str], lines: list[str], arrays: list[Array], wanted: Array, *after: str
) -> None:
    found: list[Array] = []
    for threads in (1, 3):
        program = snippets_mlir.compile(text(inputs, lines, [*after]), num_threads=threads)
        assert len(program.kernels) == 1
        found.append(np.asarray(program(*arrays)))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_allclose(found[0], wanted, 1e-4, 1e-4 * np.abs(wanted).max())


def drawn(*shape: int) -> Array:
    return np.random.default_rng([*shape]).standard_normal(shape).astype(np.float32)


def wide(array: Array) -> Array:
    return array.astype(np.float64)


@pytest.mark.parametrize("element", sampled(["f16", "f64", "si8", "ui8", "i32"], 2))
def test_dequantised_rows(element: str):
    given = tensor((ROWS, TERMS), element)
    kinds = {"f16": "float16", "f64": "float64", "si8": "int8", "ui8": "uint8", "i32": "int32"}
    x, scales, w = (
        (10 * drawn(ROWS, TERMS)).astype(kinds[element]),
        drawn(ROWS, 1),
        drawn(TERMS, COLUMNS),
    )
    lines = [
        f"%q = snippets.convert_truncation %x : ({given}) -> {X}",
        f"%p = snippets.multiply %q, %s : ({X}, {ROW}) -> {X}",
    ]
    check({"x": given, "s": ROW}, lines, [x, scales, w], wide(x) * wide(scales) @ wide(w))


def test_a_gate():
    g, u, w = drawn(ROWS, TERMS), drawn(TERMS, ROWS).T.copy(), drawn(TERMS, COLUMNS)
    lines = [f"%s = snippets.swish %g : {X}", f"%p = snippets.multiply %s, %u : {X}"]
    wanted = wide(g) / (1 + np.exp(-wide(g))) * wide(u) @ wide(w)
    check({"g": X, "u": X}, lines, [g, u, w], wanted)


def test_a_mask():
    x, w = drawn(ROWS, TERMS), drawn(TERMS, COLUMNS)
    mask = tensor((ROWS, TERMS), "i1")
    lines = [
        f"%n = snippets.negative %x : {X}",
        f"%p = snippets.select %m, %x, %n : ({mask}, {X}, {X}) -> {X}",
    ]
    wanted = np.where(x > 0.5, wide(x), -wide(x)) @ wide(w)
    check({"m": mask, "x": X}, lines, [x > 0.5, x, w], wanted)


@pytest.mark.parametrize("view", sampled(["transpose", "reshape"], 1))
def test_views_of_inputs(view: str):
    shape = (TERMS, ROWS) if view == "transpose" else (ROWS, 8, TERMS // 8)
    x, w, given = drawn(*shape), drawn(TERMS, COLUMNS), tensor(shape, "f32")
    attributes = " {permutation = array<i64: 1, 0>}" if view == "transpose" else ""
    lines = [
        f"%t = snippets.{view} %x{attributes} : ({given}) -> {X}",
        f"%p = snippets.relu %t : {X}",
    ]
    seen = x.T if view == "transpose" else x.reshape(ROWS, TERMS)
    check({"x": given}, lines, [x, w], np.maximum(wide(seen), 0) @ wide(w))


def test_vectors_and_numbers_of_rows_that_are_read_after_the_product_too():
    x, v, w = drawn(ROWS, TERMS), drawn(TERMS), drawn(TERMS, COLUMNS)
    lines = [
        f"%e = snippets.exp %v : {VECTOR}",
        f"%0 = snippets.multiply %x, %e : ({X}, {VECTOR}) -> {X}",
        f"%t = snippets.reduce_max %0 {{axes = array<i64: 1>, keep_dims}} : ({X}) -> {ROW}",
        f"%p = snippets.subtract %0, %t : ({X}, {ROW}) -> {X}",
    ]
    after = f"%y = snippets.multiply %m, %t : ({Y}, {ROW}) -> {Y}"
    scaled = wide(x) * np.exp(wide(v))
    most = scaled.max(axis=1, keepdims=True)
    check({"x": X, "v": VECTOR}, lines, [x, v, w], (scaled - most) @ wide(w) * most, after)
