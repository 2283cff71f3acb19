# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
"""Ops of one element for random graphs of whole numbers (`exact_graphs`), and iota."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from exact_graphs import ExactGraph
from exact_values import (
    ALL,
    BINARY,
    DTYPES,
    FLOATS,
    NUMBERS,
    UnfitError,
    joined,
)

from snippets_mlir.dialects.builtin.dtypes import Array

UNARY: dict[str, Callable[..., Array]] = {
    "abs": np.abs,
    "negative": np.negative,
    "relu": lambda x: np.where(x < 0, np.zeros_like(x), x),
}
COMPARE: dict[str, Callable[..., Array]] = {
    "less": np.less,
    "greater_equal": np.greater_equal,
    "equal": np.equal,
    "not_equal": np.not_equal,
}
LOGICAL: dict[str, Callable[..., Array]] = {
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}


def _unary(g: ExactGraph) -> None:
    if (a := g.pick(NUMBERS)) is not None:
        op = g.rng.choice(tuple(UNARY))
        if a.element != "ui8" or op == "relu":
            g.emit(op, [a], a.dims, UNARY[op])


def _binary(g: ExactGraph) -> None:
    if (a := g.pick(NUMBERS)) is not None:
        b, dims = g.partner(a)
        op = g.rng.choice(tuple(BINARY))
        pair = [a, b] if g.rng.random() < 0.5 else [b, a]
        g.emit(op, pair, dims, BINARY[op])


def _scalar(g: ExactGraph) -> None:
    """An op of a value and a constant."""
    if (a := g.pick(NUMBERS)) is not None:
        number = g.rng.choice((0, 1, 2) if a.element == "ui8" else (0, 1, -1, 2, 3))
        c = g.scalar(a.element, number)
        op = g.rng.choice(tuple(BINARY))
        g.emit(op, [a, c] if g.rng.random() < 0.7 else [c, a], a.dims, BINARY[op])


def _compare(g: ExactGraph) -> None:
    if (a := g.pick(NUMBERS)) is not None:
        b, dims = g.partner(a)
        op = g.rng.choice(tuple(COMPARE))
        g.emit(op, [a, b], dims, COMPARE[op], element="i1")


def _logical(g: ExactGraph) -> None:
    if (a := g.pick(("i1",))) is not None:
        b, dims = g.partner(a)
        op = g.rng.choice(tuple(LOGICAL))
        g.emit(op, [a, b], dims, LOGICAL[op])


def _select(g: ExactGraph) -> None:
    c, a = g.pick(("i1",)), g.pick(NUMBERS)
    if c is not None and a is not None:
        b, dims = g.partner(a)
        if (all_dims := joined(c.dims, dims)) is not None:
            g.emit("select", [c, a, b], all_dims, np.where)


def _convert(g: ExactGraph) -> None:
    """A conversion to any type, of floats that fit the integers; those of others are not drawn."""
    if (a := g.pick(ALL)) is None:
        return
    op = g.rng.choice(("convert_truncation", "convert_saturation"))
    element = g.main if g.rng.random() < 0.5 else g.rng.choice(ALL)
    is_float = a.element in FLOATS
    if element == "i1":
        g.emit(op, [a], a.dims, lambda x: x != 0, element=element)
    elif element in FLOATS or (not is_float and op == "convert_truncation"):
        g.emit(op, [a], a.dims, lambda x: x, element=element)
    elif not g.special:
        limits = np.iinfo(DTYPES[element])
        low, high = max(int(limits.min), -(2**53)), min(int(limits.max), 2**53)

        def formula(x: Array) -> Array:
            if is_float and ((x < low) | (x > high)).any():
                raise UnfitError
            return np.clip(x.astype(np.int64), int(limits.min), int(limits.max))

        g.emit(op, [a], a.dims, formula, element=element)


def _mod(g: ExactGraph) -> None:
    if (a := g.pick(("i8", "i32", "i64", "ui8"))) is not None:
        op = g.rng.choice(("floor_mod", "bitwise_and", "bitwise_xor"))
        functions: dict[str, Callable[..., Array]] = {
            "floor_mod": np.mod,
            "bitwise_and": np.bitwise_and,
            "bitwise_xor": np.bitwise_xor,
        }
        if op == "floor_mod":
            c = g.scalar(a.element, g.rng.choice((2, 3, 7)))
            g.emit(op, [a, c], a.dims, functions[op])
        else:
            b, dims = g.partner(a)
            g.emit(op, [a, b], dims, functions[op])


def _iota(g: ExactGraph) -> None:
    dims = [d if isinstance(d, int) else g.rng.choice((1, 3, 8)) for d in g.master]
    dims = dims[g.rng.randrange(len(dims)) :]
    if 0 in dims:
        return
    axis = g.rng.randrange(len(dims))
    shape = [1] * len(dims)
    shape[axis] = dims[axis]
    element = g.rng.choice((g.main, "i64", "i32"))
    found = np.broadcast_to(np.arange(dims[axis]).reshape(shape), dims)
    g.emit("iota", [], dims, lambda: found, element=element, attributes=f"dim = {axis} : i64")


KINDS: tuple[tuple[Callable[[ExactGraph], None], int], ...] = (
    (_unary, 6),
    (_binary, 16),
    (_scalar, 6),
    (_compare, 4),
    (_logical, 2),
    (_select, 5),
    (_convert, 4),
    (_mod, 3),
    (_iota, 3),
)
"""Each kind of op, and how often it is tried."""
