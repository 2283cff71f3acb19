"""Rounding to bfloat16, which LLVM calls by name where the machine has no instruction for it.

The names are those of compiler-rt, which is not in every process.
"""

from __future__ import annotations

_ROUNDINGS = """
define weak bfloat @__truncsfbf2(float %x) {
  %bits = bitcast float %x to i32
  %upper = lshr i32 %bits, 16
  %odd = and i32 %upper, 1
  %bias = add i32 %odd, 32767
  %sum = add i32 %bits, %bias
  %rounded = lshr i32 %sum, 16
  %nan = fcmp uno float %x, %x
  %quiet = or i32 %upper, 64
  %chosen = select i1 %nan, i32 %quiet, i32 %rounded
  %half = trunc i32 %chosen to i16
  %result = bitcast i16 %half to bfloat
  ret bfloat %result
}

; First to float, rounded to odd, so that the second rounding does no harm.
define weak bfloat @__truncdfbf2(double %x) {
  %near = fptrunc double %x to float
  %bits = bitcast float %near to i32
  %back = fpext float %near to double
  %inexact = fcmp one double %back, %x
  %size = call double @llvm.fabs.f64(double %x)
  %back.size = call double @llvm.fabs.f64(double %back)
  %away = fcmp ogt double %back.size, %size
  %less = sub i32 %bits, 1
  %cut = select i1 %away, i32 %less, i32 %bits
  %odd = or i32 %cut, 1
  %chosen = select i1 %inexact, i32 %odd, i32 %bits
  %float = bitcast i32 %chosen to float
  %result = call bfloat @__truncsfbf2(float %float)
  ret bfloat %result
}
"""


def with_roundings(text: str) -> str:
    """LLVM text with the functions that code on bfloat16 may call, if it has any such code."""
    if "bfloat" not in text:
        return text
    declared = "" if "@llvm.fabs.f64(" in text else "declare double @llvm.fabs.f64(double)\n"
    return text + _ROUNDINGS + declared
