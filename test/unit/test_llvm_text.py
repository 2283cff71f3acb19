"""The LLVM text emitter: each op executed on special values beside NumPy, and the text itself."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from snippets_mlir.context import make_context
from snippets_mlir.dialects.llvm import LLVM
from snippets_mlir.emit.llvm_functions import CONSTANTS
from snippets_mlir.emit.llvm_table import FORMATS
from snippets_mlir.emit.llvm_text import emit_llvm
from snippets_mlir.errors import CompileError
from snippets_mlir.jit.compile import compile_object
from snippets_mlir.jit.host import host_cpu
from snippets_mlir.jit.load import LoadedObject
from snippets_mlir.parsing import parse_module

Array = np.ndarray[Any, np.dtype[Any]]
LANES = 8
F = [0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -2.5, 1e-45]
G = [-0.0, 0.0, 1.0, np.inf, 2.0, -2.5, np.nan, 3.5]
I32 = [0, -1, -(2**31), 2**31 - 1, 1, 2, -7, 100]
J32 = [3, -1, -1, 1, -(2**31), 5, 3, 31]
SMALL = [0.0, -0.0, 1.5, -1.5, 2.5, 127.0, -128.0, 100.75]


def emit(text: str) -> str:
    """LLVM text of a module in MLIR text."""
    return emit_llvm(parse_module(text, make_context(), "test"))


def load(text: str, opt: int = 0) -> LoadedObject:
    """The functions of LLVM text in memory."""
    triple, cpu, features = host_cpu()
    return LoadedObject(compile_object(text, triple=triple, cpu=cpu, features=features, opt=opt))


def call(loaded: LoadedObject, name: str, *arrays: Array) -> None:
    """Call a function of pointers."""
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(loaded.address(name))
    function(*(array.ctypes.data for array in arrays))


@dataclass(frozen=True)
class Case:
    """One op on arrays of one type: `text` names its operands `%0`, `%1`, ... and its types `{t}`, `{r}`."""

    name: str
    text: str
    operands: tuple[Any, ...]
    expected: Callable[..., Any]
    dtype: str = "f32"
    result: str = ""
    zero_sign: bool = True


DTYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}


def maximum(a: Array, b: Array) -> Array:
    """IEEE 754-2019 maximum: NaN wins, 0.0 above -0.0."""
    zeros = (a == 0) & (b == 0)
    return np.where(zeros, np.where(np.signbit(a) & np.signbit(b), a, np.abs(a)), np.maximum(a, b))


def minimum(a: Array, b: Array) -> Array:
    """IEEE 754-2019 minimum."""
    return -maximum(-a, -b)


def away(a: Array) -> Array:
    """Round halves away from zero."""
    return np.copysign(np.floor(np.abs(a) + np.float32(0.5)), a)


def unsigned(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` on the bits as unsigned integers."""

    def apply(*arrays: Array) -> Any:
        result = function(*(a.view(f"u{a.dtype.itemsize}") for a in arrays))
        return result.view(f"i{result.dtype.itemsize}") if result.dtype.kind == "u" else result

    return apply


def saturated(function: Callable[..., Any], low: int, high: int) -> Callable[..., Any]:
    """`function` in 64 bits, clamped."""

    def apply(a: Array, b: Array) -> Any:
        wide = function(a.astype(np.int64), b.astype(np.int64))
        return np.clip(wide, low, high).astype(np.uint32).view(np.int32)

    return apply


def _intrinsic(name: str, count: int = 1) -> str:
    operands = ", ".join(f"%{i}" for i in range(count))
    return f"llvm.intr.{name}({operands}) : ({', '.join(['{t}'] * count)}) -> {{t}}"


def _binary(name: str) -> str:
    return f"llvm.{name} %0, %1 : {{t}}"


