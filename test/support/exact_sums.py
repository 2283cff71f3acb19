# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
"""Reductions, cumulative ops and products of random graphs of whole numbers (`exact_graphs`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from exact_graphs import ExactGraph
from exact_values import (
    BINARY,
    DTYPES,
    FLOATS,
    NUMBERS,
    Value,
    i64s,
    joined,
)

from snippets_mlir.dialects.builtin.dtypes import Array


def _axes(g: ExactGraph, rank: int) -> list[int]:
    return sorted(g.rng.sample(range(rank), g.rng.choice((1, 1, 1, min(2, rank), rank))))


def _reduce(g: ExactGraph) -> None:
    if (a := g.pick(NUMBERS, 1)) is None:
        return
    axes, keep = _axes(g, len(a.dims)), g.rng.random() < 0.6
    dims = tuple(1 if i in axes else d for i, d in enumerate(a.dims) if keep or i not in axes)
    op = g.rng.choice(("sum", "sum", "max", "min", "prod"))
    text = f"axes = {i64s(axes)}{', keep_dims' if keep else ''}"
    over: dict[str, Any] = {"axis": tuple(axes), "keepdims": keep}
    if op in ("max", "min"):
        dtype = DTYPES[a.element]
        if a.element in FLOATS:
            first: Any = -np.inf if op == "max" else np.inf
        else:
            first = int(np.iinfo(dtype).min if op == "max" else np.iinfo(dtype).max)
        function = np.max if op == "max" else np.min
        g.emit(f"reduce_{op}", [a], dims, partial(function, **over, initial=first), attributes=text)
    elif op == "sum":
        g.emit(
            "reduce_sum",
            [a],
            dims,
            partial(np.sum, **over),
            attributes=text,
            magnitude=partial(np.sum, **over),
        )
    else:
        g.emit(
            "reduce_prod",
            [a],
            dims,
            partial(np.prod, **over),
            attributes=text,
            magnitude=lambda x: np.prod(np.maximum(x, 1), **over),
        )


def _reduce_and_read(g: ExactGraph) -> None:
    """A reduction, and an op of its result and its operand."""
    if (a := g.pick(NUMBERS, 1)) is None:
        return
    axis = g.rng.randrange(len(a.dims))
    dims = tuple(1 if i == axis else d for i, d in enumerate(a.dims))
    function = partial(np.sum, axis=axis, keepdims=True)
    total = g.emit(
        "reduce_sum",
        [a],
        dims,
        function,
        attributes=f"axes = {i64s([axis])}, keep_dims",
        magnitude=function,
    )
    if total is not None:
        op = g.rng.choice(("subtract", "add", "maximum"))
        g.emit(op, [a, total], a.dims, BINARY[op])


def _arg(g: ExactGraph) -> None:
    if (a := g.pick(NUMBERS, 1)) is None:
        return
    axis, keep = g.rng.randrange(len(a.dims)), g.rng.random() < 0.5
    if a.dims[axis] == 0:
        return
    dims = tuple(1 if i == axis else d for i, d in enumerate(a.dims) if keep or i != axis)
    op, element = g.rng.choice(("max", "min")), g.rng.choice(("i32", "i64"))
    function = np.argmax if op == "max" else np.argmin
    text = f"axis = {axis} : i64{', keep_dims' if keep else ''}"
    g.emit(
        f"arg_{op}",
        [a],
        dims,
        partial(function, axis=axis, keepdims=keep),
        element=element,
        attributes=text,
    )


def _cumulative(g: ExactGraph) -> None:
    if (a := g.pick(NUMBERS, 1)) is None:
        return
    axis = g.rng.randrange(len(a.dims))
    op = g.rng.choice(("sum", "sum", "max", "min"))
    function: Any = {"sum": np.add, "max": np.maximum, "min": np.minimum}[op].accumulate
    reverse, exclusive = g.rng.random() < 0.3, op == "sum" and g.rng.random() < 0.3

    def formula(x: Array) -> Array:
        x = np.flip(x, axis) if reverse else x
        y = function(x, axis=axis)
        if exclusive:
            y = np.roll(y, 1, axis)
            if y.size:
                np.moveaxis(y, axis, 0)[0] = 0
        return np.flip(y, axis) if reverse else y

    text = (
        f"axis = {axis} : i64{', exclusive' if exclusive else ''}{', reverse' if reverse else ''}"
    )
    g.emit(
        f"cum_{op}",
        [a],
        a.dims,
        formula,
        attributes=text,
        magnitude=formula if op == "sum" else None,
    )


def _matmul(g: ExactGraph) -> None:
    if (a := g.pick(("f32", "f64") if g.main in ("f16", "bf16") else (g.main, "f32"), 1)) is None:
        return
    shape: Sequence[int | str] = a.dims
    trans_a, trans_b = (g.rng.random() < 0.3 and len(a.dims) > 1), g.rng.random() < 0.4
    inner = shape[-2] if trans_a else shape[-1]
    fitting: list[tuple[Value, Sequence[int | str]]] = []
    for b in g.values:
        other: Sequence[int | str] = b.dims
        if b.element != a.element or not other:
            continue
        tb = trans_b and len(b.dims) > 1
        if (other[0] if len(other) == 1 else other[-1] if tb else other[-2]) != inner:
            continue
        batch = joined(a.dims[:-2], b.dims[:-2])
        if batch is None:
            continue
        rows = () if len(shape) == 1 else (shape[-1] if trans_a else shape[-2],)
        cols = () if len(other) == 1 else (other[-2] if tb else other[-1],)
        fitting.append((b, (*batch, *rows, *cols)))
    if not fitting or g.rng.random() < 0.4:
        n = g.rng.choice((1, 3, 8, 17, 33))
        b = g.input((n, inner) if trans_b else (inner, n), a.element)
        rows = () if len(shape) == 1 else (shape[-1] if trans_a else shape[-2],)
        dims: Sequence[int | str] = (*a.dims[:-2], *rows, n)
    else:
        b, dims = g.rng.choice(fitting)
    tb = trans_b and len(b.dims) > 1

    def formula(x: Array, y: Array) -> Array:
        x = np.swapaxes(x, -1, -2) if trans_a else x
        return np.matmul(x, np.swapaxes(y, -1, -2) if tb else y)

    flags = ["transpose_a"] * trans_a + ["transpose_b"] * tb
    g.emit("matmul", [a, b], dims, formula, attributes=", ".join(flags), magnitude=formula)


KINDS: tuple[tuple[Callable[[ExactGraph], None], int], ...] = (
    (_reduce, 8),
    (_reduce_and_read, 5),
    (_arg, 4),
    (_cumulative, 4),
    (_matmul, 6),
)
"""Each kind of op, and how often it is tried."""
