"""Conversions to floats, each rounded once.

The 16-bit floats are converted from and to f32, since LLVM calls a library for other conversions.
f16 has an instruction on most machines, and `half_bits.py` on the others.
From a wider type, the f32 is rounded to odd: its last bit is set if it is inexact, so that both
roundings together give the same result as one rounding.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    IntegerType,
    Signedness,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i16,
    i32,
)
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.builtin.shaped import bit_width
from snippets_mlir.dialects.snippets.emission.builder import (
    CodeBuilder,
    element_of,
    lanes_of,
    vector_type,
)
from snippets_mlir.dialects.snippets.emission.half_bits import bits_to_single, single_to_bits

_HALVES = (bf16, f16)

EXACT_IN_F32 = 16
BITS_OF_I64 = 64


def is_unsigned(element: Attribute) -> bool:
    """i1 and `ui` types; signless integers are signed."""
    if not isinstance(element, IntegerType):
        return False
    integer = cast("IntegerType[int, Signedness]", element)
    return integer == i1 or integer.signedness.data == Signedness.UNSIGNED


def _f32_to_bf16(b: CodeBuilder, x: SSAValue) -> SSAValue:
    """The upper halves of the bits, rounded to nearest even; few targets have an instruction."""
    bits = b.op("arith.bitcast", [x], vector_type(i32, lanes_of(x)))
    upper = b.op("arith.shrui", [bits, b.like(16, bits)])
    odd = b.op("arith.andi", [upper, b.like(1, bits)])
    bias = b.op("arith.addi", [odd, b.like(0x7FFF, bits)])
    rounded = b.op("arith.shrui", [b.op("arith.addi", [bits, bias]), b.like(16, bits)])
    is_nan = b.compare_float("une", x, x)
    rounded = b.select(is_nan, b.op("arith.ori", [upper, b.like(0x40, bits)]), rounded)
    half = b.op("arith.trunci", [rounded], vector_type(i16, lanes_of(x)))
    return b.op("arith.bitcast", [half], vector_type(bf16, lanes_of(x)))


def _bf16_to_f32(b: CodeBuilder, x: SSAValue) -> SSAValue:
    """The bits and 16 zeros; after an `arith.extf`, LLVM would compute later ops in bf16."""
    half = b.op("arith.bitcast", [x], vector_type(i16, lanes_of(x)))
    bits = b.op("arith.extui", [half], vector_type(i32, lanes_of(x)))
    bits = b.op("arith.shli", [bits, b.like(16, bits)])
    return b.op("arith.bitcast", [bits], vector_type(f32, lanes_of(x)))


def to_single(b: CodeBuilder, x: SSAValue) -> SSAValue:
    """16-bit floats as f32, exact; other floats unchanged."""
    if element_of(x) == bf16:
        return _bf16_to_f32(b, x)
    if element_of(x) != f16:
        return x
    if not b.converts_f16:
        return bits_to_single(b, x)
    return b.op("arith.extf", [x], vector_type(f32, lanes_of(x)))


def _from_single(b: CodeBuilder, x: SSAValue, target: Attribute) -> SSAValue:
    """f32 as 16-bit floats."""
    if target == bf16:
        return _f32_to_bf16(b, x)
    if not b.converts_f16:
        return single_to_bits(b, x)
    return b.op("arith.truncf", [x], vector_type(target, lanes_of(x)))


def _odd_f32(b: CodeBuilder, x: SSAValue) -> SSAValue:
    """f64 rounded to odd: towards zero, and the last bit set where that is not exact."""
    nearest = b.op("arith.truncf", [x], vector_type(f32, lanes_of(x)))
    back = b.op("arith.extf", [nearest], x.type)
    is_inexact = b.compare_float("one", back, x)
    is_larger = b.compare_float("ogt", b.op("math.absf", [back]), b.op("math.absf", [x]))
    bits = b.op("arith.bitcast", [nearest], vector_type(i32, lanes_of(x)))
    bits = b.select(is_larger, b.op("arith.subi", [bits, b.like(1, bits)]), bits)
    bits = b.select(is_inexact, b.op("arith.ori", [bits, b.like(1, bits)]), bits)
    return b.op("arith.bitcast", [bits], nearest.type)


def _sticky_f64(b: CodeBuilder, x: SSAValue, source: Attribute) -> SSAValue:
    """Integers as f64; the lost bits of 64-bit integers become one sticky bit."""
    if bit_width(source) == BITS_OF_I64:
        low = b.op("arith.andi", [x, b.like((1 << 11) - 1, x)])
        high = b.op("arith.xori", [x, low])
        sticky = b.select(b.compare_int("eq", low, b.like(0, x)), low, b.like(1 << 11, x))
        shifted = b.op("arith.shrsi", [x, b.like(53, x)])  # 0 and -1: below 2^53
        is_small = b.compare_int("ule", b.op("arith.addi", [shifted, b.like(1, x)]), b.like(1, x))
        x = b.select(is_small, x, b.op("arith.ori", [high, sticky]))
    name = "arith.uitofp" if is_unsigned(source) else "arith.sitofp"
    return b.op(name, [x], vector_type(f64, lanes_of(x)))


def to_float(b: CodeBuilder, x: SSAValue, source: Attribute, target: Attribute) -> SSAValue:
    """Any vector as floats of type `target`."""
    type_ = vector_type(target, lanes_of(x))
    if isinstance(source, AnyFloat):
        if source == target:
            return x
        if target in _HALVES:
            single = _odd_f32(b, x) if source == f64 else to_single(b, x)
            return _from_single(b, single, target)
        single = to_single(b, x)
        if element_of(single) == target:
            return single
        return b.op("arith.extf" if target == f64 else "arith.truncf", [single], type_)
    if target == bf16 and bit_width(source) > EXACT_IN_F32:
        return to_float(b, _sticky_f64(b, x, source), f64, target)
    if target in _HALVES:  # integers that are inexact in f32 are infinite in f16
        return to_float(b, to_float(b, x, source, f32), f32, target)
    return b.op("arith.uitofp" if is_unsigned(source) else "arith.sitofp", [x], type_)
