"""Each op of the LLVM text executed beside NumPy: scalar and vector, at O0 and O2."""

# ruff: noqa: E501 - MLIR text

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from llvm_cases import CASES, DTYPES, LANES, Array, Case, function_name, function_text
from llvm_text_of import emit, load
from sampled import sampled

from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.dialects.llvm.atomics import BINARY


def call(loaded: LoadedObject, name: str, *arrays: Array) -> None:
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(loaded.address(name))
    function(*(array.ctypes.data for array in arrays))


CHOSEN = sampled([(case, lanes) for case in CASES for lanes in (1, LANES)], 4)


@pytest.fixture(scope="module")
def text() -> str:
    """LLVM text of a function for each chosen case."""
    return emit("\n".join(function_text(case, lanes) for case, lanes in CHOSEN))


@pytest.fixture(scope="module", params=[0, 2])
def compiled(request: pytest.FixtureRequest, text: str) -> LoadedObject:
    """All chosen cases in one object."""
    return load(text, request.param)


@pytest.mark.parametrize(("case", "lanes"), CHOSEN)
def test_op_computes_what_numpy_computes(compiled: LoadedObject, case: Case, lanes: int) -> None:
    operands = [np.array(values, DTYPES[case.dtype]) for values in case.operands]
    found = np.zeros(LANES, DTYPES[case.result or case.dtype])
    call(compiled, function_name(case, lanes), *operands, found)
    with np.errstate(all="ignore"):
        expected = np.asarray(case.expected(*operands)).astype(found.dtype)
    np.testing.assert_array_equal(found, expected)
    if found.dtype.kind == "f" and case.zero_sign:
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))


FLOAT_BITS = {
    "f16": ("0x7E00", "0xFC00", "0x8000", "0x0001", "0x3C00"),
    "f32": ("0x7FC00001", "0xFF800000", "0x80000000", "0x00000001", "0x3F800000"),
    "f64": ("0x7FF8000000000001", "0xFFF0000000000000", "0x8000000000000000", "0x0000000000000001", "0x3FF0000000000000"),
    "bf16": ("0x7FC0", "0xFF80", "0x8000", "0x0001", "0x3F80"),
}  # fmt: skip


@pytest.mark.parametrize("type", FLOAT_BITS)
def test_float_constants_keep_their_bits(type: str) -> None:
    bits = FLOAT_BITS[type]
    size = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}[type]
    stores = [
        f"""  %c{i} = llvm.mlir.constant(dense<{b}> : vector<1x{type}>) : vector<1x{type}>
  %a{i} = llvm.getelementptr %r[{i}] : (!llvm.ptr) -> !llvm.ptr, {type}
  llvm.store %c{i}, %a{i} {{alignment = 1 : i64}} : vector<1x{type}>, !llvm.ptr"""
        for i, b in enumerate(bits)
    ]
    text = "\n".join(("llvm.func @k(%r: !llvm.ptr) {", *stores, "  llvm.return", "}"))
    found = np.zeros(len(bits), f"u{size}")
    call(load(emit(text)), "k", found)
    assert found.tolist() == [int(b, 16) for b in bits]


