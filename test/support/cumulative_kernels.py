"""Programs of one cumulative op, and what NumPy computes."""

from __future__ import annotations

from typing import Any

import numpy as np
from runnable import HOST

Array = np.ndarray[Any, Any]
UFUNCS: dict[str, tuple[np.ufunc, float]] = {
    "sum": (np.add, 0), "prod": (np.multiply, 1),
    "max": (np.maximum, -np.inf), "min": (np.minimum, np.inf),
}  # fmt: skip
LANES = HOST.lanes


def tensor(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def first_of(kind: str, dtype: np.dtype[Any]) -> Any:
    start = UFUNCS[kind][1]
    if dtype.kind == "f" or np.isfinite(start):
        return dtype.type(start)
    return np.iinfo(dtype).min if start < 0 else np.iinfo(dtype).max


def cumulated(
    x: Array, kind: str, axis: int, *, exclusive: bool = False, reverse: bool = False
) -> Array:
    """By the ufunc's own `accumulate`, 16-bit floats in f32."""
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    wide = np.flip(wide, axis) if reverse else wide
    found = UFUNCS[kind][0].accumulate(wide, axis=axis, dtype=wide.dtype)
    if exclusive and x.shape[axis]:
        start = np.full_like(found.take([0], axis), first_of(kind, x.dtype))
        rest = found.take(range(x.shape[axis] - 1), axis)
        found = np.concatenate([start, rest], axis)
    found = np.flip(found, axis) if reverse else found
    return found.astype(x.dtype)


def program(shape: tuple[int, ...], element: str, kind: str, axis: int, mode: str = "") -> str:
    t = tensor(shape, element)
    return f"""func.func @main(%x: {t}) -> {t} {{
      %0 = snippets.cum_{kind} %x {{axis = {axis} : i64{mode}}} : {t}
      func.return %0 : {t}
    }}"""
