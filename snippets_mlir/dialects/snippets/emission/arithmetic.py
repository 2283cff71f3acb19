"""Emitters for arithmetic, comparisons, logic and rounding: mostly one instruction each."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, UnitAttr
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import bit_width
from snippets_mlir.dialects.snippets.emission.builder import CodeBuilder, element_of
from snippets_mlir.dialects.snippets.emission.convert import quotient_through_f64
from snippets_mlir.dialects.snippets.emission.remainder import emit_float_mod

RARE = "snippets.rare"
"""Marks an `arith.select` whose condition is true in some lane of few vectors only."""


def is_float(value: SSAValue) -> bool:
    """Whether a vector has float elements."""
    return isinstance(element_of(value), AnyFloat)


def width_of(value: SSAValue) -> int:
    """The width of an element type in bits."""
    return bit_width(element_of(value))


def negative(b: CodeBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    """-x; the sign of floats is flipped, integers wrap."""
    if is_float(x[0]):
        return b.op("arith.negf", x)
    return b.op("arith.subi", [b.like(0, x[0]), x[0]])


def absolute(b: CodeBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    """|x|; integers wrap."""
    if is_float(x[0]):
        return b.op("math.absf", x)
    return b.op("arith.maxsi", [x[0], negative(b, op, x)])


def inverted(b: CodeBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    """Bitwise not: x xor -1 (xor 1 for i1)."""
    ones = 1 if width_of(x[0]) == 1 else -1
    return b.op("arith.xori", [x[0], b.like(ones, x[0])])


def select(b: CodeBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    """The second operand where the first is true, else the third."""
    chosen = b.select(x[0], x[1], x[2])
    if "rare" in op.properties:
        assert isinstance(chosen.owner, Operation)
        chosen.owner.attributes[RARE] = UnitAttr()
    return chosen


def larger(b: CodeBuilder, best: SSAValue, other: SSAValue) -> SSAValue:
    """`other` where it is larger than `best`, else `best`: one instruction on most machines.

    The operands have the order of x86's `maxps`, whose result for NaN or two zeros is the second:
    `maxps(other, best)`. Maxima that keep NaN take five instructions there.
    """
    return b.select(b.compare_float("ogt", other, best), other, best)


def running_maximum(b: CodeBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    """The second operand where it is larger, else the first."""
    return larger(b, x[0], x[1])


def divide_int(b: CodeBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """`x / y truncated`; y = 0 gives x / 1, which the caller replaces; INT_MIN / -1 = INT_MIN.

    Quotients of 32-bit integers are exact through f64 (the gap between a quotient and the next
    integer is at least 2^-31 of it), which has vector instructions; 64-bit quotients have none on
    any target.
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


def divide(b: CodeBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    """The quotient; of integers rounded towards zero, 0 for a divisor of 0."""
    if is_float(x[0]):
        return b.op("arith.divf", x)
    zero = b.like(0, x[1])
    quotient = divide_int(b, x[0], x[1])
    return b.select(b.compare_int("eq", x[1], zero), zero, quotient)


def _remainder(b: CodeBuilder, x: Sequence[SSAValue], floor: bool) -> SSAValue:
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


def floor_mod(b: CodeBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    """The remainder with the sign of the divisor."""
    return _remainder(b, x, floor=True)


def mod(b: CodeBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    """The remainder with the sign of the dividend."""
    return _remainder(b, x, floor=False)


def _at_most_width(b: CodeBuilder, x: Sequence[SSAValue]) -> SSAValue:
    return b.op("arith.minui", [x[1], b.like(width_of(x[0]) - 1, x[1])])


def left_shift(b: CodeBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    """`x << y`, 0 for an amount of the width or more."""
    shifted = b.op("arith.shli", [x[0], _at_most_width(b, x)])
    fits = b.compare_int("ult", x[1], b.like(width_of(x[0]), x[1]))
    return b.select(fits, shifted, b.like(0, x[0]))


def right_shift(b: CodeBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    """`x >> y`, the sign for an amount of the width or more."""
    return b.op("arith.shrsi", [x[0], _at_most_width(b, x)])
