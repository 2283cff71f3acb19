"""Emitters of arithmetic, comparisons, logic and rounding: mostly one instruction each."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.snippets.unary_with_attributes import RoundOp
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.emitters.arith_builder import element_of
from snippets_mlir.targets.emitters.convert import quotient_through_f64
from snippets_mlir.targets.emitters.emitter import Emit, Emitter
from snippets_mlir.targets.emitters.reductions import emit_running_maximum
from snippets_mlir.targets.emitters.remainder import emit_float_mod
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder


def is_float(value: SSAValue) -> bool:
    """Whether a vector has float elements."""
    return isinstance(element_of(value), AnyFloat)


def width_of(value: SSAValue) -> int:
    """Bits of an element."""
    element = element_of(value)
    assert isinstance(element, IntegerType | AnyFloat)
    return element.bitwidth


def _by_kind(float_op: str | None, int_op: str | None) -> Emit:
    def emit(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
        name = float_op if is_float(x[0]) else int_op
        if name is None:
            raise CompileError(f"{op.name} has no emitter for {element_of(x[0])}")
        return b.op(name, x)

    return emit


def _compare(float_predicate: str, int_predicate: str) -> Emit:
    def emit(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
        if is_float(x[0]):
            return b.compare_float(float_predicate, x[0], x[1])
        return b.compare_int(int_predicate, x[0], x[1])

    return emit


def _negative(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    if is_float(x[0]):
        return b.op("arith.negf", x)
    return b.op("arith.subi", [b.like(0, x[0]), x[0]])


def _abs(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    if is_float(x[0]):
        return b.op("math.absf", x)
    return b.op("arith.maxsi", [x[0], _negative(b, op, x)])


def _round(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    assert isinstance(op, RoundOp)
    assert op.halves == "half_to_even"
    return b.op("math.roundeven", x)


def _not(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    ones = 1 if width_of(x[0]) == 1 else -1
    return b.op("arith.xori", [x[0], b.like(ones, x[0])])


def _select(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    return b.select(x[0], x[1], x[2])


def _running_maximum(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    return emit_running_maximum(b, x[0], x[1])


def divide_int(b: VectorBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """`x / y truncated`; y = 0 gives x / 1, which the caller replaces; INT_MIN / -1 = INT_MIN.

    Quotients of 32-bit integers are exact through f64 (the gap between a quotient and the next
    integer is at least 2^-31 of it), which has vector instructions; 64-bit ones have none on any
    target.
    """
    lowest = b.like(-(1 << (width_of(x) - 1)), x)
    overflow = b.op(
        "arith.andi",
        [b.compare_int("eq", x, lowest), b.compare_int("eq", y, b.like(-1, y))],
    )
    unsafe = b.op("arith.ori", [b.compare_int("eq", y, b.like(0, y)), overflow])
    divisor = b.select(unsafe, b.like(1, y), y)
    if width_of(x) > 32:
        return b.op("arith.divsi", [x, divisor])
    return quotient_through_f64(b, x, divisor)


def _divide(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    if is_float(x[0]):
        return b.op("arith.divf", x)
    zero = b.like(0, x[1])
    quotient = divide_int(b, x[0], x[1])
    return b.select(b.compare_int("eq", x[1], zero), zero, quotient)


def _remainder(floor: bool) -> Emit:
    def emit(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
        if is_float(x[0]):
            return emit_float_mod(b.append, x[0], x[1], floor=floor)
        zero = b.like(0, x[1])
        product = b.op("arith.muli", [divide_int(b, x[0], x[1]), x[1]])
        rest = b.op("arith.subi", [x[0], product])
        if floor:
            differ = b.compare_int("slt", b.op("arith.xori", [rest, x[1]]), zero)
            wrong = b.op("arith.andi", [differ, b.compare_int("ne", rest, zero)])
            rest = b.select(wrong, b.op("arith.addi", [rest, x[1]]), rest)
        return b.select(b.compare_int("eq", x[1], zero), zero, rest)

    return emit


def _shift(left: bool) -> Emit:
    def emit(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
        width = width_of(x[0])
        amount = b.op("arith.minui", [x[1], b.like(width - 1, x[1])])
        shifted = b.op("arith.shli" if left else "arith.shrsi", [x[0], amount])
        if not left:
            return shifted
        fits = b.compare_int("ult", x[1], b.like(width, x[1]))
        return b.select(fits, shifted, b.like(0, x[0]))

    return emit


ARITHMETIC_EMITTERS: dict[str, Emitter] = {
    "snippets.abs": Emitter(_abs, 1),
    "snippets.add": Emitter(_by_kind("arith.addf", "arith.addi")),
    "snippets.bitwise_and": Emitter(_by_kind(None, "arith.andi")),
    "snippets.bitwise_left_shift": Emitter(_shift(left=True), 2),
    "snippets.bitwise_not": Emitter(_not, 1),
    "snippets.bitwise_or": Emitter(_by_kind(None, "arith.ori")),
    "snippets.bitwise_right_shift": Emitter(_shift(left=False), 1, 1),
    "snippets.bitwise_xor": Emitter(_by_kind(None, "arith.xori")),
    "snippets.ceiling": Emitter(_by_kind("math.ceil", None)),
    "snippets.divide": Emitter(_divide, 3, 2),
    "snippets.equal": Emitter(_compare("oeq", "eq")),
    "snippets.floor": Emitter(_by_kind("math.floor", None)),
    "snippets.floor_mod": Emitter(_remainder(floor=True), 4, 2),
    "snippets.fma": Emitter(_by_kind("math.fma", None)),
    "snippets.greater": Emitter(_compare("ogt", "sgt")),
    "snippets.greater_equal": Emitter(_compare("oge", "sge")),
    "snippets.less": Emitter(_compare("olt", "slt")),
    "snippets.less_equal": Emitter(_compare("ole", "sle")),
    "snippets.logical_and": Emitter(_by_kind(None, "arith.andi")),
    "snippets.logical_not": Emitter(_not, 1),
    "snippets.logical_or": Emitter(_by_kind(None, "arith.ori")),
    "snippets.logical_xor": Emitter(_by_kind(None, "arith.xori")),
    "snippets.maximum": Emitter(_by_kind("arith.maximumf", "arith.maxsi"), 2, 1),
    "snippets.minimum": Emitter(_by_kind("arith.minimumf", "arith.minsi"), 2, 1),
    "snippets.mod": Emitter(_remainder(floor=False), 4, 2),
    "snippets.multiply": Emitter(_by_kind("arith.mulf", "arith.muli")),
    "snippets.negative": Emitter(_negative, 1),
    "snippets.not_equal": Emitter(_compare("une", "ne")),
    "snippets.round": Emitter(_round),
    "snippets.running_maximum": Emitter(_running_maximum),
    "snippets.select": Emitter(_select),
    "snippets.sqrt": Emitter(_by_kind("math.sqrt", None)),
    "snippets.subtract": Emitter(_by_kind("arith.subf", "arith.subi")),
    "snippets.trunc": Emitter(_by_kind("math.trunc", None)),
}