def _cases() -> list[Case]:
    floats: dict[str, Callable[..., Any]] = {
        "fadd": np.add,
        "fsub": np.subtract,
        "fmul": np.multiply,
        "fdiv": np.divide,
        "frem": np.fmod,
    }
    unary: dict[str, Callable[..., Any]] = {
        "fabs": np.abs,
        "ceil": np.ceil,
        "floor": np.floor,
        "trunc": np.trunc,
        "rint": np.rint,
        "nearbyint": np.rint,
        "roundeven": np.rint,
        "round": away,
        "sqrt": np.sqrt,
    }
    fcmp: dict[str, Callable[..., Any]] = {
        "oeq": np.equal,
        "ogt": np.greater,
        "oge": np.greater_equal,
        "olt": np.less,
        "ole": np.less_equal,
        "one": lambda a, b: (a < b) | (a > b),
        "ord": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
        "ueq": lambda a, b: ~((a < b) | (a > b)),
        "ugt": lambda a, b: ~(a <= b),
        "uge": lambda a, b: ~(a < b),
        "ult": lambda a, b: ~(a >= b),
        "ule": lambda a, b: ~(a > b),
        "une": np.not_equal,
        "uno": lambda a, b: np.isnan(a) | np.isnan(b),
        "_true": lambda a, b: np.ones_like(a, dtype=np.bool_),
        "_false": lambda a, b: np.zeros_like(a, dtype=np.bool_),
    }
    icmp: dict[str, Callable[..., Any]] = {
        "eq": np.equal,
        "ne": np.not_equal,
        "slt": np.less,
        "sle": np.less_equal,
        "sgt": np.greater,
        "sge": np.greater_equal,
        "ult": unsigned(np.less),
        "ule": unsigned(np.less_equal),
        "ugt": unsigned(np.greater),
        "uge": unsigned(np.greater_equal),
    }
    integers: dict[str, Callable[..., Any]] = {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
    }
    safe: dict[str, Callable[..., Any]] = {
        "sdiv": lambda a, b: np.trunc(a / b).astype(a.dtype),
        "srem": np.fmod,
        "udiv": unsigned(np.floor_divide),
        "urem": unsigned(np.remainder),
    }
    shifts: dict[str, Callable[..., Any]] = {
        "shl": np.left_shift,
        "ashr": np.right_shift,
        "lshr": unsigned(np.right_shift),
    }
    extremes: dict[str, Callable[..., Any]] = {
        "smax": np.maximum,
        "smin": np.minimum,
        "umax": unsigned(np.maximum),
        "umin": unsigned(np.minimum),
        "sadd.sat": saturated(np.add, -(2**31), 2**31 - 1),
        "ssub.sat": saturated(np.subtract, -(2**31), 2**31 - 1),
    }
    cases = [
        Case(f"{n}_{t}", _binary(n), (F, G), f, t)
        for t in ("f32", "f64")
        for n, f in floats.items()
    ]
    cases += [Case(n, _intrinsic(n), (F,), f) for n, f in unary.items()]
    cases += [Case(f"{n}_halves", _intrinsic(n), (SMALL,), f) for n, f in unary.items()]
    cases += [
        Case(f"fcmp_{n}", f'llvm.fcmp "{n}" %0, %1 : {{t}}', (F, G), f, result="i1")
        for n, f in fcmp.items()
    ]
    cases += [
        Case(f"icmp_{n}", f'llvm.icmp "{n}" %0, %1 : {{t}}', (I32, J32), f, "i32", "i1")
        for n, f in icmp.items()
    ]
    cases += [Case(n, _binary(n), (I32, J32), f, "i32") for n, f in integers.items()]
    cases += [
        Case(n, _binary(n), (I32, [3, 5, 7, 2, 1, 9, 3, 31]), f, "i32") for n, f in safe.items()
    ]
    cases += [
        Case(n, _binary(n), (I32, [0, 1, 31, 30, 7, 2, 3, 4]), f, "i32") for n, f in shifts.items()
    ]
    cases += [
        Case(n.replace(".", "_"), _intrinsic(n, 2), (I32, J32), f, "i32")
        for n, f in extremes.items()
    ]
    cases += [
        Case("maximum", _intrinsic("maximum", 2), (F, G), maximum),
        Case("minimum", _intrinsic("minimum", 2), (F, G), minimum),
        Case("maxnum", _intrinsic("maxnum", 2), (F, G), np.fmax, zero_sign=False),
        Case("minnum", _intrinsic("minnum", 2), (F, G), np.fmin, zero_sign=False),
        Case("copysign", _intrinsic("copysign", 2), (G, F), np.copysign),
        Case("fneg", "llvm.fneg %0 : {t}", (F,), np.negative),
        Case("freeze", "llvm.freeze %0 : {t}", (F,), np.positive),
        Case(
            "fma",
            _intrinsic("fma", 3),
            ([1 + 2**-23, 3.0, np.inf, 0.0, 1.0, 2.0, -0.0, 5.0],) * 3,
            lambda a, b, c: (a.astype(np.float64) * b + c).astype(np.float32),
        ),
        Case("ctpop", _intrinsic("ctpop"), (I32,), lambda a: np.array([bin(x & 0xFFFFFFFF).count("1") for x in a.tolist()], np.int32), "i32"),
        Case("fptosi", "llvm.fptosi %0 : {t} to {r}", (SMALL,), lambda a: a.astype(np.int8), "f32", "i8"),
        Case("fptoui", "llvm.fptoui %0 : {t} to {r}", ([0.0, -0.0, 1.5, 2.5, 255.0, 7.0, 9.9, 1e9],), lambda a: a.astype(np.int64).astype(np.int32), "f32", "i32"),
        Case("sitofp", "llvm.sitofp %0 : {t} to {r}", (I32,), lambda a: a.astype(np.float32), "i32", "f32"),
        Case("uitofp", "llvm.uitofp %0 : {t} to {r}", (I32,), lambda a: a.view(np.uint32).astype(np.float32), "i32", "f32"),
        Case("fpext", "llvm.fpext %0 : {t} to {r}", (F,), lambda a: a.astype(np.float64), "f32", "f64"),
        Case("fptrunc", "llvm.fptrunc %0 : {t} to {r}", ([*F[:6], 1e300, 1 + 2**-24],), lambda a: a.astype(np.float32), "f64", "f32"),
        Case("sext", "llvm.sext %0 : {t} to {r}", ([0, -1, -128, 127, 1, 2, 3, 4],), lambda a: a.astype(np.int64), "i8", "i64"),
        Case("zext", "llvm.zext %0 : {t} to {r}", ([0, -1, -128, 127, 1, 2, 3, 4],), lambda a: a.view(np.uint8).astype(np.int32), "i8", "i32"),
        Case("trunc_int", "llvm.trunc %0 : {t} to {r}", (I32,), lambda a: a.astype(np.int8), "i32", "i8"),
        Case("bitcast", "llvm.bitcast %0 : {t} to {r}", (F,), lambda a: a.view(np.int32), "f32", "i32"),
    ]  # fmt: skip
    return cases


