# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
"""Views, slices, concats and pads of random graphs of whole numbers (`exact_graphs`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from exact_graphs import ExactGraph
from exact_values import (
    ALL,
    NUMBERS,
    Dims,
    Value,
    i64s,
)

from snippets_mlir.dialects.builtin.dtypes import Array


def _is_static(dim: int | str) -> bool:
    return not isinstance(dim, str)


def _transpose(g: ExactGraph) -> None:
    if (a := g.pick(ALL, 2)) is not None:
        order = g.rng.sample(range(len(a.dims)), len(a.dims))
        g.emit(
            "transpose",
            [a],
            [a.dims[i] for i in order],
            partial(np.transpose, axes=order),
            attributes=f"permutation = {i64s(order)}",
        )


def _view(g: ExactGraph) -> None:
    if (a := g.pick(ALL)) is None:
        return
    kind, rank = g.rng.choice(("squeeze", "unsqueeze", "reshape", "split")), len(a.dims)
    ones = [i for i, dim in enumerate(a.dims) if dim == 1]
    place = g.rng.randint(0, rank)
    if kind == "squeeze" and ones:
        place = g.rng.choice(ones)
        g.emit(
            "squeeze",
            [a],
            (*a.dims[:place], *a.dims[place + 1 :]),
            partial(np.squeeze, axis=place),
            attributes=f"axes = {i64s([place])}",
        )
    elif kind == "unsqueeze":
        g.emit(
            "unsqueeze",
            [a],
            (*a.dims[:place], 1, *a.dims[place:]),
            partial(np.expand_dims, axis=place),
            attributes=f"axes = {i64s([place])}",
        )
    elif kind == "reshape" and 0 < place < rank:
        x, y = a.dims[place - 1], a.dims[place]
        if isinstance(x, str) or isinstance(y, str):
            if "+" in f"{x}{y}" or 0 in a.dims:
                return
            merged: int | str = f"{x}*{y}"
        else:
            merged = x * y
        dims = (*a.dims[: place - 1], merged, *a.dims[place + 1 :])
        if sum(not _is_static(d) for d in dims) > 1:
            return

        def merge(v: Array) -> Array:
            s = v.shape
            return v.reshape((*s[: place - 1], s[place - 1] * s[place], *s[place + 1 :]))

        g.emit("reshape", [a], dims, merge)
    elif kind == "split" and place < rank and isinstance(size := a.dims[place], int) and size > 1:
        if sum(not _is_static(d) for d in a.dims) > 1 or 0 in a.dims:
            return
        n = g.rng.choice([k for k in range(1, size + 1) if size % k == 0])

        def split(v: Array) -> Array:
            s = v.shape
            return v.reshape((*s[:place], n, size // n, *s[place + 1 :]))

        g.emit("reshape", [a], (*a.dims[:place], n, size // n, *a.dims[place + 1 :]), split)


def _broadcast(g: ExactGraph) -> None:
    if (a := g.pick(ALL)) is None:
        return
    ones = [i for i, dim in enumerate(a.dims) if dim == 1]
    if all(map(_is_static, a.dims)) and ones:
        place, size = g.rng.choice(ones), g.rng.choice((2, 3, 8, 17))
        dims = (*a.dims[:place], size, *a.dims[place + 1 :])
        g.emit("broadcast", [a], dims, lambda x: np.repeat(x, size, place))


def _slice(g: ExactGraph) -> None:
    if (a := g.pick(ALL, 1)) is None:
        return
    starts: list[int] = []
    steps: list[int] = []
    dims: list[int | str] = []
    drops: list[int] = []
    for axis, whole in enumerate(a.dims):
        if isinstance(whole, str) or whole == 0 or g.rng.random() < 0.4:
            starts.append(0)
            steps.append(1)
            dims.append(whole)
            continue
        start, step = g.rng.randrange(whole), g.rng.choice((1, 1, 1, 2, 3, -1, -2))
        room = (whole - 1 - start) // step + 1 if step > 0 else start // -step + 1
        size = g.rng.randint(1, room) if g.rng.random() < 0.7 else room
        starts.append(start)
        steps.append(step)
        if g.rng.random() < 0.2:
            drops.append(axis)
            size = 1
        dims.append(size)

    def formula(x: Array) -> Array:
        for axis, (start, step, size) in enumerate(zip(starts, steps, dims, strict=True)):
            n = x.shape[axis] if isinstance(size, str) else size
            x = np.take(x, start + step * np.arange(n), axis)
        return np.squeeze(x, tuple(drops))

    text = f"starts = {i64s(starts)}, steps = {i64s(steps)}"
    text += f", drops = {i64s(drops)}" if drops else ""
    g.emit(
        "slice", [a], [d for i, d in enumerate(dims) if i not in drops], formula, attributes=text
    )


def _added(a: int | str, b: int | str) -> int | str:
    return f"{a}+{b}" if isinstance(a, str) or isinstance(b, str) else a + b


def _concat(g: ExactGraph) -> None:
    if (a := g.pick(ALL, 1)) is None:
        return
    axis = g.rng.randrange(len(a.dims))

    def rest(v: Value) -> Dims:
        return (*v.dims[:axis], *v.dims[axis + 1 :])

    fitting = [
        v
        for v in g.values
        if v.element == a.element and len(v.dims) == len(a.dims) and rest(v) == rest(a)
    ]
    parts = [a, *(g.rng.choice(fitting) for _ in range(g.rng.choice((1, 1, 2))))]
    g.rng.shuffle(parts)
    if g.rng.random() < 0.3:
        _stack(g, parts)
        return
    total = parts[0].dims[axis]
    for part in parts[1:]:
        total = _added(total, part.dims[axis])
    dims = (*a.dims[:axis], total, *a.dims[axis + 1 :])
    g.emit(
        "concat", parts, dims, lambda *x: np.concatenate(x, axis), attributes=f"axis = {axis} : i64"
    )


def _stack(g: ExactGraph, parts: Sequence[Value]) -> None:
    same = [p for p in parts if p.dims == parts[0].dims]
    axis = g.rng.randint(0, len(parts[0].dims))
    if len(parts[0].dims) > 3:
        return
    raised: list[Value] = []
    for part in same:
        dims = (*part.dims[:axis], 1, *part.dims[axis:])
        v = g.emit(
            "unsqueeze",
            [part],
            dims,
            partial(np.expand_dims, axis=axis),
            attributes=f"axes = {i64s([axis])}",
        )
        if v is None:
            return
        raised.append(v)
    dims = (*parts[0].dims[:axis], len(same), *parts[0].dims[axis:])
    g.emit(
        "concat",
        raised,
        dims,
        lambda *x: np.concatenate(x, axis),
        attributes=f"axis = {axis} : i64",
    )


def _pad(g: ExactGraph) -> None:
    if (a := g.pick(NUMBERS, 1)) is None:
        return
    low = [g.rng.choice((0, 0, 1, 3)) for _ in a.dims]
    high = [g.rng.choice((0, 0, 1, 2)) for _ in a.dims]
    scalars = [v for v in g.values if v.element == a.element and v.dims == ()]
    value = (
        g.rng.choice(scalars)
        if scalars and g.rng.random() < 0.5
        else g.scalar(a.element, g.rng.choice((0, 1)))
    )
    dims = [
        _added(d, lo + hi) if lo + hi else d for d, lo, hi in zip(a.dims, low, high, strict=True)
    ]

    def formula(x: Array, v: Array) -> Array:
        return np.pad(x, list(zip(low, high, strict=True)), constant_values=v[()])

    g.emit("pad", [a, value], dims, formula, attributes=f"low = {i64s(low)}, high = {i64s(high)}")


KINDS: tuple[tuple[Callable[[ExactGraph], None], int], ...] = (
    (_transpose, 6),
    (_view, 6),
    (_broadcast, 3),
    (_slice, 8),
    (_concat, 8),
    (_pad, 4),
)
"""Each kind of op, and how often it is tried."""
