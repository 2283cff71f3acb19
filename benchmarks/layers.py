"""The layers of transformers as workloads: attention, MLP, encoder layer; names have their sizes.

Weights and biases are constants. An encoder layer is that of BERT: queries, keys and values of
heads of 64 columns, attention with a mask of the keys, its projection with the residual and a
norm, then an MLP with exact gelu, its residual and a norm.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shapes import multiplications, plain, shapes_of
from steps import Shape, Workload, steps

HEAD = 64
"""Columns of a head of an encoder layer."""


def _network(
    name: str,
    formula: str,
    shapes: Mapping[str, Shape],
    *lines: tuple[Any, ...],
    summed: int,
    fed: tuple[str, ...],
    bar: float | None = None,
) -> Workload:
    """A workload whose arguments are constants, except `fed`."""
    program = steps(*lines)
    known = shapes_of(shapes, plain(program))
    return Workload(
        name,
        formula,
        "float32",
        (*shapes,),
        program,
        "network",
        result_shape=known[program[-1].result],
        summed=summed,
        constants=tuple(n for n in shapes if n not in fed),
        shapes=shapes,
        multiplications=multiplications(known, plain(program)),
        bar=bar,
    )


def attention(
    heads: int,
    queries: int,
    keys: int,
    columns: int,
    *,
    name: str | None = None,
    bar: float | None = None,
) -> Workload:
    """softmax(q k^T / sqrt(columns) + mask) v, with a mask for each key."""
    shapes = {
        "q": (1, heads, queries, columns),
        "k": (1, heads, keys, columns),
        "v": (1, heads, keys, columns),
        "mask": (1, 1, 1, keys),
    }
    return _network(
        name or f"attention_{heads}x{queries}x{columns}",
        f"attention of {heads} heads, {queries} queries, {keys} keys, {columns} columns",
        shapes,
        ("z", "attention", "q", "k", "v", "mask", columns**-0.5),
        summed=max(keys, columns),
        fed=(*shapes,),
        bar=bar,
    )


def _mlp(rows: Shape, columns: int, hidden: int) -> tuple[dict[str, Shape], list[tuple[Any, ...]]]:
    """Arguments and steps of gelu(x @ w1 + b1) @ w2 + b2 + x."""
    shapes: dict[str, Shape] = {
        "x": (*rows, columns),
        "w1": (columns, hidden),
        "b1": (hidden,),
        "w2": (hidden, columns),
        "b2": (columns,),
    }
    return shapes, [
        ("up", "matmul", "x", "w1"),
        ("biased", "add", "up", "b1"),
        ("hidden", "gelu", "biased"),
        ("down", "matmul", "hidden", "w2"),
        ("moved", "add", "down", "b2"),
        ("z", "add", "moved", "x"),
    ]


def mlp(rows: int, columns: int, hidden: int, bar: float | None = None) -> Workload:
    """Two products with biases, exact gelu between them, and the residual."""
    shapes, lines = _mlp((rows,), columns, hidden)
    name = f"mlp_{rows}x{columns}x{hidden}"
    formula = f"gelu(x @ w1 + b1) @ w2 + b2 + x, {rows} x {columns} x {hidden}"
    return _network(name, formula, shapes, *lines, summed=hidden, fed=("x",), bar=bar)


def gated_mlp(rows: int, columns: int, hidden: int) -> Workload:
    """Three products, the first two of one input, one a gate for the other; the residual."""
    shapes: dict[str, Shape] = {
        "x": (rows, columns),
        "w1": (columns, hidden),
        "w2": (columns, hidden),
        "w3": (hidden, columns),
    }
    lines: list[tuple[Any, ...]] = [
        ("gate", "matmul", "x", "w1"),
        ("opened", "sigmoid", "gate"),
        ("active", "multiply", "gate", "opened"),
        ("up", "matmul", "x", "w2"),
        ("hidden", "multiply", "active", "up"),
        ("down", "matmul", "hidden", "w3"),
        ("z", "add", "down", "x"),
    ]
    name = f"gated_mlp_{rows}x{columns}x{hidden}"
    formula = f"(silu(x @ w1) * (x @ w2)) @ w3 + x, {rows} x {columns} x {hidden}"
    return _network(name, formula, shapes, *lines, summed=hidden, fed=("x",))


def encoder(tokens: int, columns: int, bar: float | None = None) -> Workload:
    """A layer of BERT with heads of 64 columns and an MLP four times as wide."""
    heads = columns // HEAD
    split, flat = (1, tokens, heads, HEAD), (1, tokens, columns)
    after, lines_after = _mlp((1, tokens), columns, 4 * columns)
    lines: list[tuple[Any, ...]] = []
    shapes: dict[str, Shape] = {"a": flat, "mask": (1, 1, 1, tokens)}
    for part in ("q", "k", "v"):
        shapes |= {f"w{part}": (columns, columns), f"b{part}": (columns,)}
        lines += [
            (f"{part}0", "matmul", "a", f"w{part}"),
            (f"{part}1", "add", f"{part}0", f"b{part}"),
            (f"{part}2", "reshape", f"{part}1", split),
            (part, "permute", f"{part}2", (0, 2, 1, 3)),
        ]
    shapes |= {"wo": (columns, columns), "bo": (columns,), "g1": (columns,), "h1": (columns,)}
    lines += [
        ("o0", "attention", "q", "k", "v", "mask", HEAD**-0.5),
        ("o1", "permute", "o0", (0, 2, 1, 3)),
        ("o2", "reshape", "o1", flat),
        ("o3", "matmul", "o2", "wo"),
        ("o4", "add", "o3", "bo"),
        ("o5", "add", "o4", "a"),
        ("x", "layer_norm", "o5", "g1", "h1"),
        *lines_after,
        ("y", "layer_norm", "z", "g2", "h2"),
    ]
    shapes |= {name: shape for name, shape in after.items() if name != "x"}
    shapes |= {"g2": (columns,), "h2": (columns,)}
    name = f"encoder_{tokens}x{columns}"
    formula = f"an encoder layer of {columns} columns, {tokens} tokens"
    return _network(name, formula, shapes, *lines, summed=4 * columns, fed=("a", "mask"), bar=bar)


NETWORKS: tuple[Workload, ...] = (
    mlp(512, 768, 3072, 0.82),
    gated_mlp(512, 768, 2048),
    attention(12, 128, 128, 64, bar=0.80),
    attention(12, 512, 512, 64, bar=0.85),
    attention(4, 2048, 2048, 64, bar=0.92),
    encoder(128, 768, 0.85),
    encoder(512, 768, 0.85),
    encoder(32, 384, 0.85),
)
