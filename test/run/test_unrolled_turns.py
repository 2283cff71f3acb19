"""Loops whose iterations are in turn: sizes around their vectors, element types, threads, scans."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from sampled import sampled

import snippets_mlir

TARGET = "x86-64-avx2"
TYPES: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "i32": np.int32,
}
TOLERANCES = {"f32": 1e-6, "f64": 1e-14, "bf16": 2.0**-6, "i32": 0}
SIZES = (1, 7, 8, 31, 32, 33, 64, 100, 1003)


def program(element: str, size: object, after: str = "") -> str:
    """A chain of tanh, or of products and sums of integers."""
    type_ = f"tensor<{size}x{element}>"
    lines: list[str] = []
    last = "%x"
    for k in range(12 if element == "i32" else 4):
        if element == "i32":
            lines += [f"%p{k} = snippets.multiply {last}, %x : {type_}"]
            lines += [f"%v{k} = snippets.add %p{k}, %x : {type_}"]
        else:
            lines.append(f"%v{k} = snippets.tanh {last} : {type_}")
        last = f"%v{k}"
    if after:
        lines.append(f"%s = snippets.{after} {last} {{axis = 0 : i64}} : {type_}")
        last = "%s"
    body = "\n".join(lines)
    return f"func.func @main(%x: {type_}) -> {type_} {{\n{body}\nfunc.return {last} : {type_}\n}}"


def expected(x: Any) -> Any:
    """The chain by NumPy: floats in float64, integers modulo 2^32."""
    if x.dtype == np.int32:
        value = x
        for _ in range(12):
            value = value * x + x
        return value
    value = x.astype(np.float64)
    for _ in range(4):
        value = np.tanh(value)
        if x.dtype == ml_dtypes.bfloat16:
            value = value.astype(x.dtype).astype(np.float64)
    return value


def given(element: str, size: int) -> Any:
    """An array that begins one element after an aligned place."""
    x = np.empty(size + 1, TYPES[element])[1:]
    x[:] = (np.random.default_rng(size).standard_normal(size) * 3).astype(x.dtype)
    return x


@pytest.mark.parametrize(
    ("element", "size", "threads"),
    sampled([(e, s, n) for e in TYPES for s in (*SIZES, "?") for n in (1, 2)], 13),
)
def test_chains(element: str, size: object, threads: int) -> None:
    compiled = snippets_mlir.compile(
        program(element, size), fallback="error", target=TARGET, num_threads=threads
    )
    for length in (size,) if isinstance(size, int) else SIZES:
        x = given(element, length)
        found = compiled(x)
        wanted = expected(x)
        error = abs(found.astype(np.float64) - wanted.astype(np.float64))
        assert (error <= TOLERANCES[element] * (abs(wanted) + 1e-30)).all(), (length, error.max())