def test_memory_ops_move_the_right_elements() -> None:
    loaded = load(
        emit("""
llvm.mlir.global private constant @table(dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>) {addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<4 x f32>
llvm.func @k(%x: !llvm.ptr, %i: !llvm.ptr, %m: !llvm.ptr, %r: !llvm.ptr) {
  %bytes = llvm.load %m {alignment = 1 : i64} : !llvm.ptr -> vector<4xi8>
  %mask = llvm.trunc %bytes : vector<4xi8> to vector<4xi1>
  %passed = llvm.mlir.constant(dense<-1.0> : vector<4xf32>) : vector<4xf32>
  %v = llvm.intr.masked.load %x, %mask, %passed {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  llvm.store %v, %r {alignment = 4 : i64, nontemporal} : vector<4xf32>, !llvm.ptr
  %index = llvm.load %i {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
  %t = llvm.mlir.addressof @table : !llvm.ptr
  %ps = llvm.getelementptr %t[%index] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, f32
  %g = llvm.intr.masked.gather %ps, %mask, %passed {alignment = 4 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  %r4 = llvm.getelementptr inbounds %r[4] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.intr.masked.store %g, %r4, %mask {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
  %r8 = llvm.getelementptr inbounds %r[8] : (!llvm.ptr) -> !llvm.ptr, f32
  %qs = llvm.getelementptr %r8[%index] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, f32
  llvm.intr.masked.scatter %v, %qs, %mask {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into vector<4x!llvm.ptr>
  %c2 = llvm.mlir.constant(2) : i64
  %e = llvm.extractelement %v[%c2 : i64] : vector<4xf32>
  %n = llvm.insertelement %e, %passed[%c2 : i64] : vector<4xf32>
  %s = llvm.shufflevector %n, %v [2, 5, -1, 7] : vector<4xf32>
  %r12 = llvm.getelementptr inbounds %r[12] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.store %s, %r12 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  %steps = llvm.intr.stepvector : vector<4xi32>
  %sum = "llvm.intr.vector.reduce.add"(%steps) : (vector<4xi32>) -> i32
  %sumf = llvm.sitofp %sum : i32 to f32
  %r16 = llvm.getelementptr inbounds %r[16] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.store %sumf, %r16 {alignment = 4 : i64} : f32, !llvm.ptr
  llvm.fence release
  llvm.return
}""")
    )
    x = np.array([1, 2, 3, 4], np.float32)
    r = np.zeros(17, np.float32)
    call(loaded, "k", x, np.array([3, 2, 1, 0], np.int32), np.array([1, 0, 1, 0], np.uint8), r)
    assert r[:4].tolist() == [1, -1, 3, -1]
    assert r[4:8].tolist() == [40, 0, 20, 0]
    assert r[8:12].tolist() == [0, 3, 0, 1]
    assert r[[12, 13, 15, 16]].tolist() == [3, -1, -1, 6]


CHANGES: dict[str, Callable[[int, int], int]] = {
    "xchg": lambda old, x: x,
    "add": lambda old, x: old + x,
    "sub": lambda old, x: old - x,
    "_and": lambda old, x: old & x,
    "nand": lambda old, x: ~(old & x),
    "_or": lambda old, x: old | x,
    "_xor": lambda old, x: old ^ x,
    "max": max,
    "min": min,
    "umax": lambda old, x: old if old % 2**32 > x % 2**32 else x,
    "umin": lambda old, x: old if old % 2**32 < x % 2**32 else x,
}


def test_every_change_of_memory_has_a_case() -> None:
    assert tuple(CHANGES) == BINARY


@pytest.mark.parametrize("change", CHANGES)
def test_atomicrmw_gives_what_was_there_and_changes_it(change: str) -> None:
    loaded = load(
        emit(f"""
llvm.func @k(%p: !llvm.ptr, %x: !llvm.ptr, %old: !llvm.ptr) {{
  %v = llvm.load %x {{alignment = 4 : i64}} : !llvm.ptr -> i32
  %r = llvm.atomicrmw {change} %p, %v acq_rel {{alignment = 4 : i64}} : !llvm.ptr, i32
  llvm.store %r, %old {{alignment = 4 : i64}} : i32, !llvm.ptr
  llvm.return
}}""")
    )
    for before, operand in ((6, 3), (-5, 12), (7, -2)):
        memory, x, old = (np.array([v], np.int32) for v in (before, operand, 99))
        call(loaded, "k", memory, x, old)
        assert (memory[0], old[0]) == (CHANGES[change](before, operand), before)


@pytest.mark.parametrize("kind", ["add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin"])
def test_integer_reductions(kind: str) -> None:
    functions: dict[str, Callable[[Array], Any]] = {
        "add": lambda a: a.sum(dtype=np.int32),
        "mul": lambda a: a.prod(dtype=np.int32),
        "and": np.bitwise_and.reduce,
        "or": np.bitwise_or.reduce,
        "xor": np.bitwise_xor.reduce,
        "smax": np.max,
        "smin": np.min,
        "umax": lambda a: np.max(a.view(np.uint32)).astype(np.int32),
        "umin": lambda a: np.min(a.view(np.uint32)).astype(np.int32),
    }
    loaded = load(
        emit(f"""
llvm.func @k(%x: !llvm.ptr, %r: !llvm.ptr) {{
  %v = llvm.load %x {{alignment = 4 : i64}} : !llvm.ptr -> vector<8xi32>
  %s = "llvm.intr.vector.reduce.{kind}"(%v) : (vector<8xi32>) -> i32
  llvm.store %s, %r {{alignment = 4 : i64}} : i32, !llvm.ptr
  llvm.return
}}""")
    )
    x = np.array([5, -3, 7, 2**31 - 1, -(2**31), 1, 9, 3], np.int32)
    r = np.zeros(1, np.int32)
    call(loaded, "k", x, r)
    assert r[0] == functions[kind](x)
