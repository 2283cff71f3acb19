"""The ops of random graphs whose dims have names (`sized_graphs`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import sized_oracle as oracle
from sized_graphs import ONE, Dim, SizedGraph, Value
from sized_numbers import FLOATS, INTEGERS, Array, Numbers

CONVERTED = ("i8", "i16", "i32", "i64", "f32")


def _array(numbers: list[int]) -> str:
    return f"array<i64: {', '.join(map(str, numbers))}>" if numbers else "array<i64>"


def _elementwise(g: SizedGraph, a: Value) -> None:
    """An op of a value, or of two: often of a value with itself."""
    unary = g.rng.random() < 0.3
    if a.element == "i1":
        (b, dims), op = g.partner(a), g.rng.choice(tuple(oracle.LOGICAL))
        g.emit(op, [a, b], dims, partial(oracle.truths, oracle.LOGICAL[op]))
    elif a.element in INTEGERS and unary:
        op = g.rng.choice([op for op in oracle.INT_UNARY if a.element != "ui8" or op == "sign"])
        g.emit(op, [a], a.dims, partial(oracle.integers, oracle.INT_UNARY[op]))
    elif a.element in INTEGERS:
        (b, dims), op = g.partner(a), g.rng.choice(tuple(oracle.INT_BINARY))
        g.emit(op, [a, b], dims, partial(oracle.integers, oracle.INT_BINARY[op]))
    elif unary:
        op = g.rng.choice(tuple(oracle.FLOAT_UNARY))
        g.emit(op, [a], a.dims, partial(oracle.float_unary, op))
    else:
        (b, dims), op = g.partner(a), g.rng.choice(oracle.FLOAT_BINARY)
        g.emit(op, [a, b], dims, partial(oracle.float_binary, op))


def _reduce(g: SizedGraph, a: Value, keeps: bool | None = None) -> Value | None:
    if not a.dims or a.element == "i1":
        return None
    rank = len(a.dims)
    axes = sorted(g.rng.sample(range(rank), g.rng.choice((1, 1, 1, 2, rank)) % (rank + 1)))
    keeps = g.rng.random() < 0.5 if keeps is None else keeps
    dims = tuple(ONE if i in axes else d for i, d in enumerate(a.dims) if keeps or i not in axes)
    text = f"axes = {_array(axes)}{', keep_dims' if keeps else ''}"
    if a.element in FLOATS:
        op = g.rng.choice(("max", "min", "sum", "mean"))
        function = partial(oracle.reduce_floats, op, axes, keeps)
    else:
        op = g.rng.choice(("max", "min", "sum", "mean", "mean", "mean", "prod"))
        function = partial(oracle.reduce_integers, op, axes, keeps)
    return g.emit(f"reduce_{op}", [a], dims, function, attributes=text)


def _reduce_and_read(g: SizedGraph, a: Value) -> None:
    """A reduction, and an op of its result and its operand."""
    if (total := _reduce(g, a, keeps=True)) is not None:
        op = g.rng.choice(("subtract", "add", "multiply"))
        if a.element in FLOATS:
            g.emit(op, [a, total], a.dims, partial(oracle.float_binary, op))
        else:
            g.emit(op, [a, total], a.dims, partial(oracle.integers, oracle.INT_BINARY[op]))


def _norm(g: SizedGraph, a: Value) -> None:
    if not a.dims or a.element not in FLOATS:
        return
    rank, epsilon = len(a.dims), f"epsilon = 1.0 : {a.element}"
    axis, kind = g.rng.randrange(rank), g.rng.choice(NORMS)
    last = list(range(axis, rank))
    if kind in ("softmax", "log_softmax"):
        text = f"axis = {axis} : i64"
        function = partial(getattr(oracle, kind), axis)
        g.emit(kind, [a], a.dims, function, attributes=text)
    elif kind in ("layer", "rms"):
        function = partial(oracle.normalized, last, kind == "layer")
        text = f"axis = {axis} : i64, {epsilon}"
        g.emit(f"{kind}_norm", [a], a.dims, function, attributes=text)
    elif kind == "mvn":
        axes = sorted(g.rng.sample(range(rank), g.rng.randint(1, rank)))
        function = partial(oracle.normalized, axes, True)
        text = f"axes = {_array(axes)}, {epsilon}, normalize_variance"
        g.emit("mvn", [a], a.dims, function, attributes=text)
    elif rank > 1:
        _channel_norm(g, a, kind, epsilon)


NORMS = ("softmax", "log_softmax", "layer", "rms", "mvn", "instance", "group", "batch")


def _channel_norm(g: SizedGraph, a: Value, kind: str, epsilon: str) -> None:
    """A norm of [N, C, ...] whose parameters are [C]."""
    rank, channels = len(a.dims), a.dims[1]
    known = [v for v in g.values if v.element == a.element and v.dims == (channels,)]
    if not known or (kind == "instance" and rank < 3):
        return
    operands = [a, *(g.rng.choice(known) for _ in range(4 if kind == "batch" else 2))]
    groups = 1
    if kind == "group" and not g.is_dynamic(channels):
        size = channels.size(g.fixed)
        groups = g.rng.choice([n for n in range(1, max(size, 3) + 1) if size % n == 0])
    if kind == "batch":  # whose variance is above 0
        operands[4] = g.emit("abs", operands[4:], (channels,), partial(oracle.float_unary, "abs"))

    def function(x: Numbers, *parameters: Numbers) -> Numbers:
        size = x.array.shape[1]
        ones = (size, *(1,) * (rank - 2))
        scale, bias, *moments = [oracle.viewed(lambda p: p.reshape(ones), p) for p in parameters]
        if kind == "batch":
            return oracle.scaled(oracle.standardized(x, *moments), scale, bias)
        found = oracle.normalized_groups(size if kind == "instance" else groups, x)
        return oracle.scaled(found, scale, bias)

    more = f", num_groups = {groups} : i64" if kind == "group" else ""
    g.emit(f"{kind}_norm", operands, a.dims, function, attributes=epsilon + more)


def _transpose(g: SizedGraph, a: Value) -> None:
    order = g.rng.sample(range(len(a.dims)), len(a.dims))
    if order:
        function = partial(oracle.viewed, lambda x: np.transpose(x, order))
        dims = tuple(a.dims[i] for i in order)
        g.emit("transpose", [a], dims, function, attributes=f"permutation = {_array(order)}")


def _view(g: SizedGraph, a: Value) -> None:
    kind, rank = g.rng.choice(("squeeze", "unsqueeze", "reshape")), len(a.dims)
    ones = [i for i, dim in enumerate(a.dims) if dim == ONE]
    place = g.rng.randint(0, rank)
    if kind == "squeeze" and ones:
        place = g.rng.choice(ones)
        dims = a.dims[:place] + a.dims[place + 1 :]
        function = partial(oracle.viewed, lambda x: np.squeeze(x, place))
        g.emit("squeeze", [a], dims, function, attributes=f"axes = {_array([place])}")
    elif kind == "unsqueeze" and rank < 5:
        dims = (*a.dims[:place], ONE, *a.dims[place:])
        function = partial(oracle.viewed, lambda x: np.expand_dims(x, place))
        g.emit("unsqueeze", [a], dims, function, attributes=f"axes = {_array([place])}")
    elif kind == "reshape" and 0 < place < rank:
        dims = (*a.dims[: place - 1], a.dims[place - 1].times(a.dims[place]), *a.dims[place + 1 :])
        dynamic = [dim for dim in dims if g.is_dynamic(dim)]
        known = [dim.size(g.fixed) for dim in dims if not g.is_dynamic(dim)]
        if len(dynamic) + (0 in known) <= 1:  # or the sizes do not follow from the elements

            def merged(x: Array) -> Array:
                shape = x.shape
                both = shape[place - 1] * shape[place]
                return x.reshape((*shape[: place - 1], both, *shape[place + 1 :]))

            g.emit("reshape", [a], dims, partial(oracle.viewed, merged))


def _broadcast(g: SizedGraph, a: Value) -> None:
    ones = [i for i, dim in enumerate(a.dims) if dim == ONE]
    if not ones or any(map(g.is_dynamic, a.dims)):  # a dynamic size of 1 is refused
        return
    place, size = g.rng.choice(ones), g.rng.choice((0, 2, 3))
    dims = (*a.dims[:place], Dim(size), *a.dims[place + 1 :])
    function = partial(oracle.viewed, lambda x: np.repeat(x, size, place))
    g.emit("broadcast", [a], dims, function)


def _compare(g: SizedGraph, a: Value) -> None:
    if a.element in INTEGERS:
        (b, dims), op = g.partner(a), g.rng.choice(tuple(oracle.COMPARE))
        function = partial(oracle.truths, oracle.COMPARE[op])
        condition = g.emit(op, [a, b], dims, function, "i1")
        if g.rng.random() < 0.7:
            g.emit("select", [condition, a, b], dims, oracle.select)


def _convert(g: SizedGraph, a: Value) -> None:
    if a.element in INTEGERS:
        target = g.rng.choice(CONVERTED)
        op = g.rng.choice(("convert_truncation", "convert_saturation"))
        function = partial(oracle.convert, target, op == "convert_saturation")
        g.emit(op, [a], a.dims, function, target)


def _constant(g: SizedGraph, a: Value) -> None:
    if a.element in INTEGERS or a.element in FLOATS:
        small = a.element == "ui8"
        constant = g.scalar(a.element, g.rng.choice((0, 1, 2) if small else (0, 1, -1, 2)))
        op = g.rng.choice(("add", "subtract", "multiply", "maximum"))
        operands = [a, constant] if g.rng.random() < 0.7 else [constant, a]
        if a.element in FLOATS:
            g.emit(op, operands, a.dims, partial(oracle.float_binary, op))
        else:
            g.emit(op, operands, a.dims, partial(oracle.integers, oracle.INT_BINARY[op]))


KINDS: tuple[tuple[Callable[[SizedGraph, Value], object], int], ...] = (
    (_elementwise, 30),
    (_reduce, 15),
    (_reduce_and_read, 12),
    (_norm, 8),
    (_transpose, 5),
    (_view, 8),
    (_broadcast, 4),
    (_compare, 5),
    (_convert, 5),
    (_constant, 8),
)
"""Each kind of op, and how often it is tried."""


def generate(seed: int) -> SizedGraph:
    g = SizedGraph(seed)
    kinds, weights = zip(*KINDS, strict=True)
    tries = g.rng.randint(3, 24)
    for _ in range(tries):
        a = g.pick()
        assert a is not None
        g.rng.choices(kinds, weights)[0](g, a)
    computed = [v for v in g.values if v.operands]
    if not computed:
        a = g.inputs[0]
        computed = [g.emit("add", [a, a], a.dims, partial(_double, a.element))]
    g.outputs = g.rng.sample(computed, min(len(computed), g.rng.randint(1, 8)))
    return g


def _double(element: str, a: Numbers, b: Numbers) -> Numbers:
    if element in FLOATS:
        return oracle.float_binary("add", a, b)
    return oracle.integers(oracle.INT_BINARY["add"], a, b)
