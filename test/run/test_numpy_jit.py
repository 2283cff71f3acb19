# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""`snippets_mlir.jit`: results, dtypes and shapes are NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy_results import same
from sampled import sampled

import snippets_mlir.xp as xp
from snippets_mlir import jit

RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 24)).astype(np.float32)
Y = RNG.normal(size=24).astype(np.float32)
INTEGERS = np.arange(-8, 8, dtype=np.int32)
DIVISORS = np.array([3, -3, 2, 5] * 4, np.int32)
SPECIAL = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, -3.5, 2.5, 1e30], np.float32)


class Pair(NamedTuple):
    """A tree of arrays with names."""

    first: Any
    second: Any


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "arithmetic": (lambda x, y: x * 2 + y - np.float32(3) / (1 + abs(x)), (X, Y)),
    "promotion": (lambda x: x.astype(np.float64) ** 2 + np.int8(3) + np.ones((8, 1)), (X,)),
    "half": (lambda x: np.tanh(x) + np.float32(1), (X.astype(np.float16),)),
    "functions": (
        lambda x: np.square(x) + np.log2(abs(x) + 1) + np.hypot(x, 3) + np.sign(x) + np.deg2rad(x),
        (X,),
    ),
    "exponentials": (
        lambda x, y: (np.log1p(abs(x)) + np.expm1(x), np.exp2(x) + np.cbrt(x), np.arctan2(x, y)),
        (X, Y),
    ),
    "their special values": (
        lambda x: (np.log1p(x), np.expm1(x), np.log2(x), np.log10(x), np.arctan2(x, 0)),
        (SPECIAL,),
    ),
    "rounding": (lambda x: np.rint(x) + np.floor(x) + np.ceil(x) + np.trunc(x) + x.round(), (X,)),
    "division": (lambda a, b: (a // b + a % b, np.fmod(a, b), a / b), (INTEGERS, DIVISORS)),
    "division of floats": (lambda x, y: np.floor_divide(x, y) + x % y, (X, Y)),
    "bits": (lambda a, b: ((a & b) | (a ^ 5), ~a << 2, a >> 1), (INTEGERS, DIVISORS)),
    "bools": (lambda b, c: (~b | (b & c), b ^ c, b.sum(), b + c, b.any()), (X > 0, X > 1)),
    "where": (lambda x, y: np.where((x > y) & ~np.isnan(x), x, 0), (X, Y)),
    "clip": (lambda x: np.clip(x, -1, 1) + x.clip(max=0.5), (X,)),
    "special values": (
        lambda x: (np.maximum(x, 1), np.fmax(x, 1), np.copysign(2, x), np.signbit(x), x == x),
        (SPECIAL,),
    ),
    "next floats": (
        lambda x, h: (np.nextafter(x, 0), np.nextafter(h, np.float16(1)), np.nextafter(-0.0, x)),
        (SPECIAL, X.astype(np.float16)),
    ),
    "layer norm": (
        lambda x: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5),
        (X,),
    ),
    "reductions": (
        lambda x: (x.sum(), x.min(0), x.prod(1), x.std(), x.mean((0, 1)), np.count_nonzero(x > 0)),
        (X,),
    ),
    "cumulative sums": (
        lambda x, a: (np.exp(x.cumsum(1) * 0.1), np.cumsum(a), np.cumsum(a > 0, axis=0)),
        (X, INTEGERS.astype(np.int8)),
    ),
    "cumulative sums with the first": (
        lambda x: (np.cumulative_sum(x, axis=-1, include_initial=True), np.cumsum(x[:0], 1)),
        (X,),
    ),
    "reductions of some elements": (
        lambda x, a: (
            x.sum(1, where=x > 0),
            np.prod(x, where=x[0] < 1, initial=2.0),
            np.mean(x, axis=1, keepdims=True, where=np.arange(x.shape[1]) % 3 == 0),
            np.var(x, 1, where=np.arange(x.shape[1]) % 3 == 0),
            x.std(0, ddof=1, keepdims=True, where=np.arange(x.shape[0])[:, None] > 2),
            x.max(0, initial=-3, where=x < 1),
            np.min(x, initial=0.5),
            np.any(a > 5, where=a < 9),
            np.all(x > 0, axis=1, where=x != 0),
            np.add.reduce(a, where=a > 0, initial=7),
            np.max(x[:0], axis=0, initial=1),
        ),
        (X, INTEGERS.astype(np.int8)),
    ),
    "tiles, grids and parts": (
        lambda x, y: (
            np.tile(x, 2),
            np.tile(y, (2, 1, 3)),
            np.tile(x, (0, 1)),
            *np.meshgrid(x[0], y),
            *np.meshgrid(y, x[0, :1], indexing="ij", sparse=True),
            *np.unstack(x[:2], axis=0),
            np.real(x),
        ),
        (X, Y),
    ),
    "products of tensors": (
        lambda x, z: (
            np.tensordot(z, x, 2),
            np.tensordot(z, x, axes=(2, 1)),
            np.tensordot(x[0], x[0], 0),
            np.tensordot(z, z, axes=([2, -3], [2, 0])),
        ),
        (X, np.stack([X, X + 1])),
    ),
    "logarithms of sums": (
        lambda s, t: (np.logaddexp(s, t), np.logaddexp(s, 3)),
        tuple(g.ravel() for g in np.meshgrid(SPECIAL, SPECIAL)),
    ),
    "cumulative products and extremes": (
        lambda x, a: (
            np.cumprod(x, axis=1),
            a.cumprod(),
            np.cumulative_prod(x, axis=0, include_initial=True),
            np.maximum.accumulate(x, axis=-1),
            np.minimum.accumulate(a) + 1,
            np.add.accumulate(x > 0),
        ),
        (X, INTEGERS.astype(np.int8)),
    ),
    "places": (
        lambda x, a: (x.argmax(1), np.argmin(x), np.argmax(a, axis=0, keepdims=True)),
        (np.stack([SPECIAL, SPECIAL[::-1]]), INTEGERS),
    ),
    "places of all": (lambda x: (np.argmin(x, keepdims=True), np.argmax(x > 0, -1)), (X,)),
    "sums of integers": (lambda a: (a.sum(), a.mean(), a.max()), (INTEGERS.astype(np.int8),)),
    "products": (lambda x, y: (x @ y, x @ x.T, np.dot(y, y), np.vecdot(x, y)), (X, Y)),
    "views": (lambda x: x.reshape(4, -1).T[None].squeeze() + np.moveaxis(x, 0, 1).sum(), (X,)),
    "indices": (lambda x: (x[1:5:2, None, ..., ::-1][0], x[-1], x[::-3, 3:3], x[..., 5]), (X,)),
    "known places": (
        lambda x: (
            np.take(x, [[2, -1], [0, 0]], 1) * 2,
            x[[1, 0, 1]],
            np.take(x, 5),
            x.take([], 0),
            x[[]],
        ),
        (X,),
    ),
    "repeats": (
        lambda x: (np.repeat(x, 2, axis=1), x.repeat([1, 0, 2], 0), np.repeat(x, 3)),
        (X[:3],),
    ),
    "joins": (lambda x, y: (np.concatenate([x, x * 2], 1), np.stack([x[0], y])), (X, Y)),
    "moves": (
        lambda x: (np.flip(x, 1), np.roll(x, 3, axis=1), np.diff(x), np.tril(x), np.triu(x, 1)),
        (X,),
    ),
    "trees": (lambda d: {"a": d["x"] + d["l"][0], "b": Pair(d["x"], 1)}, ({"x": X, "l": [Y, 1]},)),
    "numbers": (lambda x, a, n: x * a + n, (X, 2.5, 3)),
    "array API": (lambda x: xp.exp(x) / xp.sum(xp.exp(x), axis=-1, keepdims=True), (X,)),
    "empty": (lambda x: (x.sum(1), x * 2), (X[:, :0],)),
    "rank 0": (lambda x: np.exp(x) + 1, (np.float32(2),)),
}


@pytest.mark.parametrize("name", sampled(PROGRAMS, 3))
def test_results_are_numpys(name: str) -> None:
    function, arguments = PROGRAMS[name]
    with np.errstate(all="ignore"):
        expected = function(*arguments)
    compiled = jit(function, num_threads=1)
    same(compiled(*arguments), expected)
    same(compiled(*arguments), expected)
