"""Attentions of more keys than fit a cache, in blocks of keys, against NumPy in float64."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from attentions import Array, Shape, attention, expected, numbers, tensor
from sampled import sampled

import snippets_mlir

COUNTS = (1, 15, 16, 17, 1023, 1024, 1025, 8192, 16384, 16385, 16411, 20011)
"""Numbers of keys; 16,411 and 20,011 are prime."""

RESTS: dict[str, tuple[Shape, Shape, Shape, Shape]] = {
    "a mask of rows and keys": ((2, 40, 8), (2, 16411, 8), (2, 16411, 5), (40, 16411)),
    "a mask of keys": ((33, 16), (20011, 16), (20011, 16), (20011,)),
    "shared keys": ((1, 3, 32, 8), (1, 1, 16411, 8), (1, 1, 16411, 9), (1, 1, 1, 16411)),
    "heads with masks": ((2, 3, 32, 4), (2, 3, 16411, 4), (2, 3, 16411, 4), (2, 1, 32, 16411)),
}


def of_program(program: snippets_mlir.Compiled) -> list[tuple[int, int]]:
    """The products, and the bytes of scratchpad, of each kernel with a product."""
    found: list[tuple[int, int]] = []
    for kernel in program.kernels:
        if count := kernel.entry.ops.count("snippets.matmul"):
            facts = kernel.entry.facts
            assert facts is not None
            found.append((count, int(facts.scratch)))
    return found


@pytest.mark.parametrize("keys", sampled(COUNTS, 3))
def test_any_number_of_keys(keys: int):
    shapes = (2, 35, 8), (2, keys, 8), (2, keys, 5), (35, keys)
    program = snippets_mlir.compile(attention(*shapes))
    arrays = numbers(keys, *shapes)
    np.testing.assert_allclose(program(*arrays), expected(*arrays), 2e-5, 1e-6)
    if keys > 1025:
        assert {count for count, _ in of_program(program)} == {2}
        assert max(scratch for _, scratch in of_program(program)) < 35 * keys * 4


@pytest.mark.parametrize("name", sampled(RESTS, 4))
def test_last_block_of_fewer_keys(name: str):
    """Rows see all keys, keys of the equal blocks alone, of the last block alone, or no key."""
    shapes = RESTS[name]
    program = snippets_mlir.compile(attention(*shapes))
    assert [count for count, _ in of_program(program)] == [2, 2]
    q, k, v, mask = numbers(15, *shapes)
    mask[..., 5::3] = -np.inf
    if mask.shape[-2:-1] in ((40,), (32,)):
        mask[..., 4, :], mask[..., 7, :16000], mask[..., 8, 12000:] = (-np.inf,) * 3
        mask[..., 9, 3], mask[..., 10, -3], mask[..., 11, -2] = np.nan, np.nan, np.inf
    wanted = expected(q, k, v, mask)
    np.testing.assert_allclose(program(q, k, v, mask), wanted, 2e-5, 1e-6)


DYNAMIC: dict[str, tuple[Shape, tuple[int, ...], tuple[int, ...]]] = {
    "rows and keys": ((2,), (35, 131), (3, 1500, 16411, 9000, 20, 2100, 4)),
    "keys": ((3,), (97,), (7, 1500, 9000, 16385, 5)),
    "keys, and blocks of rows for threads": ((), (300,), (7, 1500, 9000, 5)),
    "all of one matrix": ((), (131, 257, 19), (7, 8192, 1500, 33)),
}
"""Heads, rows and keys of calls; several numbers of rows are dynamic."""


@pytest.mark.parametrize(("name", "threads"), sampled(product(DYNAMIC, (1, 2, 3)), 12))
def test_calls_of_few_keys_and_many(name: str, threads: int):
    """One program for all of them: each call chooses the rows of its blocks."""
    front, rows, counts = DYNAMIC[name]
    q, k, v, m = (*front, 1009, 8), (*front, 1013, 8), (*front, 1013, 9), (1009, 1013)
    text = attention(q, k, v, m).replace("1013x", "?x")
    text = text.replace("1009x", "?x" if len(rows) > 1 else f"{min(rows)}x")
    program = snippets_mlir.compile(text, num_threads=threads)
    for keys in counts:
        for height in rows:
            shapes = (*front, height, 8), (*front, keys, 8), (*front, keys, 9), (height, keys)
            arrays = numbers(keys, *shapes)
            arrays[3][0, 1::2], arrays[3][height // 2] = -np.inf, np.nan
            np.testing.assert_allclose(program(*arrays), expected(*arrays), 2e-5, 1e-5)
            ((count, scratch),) = of_program(program)
            assert count == 2
            assert scratch < (5 << 18 if keys < 8192 else 1 << 20)


def test_keys_are_copied_once_if_the_copy_is_small():
    """Calls of more than 2048 keys of 64 columns have another template, whose copies are short."""
    front, heads = (4, 126, 64), (4, 1013, 64)
    text = attention(front, heads, heads, (1013,)).replace("1013x", "?x")
    program: Any = snippets_mlir.compile(text, num_threads=2)
    scratches: list[int] = []
    for keys in (300, 2048, 8192, 2049, 2048, 301):
        arrays = numbers(keys, front, (4, keys, 64), (4, keys, 64), (keys,))
        np.testing.assert_allclose(program(*arrays), expected(*arrays), 2e-5, 1e-5)
        scratches += [scratch for _, scratch in of_program(program)]
    assert program.compiled_times == 2
    assert max(scratches[2:4]) <= 1 << 20


SELECTS = {"boolean": "mask", "causal": "constant"}


def selected(kind: str, rows: int, keys: int, element: str) -> tuple[str, Array | None]:
    """An attention with a boolean mask that is an input or says which keys precede a row."""
    q, k, v, o = (
        tensor(it, element) for it in ((2, rows, 8), (2, keys, 8), (2, keys, 5), (2, rows, 5))
    )
    s, m, i, j = (
        tensor((2, rows, keys), element),
        tensor((rows, keys), "i1"),
        tensor((rows, 1), "i32"),
        tensor((keys,), "i32"),
    )
    kept = None
    given, made = f", %m: {m}", ""
    if kind == "causal":
        last = [[500 * row - 1] for row in range(rows)]
        kept = np.arange(keys) <= np.array(last)
        given = ""
        made = f"""
  %i = snippets.constant dense<{last}> : {i}
  %j = snippets.constant dense<{[*range(keys)]}> : {j}
  %m = snippets.less_equal %j, %i : ({j}, {i}) -> {m}"""
    c = f"tensor<{element}>"
    low = "0xFF800000" if element == "f32" else "0xFFF0000000000000"
    source = f"""
