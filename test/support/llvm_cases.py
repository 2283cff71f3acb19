"""One case for each op of the LLVM emitter: text, special operands, NumPy's answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Unary = Callable[[Array], Any]
Binary = Callable[[Array, Array], Any]
Ternary = Callable[[Array, Array, Array], Any]
Numbers = list[float] | list[int]

LANES = 8
F: Numbers = [0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -2.5, 1e-45]
G: Numbers = [-0.0, 0.0, 1.0, np.inf, 2.0, -2.5, np.nan, 3.5]
HALVES: Numbers = [0.0, -0.0, 1.5, -1.5, 2.5, 127.0, -128.0, 100.75]
I32: Numbers = [0, -1, -(2**31), 2**31 - 1, 1, 2, -7, 100]
J32: Numbers = [3, -1, -1, 1, -(2**31), 5, 3, 31]
DIVISORS: Numbers = [3, 5, 7, 2, 1, 9, 3, 31]
SHIFTS: Numbers = [0, 1, 31, 30, 7, 2, 3, 4]
BYTES: Numbers = [0, -1, -128, 127, 1, 2, 3, 4]
POSITIVE: Numbers = [0.0, -0.0, 1.5, 2.5, 255.0, 7.0, 9.9, 1e9]
WIDE: Numbers = [0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, 1e300, 1 + 2**-24]
FACTORS: Numbers = [1 + 2**-23, 3.0, np.inf, 0.0, 1.0, 2.0, -0.0, 5.0]

DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "i1": np.bool_,
    "i8": np.int8,
    "i32": np.int32,
    "i64": np.int64,
}


@dataclass(frozen=True)
class Case:
    """One op: `text` names its operands `%0`, `%1`, ... and its types `{t}` and `{r}`."""

    name: str
    text: str
    operands: tuple[Numbers, ...]
    expected: Callable[..., Any]
    dtype: str = "f32"
    result: str = ""
    zero_sign: bool = True


def maximum(a: Array, b: Array) -> Array:
    """IEEE 754-2019 maximum: NaN wins, 0.0 above -0.0."""
    zeros = (a == 0) & (b == 0)
    above = np.where(np.signbit(a) & np.signbit(b), a, np.abs(a))
    return np.where(zeros, above, np.maximum(a, b))


def minimum(a: Array, b: Array) -> Array:
    """IEEE 754-2019 minimum."""
    return -maximum(-a, -b)


def half_away(a: Array) -> Array:
    """Round to nearest, halves away from zero."""
    return np.copysign(np.floor(np.abs(a) + np.float32(0.5)), a)


def bits(a: Array) -> Array:
    """The same bits as unsigned integers."""
    return a.view(f"u{a.dtype.itemsize}")


def saturated(exact: Binary) -> Binary:
    """`exact` in 64 bits, clamped to i32."""

    def apply(a: Array, b: Array) -> Array:
        wide = exact(a.astype(np.int64), b.astype(np.int64))
        return np.clip(wide, -(2**31), 2**31 - 1)

    return apply


def unsigned(function: Binary) -> Binary:
    """`function` on the bits as unsigned integers."""
    return lambda a, b: np.asarray(function(bits(a), bits(b)))


def ones(a: Array) -> Array:
    return np.array([bin(x).count("1") for x in bits(a).tolist()])


def quotient(a: Array, b: Array) -> Array:
    """Quotient towards zero."""
    return np.trunc(a / b)


def fma(a: Array, b: Array, c: Array) -> Array:
    """Exact in 64 bits, then rounded."""
    return (a.astype(np.float64) * b + c).astype(np.float32)


FLOATS: dict[str, Binary] = {
    "fadd": np.add,
    "fsub": np.subtract,
    "fmul": np.multiply,
    "fdiv": np.divide,
    "frem": np.fmod,
}
UNARY: dict[str, Unary] = {
    "fabs": np.abs,
    "ceil": np.ceil,
    "floor": np.floor,
    "trunc": np.trunc,
    "rint": np.rint,
    "nearbyint": np.rint,
    "roundeven": np.rint,
    "round": half_away,
    "sqrt": np.sqrt,
}
FCMP: dict[str, Binary] = {
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
    "_true": lambda a, b: np.ones(a.shape, np.bool_),
    "_false": lambda a, b: np.zeros(a.shape, np.bool_),
}
ICMP: dict[str, Binary] = {
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
INTEGERS: dict[str, tuple[Numbers, Binary]] = {
    "add": (J32, np.add),
    "sub": (J32, np.subtract),
    "mul": (J32, np.multiply),
    "and": (J32, np.bitwise_and),
    "or": (J32, np.bitwise_or),
    "xor": (J32, np.bitwise_xor),
    "sdiv": (DIVISORS, quotient),
    "srem": (DIVISORS, np.fmod),
    "udiv": (DIVISORS, unsigned(np.floor_divide)),
    "urem": (DIVISORS, unsigned(np.remainder)),
    "shl": (SHIFTS, np.left_shift),
    "ashr": (SHIFTS, np.right_shift),
    "lshr": (SHIFTS, unsigned(np.right_shift)),
}
INTEGER_INTRINSICS: dict[str, Binary] = {
    "smax": np.maximum,
    "smin": np.minimum,
    "umax": unsigned(np.maximum),
    "umin": unsigned(np.minimum),
    "sadd.sat": saturated(np.add),
    "ssub.sat": saturated(np.subtract),
    "uadd.sat": unsigned(lambda a, b: np.minimum(a.astype(np.uint64) + b, 2**32 - 1)),
    "usub.sat": unsigned(lambda a, b: a - np.minimum(a, b)),
}
FLOAT_INTRINSICS: dict[str, Binary] = {
    "maximum": maximum,
    "minimum": minimum,
    "copysign": np.copysign,
}
CONVERSIONS: dict[str, tuple[str, str, Numbers, Unary]] = {
    "fptosi": ("f32", "i8", HALVES, np.trunc),
    "fptoui": ("f32", "i32", POSITIVE, np.trunc),
    "sitofp": ("i32", "f32", I32, lambda a: a),
    "uitofp": ("i32", "f32", I32, bits),
    "fpext": ("f32", "f64", F, lambda a: a),
    "fptrunc": ("f64", "f32", WIDE, lambda a: a),
    "sext": ("i8", "i64", BYTES, lambda a: a),
    "zext": ("i8", "i32", BYTES, bits),
    "trunc": ("i32", "i8", I32, lambda a: a),
    "bitcast": ("f32", "i32", F, lambda a: a.view(np.int32)),
}


def intrinsic(name: str, count: int = 1) -> str:
    """Text of an intrinsic of `count` operands of one type."""
    operands = ", ".join(f"%{i}" for i in range(count))
    return f"llvm.intr.{name}({operands}) : ({', '.join(['{t}'] * count)}) -> {{t}}"


def binary(name: str) -> str:
    """Text of an op of two operands."""
    return f"llvm.{name} %0, %1 : {{t}}"


CASES: tuple[Case, ...] = (
    *(Case(f"{n}_{t}", binary(n), (F, G), f, t) for t in ("f32", "f64") for n, f in FLOATS.items()),
    *(Case(n, intrinsic(n), (F,), f) for n, f in UNARY.items()),
    *(Case(f"{n}_halves", intrinsic(n), (HALVES,), f) for n, f in UNARY.items()),
    *(
        Case(f"fcmp_{n}", f'llvm.fcmp "{n}" %0, %1 : {{t}}', (F, G), f, "f32", "i1")
        for n, f in FCMP.items()
    ),
    *(
        Case(f"icmp_{n}", f'llvm.icmp "{n}" %0, %1 : {{t}}', (I32, J32), f, "i32", "i1")
        for n, f in ICMP.items()
    ),
    *(Case(n, binary(n), (I32, b), f, "i32") for n, (b, f) in INTEGERS.items()),
    *(Case(n, intrinsic(n, 2), (I32, J32), f, "i32") for n, f in INTEGER_INTRINSICS.items()),
    *(Case(n, intrinsic(n, 2), (F, G), f) for n, f in FLOAT_INTRINSICS.items()),
    Case("maxnum", intrinsic("maxnum", 2), (F, G), np.fmax, zero_sign=False),
    Case("minnum", intrinsic("minnum", 2), (F, G), np.fmin, zero_sign=False),
    Case("fma", intrinsic("fma", 3), (FACTORS,) * 3, fma),
    Case("ctpop", intrinsic("ctpop"), (I32,), ones, "i32"),
    Case("fneg", "llvm.fneg %0 : {t}", (F,), np.negative),
    Case("freeze", "llvm.freeze %0 : {t}", (F,), np.positive),
    *(
        Case(f"to_{n}", f"llvm.{n} %0 : {{t}} to {{r}}", (a,), f, t, r)
        for n, (t, r, a, f) in CONVERSIONS.items()
    ),
)


def function_name(case: Case, lanes: int) -> str:
    """Name of the function of a case."""
    return f"{case.name.replace('.', '_')}_by_{lanes}"


def function_text(case: Case, lanes: int) -> str:
    """A function that applies the op to `LANES` elements, `lanes` at a time (1 is scalar)."""
    result = case.result or case.dtype
    stored = "i8" if result == "i1" else result

    def shaped(element: str) -> str:
        return f"vector<{lanes}x{element}>" if lanes > 1 else element

    names = [f"%p{i}" for i in range(len(case.operands))]
    parameters = ", ".join(f"{name}: !llvm.ptr" for name in (*names, "%r"))
    lines = [f"llvm.func @{function_name(case, lanes)}({parameters}) {{"]
    for at in range(0, LANES, lanes):
        text = case.text.format(t=shaped(case.dtype), r=shaped(result))
        for i, name in enumerate(names):
            here = f"%a{at}_{i}"
            lines += [
                f"  {here} = llvm.getelementptr {name}[{at}] : (!llvm.ptr) -> !llvm.ptr, "
                f"{case.dtype}",
                f"  %x{at}_{i} = llvm.load {here} {{alignment = 1 : i64}} : !llvm.ptr -> "
                f"{shaped(case.dtype)}",
            ]
            text = text.replace(f"%{i}", f"%x{at}_{i}")
        value = f"%y{at}"
        lines.append(f"  {value} = {text}")
        if stored != result:
            lines.append(f"  %z{at} = llvm.zext {value} : {shaped(result)} to {shaped(stored)}")
            value = f"%z{at}"
        lines += [
            f"  %b{at} = llvm.getelementptr %r[{at}] : (!llvm.ptr) -> !llvm.ptr, {stored}",
            f"  llvm.store {value}, %b{at} {{alignment = 1 : i64}} : {shaped(stored)}, !llvm.ptr",
        ]
    return "\n".join((*lines, "  llvm.return", "}"))
