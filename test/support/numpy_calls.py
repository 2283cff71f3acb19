"""Random calls of NumPy's functions, with options that fit or do not, on arrays of any layout.

    call(random.Random(3))   ("np.sum(x, axis=(0, 1), keepdims=True)", {"x": ..., "y": ..., ...})

A call is Python text over two arrays of one shape and an array of places. Elements are multiples of
1/4, so that no result depends on rounding or on the order of a sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array

_CALLS = (
    "np.{reduction}(x{axis}{keepdims})",
    "np.{reduction}(y[::-1]{axis})",
    "np.{fold}(x{axis}{keepdims}{initial}{where})",
    "np.{sum}(x{axis}{dtype}{keepdims})",
    "np.{spread}(x{axis}{ddof}{keepdims})",
    "np.{place}(x{dim}{keepdims})",
    "np.{running}(x{dim}{dtype})",
    "np.{ufunc}.{method}(x{axis})",
    "np.{ufunc}(x, {second})",
    "np.{ufunc}({second}, x)",
    "np.{comparison}(x, {second})",
    "x[{index}]",
    "x[{index}, {index}]",
    "np.take(x, {places}{dim}{mode})",
    "np.clip(x, {bound}, {bound})",
    "np.where(x > {bound}, x, {second})",
    "np.{join}([x, y]{dim})",
    "np.{stack}([x, y])",
    "np.append(x, {second}{dim})",
    "np.expand_dims(x, {number})",
    "np.{turn}(x{axis})",
    "np.roll(x, {shift}{axis})",
    "np.diff(x{count}{dim})",
    "np.repeat(x, {shift}{dim})",
    "np.tile(x, {copies})",
    "np.pad(x, {width}, {padding})",
    "np.reshape(x, {shape}{order})",
    "np.{triangle}(x{corner})",
    "np.{product}(x, {second})",
    "np.linalg.norm(x{norm}{axis}{keepdims})",
    "np.{swap}(x, {number}, {number})",
    "x.astype({type})",
)

_AXES = "0 1 -1 2 -3 None (0,1) (-1,0) () (0,0)".split()
_PARTS: dict[str, Sequence[str]] = {
    "reduction": "sum mean max min any all prod ptp nansum nanmax count_nonzero".split(),
    "fold": "sum max min prod".split(),
    "sum": "sum mean".split(),
    "spread": "var std nanvar".split(),
    "place": "argmax argmin".split(),
    "running": "cumsum nancumsum".split(),
    "ufunc": "add subtract multiply maximum minimum".split(),
    "method": "reduce accumulate".split(),
    "comparison": "less less_equal greater greater_equal equal not_equal".split(),
    "join": "concatenate stack".split(),
    "stack": "hstack vstack dstack column_stack".split(),
    "turn": "flip squeeze".split(),
    "triangle": "tril triu diagonal trace".split(),
    "product": "matmul dot inner outer vdot kron".split(),
    "swap": "swapaxes moveaxis rollaxis".split(),
    "second": "x y 2 -1 0.5 True 300 np.int8(3) np.float32(2) np.float64(0.5) y[::-1]".split(),
    "bound": "None 0 -1.5 2 300 -1 y np.int8(3)".split(),
    "index": "0 -1 1: ::-1 ::2 -2::-2 None ... [0,-1] i i[:1] 5:1 [[0,1],[1,0]] 3".split(),
    "places": "0 -1 [0,1] i [[0],[-1]] [0,0,1] [5]".split(),
    "number": "0 1 -1 2 -2".split(),
    "shift": "1 2 0 -2 3".split(),
    "copies": "2 (2,1) (1,2) 0 ()".split(),
    "width": "1 (1,2) 0 ((1,0),(0,2)) 2".split(),
    "padding": "'edge' 'reflect' 'symmetric' 'wrap' constant_values=2".split(),
    "shape": "-1 (-1,1) (2,-1) x.shape (x.size,) (1,-1)".split(),
    "type": "'f4' 'f8' 'f2' 'i8' 'i4' bool".split(),
}
_OPTIONS: dict[str, Sequence[str]] = {
    "axis": [f", axis={axis}" for axis in _AXES],
    "dim": [f", axis={axis}" for axis in _AXES[:6]],
    "keepdims": [", keepdims=True", ", keepdims=False"],
    "initial": [", initial=2", ", initial=-1.5"],
    "where": [", where=x > 0", ", where=True"],
    "dtype": [", dtype='f8'", ", dtype='f4'", ", dtype='i8'", ", dtype=None"],
    "ddof": [", ddof=1", ", ddof=0"],
    "count": [", n=2", ", n=0", ", n=-1"],
    "mode": [", mode='clip'", ", mode='wrap'", ", mode='raise'"],
    "order": [", order='F'", ", order='C'"],
    "corner": [", 1", ", -1"],
    "norm": [", ord=1", ", ord=2", ", ord=np.inf", ", ord=None"],
}
_TYPES = "f4 f4 f8 f2 i1 u1 i4 i8 u8 ?".split()


def call(random: Random) -> tuple[str, dict[str, Array]]:
    """A call, and its arrays by name."""
    rank = random.choice((0, 1, 1, 2, 2, 2, 3))
    shape = tuple(random.choice((0, 1, 2, 2, 3, 3, 4, 5, 8, 17)) for _ in range(rank))
    types = random.choices(_TYPES, k=2) if random.random() < 0.4 else [random.choice(_TYPES)] * 2
    arrays = {n: _array(random, shape, t) for n, t in zip("xy", types, strict=True)}
    arrays["i"] = np.array(random.choices((0, 1, -1, -2), k=random.choice((0, 1, 2, 3))), "i8")
    text = random.choice(_CALLS)
    for name, parts in (_PARTS | _OPTIONS).items():
        while f"{{{name}}}" in text:
            left_out = name in _OPTIONS and random.random() < 0.4
            text = text.replace(f"{{{name}}}", "" if left_out else random.choice(parts), 1)
    return text, arrays


def _array(random: Random, shape: tuple[int, ...], dtype: str) -> Array:
    """Small numbers, dense, reversed, with gaps, in columns, not aligned or read-only."""
    count = int(np.prod(shape))
    numbers = np.array([random.randint(0, 8) - 4 for _ in range(count)]).reshape(shape)
    array = np.asarray(numbers / 4 if dtype[0] == "f" else numbers).astype(dtype)
    array = np.asarray(array)
    layout = random.choice(("dense", "dense", "reversed", "gaps", "columns", "moved", "frozen"))
    if layout == "moved":
        memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
        moved = memory.view(array.dtype).reshape(shape)
        moved[...] = array
        return moved
    if layout == "frozen":
        array.flags.writeable = False
    if layout == "columns":
        return np.asfortranarray(array)
    if shape and layout == "reversed":
        return array[::-1].copy()[::-1]
    return np.repeat(array, 2, 0)[::2] if shape and layout == "gaps" else array