func.func @main(%q: {q}, %k: {k}, %v: {v}{given}) -> {o} {{{made}
  %low = snippets.constant dense<{low}> : {c}
  %0 = snippets.matmul %q, %k {{transpose_b}} : ({q}, {k}) -> {s}
  %1 = snippets.select %m, %0, %low : ({m}, {s}, {c}) -> {s}
  %2 = snippets.softmax %1 {{axis = 2 : i64}} : {s}
  %3 = snippets.matmul %2, %v : ({s}, {v}) -> {o}
  func.return %3 : {o}
}}
"""
    return source, kept


@pytest.mark.parametrize(
    ("kind", "element"), sampled([(kind, e) for kind in SELECTS for e in ("f32", "f64")], 4)
)
def test_selected_keys(kind: str, element: str):
    """The first row keeps no key: it is NaN, as its softmax is."""
    rows, keys = 36, 16411
    source, kept = selected(kind, rows, keys, element)
    dtype = np.float32 if element == "f32" else np.float64
    q, k, v = numbers(16, (2, rows, 8), (2, keys, 8), (2, keys, 5), dtype=dtype)
    arrays: list[Array] = [q, k, v]
    if kept is None:
        kept = np.random.default_rng(17).random((rows, keys)) < 0.5
        kept[0] = False
        arrays.append(kept)
    program = snippets_mlir.compile(source)
    assert [count for count, _ in of_program(program)] == [2, 2]
    wanted = expected(2 * q, k, v, np.where(kept, 0.0, -np.inf))
    assert np.isnan(wanted).any(axis=(0, 2)).tolist() == [True] + [False] * (rows - 1)
    np.testing.assert_allclose(program(*arrays), wanted, 2e-5, 1e-6)
