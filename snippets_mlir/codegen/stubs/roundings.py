"""Rounding to bfloat16, which LLVM calls by name where the machine has no instruction for it.

    __bf16 __truncsfbf2(float x) {
      uint32_t bits = as_bits(x), upper = bits >> 16;
      uint32_t rounded = (bits + (upper & 1) + 32767) >> 16;
      return as_bf16((uint16_t)(isnan(x) ? upper | 64 : rounded));
    }

    __bf16 __truncdfbf2(double x) {              first to float, rounded to odd
      float near = (float)x;
      uint32_t bits = as_bits(near);
      uint32_t cut = fabs((double)near) > fabs(x) ? bits - 1 : bits;
      return __truncsfbf2(as_float(islessgreater((double)near, x) ? cut | 1 : bits));
    }

Rounded to odd, so that the second rounding does no harm. The names are those of compiler-rt, which
is not in every process; the linkage is weak, so any number of objects may have them.
"""

from __future__ import annotations

from functools import cache

from xdsl.dialects.builtin import bf16, f32, f64

from snippets_mlir.codegen.stubs.builder import Module
from snippets_mlir.codegen.stubs.expressions import I16, I32
from snippets_mlir.dialects.llvm.casts import BitcastOp, FPExtOp, FPTruncOp
from snippets_mlir.dialects.llvm.intrinsics import FAbsOp
from snippets_mlir.dialects.llvm.values import FCmpOp

FROM_FLOAT, FROM_DOUBLE = "__truncsfbf2", "__truncdfbf2"


def with_roundings(text: str) -> str:
    """LLVM text with the functions that code on bfloat16 may call, if it has any such code."""
    return text + _text() if "bfloat" in text else text


@cache
def _text() -> str:
    return roundings_module().llvm_text()


def roundings_module() -> Module:
    """A module with the roundings of f32 and of f64 to bfloat16."""
    module = Module()
    _add_from_float(module)
    _add_from_double(module)
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


def _add_from_double(module: Module) -> None:
    body = module.function(FROM_DOUBLE, [f64], bf16, linkage="weak")
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
    body.end(body.call_for(bf16, FROM_FLOAT, odd))
