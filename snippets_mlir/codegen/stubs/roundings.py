"""Conversions of 16-bit floats, which LLVM calls by name if the machine has no instruction.

    __bf16 __truncsfbf2(float x) {
      uint32_t bits = as_bits(x), upper = bits >> 16;
      uint32_t rounded = (bits + (upper & 1) + 32767) >> 16;
      return as_bf16((uint16_t)(isnan(x) ? upper | 64 : rounded));
    }

    _Float16 __truncsfhf2(float x) {
      uint32_t bits = as_bits(x), size = bits & 0x7fffffff;
      uint32_t normal = (size - (112 << 23) + ((size >> 13) & 1) + 4095) >> 13;
      uint32_t small = as_bits(as_float(size) + 0.5f) - as_bits(0.5f);        below 2^-14
      uint32_t large = isnan(x) ? 0x7e00 | ((size >> 13) & 0x3ff) : 0x7c00;   from 2^16 on
      uint32_t found = size < 113 << 23 ? small : size < 143 << 23 ? normal : large;
      return as_half((uint16_t)(found | ((bits >> 16) & 0x8000)));
    }

    float __extendhfsf2(_Float16 x) {
      uint32_t bits = as_bits(x), moved = (bits & 0x7fff) << 13, normal = moved + (112 << 23);
      uint32_t small = as_bits(as_float(normal + (1 << 23)) - 0x1p-14f);
      uint32_t large = normal + (112 << 23) | (isnan(x) ? 1 << 22 : 0);
      uint32_t found = moved < 1 << 23 ? small : moved < 31 << 23 ? normal : large;
      return as_float(found | ((bits & 0x8000) << 16));
    }

    __bf16 __truncdfbf2(double x) {              first to float, rounded to odd
      float near = (float)x;
      uint32_t bits = as_bits(near);
      uint32_t cut = fabs((double)near) > fabs(x) ? bits - 1 : bits;
      return __truncsfbf2(as_float(islessgreater((double)near, x) ? cut | 1 : bits));
    }

and `__truncdfhf2` in the same way. The first rounding is to odd, so that the second rounding does
no harm. The names come from compiler-rt, which is not in every process. The linkage is weak, so any
number of objects may have them. Source of the conversions of halves: Giesen's notes on them, by the
same additions of floats.
"""

from __future__ import annotations

from functools import cache

from xdsl.dialects.builtin import FloatAttr, bf16, f16, f32, f64
from xdsl.dialects.llvm import ConstantOp, FAddOp, FSubOp
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.codegen.elf import is_elf, undefined_symbols
from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.expressions import I16, I32
from snippets_mlir.dialects.llvm.casts import BitcastOp, FPExtOp, FPTruncOp
from snippets_mlir.dialects.llvm.intrinsics import FAbsOp
from snippets_mlir.dialects.llvm.values import FCmpOp

FROM_FLOAT, FROM_DOUBLE = "__truncsfbf2", "__truncdfbf2"
HALF_FROM_FLOAT, HALF_FROM_DOUBLE, FROM_HALF = "__truncsfhf2", "__truncdfhf2", "__extendhfsf2"
NAMES = (FROM_FLOAT, FROM_DOUBLE, HALF_FROM_FLOAT, HALF_FROM_DOUBLE, FROM_HALF)

EXPONENT = 1 << 23
"""1 in the exponent of a float."""

REBIASED = 112 * EXPONENT
"""The difference between the exponents of floats and of halves."""


def with_missing(text: str, image: bytes) -> str | None:
    """LLVM text with the conversions that its object `image` calls; None if it calls none.

    An ELF object lists the functions that it calls. An object in another format may call them if
    the text has such floats.
    """
    if is_elf(image):
        calls = not {*NAMES}.isdisjoint(undefined_symbols(image))
    else:
        calls = ("bfloat" in text or "half" in text) and f"@{FROM_FLOAT}(" not in text
    return text + _text() if calls else None


@cache
def _text() -> str:
    return roundings_module().llvm_text()


def roundings_module() -> Module:
    """A module with the conversions."""
    module = Module()
    _add_from_float(module)
    _add_half_from_float(module)
    _add_from_half(module)
    for name, near, type in (
        (FROM_DOUBLE, FROM_FLOAT, bf16),
        (HALF_FROM_DOUBLE, HALF_FROM_FLOAT, f16),
    ):
        _add_from_double(module, name, near, type)
    return module