CASES = _cases()
INTERNAL = {"i1": "i8"}


def function_text(case: Case, lanes: int) -> str:
    """A function that applies the op to `LANES` elements, `lanes` at a time (1 is scalar)."""
    result = case.result or case.dtype

    def shaped(element: str) -> str:
        return f"vector<{lanes}x{element}>" if lanes > 1 else element

    names = [f"%p{i}" for i in range(len(case.operands))]
    lines = [
        f"llvm.func @{case.name}_{lanes}({', '.join(f'{n}: !llvm.ptr' for n in (*names, '%r'))}) {{"
    ]
    for at in range(0, LANES, lanes):
        text = case.text.format(t=shaped(case.dtype), r=shaped(result))
        for i, name in enumerate(names):
            lines.append(
                f"  %a{at}_{i} = llvm.getelementptr {name}[{at}] : (!llvm.ptr) -> !llvm.ptr, {case.dtype}"
            )
            lines.append(
                f"  %x{at}_{i} = llvm.load %a{at}_{i} {{alignment = 1 : i64}} : !llvm.ptr -> {shaped(case.dtype)}"
            )
            text = text.replace(f"%{i}", f"%x{at}_{i}")
        lines.append(f"  %y{at} = {text}")
        stored = INTERNAL.get(result, result)
        value = f"%y{at}"
        if stored != result:
            value = f"%z{at}"
            lines.append(f"  {value} = llvm.zext %y{at} : {shaped(result)} to {shaped(stored)}")
        lines.append(f"  %b{at} = llvm.getelementptr %r[{at}] : (!llvm.ptr) -> !llvm.ptr, {stored}")
        lines.append(
            f"  llvm.store {value}, %b{at} {{alignment = 1 : i64}} : {shaped(stored)}, !llvm.ptr"
        )
    return "\n".join((*lines, "  llvm.return", "}"))


@pytest.fixture(scope="module", params=[0, 2])
def compiled(request: pytest.FixtureRequest) -> LoadedObject:
    """All cases, scalar and vector, in one object."""
    text = "\n".join(function_text(case, lanes) for case in CASES for lanes in (1, LANES))
    return load(emit(text), request.param)


