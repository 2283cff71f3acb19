"""Reads at places that are computed, in random graphs of whole numbers (`exact_graphs`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from exact_graphs import ExactGraph
from exact_values import (
    ALL,
    Dims,
    Value,
    i64s,
)

from snippets_mlir.dialects.builtin.dtypes import Array


def _places(g: ExactGraph, dims: Sequence[int | str], most: int) -> Value:
    """Integers for places: what there is, or a new input."""
    found = [v for v in g.values if v.element in ("i32", "i64") and v.dims == tuple(dims)]
    if found and g.rng.random() < 0.5:
        return g.rng.choice(found)
    return g.input(dims, g.rng.choice(("i32", "i64")), most)


def _gather(g: ExactGraph) -> None:
    if (a := g.pick(ALL, 1)) is None:
        return
    axis = g.rng.randrange(len(a.dims))
    if a.dims[axis] == 0:
        return
    form = g.rng.random()
    if form < 0.3:
        dims: Dims = ()
    elif form < 0.7:
        dims = (g.rng.choice((*g.master, 1, 3)),)
    else:
        dims = tuple(g.rng.choice((*g.master, 1, 2)) for _ in range(2))
    if g.rng.random() < 0.25:
        known = [v for v in g.values if v.element in ("i32", "i64") and len(v.dims) < 3]
        i = g.rng.choice(known) if known else _places(g, dims, 20)
    else:
        i = _places(g, dims, 20)
    from_end = g.rng.random() < 0.5

    def formula(x: Array, places: Array) -> Array:
        size = x.shape[axis]
        places = places.astype(np.int64)
        if from_end:
            places = np.where(places < 0, places + size, places)
        return np.take(x, np.clip(places, 0, size - 1), axis)

    g.emit(
        "gather",
        [a, i],
        (*a.dims[:axis], *i.dims, *a.dims[axis + 1 :]),
        formula,
        element=a.element,
        attributes=f"axis = {axis} : i64{', from_end' if from_end else ''}",
    )


def _dynamic_slice(g: ExactGraph) -> None:
    if (a := g.pick(ALL, 1)) is None:
        return
    static = [i for i, d in enumerate(a.dims) if isinstance(d, int) and d > 0]
    if not static:
        return
    axes = sorted(g.rng.sample(static, g.rng.randint(1, len(static))))
    starts = [_places(g, (), 12) for _ in axes]
    dims = list(a.dims)
    for axis in axes:
        whole = dims[axis]
        assert isinstance(whole, int)
        dims[axis] = g.rng.randint(1, whole)

    def formula(x: Array, *places: Array) -> Array:
        index: list[Any] = [slice(None)] * x.ndim
        for axis, place in zip(axes, places, strict=True):
            size = dims[axis]
            assert isinstance(size, int)
            start = min(max(int(place), 0), x.shape[axis] - size)
            index[axis] = slice(start, start + size)
        return x[tuple(index)]

    g.emit(
        "dynamic_slice",
        [a, *starts],
        dims,
        formula,
        element=a.element,
        attributes=f"axes = {i64s(axes)}",
    )


KINDS: tuple[tuple[Callable[[ExactGraph], None], int], ...] = ((_gather, 9), (_dynamic_slice, 5))
"""Each kind of op, and how often it is tried."""
