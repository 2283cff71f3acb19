"""Products of one left operand that are copied, or are queries, keys and values: one kernel."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from runnable import RUNNABLE
from sampled import sampled
from side_products import ELEMENTS, constant, drawn, is_joined, products, tensor

import snippets_mlir

DTYPES: tuple[Any, ...] = (np.float32, np.float64)


@pytest.mark.parametrize(
    ("sizes", "flags"),
    sampled(
        product([(50, 9, 1024), (40, 64, 200), (1, 70, 33), (64, 5, 16)], ["", "{transpose_b}"]), 8
    ),
)
def test_operands_that_are_copied(sizes: tuple[int, int, int], flags: str) -> None:
    """Arguments whose rows are a page apart, or transposed, beside each other in a subgraph."""
    rows, inner, columns = sizes
    shape = (columns, inner) if flags else (inner, columns)
    a, r, w = tensor(rows, inner), tensor(rows, columns), tensor(*shape)
    text = f"""
func.func @main(%x: {a}, %y: {w}, %z: {w}) -> ({r}, {r}) {{
  %p, %q = snippets.subgraph (%a = %x, %b = %y, %c = %z) : ({a}, {w}, {w}) -> ({r}, {r}) {{
    %0 = snippets.matmul %a, %b {flags} : ({a}, {w}) -> {r}
    %1 = snippets.gelu %0 : {r}
    %2 = snippets.matmul %a, %c {flags} : ({a}, {w}) -> {r}
    %3 = snippets.multiply %1, %2 : {r}
    snippets.yield %3, %2 : {r}, {r}
  }}
  func.return %p, %q : {r}, {r}
}}
"""
    x, y, z = drawn(rows, inner), drawn(*shape, seed=1), drawn(*shape, seed=2)
    relu = text.replace("gelu", "relu")
    for target in RUNNABLE:
        found = snippets_mlir.compile(relu, target=target, num_threads=2)(x, y, z)
        p, q = (np.asarray(it) for it in found)
        left, right = (x.astype(np.float64) @ (w.T if flags else w) for w in (y, z))
        np.testing.assert_allclose(q, right, 1e-4, 1e-4)
        np.testing.assert_allclose(p, np.maximum(left, 0) * right, 1e-4, 1e-3)
        assert np.isfinite(np.asarray(snippets_mlir.compile(text, target=target)(x, y, z)[0])).all()


JOINED: dict[tuple[int, ...], list[int]] = {
    (64, 64, 64): [3],
    (64, 16, 16): [1, 2],
    (16, 24, 40): [1, 1, 1],
}
"""Columns of three products -> how many products each kernel has."""


@pytest.mark.parametrize(("columns", "rows"), sampled(product(JOINED, [1, 2, 17, 96, "?"]), 3))
def test_queries_keys_and_values(columns: tuple[int, ...], rows: int | str) -> None:
    """With biases on two of them; grouped queries have more columns than keys and values."""
    weights = [drawn(48, size, seed=k) for k, size in enumerate(columns)]
    biases = [drawn(size, seed=k) for k, size in enumerate(columns)]
    x, types = tensor(rows, 48), [tensor(rows, size) for size in columns]
    lines = [f"func.func @main(%x: {x}) -> ({', '.join(types)}) {{"]
    for k, (w, b, type_) in enumerate(zip(weights, biases, types, strict=True)):
        own = f"({x}, {tensor(*w.shape)}) -> {type_}"
        lines += [constant(f"w{k}", w), constant(f"b{k}", b)]
        lines.append(f"%p{k} = snippets.matmul %x, %w{k} : {own}")
        if k != 1:
            lines.append(
                f"%q{k} = snippets.add %p{k}, %b{k} : ({type_}, {tensor(*b.shape)}) -> {type_}"
            )
    lines.append(f"func.return %q0, %p1, %q2 : {', '.join(types)}\n}}")
    program = snippets_mlir.compile("\n  ".join(lines), num_threads=2)
    for number in (rows,) if isinstance(rows, int) else (1, 2, 5, 33):
        array = drawn(number, 48, seed=9)
        found = program(array)
        for k, (w, b, got) in enumerate(zip(weights, biases, found, strict=True)):
            wanted = array.astype(np.float64) @ w + (b if k != 1 else 0)
            np.testing.assert_allclose(np.asarray(got), wanted, 1e-5, 1e-5)
    if isinstance(rows, int):
        assert products(program) == (JOINED[columns] if is_joined(rows) else [1, 1, 1])


@pytest.mark.parametrize(
    ("sizes", "dtype", "which"), sampled(product([(50, 2), (1, 6), (5, 1)], DTYPES, range(3)), 5)
)
def test_panels_of_one_vector(sizes: tuple[int, int], dtype: Any, which: int) -> None:
    """Three products, a vector of each in a tile; a long op follows one of them."""
    batch, rows = sizes
    weights = [drawn(7, 70, dtype=dtype, seed=k) for k in range(3)]
    e = ELEMENTS[np.dtype(dtype)]
    x, w, y = (
        tensor(*shape, element=e) for shape in ((batch, rows, 7), (7, 70), (batch, rows, 70))
    )
    lines = [constant(f"w{k}", array) for k, array in enumerate(weights)]
    lines += [f"%p{k} = snippets.matmul %x, %w{k} : ({x}, {w}) -> {y}" for k in range(3)]
    results = ", ".join("%s" if k == which else f"%p{k}" for k in range(3))
    text = "\n  ".join(
        [
            f"func.func @main(%x: {x}) -> ({y}, {y}, {y}) {{",
            *lines,
            f"%s = snippets.sigmoid %p{which} : {y}",
            f"func.return {results} : {y}, {y}, {y}\n}}",
        ]
    )
    array = drawn(batch, rows, 7, dtype=dtype, seed=9)
    program = snippets_mlir.compile(text, num_threads=2)
    assert products(program) == ([3] if is_joined(batch * rows) else [1, 1, 1])
    for k, (found, b) in enumerate(zip(program(array), weights, strict=True)):
        wanted = array.astype(np.float64) @ b
        wanted = 1 / (1 + np.exp(-wanted)) if k == which else wanted
        np.testing.assert_allclose(np.asarray(found), wanted, 1e-4, 1e-4)
