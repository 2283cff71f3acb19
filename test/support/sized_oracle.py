"""What the ops of random graphs compute, in Python's integers and in float64.

It is written down from docs/semantics.md and shares no code with the product: nothing of
`snippets_mlir` is imported. `sized_numbers` says what the numbers are, and when a result is right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce

import numpy as np
from sized_numbers import FLOATS, Array, Numbers, each, limits, objects, rounded, wrapped


def _quotient(a: int, b: int) -> int:
    """Cut towards zero; 0 of a division by 0."""
    if b == 0:
        return 0
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _rest(a: int, b: int) -> int:
    return a - _quotient(a, b) * b if b else 0


INT_BINARY: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "maximum": max,
    "minimum": min,
    "squared_difference": lambda a, b: (a - b) * (a - b),
    "divide": _quotient,
    "mod": _rest,
    "floor_mod": lambda a, b: a % b if b else 0,
    "bitwise_and": lambda a, b: a & b,
    "bitwise_or": lambda a, b: a | b,
    "bitwise_xor": lambda a, b: a ^ b,
}

INT_UNARY: dict[str, Callable[[int], int]] = {
    "abs": abs,
    "negative": lambda a: -a,
    "relu": lambda a: max(a, 0),
    "sign": lambda a: (a > 0) - (a < 0),
    "bitwise_not": lambda a: ~a,
}

COMPARE: dict[str, Callable[[int, int], bool]] = {
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
}

LOGICAL: dict[str, Callable[[bool, bool], bool]] = {
    "logical_and": lambda a, b: a and b,
    "logical_or": lambda a, b: a or b,
    "logical_xor": lambda a, b: a != b,
}


def integers(function: Callable[..., int], *operands: Numbers) -> Numbers:
    """`function` of integers, which wraps."""
    element = operands[0].element
    arrays = (v.array for v in operands)
    return Numbers(element, each(lambda *row: wrapped(element, function(*row)), *arrays))


def truths(function: Callable[..., bool], *operands: Numbers) -> Numbers:
    """`function` of integers or truth values, which is a truth value."""
    return Numbers("i1", each(lambda *row: bool(function(*row)), *(v.array for v in operands)))


def float_binary(op: str, a: Numbers, b: Numbers) -> Numbers:
    x, y, sides = a.array, b.array, (a.bound * b.magnitude + b.bound * a.magnitude)
    both = a.bound + b.bound
    with np.errstate(all="ignore"):
        match op:
            case "add":
                return rounded(a.element, x + y, both, a, b)
            case "subtract":
                return rounded(a.element, x - y, both, a, b)
            case "multiply":
                return rounded(a.element, x * y, sides + a.bound * b.bound, a, b)
            case "maximum":
                return rounded(a.element, np.maximum(x, y), both, a, b)
            case "minimum":
                return rounded(a.element, np.minimum(x, y), both, a, b)
            case _:
                distance = x - y
                inner = rounded(a.element, distance, both, a, b)
                carried = inner.bound * (2 * inner.magnitude + inner.bound)
                return rounded(a.element, distance * distance, carried, a, b, inner)


FLOAT_BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "squared_difference")

FLOAT_UNARY: dict[str, Callable[[Array], Array]] = {
    "abs": np.abs,
    "negative": np.negative,
    "relu": lambda x: np.maximum(x, 0),
}


def float_unary(op: str, a: Numbers) -> Numbers:
    """A unary op of floats that rounds nothing."""
    return rounded(a.element, FLOAT_UNARY[op](a.array), a.bound, a)


def select(condition: Numbers, a: Numbers, b: Numbers) -> Numbers:
    """The first where the condition holds, else the second."""
    arrays = np.broadcast_arrays(condition.array.astype(np.bool_), a.array, b.array)
    return Numbers(a.element, np.where(*arrays), max(a.bound, b.bound))


def convert(target: str, saturates: bool, a: Numbers) -> Numbers:
    """A conversion from integers to integers or to floats."""
    if target in FLOATS:
        return rounded(target, a.array.astype(np.float64), 0.0)
    function = partial(_clamped if saturates else wrapped, target)
    return Numbers(target, each(function, a.array))


def _clamped(element: str, number: int) -> int:
    low, high = limits(element)
    return min(max(number, low), high)


# Shapes.


def viewed(function: Callable[[Array], Array], a: Numbers) -> Numbers:
    """The same numbers under another shape or in another order."""
    return Numbers(a.element, function(a.array), a.bound)


# Reductions and norms.


def _rows(x: Array, axes: Sequence[int]) -> Array:
    """The elements that each result is made of, a row each."""
    kept = [d for d in range(x.ndim) if d not in axes]
    count = math.prod(x.shape[d] for d in axes)
    results = math.prod(x.shape[d] for d in kept)
    return np.transpose(x, (*kept, *axes)).reshape(results, count)


def _reduced_shape(shape: Sequence[int], axes: Sequence[int], keeps: bool) -> list[int]:
    return [1 if d in axes else s for d, s in enumerate(shape) if keeps or d not in axes]


def _combined(op: str, element: str, row: list[int]) -> int:
    low, high = limits(element)
    match op:
        case "max":
            return max(row, default=low)
        case "min":
            return min(row, default=high)
        case "prod":
            return reduce(lambda a, b: wrapped(element, a * b), row, 1)
        case "mean":
            return _quotient(wrapped("i64", sum(row)), len(row))
        case _:
            return wrapped(element, sum(row))


def reduce_integers(op: str, axes: Sequence[int], keeps: bool, a: Numbers) -> Numbers:
    results = [_combined(op, a.element, row) for row in _rows(a.array, axes).tolist()]
    shape = _reduced_shape(a.array.shape, axes, keeps)
    return Numbers(a.element, objects(results, shape))


def reduce_floats(op: str, axes: Sequence[int], keeps: bool, a: Numbers) -> Numbers:
    """A reduction of floats: maximum, minimum, sum or mean; 16-bit floats are added in f32."""
    rows = _rows(a.array, axes)
    shape, count = _reduced_shape(a.array.shape, axes, keeps), rows.shape[1]
    with np.errstate(all="ignore"):
        if op in ("max", "min"):
            function, start = (np.max, -np.inf) if op == "max" else (np.min, np.inf)
            found = function(rows, axis=1, initial=start)
            return rounded(a.element, found.reshape(shape), a.bound, a)
        total = rows.sum(axis=1)
        sizes = np.abs(np.where(np.isfinite(rows), rows, 0)).sum(axis=1).max(initial=0.0)
        carried = count * a.bound + count * min(FLOATS[a.element], FLOATS["f32"]) * float(sizes)
        if op == "sum":
            return rounded(a.element, total.reshape(shape), carried if count > 1 else a.bound, a)
        mean = total / np.float64(count)
        return rounded(a.element, mean.reshape(shape), carried / max(count, 1), a)


def softmax(axis: int, a: Numbers) -> Numbers:
    """The exponential of each element, divided by their sum along an axis."""
    x = a.array
    if not x.size:
        return a
    with np.errstate(all="ignore"):
        powers = np.exp(x - x.max(axis=axis, keepdims=True))
        found = powers / powers.sum(axis=axis, keepdims=True)
    eps = FLOATS[a.element] if a.element != "f64" else FLOATS["f64"]
    carried = math.expm1(min(2 * a.bound, 600.0)) + (x.shape[axis] + 64) * eps * (1 + a.magnitude)
    return rounded(a.element, found, carried, a)


def log_softmax(axis: int, a: Numbers) -> Numbers:
    """The logarithm of `softmax`."""
    x = a.array
    if not x.size:
        return a
    with np.errstate(all="ignore"):
        d = x - x.max(axis=axis, keepdims=True)
        found = d - np.log(np.exp(d).sum(axis=axis, keepdims=True))
    eps = FLOATS[a.element]
    size = 2 * a.magnitude + math.log(x.shape[axis])
    carried = 4 * a.bound + (x.shape[axis] + 64) * eps * (1 + size)
    return rounded(a.element, found, carried, a)


def normalized_groups(groups: int, a: Numbers) -> Numbers:
    """`normalized` over groups of neighbours of dim 1, and all dims after it."""
    x = a.array
    if not x.size:
        return a
    rows = Numbers(a.element, x.reshape(x.shape[0] * groups, -1), a.bound)
    found = normalized([1], True, rows)
    return Numbers(a.element, found.array.reshape(x.shape), found.bound)


def standardized(a: Numbers, mean: Numbers, variance: Numbers) -> Numbers:
    """(x - mean) / sqrt(variance + 1); the parameters broadcast to `a`, no variance is below 0."""
    if not a.array.size:
        return a
    eps = FLOATS[a.element]
    with np.errstate(all="ignore"):
        d = a.array - mean.array
        found = d / np.sqrt(variance.array + 1.0)
    size = a.magnitude + mean.magnitude
    carried = a.bound + mean.bound + size * variance.bound + 8 * eps * size * (1 + variance.bound)
    return rounded(a.element, found, carried, a, mean, variance)


def normalized(axes: Sequence[int], centred: bool, a: Numbers) -> Numbers:
    """d / sqrt(mean(d * d) + 1), with d = x - mean(x) where it is `centred`, else x."""
    x = a.array
    if not x.size:
        return a
    count, eps = math.prod(x.shape[d] for d in axes), FLOATS[a.element]
    with np.errstate(all="ignore"):
        d = x - x.mean(axis=tuple(axes), keepdims=True) if centred else x
        found = d / np.sqrt((d * d).mean(axis=tuple(axes), keepdims=True) + 1.0)
    size = a.magnitude
    off = 2 * a.bound + (count + 4) * eps * size
    carried = off * (1 + 2 * size * size) + count * eps * size * size * size
    return rounded(a.element, found, carried, a)


def scaled(a: Numbers, *parameters: Numbers) -> Numbers:
    """The first factor, then the second one added; they broadcast to `a`."""
    for op, parameter in zip(("multiply", "add"), parameters, strict=False):
        a = float_binary(op, a, parameter)
    return a