@pytest.mark.parametrize("lanes", [1, LANES])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_op_computes_what_numpy_computes(compiled: LoadedObject, case: Case, lanes: int) -> None:
    operands = [np.array(values, DTYPES[case.dtype]) for values in case.operands]
    found = np.zeros(LANES, DTYPES[case.result or case.dtype])
    call(compiled, f"{case.name}_{lanes}", *operands, found)
    with np.errstate(all="ignore"):
        expected = np.asarray(case.expected(*operands), found.dtype)
    np.testing.assert_array_equal(found, expected)
    if found.dtype.kind == "f" and case.zero_sign:
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))


def test_every_op_of_the_dialect_can_be_written() -> None:
    known = {*FORMATS, *CONSTANTS}
    other = {
        "llvm.func",
        "llvm.mlir.global",
        "llvm.inline_asm",
        "llvm.intr.stacksave",
        "llvm.intr.stackrestore",
    }
    missing = {op.name for op in LLVM.operations if op not in known} - other
    assert missing == set()


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


def test_integer_and_dense_constants() -> None:
    text = emit("""
llvm.func @k(%r: !llvm.ptr) {
  %a = llvm.mlir.constant(dense<[0, -1, 127, -128]> : vector<4xi8>) : vector<4xi8>
  %b = llvm.mlir.constant(dense<[true, false]> : vector<2xi1>) : vector<2xi1>
  %c = llvm.mlir.constant(dense<-3> : vector<4xi64>) : vector<4xi64>
  %d = llvm.mlir.zero : vector<4xf32>
  %n = llvm.mlir.zero : !llvm.ptr
  llvm.store %a, %r {alignment = 1 : i64} : vector<4xi8>, !llvm.ptr
  llvm.store %b, %r {alignment = 1 : i64} : vector<2xi1>, !llvm.ptr
  llvm.store %c, %r {alignment = 8 : i64} : vector<4xi64>, !llvm.ptr
  llvm.store %d, %r {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  llvm.store %n, %r {alignment = 8 : i64} : !llvm.ptr, !llvm.ptr
  llvm.return
}""")
    assert "store <4 x i8> <i8 0, i8 -1, i8 127, i8 -128>, ptr %a0, align 1" in text
    assert "store <2 x i1> <i1 true, i1 false>, ptr" in text
    assert "store <4 x i64> splat (i64 -3), ptr %a0, align 8" in text
    assert "store <4 x float> zeroinitializer, ptr" in text
    assert "store ptr null, ptr" in text


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


LOOP = """
llvm.func @k(%x: !llvm.ptr, %n: i64) -> i64 {
  %zero = llvm.mlir.constant(0) : i64
  %one = llvm.mlir.constant(1) : i64
  llvm.br ^bb1(%zero, %zero, %one : i64, i64, i64)
^bb2:
  %s = llvm.add %sum, %a : i64
  %j = llvm.add %i, %one : i64
  llvm.br ^bb1(%j, %s, %a : i64, i64, i64)
^bb1(%i: i64, %sum: i64, %a: i64):
  %c = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %c, ^bb2, ^bb3
^bb4:
  llvm.br ^bb3
^bb3:
  %even = llvm.icmp "eq" %sum, %n : i64
  llvm.cond_br %even, ^bb5(%sum : i64), ^bb5(%zero : i64)
^bb5(%r: i64):
  llvm.return %r : i64
}
"""


def test_blocks_come_in_reverse_post_order_with_phis() -> None:
    text = emit(LOOP)
    assert "b5" not in text, "an unreachable block is left out"
    assert "b3.else:\n  br label %b4" in text
    assert "phi i64 [ %v1, %b3 ], [ 0, %b3.else ]" in text
    loaded = load(text)
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)(
        loaded.address("k")
    )
    assert [function(None, n) for n in (0, 1, 7)] == [0, 1, 7]


def test_two_equal_edges_to_one_block_stay_one_branch() -> None:
    text = emit("""
llvm.func @k(%c: i1, %x: i64) -> i64 {
  llvm.cond_br %c, ^bb1(%x : i64), ^bb1(%x : i64)
^bb1(%r: i64):
  llvm.return %r : i64
}""")
    assert ".else" not in text
    assert "phi i64 [ %a1, %b0 ], [ %a1, %b0 ]" in text
    load(text).address("k")


