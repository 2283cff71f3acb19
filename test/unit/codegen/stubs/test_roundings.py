"""Conversions of 16-bit floats without an instruction: rounded once, NaN stays NaN."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from llvm_text_of import load

import snippets_mlir
from snippets_mlir.codegen.compile import compile_object
from snippets_mlir.codegen.elf import undefined_symbols
from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.codegen.stubs.expressions import I64, POINTER
from snippets_mlir.codegen.stubs.roundings import (
    FROM_DOUBLE,
    FROM_FLOAT,
    FROM_HALF,
    HALF_FROM_DOUBLE,
    HALF_FROM_FLOAT,
    NAMES,
    roundings_module,
    with_missing,
)
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import TARGETS

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def code() -> LoadedObject:
    """Each function in a loop over an array."""
    from xdsl.dialects.builtin import bf16, f16, f32, f64, i16, i32

    from snippets_mlir.dialects.llvm.casts import BitcastOp
    from snippets_mlir.dialects.llvm.memory import LoadOp

    module = roundings_module()
    for name, type, bytes, result, bits in (
        (FROM_FLOAT, f32, 4, bf16, i16),
        (FROM_DOUBLE, f64, 8, bf16, i16),
        (HALF_FROM_FLOAT, f32, 4, f16, i16),
        (HALF_FROM_DOUBLE, f64, 8, f16, i16),
        (FROM_HALF, f16, 2, f32, i32),
    ):
        body = module.function(f"all{name}", [POINTER, POINTER, I64])
        source, target, count = body.arguments
        with body.loop(count) as loop:
            value = body.add_op(LoadOp(body.place(source, type, loop.index), type, bytes))
            rounded = body.call_for(result, name, value)
            body.set_item(target, loop.index, body.add_op(BitcastOp(rounded, bits)))
        body.end()
    return load(module.llvm_text(), 2)


def rounded(code: LoadedObject, name: str, values: Array, bits: Any = np.uint16) -> Array:
    """The bits of the results."""
    found = np.zeros(len(values), bits)
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    function(code.address(f"all{name}"))(values.ctypes.data, found.ctypes.data, len(values))
    return found


def nearest(values: Array) -> Array:
    """Bits of the nearest bfloat16 of doubles, ties to the even one; by comparing neighbours."""
    bits = (np.abs(values).astype(np.float32).view(np.uint32) >> 16).astype(np.int64)
    choices = np.stack([np.maximum(bits + step, 0) for step in (-1, 0, 1)])
    size = (choices << 16).astype(np.uint32).view(np.float32).astype(np.float64)
    size[choices == 0x7F80] = 2.0**128  # what would come next, if exponents went on
    distance = np.abs(size - np.abs(values))
    distance[choices > 0x7F80] = np.inf
    best = np.lexsort((choices % 2, distance), axis=0)[0]
    chosen = np.take_along_axis(choices, best[None], 0)[0]
    return (chosen | (np.signbit(values).astype(np.int64) << 15)).astype(np.uint16)


@pytest.mark.parametrize("seed", range(3))
def test_floats(code: LoadedObject, seed: int) -> None:
    bits = np.random.default_rng(seed).integers(0, 2**32, 20000, np.uint32)
    bits[::3] = bits[::3] & 0xFFFF0000 | 0x8000  # ties
    values = bits.view(np.float32)
    values = values[np.isfinite(values)]
    np.testing.assert_array_equal(
        rounded(code, FROM_FLOAT, values), nearest(values.astype(np.float64))
    )


@pytest.mark.parametrize("seed", range(3))
def test_doubles_are_rounded_once(code: LoadedObject, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ties = (rng.integers(0, 2**32, 20000, np.uint32) & 0xFFFF0000 | 0x8000).view(np.float32)
    near = ties[np.isfinite(ties)].astype(np.float64)
    near = near[np.abs(near) > 1e-30]
    values = np.concatenate([near, near * (1 + 2.0**-45), near * (1 - 2.0**-45)])
    np.testing.assert_array_equal(rounded(code, FROM_DOUBLE, values), nearest(values))
    twice = rounded(code, FROM_FLOAT, values.astype(np.float32))
    assert (twice != nearest(values)).any()


def test_what_is_no_number(code: LoadedObject) -> None:
    values = [np.inf, -np.inf, 0.0, -0.0, np.nan]
    for name, dtype in ((FROM_FLOAT, np.float32), (FROM_DOUBLE, np.float64)):
        found = rounded(code, name, np.array(values, dtype))
        assert found[:4].tolist() == [0x7F80, 0xFF80, 0, 0x8000]
        assert found[4] & 0x7FC0 == 0x7FC0
    signalling = np.array([0x7F800001, 0xFF80FFFF], np.uint32).view(np.float32)
    assert (rounded(code, FROM_FLOAT, signalling) & 0x7FC0 == 0x7FC0).all()


def test_each_half_becomes_the_float_that_it_is(code: LoadedObject) -> None:
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    found = rounded(code, FROM_HALF, halves, np.uint32).view(np.float32)
    np.testing.assert_array_equal(found, halves.astype(np.float32))
    np.testing.assert_array_equal(np.signbit(found), np.signbit(halves))
    back = rounded(code, HALF_FROM_FLOAT, found).view(np.float16)
    np.testing.assert_array_equal(back, halves)
    np.testing.assert_array_equal(np.signbit(back), np.signbit(halves))


@pytest.mark.parametrize("seed", range(3))
def test_floats_and_doubles_become_the_nearest_half(code: LoadedObject, seed: int) -> None:
    rng = np.random.default_rng(seed)
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    ties = (halves + np.append(halves[1:], 65536.0)) / 2  # 65520 becomes infinite
    values = np.concatenate(
        [ties, -ties, ties * (1 + 2.0**-20), ties * (1 - 2.0**-20), [1e-30, 7e4, 1e300, -1e-300]]
    )
    with np.errstate(over="ignore", under="ignore"):
        singles = np.concatenate(
            [values.astype(np.float32), rng.integers(0, 2**32, 9999, np.uint32).view(np.float32)]
        )
        found = rounded(code, HALF_FROM_FLOAT, singles).view(np.float16)
        np.testing.assert_array_equal(found, singles.astype(np.float16))
        near = np.concatenate([values, ties * (1 + 2.0**-45), ties * (1 - 2.0**-45)])
        found = rounded(code, HALF_FROM_DOUBLE, near).view(np.float16)
        np.testing.assert_array_equal(found, near.astype(np.float16))
        twice = rounded(code, HALF_FROM_FLOAT, near.astype(np.float32)).view(np.float16)
        assert (twice != near.astype(np.float16)).any()


CAST = """func.func @main(%x: memref<8x{source}>, %y: memref<8x{target}>) {{
  affine.for %i = 0 to 8 {{
    %0 = memref.load %x[%i] : memref<8x{source}>
    %1 = arith.{op} %0 : {source} to {target}
    memref.store %1, %y[%i] : memref<8x{target}>
  }}
  func.return
}}"""


@pytest.mark.parametrize("target", ["generic", None])
@pytest.mark.parametrize(
    ("source", "op", "result"),
    [
        ("f16", "extf", "f32"),
        ("f16", "extf", "f64"),
        ("f32", "truncf", "f16"),
        ("f64", "truncf", "f16"),
    ],
)
def test_a_program_has_the_conversions_that_it_calls(
    target: str | None, source: str, op: str, result: str
) -> None:
    text = CAST.format(source=source, op=op, target=result)
    program = snippets_mlir.compile(text, target=target or host_target())
    values = [0.0, -0.0, 1.5, -(2.0**-24), 65504, np.inf, np.nan, 1 + 2.0**-11]
    dtypes = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
    x, y = np.array(values, dtypes[source]), np.zeros(8, dtypes[result])
    program(x, y)
    np.testing.assert_array_equal(y, x.astype(dtypes[result]))
    np.testing.assert_array_equal(np.signbit(y), np.signbit(x))


PLAIN = "define {type} @f({type} %x) {{\n  ret {type} %x\n}}\n"
ROUNDING = "define {type} @f(float %x) {{\n  %1 = fptrunc float %x to {type}\n  ret {type} %1\n}}\n"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("type", ["bfloat", "half"])
def test_no_object_calls_a_library_for_16_bit_floats(target: str, type: str) -> None:
    m = TARGETS[target]
    for text in (PLAIN.format(type=type), ROUNDING.format(type=type)):
        image = compile_object(text, triple=m.triple, cpu=m.cpu, features=m.features)
        assert {*NAMES}.isdisjoint(undefined_symbols(image))
        assert with_missing(text, image) is None


def test_only_what_calls_a_conversion_gets_them() -> None:
    text = PLAIN.format(type="bfloat")
    assert with_missing(text, b"Mach-O") == text + roundings_module().llvm_text()
    assert with_missing(text + roundings_module().llvm_text(), b"Mach-O") is None
    assert with_missing(PLAIN.format(type="float"), b"Mach-O") is None
