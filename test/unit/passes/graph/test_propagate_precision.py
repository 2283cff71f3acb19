"""Ops on narrow types, computed in the precisions of the target: the values that the text says."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from dataflow_runs import Array, after, interpreted, same_bits
from op_families import APPROXIMATE, INTERNAL, OWN_TYPE, PLAIN
from sampled import sampled
from xdsl.dialects.builtin import IntegerType, Signedness, bf16, f16, f32, f64, i1, i8, i32

import snippets_mlir
from snippets_mlir.dialects.snippets.base import BinaryOp, kind_of
from snippets_mlir.targets.precisions import holds

TYPES = {
    "f16": (f16, np.dtype(np.float16)),
    "bf16": (bf16, np.dtype(import_module("ml_dtypes").bfloat16)),
    "i8": (i8, np.dtype(np.int8)),
    "ui8": (IntegerType(8, Signedness.UNSIGNED), np.dtype(np.uint8)),
    "i16": (IntegerType(16), np.dtype(np.int16)),
    "ui32": (IntegerType(32, Signedness.UNSIGNED), np.dtype(np.uint32)),
}
ATTRIBUTES = {
    "float": (
        "clamp {min = -1.0001 : f64, max = 2.3 : f64}",
        "leaky_relu {alpha = 0.1001 : f64}",
        "round",
        'round {mode = "half_away"}',
    ),
    "integer": (
        "clamp {min = -1000 : i64, max = 3000000000 : i64}",
        "clamp {min = 3 : i64, max = 100000000000 : i64}",
        "power_static {exponent = 5 : i64}",
    ),
}
KERNELS = (
    "snippets-set-target,snippets-constants-to-scalars,snippets-broadcast-to-broadcast-move,"
    "convert-snippets-to-lir,lir-to-vector,vector-to-llvm"
)


def operands(dtype: np.dtype[Any]) -> list[Array]:
    """Two columns of special and random values."""
    rng = np.random.default_rng(7)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        ends = np.array([0, 1, 2, 3, 7, 8, 9, 31, info.min, info.max, info.max // 2], dtype)
        ends = np.concatenate([ends, np.negative(ends[:8])])
        bits = rng.integers(info.min, info.max, 40, dtype, endpoint=True)
    else:
        special = [0.0, -0.0, 1.0, 2.5, 0.1, np.inf, np.nan, 60000.0, 6e-8, 1e-5]
        ends = np.array([*special, *(-v for v in special)], np.float64).astype(dtype)
        bits = rng.integers(0, 1 << 16, 40, np.uint16).view(dtype)
    a, b = (g.reshape(-1) for g in np.meshgrid(ends, ends, indexing="ij"))
    return [np.concatenate([a, bits]), np.concatenate([b, np.roll(bits, 1)])]


def lines(name: str, count: int) -> list[tuple[str, str]]:
    """Every op on the type that has a wider precision: its text, and its element type."""
    kind = kind_of(TYPES[name][0])
    found: list[tuple[str, str]] = []
    for op in PLAIN:
        if kind in op.ELEMENT_KINDS and op.name not in INTERNAL | OWN_TYPE:
            result = "i1" if op.PREDICATE else name
            names = ["%a", "%b"][: 2 if issubclass(op, BinaryOp) else 1]
            types = ", ".join([f"tensor<{count}x{name}>"] * len(names))
            text = f"{op.name} {', '.join(names)} : ({types}) -> tensor<{count}x{result}>"
            found.append((text, result))
    for text in ATTRIBUTES[str(kind)]:
        op, _, rest = text.partition(" ")
        found.append((f"snippets.{op} %a {rest} : tensor<{count}x{name}>", name))
    return found


def program(name: str, count: int) -> tuple[str, list[str]]:
    """A subgraph that computes every op, and the names of the ops."""
    ops = lines(name, count)
    body = "\n".join(f"    %r{i} = {text}" for i, (text, _) in enumerate(ops))
    types = ", ".join(f"tensor<{count}x{element}>" for _, element in ops)
    source = f"tensor<{count}x{name}>"
    results, values = ", ".join(f"%{i}" for i in range(len(ops))), range(len(ops))
    text = f"""func.func @main(%x: {source}, %y: {source}) -> ({types}) {{
  {results} = snippets.subgraph (%a = %x, %b = %y) : ({source}, {source}) -> ({types}) {{
{body}
    snippets.yield {", ".join(f"%r{i}" for i in values)} : {types}
  }}
  func.return {results} : {types}
}}"""
    return text, [op.split()[0] for op, _ in ops]


def steps(found: Array, expected: Array) -> int:
    """Largest distance in units in the last place; infinities next to the largest number."""
    assert found.dtype == expected.dtype
    assert (np.isnan(found) == np.isnan(expected)).all()

    def places(x: Array) -> Array:
        bits = x[~np.isnan(x)].view(np.int16).astype(np.int32)
        return np.where(bits < 0, -(bits & 0x7FFF), bits)

    return int(np.abs(places(found) - places(expected)).max())


@pytest.mark.parametrize("name", sampled(TYPES, 6))
def test_every_op_keeps_its_value(name: str):
    x, y = operands(TYPES[name][1])
    text, names = program(name, len(x))
    expected = interpreted(text, [x, y])
    module = after(text, "snippets-set-target{target=x86-64-avx2},snippets-propagate-precision")
    found = interpreted(module, [x, y])
    for op, a, b in zip(names, found, expected, strict=True):
        if op in APPROXIMATE and kind_of(TYPES[name][0]) == "float" and a.dtype != np.bool_:
            assert steps(a, b) <= 1, op
        else:
            assert same_bits(a, b), op
    module.attributes.pop("snippets.target")
    compiled = snippets_mlir.compile(module, fallback="error", pipeline=KERNELS)
    kernel = list(compiled.run({"arg0": x, "arg1": y}).values())
    for op, a, b in zip(names, kernel, expected, strict=True):
        if op in APPROXIMATE and kind_of(TYPES[name][0]) == "float" and a.dtype != np.bool_:
            assert steps(a, b) <= 1, op
        else:
            assert same_bits(a, b), op


def test_what_holds_what():
    unsigned = TYPES["ui32"][0]
    every = (f16, bf16, f32, f64, i1, i8, i32, unsigned)
    held = {n: [w for w in every if holds(w, n)] for n in every}
    assert held == {
        f16: [f16, f32, f64],
        bf16: [bf16, f32, f64],
        f32: [f32, f64],
        f64: [f64],
        i1: [i1],
        i8: [i8, i32],
        i32: [i32],
        unsigned: [unsigned],
    }
