"""The ops of random graphs, by kinds, and how each is added."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from math import prod

import numpy as np

from snippets_mlir.testing import graph_formulas as f
from snippets_mlir.testing.graph_builder import LARGEST, Graph
from snippets_mlir.testing.graph_values import Value

EPSILON = 1e-3


def _axes_text(name: str, axes: tuple[int, ...], more: str = "") -> str:
    return f" {{{name} = array<i64: {', '.join(map(str, axes))}>{more}}}"


def _some_axes(g: Graph, rank: int) -> tuple[int, ...]:
    count = g.rng.randint(1, rank)
    return tuple(sorted(g.rng.sample(range(rank), count)))


def _one(g: Graph, names: Iterable[str]) -> str:
    """A random name; a single name takes no random number."""
    known = tuple(names)
    return known[0] if len(known) == 1 else g.rng.choice(known)


def _unary(g: Graph, a: Value) -> None:
    name = g.rng.choice(tuple(f.FLOAT_UNARY))
    g.emit(name, [a], f.FLOAT_UNARY[name], exact=a.exact and f.keeps_exact(name))


def _unary_with_attributes(g: Graph, a: Value) -> None:
    names = tuple(f.VARIANTS)
    name = names[g.rng.randrange(len(names))]
    variants = f.VARIANTS[name]
    chosen = variants[0] if len(variants) == 1 else g.rng.choice(variants)
    attributes = f" {{{chosen.attributes}}}"
    g.apply(name, a, chosen.formula, attributes, a.exact and f.keeps_exact(name))


def _jump(g: Graph, a: Value) -> None:
    if (b := g.pick("f32", lambda v: v.exact)) is not None:
        if g.rng.random() < 0.25:
            name = _one(g, f.JUMPS_OF_TWO)
            g.emit(name, [b, g.partner(b, exact=True)], f.JUMPS_OF_TWO[name], exact=True)
        else:
            name = g.rng.choice(tuple(f.JUMPS))
            g.apply(name, b, f.JUMPS[name], exact=True)


def _binary(g: Graph, a: Value) -> None:
    b = g.partner(a)
    name = g.rng.choice(tuple(f.FLOAT_BINARY))
    if g.rng.random() < 0.5:
        a, b = b, a
    exact = a.exact and b.exact and f.keeps_exact(name)
    g.emit(name, [a, b], f.FLOAT_BINARY[name], exact=exact)


def _compare(g: Graph, a: Value) -> None:
    if g.rng.random() < 0.15:
        name = g.rng.choice(tuple(f.PREDICATES))
        g.emit(name, [a], f.PREDICATES[name], element="i1", exact=True)
        return
    first = g.pick(g.rng.choice(("f32", "i32")), lambda v: v.exact)
    if first is not None:
        name = g.rng.choice(tuple(f.COMPARE))
        second = g.partner(first, exact=True)
        g.emit(name, [first, second], f.COMPARE[name], element="i1", exact=True)


def _select(g: Graph, a: Value) -> None:
    b = g.partner(a)
    shape = np.broadcast_shapes(a.shape, b.shape)
    fitting = (v for v in g.values if v.element == "i1" and _broadcasts(v.shape, shape))
    condition = next(fitting, None) or g.input(shape, "i1")
    g.emit("select", [condition, a, b], np.where, exact=a.exact and b.exact)


def _broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False


def _logical(g: Graph, a: Value) -> None:
    if (c := g.pick("i1")) is not None:
        if g.rng.random() < 0.2:
            name = _one(g, f.NEGATIONS)
            g.emit(name, [c], f.NEGATIONS[name], exact=True)
        else:
            name = g.rng.choice(tuple(f.LOGICAL))
            g.emit(name, [c, g.partner(c)], f.LOGICAL[name], exact=True)


def _integer(g: Graph, a: Value) -> None:
    n = g.pick("i32") or g.input(g.sub_shape(), "i32")
    kind = g.rng.random()
    if kind < 0.2:
        name = g.rng.choice(tuple(f.INT_UNARY))
        g.apply(name, n, f.INT_UNARY[name], exact=True)
    elif kind < 0.65:
        name = g.rng.choice(tuple(f.INT_BINARY))
        g.emit(name, [n, g.partner(n)], f.INT_BINARY[name], exact=True)
    elif kind < 0.8:
        axes = _some_axes(g, max(n.wide.ndim, 1)) if n.wide.ndim else ()
        name = g.rng.choice(("reduce_sum", "reduce_max", "reduce_min"))
        formula = partial(f.reduce, name, axes=axes, keep_dims=True)
        g.apply(name, n, formula, _axes_text("axes", axes, ", keep_dims"), exact=True)
    elif np.abs(n.wide.astype(np.int64)).max(initial=0) < 2**13:
        name = g.rng.choice(("convert_truncation", "convert_saturation"))
        g.emit(name, [n], f.as_float, element="f32", exact=True)


def _reduce(g: Graph, a: Value) -> None:
    name, keep = g.rng.choice(tuple(f.REDUCE)), g.rng.random() < 0.6
    if a.wide.ndim:
        axes = _some_axes(g, a.wide.ndim)
        text = _axes_text("axes", axes, ", keep_dims" if keep else "")
        formula = partial(f.reduce, name, axes=axes, keep_dims=keep)
        g.apply(name, a, formula, text, a.exact and name in ("reduce_max", "reduce_min"))


def _softmax(g: Graph, a: Value) -> None:
    if a.wide.ndim:
        axis = g.rng.randrange(a.wide.ndim)
        name = g.rng.choice(("softmax", "log_softmax"))
        formula = partial(f.softmax if name == "softmax" else f.log_softmax, axis=axis)
        g.emit(name, [a], formula, attributes=f" {{axis = {axis} : i64}}")


def _layer_norm(g: Graph, a: Value) -> None:
    rank = a.wide.ndim
    if not rank:
        return
    axis = g.rng.randrange(rank)
    axes = tuple(range(axis, rank))
    text = f" {{axis = {axis} : i64, epsilon = {EPSILON} : f32}}"
    scale = [g.input(a.shape[axis:])] if g.rng.random() < 0.7 else []
    if g.rng.random() < 0.5:
        formula = partial(f.rms_norm, axes=axes, epsilon=EPSILON)
        g.emit("rms_norm", [a, *scale], formula, attributes=text, element="f32")
        return
    bias = [g.input(a.shape[axis:])] if scale and g.rng.random() < 0.7 else []
    formula = partial(f.layer_norm, axes=axes, epsilon=EPSILON)
    g.emit("layer_norm", [a, *scale, *bias], formula, attributes=text, element="f32")


def _channel_norm(g: Graph, a: Value) -> None:
    if a.wide.ndim < 3 or a.wide.size == 0:
        return
    channels = a.shape[1]
    scale, bias = g.input((channels,)), g.input((channels,))
    kind = g.rng.randrange(3)
    epsilon = f"epsilon = {EPSILON} : f32"
    if kind == 0:
        groups = g.rng.choice([n for n in range(1, channels + 1) if channels % n == 0])
        formula = partial(f.group_norm, groups=groups, epsilon=EPSILON)
        g.emit("group_norm", [a, scale, bias], formula,
               attributes=f" {{num_groups = {groups} : i64, {epsilon}}}")  # fmt: skip
    elif kind == 1:
        formula = partial(f.group_norm, groups=channels, epsilon=EPSILON)
        g.emit("instance_norm", [a, scale, bias], formula, attributes=f" {{{epsilon}}}")
    else:
        mean = g.input((channels,))
        variance = g.emit("abs", [g.input((channels,))], np.abs)
        if variance is not None:
            formula = partial(f.batch_norm, epsilon=EPSILON)
            operands = [a, scale, bias, mean, variance]
            g.emit("batch_norm", operands, formula, attributes=f" {{{epsilon}}}")


def _mvn(g: Graph, a: Value) -> None:
    if a.wide.ndim:
        axes = _some_axes(g, a.wide.ndim)
        text = _axes_text("axes", axes, f", epsilon = {EPSILON} : f32, normalize_variance")
        g.apply("mvn", a, lambda x: f.normalized(x, axes, EPSILON), text)


def _transpose(g: Graph, a: Value) -> None:
    rank = a.wide.ndim
    order = tuple(g.rng.sample(range(rank), rank))
    if rank:
        text = _axes_text("permutation", order)
        g.apply("transpose", a, lambda x: np.transpose(x, order), text, a.exact)


def _reshape(g: Graph, a: Value) -> None:
    kind = g.rng.randrange(3)
    ones = tuple(i for i, size in enumerate(a.shape) if size == 1)
    if kind == 0 and ones:
        axes = ones[: g.rng.randint(1, len(ones))]
        shape = tuple(s for i, s in enumerate(a.shape) if i not in axes)
        g.apply("squeeze", a, lambda x: x.reshape(shape), _axes_text("axes", axes), a.exact)
    elif kind == 1 and a.wide.ndim < 6:
        axis = g.rng.randint(0, a.wide.ndim)
        shape = (*a.shape[:axis], 1, *a.shape[axis:])
        text = _axes_text("axes", (axis,))
        g.apply("unsqueeze", a, lambda x: x.reshape(shape), text, a.exact)
    else:
        cut = g.rng.randint(0, a.wide.ndim)
        shape = (prod(a.shape[:cut]), prod(a.shape[cut:]))
        g.apply("reshape", a, lambda x: x.reshape(shape), exact=a.exact)


def _broadcast(g: Graph, a: Value) -> None:
    shape = [g.rng.choice((2, 3, 5, 8)) if s == 1 else s for s in a.shape]
    if len(shape) < 6 and g.rng.random() < 0.4:
        shape = [g.rng.choice((2, 3)), *shape]
    target = tuple(shape)
    if prod(target) <= LARGEST:
        g.apply("broadcast", a, lambda x: np.broadcast_to(x, target), exact=a.exact)


KINDS: tuple[tuple[Callable[[Graph, Value], None], int], ...] = (
    (_unary, 20),
    (_unary_with_attributes, 8),
    (_jump, 3),
    (_binary, 25),
    (_compare, 4),
    (_select, 4),
    (_logical, 3),
    (_integer, 5),
    (_reduce, 8),
    (_softmax, 4),
    (_layer_norm, 4),
    (_channel_norm, 3),
    (_mvn, 2),
    (_transpose, 4),
    (_reshape, 5),
    (_broadcast, 4),
)
"""Each kind of op, and how often it is tried."""


def add_op(g: Graph) -> None:
    """Try to add an op of a random kind to the graph."""
    a = g.pick("f32")
    assert a is not None
    kinds, weights = zip(*KINDS, strict=True)
    g.rng.choices(kinds, weights)[0](g, a)