def _add_from_float(module: Module) -> None:
    body = module.function(FROM_FLOAT, [f32], bf16, linkage="weak")
    (x,) = body.arguments
    bits = body.add_op(BitcastOp(x, I32))
    upper = body.shift_right(bits, 16)
    bias = body.add(body.both(upper, 1), 32767)
    rounded = body.shift_right(body.add(bits, bias), 16)
    is_nan = body.add_op(FCmpOp(x, x, "uno"))
    chosen = body.select(is_nan, body.either(upper, 64), rounded)
    body.end(body.add_op(BitcastOp(body.narrow(chosen, I16), bf16)))


def _number(body: Body, value: float) -> SSAValue:
    return body.add_op(ConstantOp(FloatAttr(value, f32), f32))


def _add_half_from_float(module: Module) -> None:
    body = module.function(HALF_FROM_FLOAT, [f32], f16, linkage="weak")
    (x,) = body.arguments
    bits = body.add_op(BitcastOp(x, I32))
    size = body.both(bits, 0x7FFFFFFF)
    upper = body.shift_right(size, 13)
    bias = body.add(body.both(upper, 1), 4095)
    normal = body.shift_right(body.add(body.subtract(size, REBIASED), bias), 13)
    half = _number(body, 0.5)  # it has the unit in the last place of the smallest halves
    added = body.add_op(FAddOp(body.add_op(BitcastOp(size, f32)), half))
    small = body.subtract(body.add_op(BitcastOp(added, I32)), 126 * EXPONENT)
    is_nan = body.add_op(FCmpOp(x, x, "uno"))
    payload = body.either(body.both(upper, 0x3FF), 0x7E00)
    large = body.select(is_nan, payload, body.integer(0x7C00, I32))
    found = body.select(body.compare("ult", size, 143 * EXPONENT), normal, large)
    found = body.select(body.compare("ult", size, 113 * EXPONENT), small, found)
    sign = body.both(body.shift_right(bits, 16), 0x8000)
    body.end(body.add_op(BitcastOp(body.narrow(body.either(found, sign), I16), f16)))


def _add_from_half(module: Module) -> None:
    body = module.function(FROM_HALF, [f16], f32, linkage="weak")
    (x,) = body.arguments
    bits = body.widen(body.add_op(BitcastOp(x, I16)), I32)
    moved = body.multiply(body.both(bits, 0x7FFF), 1 << 13)
    normal = body.add(moved, REBIASED)
    shifted = body.add_op(BitcastOp(body.add(normal, EXPONENT), f32))
    small = body.add_op(FSubOp(shifted, _number(body, 2.0**-14)))
    large = body.add(normal, REBIASED)
    is_nan = body.compare("ugt", moved, 31 * EXPONENT)
    large = body.select(is_nan, body.either(large, 1 << 22), large)
    found = body.select(body.compare("ult", moved, 31 * EXPONENT), normal, large)
    is_small = body.compare("ult", moved, EXPONENT)
    found = body.select(is_small, body.add_op(BitcastOp(small, I32)), found)
    sign = body.multiply(body.both(bits, 0x8000), 1 << 16)
    body.end(body.add_op(BitcastOp(body.either(found, sign), f32)))


def _add_from_double(module: Module, name: str, from_float: str, type: Attribute) -> None:
    body = module.function(name, [f64], type, linkage="weak")
    (x,) = body.arguments
    near = body.add_op(FPTruncOp(x, f32))
    bits = body.add_op(BitcastOp(near, I32))
    back = body.add_op(FPExtOp(near, f64))
    inexact = body.add_op(FCmpOp(back, x, "one"))
    back_size, size = (body.add_op(FAbsOp(value)) for value in (back, x))
    away = body.add_op(FCmpOp(back_size, size, "ogt"))
    cut = body.select(away, body.subtract(bits, 1), bits)
    chosen = body.select(inexact, body.either(cut, 1), bits)
    odd = body.add_op(BitcastOp(chosen, f32))
    body.end(body.call_for(type, from_float, odd))
