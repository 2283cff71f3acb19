"""Rounding to bfloat16 without an instruction: once, to nearest even, NaN stays NaN."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from llvm_text_of import load

from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.codegen.stubs.expressions import I64, POINTER
from snippets_mlir.codegen.stubs.roundings import (
    FROM_DOUBLE,
    FROM_FLOAT,
    roundings_module,
    with_roundings,
)

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def code() -> LoadedObject:
    """Each function in a loop over an array."""
    from xdsl.dialects.builtin import bf16, f32, f64, i16

    from snippets_mlir.dialects.llvm.casts import BitcastOp
    from snippets_mlir.dialects.llvm.memory import LoadOp

    module = roundings_module()
    for name, type, bytes in ((FROM_FLOAT, f32, 4), (FROM_DOUBLE, f64, 8)):
        body = module.function(f"all{name}", [POINTER, POINTER, I64])
        source, target, count = body.arguments
        with body.loop(count) as loop:
            value = body.add_op(LoadOp(body.place(source, type, loop.index), type, bytes))
            rounded = body.call_for(bf16, name, value)
            body.set_item(target, loop.index, body.add_op(BitcastOp(rounded, i16)))
        body.end()
    return load(module.llvm_text(), 2)


def rounded(code: LoadedObject, name: str, values: Array) -> Array:
    """The bits of bfloat16."""
    found = np.zeros(len(values), np.uint16)
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


def test_only_code_on_bfloat16_gets_them() -> None:
    assert with_roundings("define void @f() {\n  ret void\n}\n").count("define") == 1
    assert (
        with_roundings("define bfloat @f(bfloat %x) {\n  ret bfloat %x\n}\n").count("define") == 3
    )
