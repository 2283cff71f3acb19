"""Conversions between f16 and f32 by arithmetic on bits, for machines without an instruction.

LLVM would call a function for each element. Conversions are exact or rounded to nearest even, and a
NaN becomes quiet and keeps its upper bits, as the instructions of other machines do it. The sums
for subnormal f16 have normal f32 as operands, so that a mode that flushes subnormals changes
nothing. Source: Giesen's notes on these conversions; `codegen/stubs/roundings.py` has the same on
single numbers.
"""

from __future__ import annotations

from xdsl.dialects.builtin import f16, f32, i16, i32
from xdsl.ir import SSAValue

from snippets_mlir.dialects.snippets.emission.builder import CodeBuilder, lanes_of, vector_type

EXPONENT = 1 << 23
"""1 in the exponent of an f32."""
REBIASED = 112 * EXPONENT
"""The difference between the exponents of f32 and of f16."""
QUIET = 1 << 22
LARGEST_SIZE = 0x7FFFFFFF
SPECIAL = 31 * EXPONENT
"""The exponent of infinities and NaNs of f16, at the place of an f32's."""


def bits_to_single(b: CodeBuilder, x: SSAValue) -> SSAValue:
    """f16 as f32, exact."""
    half = b.op("arith.bitcast", [x], vector_type(i16, lanes_of(x)))
    bits = b.op("arith.extui", [half], vector_type(i32, lanes_of(x)))
    single = vector_type(f32, lanes_of(x))
    size = b.op("arith.andi", [bits, b.like(0x7FFF, bits)])
    moved = b.op("arith.shli", [size, b.like(13, bits)])
    normal = b.op("arith.addi", [moved, b.like(REBIASED, bits)])
    # 2^-14 (1 + m) - 2^-14 for the subnormal 2^-14 m
    shifted = b.op("arith.addi", [normal, b.like(EXPONENT, bits)])
    shifted = b.op("arith.bitcast", [shifted], single)
    small = b.op("arith.subf", [shifted, b.like(2.0**-14, shifted)])
    small = b.op("arith.bitcast", [small], bits.type)
    large = b.op("arith.addi", [normal, b.like(REBIASED, bits)])
    quiet = b.op("arith.ori", [large, b.like(QUIET, bits)])
    large = b.select(b.compare_int("sgt", moved, b.like(SPECIAL, bits)), quiet, large)
    found = b.select(b.compare_int("slt", moved, b.like(SPECIAL, bits)), normal, large)
    found = b.select(b.compare_int("slt", moved, b.like(EXPONENT, bits)), small, found)
    sign = b.op("arith.shli", [b.op("arith.xori", [bits, size]), b.like(16, bits)])
    return b.op("arith.bitcast", [b.op("arith.ori", [found, sign])], single)


def single_to_bits(b: CodeBuilder, x: SSAValue) -> SSAValue:
    """f32 as f16, rounded to nearest even; from 65520 on infinite."""
    bits = b.op("arith.bitcast", [x], vector_type(i32, lanes_of(x)))
    size = b.op("arith.andi", [bits, b.like(LARGEST_SIZE, bits)])
    upper = b.op("arith.shrui", [size, b.like(13, bits)])
    odd = b.op("arith.andi", [upper, b.like(1, bits)])
    biased = b.op("arith.addi", [size, b.like(4095 - REBIASED, bits)])
    normal = b.op("arith.shrui", [b.op("arith.addi", [biased, odd]), b.like(13, bits)])
    # The unit in the last place of 0.5 is the smallest f16.
    number = b.op("arith.bitcast", [size], x.type)
    sum_bits = b.op("arith.addf", [number, b.like(0.5, x)])
    sum_bits = b.op("arith.bitcast", [sum_bits], bits.type)
    small = b.op("arith.subi", [sum_bits, b.like(126 * EXPONENT, bits)])
    payload = b.op("arith.andi", [upper, b.like(0x3FF, bits)])
    payload = b.op("arith.ori", [payload, b.like(0x7E00, bits)])
    large = b.select(b.compare_float("une", x, x), payload, b.like(0x7C00, bits))
    found = b.select(b.compare_int("slt", size, b.like(143 * EXPONENT, bits)), normal, large)
    found = b.select(b.compare_int("slt", size, b.like(113 * EXPONENT, bits)), small, found)
    sign = b.op("arith.shrui", [b.op("arith.xori", [bits, size]), b.like(16, bits)])
    half = b.op("arith.trunci", [b.op("arith.ori", [found, sign])], vector_type(i16, lanes_of(x)))
    return b.op("arith.bitcast", [half], vector_type(f16, lanes_of(x)))
