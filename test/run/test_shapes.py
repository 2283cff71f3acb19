"""Ranks, broadcasts, sizes, strides and threads: the same numbers as NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import numpy as np
import pytest
from op_cases import run_all
from sampled import sampled

import snippets_mlir
from snippets_mlir.driver import Compiled

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]

SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 1000, 4097]


def tensor(shape: Shape, element: str = "f32") -> str:
    return f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"


def triples(shapes: Sequence[tuple[Shape, Shape, Shape]]) -> Compiled:
    """A program that computes `(x + y) * z` for each triple of shapes."""
    arguments, lines, results = list[str](), list[str](), list[str]()
    for i, (x, y, z) in enumerate(shapes):
        types = [tensor(s) for s in (x, y, z)]
        total, product_ = np.broadcast_shapes(x, y), np.broadcast_shapes(x, y, z)
        arguments += [f"%{n}{i}: {t}" for n, t in zip("xyz", types, strict=True)]
        s, p = tensor(total), tensor(product_)
        lines += [
            f"%s{i} = snippets.add %x{i}, %y{i} : ({types[0]}, {types[1]}) -> {s}",
            f"%p{i} = snippets.multiply %s{i}, %z{i} : ({s}, {types[2]}) -> {p}",
        ]
        results.append(p)
    names = ", ".join(f"%p{i}" for i in range(len(shapes)))
    types = ", ".join(results)
    return snippets_mlir.compile(
        f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n"
        + "\n".join(lines)
        + f"\nfunc.return {names} : {types}\n}}",
        fallback="error",
    )


def check(shapes: Sequence[tuple[Shape, Shape, Shape]]) -> None:
    compiled = triples(shapes)
    rng = np.random.default_rng(len(shapes))
    arrays = [rng.standard_normal(s).astype(np.float32) for triple in shapes for s in triple]
    results = run_all(compiled, arrays)
    for i, (triple, result) in enumerate(zip(shapes, results, strict=True)):
        x, y, z = arrays[3 * i : 3 * i + 3]
        np.testing.assert_array_equal(result, (x + y) * z, err_msg=str(triple), strict=True)


def test_sizes_around_the_vector_width():
    check([((n,), (n,), (n,)) for n in SIZES])


def test_rows_around_the_vector_width():
    check([((3, n), (n,), (3, 1)) for n in SIZES])


@pytest.mark.parametrize("rank", [0, 1, *sampled(range(2, 8), 2), 8])
def test_ranks(rank: int):
    shape = (2, 3, 1, 2, 1, 2, 3, 5)[8 - rank :]
    check([(shape, shape, shape), (shape, (), shape), ((), shape, (1,) * rank)])


def test_broadcasts_on_any_dim():
    full = (2, 3, 4, 5)
    masks = [
        tuple(1 if one else size for one, size in zip(mask, full, strict=True))
        for mask in product((False, True), repeat=4)
    ]
    check([(full, small, other) for small, other in zip(masks, reversed(masks), strict=True)])


def test_random_broadcasts_of_random_ranks():
    rng = np.random.default_rng(5)

    def operand(full: Shape) -> Shape:
        sizes = [int(s) if rng.random() < 0.6 else 1 for s in full]
        return tuple(sizes[int(rng.integers(0, len(full) + 1)) :])

    fulls = [tuple(map(int, rng.integers(1, 6, rng.integers(0, 9)))) for _ in range(24)]
    check([(operand(full), operand(full), operand(full)) for full in fulls])


def test_empty_dims():
    check([((0, 3), (3,), (1, 1)), ((3, 0), (3, 1), (0,)), ((2, 0, 5), (), (5,))])


def unaligned(array: Array) -> Array:
    raw = np.zeros(array.nbytes + 3, np.uint8)[3:]
    result = raw.view(array.dtype).reshape(array.shape)
    result[...] = array
    return result


def strided(array: Array) -> Array:
    return np.repeat(array, 2, axis=1)[:, ::2]


def backwards(array: Array) -> Array:
    return array[::-1, ::-1].copy()[::-1, ::-1]


def test_inputs_and_outputs_of_any_layout():
    shape = (6, 10)
    compiled = triples([(shape, shape, shape)])
    rng = np.random.default_rng(0)
    x, y, z = rng.standard_normal((3, *shape)).astype(np.float32)
    expected = (x + y) * z
    layouts: list[Callable[[Array], Array]] = [np.asfortranarray, unaligned, strided, backwards]
    for layout in layouts:
        given = layout(x)
        np.testing.assert_array_equal(given, x)
        assert not (given.flags.c_contiguous and given.flags.aligned)
        np.testing.assert_array_equal(compiled(given, y, layout(z)), expected)
        out = layout(np.zeros(shape, np.float32))
        assert compiled(x, y, z, out=out) is out
        np.testing.assert_array_equal(out, expected)


def test_every_offset_of_the_data():
    compiled = triples([((37,), (37,), (37,))])
    x, y, z = np.random.default_rng(0).standard_normal((3, 37)).astype(np.float32)
    memory = np.zeros(37 + 32, np.float32)
    for offset in range(17):
        out = memory[offset : offset + 37]
        memory[...] = np.nan
        compiled(x, y, z, out=out)
        np.testing.assert_array_equal(out, (x + y) * z)
        assert np.isnan(memory[:offset]).all()
        assert np.isnan(memory[offset + 37 :]).all()


@pytest.mark.parametrize("threads", sampled([2, 3, 5, 16], 2))
def test_the_number_of_threads_changes_nothing(threads: int):
    text = """func.func @main(%x: tensor<300x257xf32>, %y: tensor<257xf32>) -> tensor<300x257xf32> {
      %0 = snippets.multiply %x, %y
        : (tensor<300x257xf32>, tensor<257xf32>) -> tensor<300x257xf32>
      %1 = snippets.exp %0 : tensor<300x257xf32>
      func.return %1 : tensor<300x257xf32>
    }"""
    rng = np.random.default_rng(1)
    x, y = (rng.standard_normal(s).astype(np.float32) for s in ((300, 257), (257,)))
    one = snippets_mlir.compile(text, num_threads=1)(x, y)
    np.testing.assert_array_equal(snippets_mlir.compile(text, num_threads=threads)(x, y), one)


def test_calls_from_several_python_threads():
    compiled = triples([((64, 33), (33,), (64, 1)), ((1000,), (1000,), ())])
    rng = np.random.default_rng(2)
    shapes: list[Shape] = [(64, 33), (33,), (64, 1), (1000,), (1000,), ()]
    calls = [[np.asarray(rng.standard_normal(s), np.float32) for s in shapes] for _ in range(40)]

    def call(arrays: list[Array]) -> tuple[Array, ...]:
        return compiled(*arrays)

    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(call, calls))
    for (x, y, z, a, b, c), (first, second) in zip(calls, results, strict=True):
        np.testing.assert_array_equal(first, (x + y) * z)
        np.testing.assert_array_equal(second, (a + b) * c)


TRANSPOSED: list[list[tuple[Shape, Shape]]] = [
    [((1, 5, 17), (2, 1, 0)), ((3, 5, 17), (1, 2, 0))],
    [((17, 5, 1), (0, 2, 1)), ((1, 17, 5), (1, 2, 0)), ((1, 17, 5), (0, 2, 1))],
    [((3, 1, 1), (2, 1, 0)), ((5, 18, 3), (1, 0, 2))],
    [((2, 5, 17), (1, 2, 0)), ((3, 3, 17), (1, 2, 0))],
]
"""Arrays with the orders of their dims in results of one kernel."""


@pytest.mark.parametrize("arrays", TRANSPOSED)
def test_transposes_side_by_side(arrays: list[tuple[Shape, Shape]]) -> None:
    """Dims of size 1 in some of them only, in shapes that do not broadcast to each other."""
    inner, types, results = list[str](), list[str](), list[str]()
    for i, (shape, order) in enumerate(arrays):
        types.append(tensor(shape))
        results.append(tensor(tuple(shape[d] for d in order)))
        dims = f"permutation = array<i64: {', '.join(map(str, order))}>"
        inner.append(f"%{i} = snippets.transpose %b{i} {{{dims}}} : ({types[i]}) -> {results[i]}")
    count, listed = range(len(arrays)), ", ".join(results)
    text = "\n".join(
        [
            f"func.func @main({', '.join(f'%a{i}: {types[i]}' for i in count)}) -> ({listed}) {{",
            f"%r:{len(arrays)} = snippets.subgraph ({', '.join(f'%b{i} = %a{i}' for i in count)})",
            f": ({', '.join(types)}) -> ({listed}) {{",
            *inner,
            f"snippets.yield {', '.join(f'%{i}' for i in count)} : {listed}",
            "}",
            f"func.return {', '.join(f'%r#{i}' for i in count)} : {listed}",
            "}",
        ]
    )
    given = [
        np.random.default_rng(i).standard_normal(s, np.float32) for i, (s, _) in enumerate(arrays)
    ]
    for found, x, (_, order) in zip(
        snippets_mlir.compile(text)(*given), given, arrays, strict=True
    ):
        np.testing.assert_array_equal(found, x.transpose(order))