def test_attributes_flags_and_linkage_are_kept() -> None:
    text = emit("""
llvm.func private @body(%x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.nonnull, llvm.align = 16 : i64, snippets.name = "x"}) attributes {no_unwind, always_inline, target_cpu = "x86-64-v3", passthrough = ["nofree", ["key", "value"]]} {
  llvm.return
}
llvm.func internal @inner(%x: f32, %i: i32, %p: !llvm.ptr) -> f32 attributes {target_features = #llvm.target_features<["+avx2", "+fma"]>} {
  %a = llvm.fadd %x, %x {fastmathFlags = #llvm.fastmath<nnan,contract>} : f32
  %b = llvm.fmul %a, %x {fastmathFlags = #llvm.fastmath<fast>} : f32
  %c = llvm.intr.sqrt(%b) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
  %d = llvm.add %i, %i overflow<nsw, nuw> : i32
  %e = llvm.udiv exact %d, %i : i32
  %f = llvm.or disjoint %e, %i : i32
  %g = llvm.zext nneg %f : i32 to i64
  %h = llvm.trunc %g overflow<nuw> : i64 to i32
  %l = llvm.load volatile %p {alignment = 2 : i64, nontemporal} : !llvm.ptr -> i32
  %m = llvm.getelementptr inbounds|nuw %p[1, %g] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
  llvm.call @body(%m) : (!llvm.ptr) -> ()
  llvm.return %c : f32
}
llvm.func @"odd name"(!llvm.ptr) -> (i32 {llvm.signext})
""")
    assert (
        "define internal void @body(ptr align 16 noalias captures(none) nonnull %a0) "
        'alwaysinline nounwind nofree "key"="value" "target-cpu"="x86-64-v3" {' in text
    )
    assert (
        'define internal float @inner(float %a0, i32 %a1, ptr %a2) "target-features"="+avx2,+fma" {'
        in text
    )
    for line in (
        "fadd nnan contract float %a0, %a0",
        "fmul fast float %v0, %a0",
        "call afn float @llvm.sqrt.f32(float %v1)",
        "add nuw nsw i32 %a1, %a1",
        "udiv exact i32 %v3, %a1",
        "or disjoint i32 %v4, %a1",
        "zext nneg i32 %v5 to i64",
        "trunc nuw i64 %v6 to i32",
        "load volatile i32, ptr %a2, align 2, !nontemporal !0",
        "getelementptr inbounds nuw [4 x float], ptr %a2, i32 1, i64 %v6",
        "call void @body(ptr %v9)",
        'declare signext i32 @"odd name"(ptr)',
        "!0 = !{i32 1}",
    ):
        assert line in text
    triple, cpu, features = host_cpu()
    compile_object(text, triple=triple, cpu=cpu, features=features)


def test_equal_modules_give_equal_text() -> None:
    renamed = LOOP.replace("%sum", "%total").replace("%one", "%unit")
    assert emit(LOOP) == emit(renamed)


def test_host_program_is_left_out() -> None:
    assert (
        emit(
            "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  func.return %a : tensor<4xf32>\n}"
        )
        == ""
    )


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("llvm.func @f(%x: f32) {\n  %0 = math.exp %x : f32\n  llvm.return\n}", "'math.exp' has no form in LLVM IR", 2),
        ("func.func @k() attributes {snippets.kernel} {\n  func.return\n}", 'kernel "k" is still a \'func.func\'', 1),
        ("lir.kernel @k \"linear\" () -> () {\n}", "still a 'lir.kernel'", 1),
        ("llvm.func @f(%x: !llvm.ptr {llvm.strange}) {\n  llvm.return\n}", "'llvm.strange'", 1),
        ("llvm.func @f() {\n  %0 = llvm.mlir.constant(dense<0.0> : vector<2x2xf32>) : vector<2x2xf32>\n  llvm.return\n}", "LLVM has no", 2),
    ],
)  # fmt: skip
def test_what_has_no_form_is_an_error_at_the_op(text: str, message: str, line: int) -> None:
    with pytest.raises(CompileError) as caught:
        emit(text)
    assert message in caught.value.message
    assert caught.value.line == line
