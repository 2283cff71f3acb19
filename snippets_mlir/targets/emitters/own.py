"""Emitters of single targets in place of the base table's.

* `generic` has no fused multiply-add: LLVM would call `fmaf` for each element. In f32 the product
  is exact in f64, and the sum is rounded to odd, so that only the last rounding counts (Boldo and
  Melquiond, as in `dialects/snippets/values/fma.py`). In f64 there is no such form; LLVM calls
  `fma`. It has no conversions of f16 either, so that those on bits need more registers.
* `x86-64-avx512` keeps NaNs in maxima with a compare into a mask register, not with blends.
* `aarch64-neon` has instructions for maxima that keep NaNs, absolute values and negation, but none
  like x86's `maxps`: a running maximum is a comparison and a select.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects.builtin import f32, f64, i64
from xdsl.ir import Operation, SSAValue

from snippets_mlir.targets.emitters.arith_builder import element_of, lanes_of, vector_type
from snippets_mlir.targets.emitters.emitter import Emitter
from snippets_mlir.targets.emitters.table import EMITTERS as BASE
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder


def _fma_through_f64(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    if element_of(x[0]) != f32:
        return BASE["snippets.fma"].emit(b, op, x)
    wide = vector_type(f64, lanes_of(x[0]))
    one, other, added = (b.op("arith.extf", [value], wide) for value in x)
    product = b.op("arith.mulf", [one, other])
    total = b.op("arith.addf", [product, added])
    virtual = b.op("arith.subf", [total, product])
    error = b.op(
        "arith.addf",
        [
            b.op("arith.subf", [product, b.op("arith.subf", [total, virtual])]),
            b.op("arith.subf", [added, virtual]),
        ],
    )
    bits, error_bits = (
        b.op("arith.bitcast", [v], vector_type(i64, lanes_of(v))) for v in (total, error)
    )
    # Round to odd: if the sum is inexact and its last bit is 0, take the neighbour on the side of
    # the exact value.
    differ = b.op("arith.xori", [bits, error_bits])
    away = b.op("arith.shrsi", [differ, b.like(63, bits)])
    step = b.op("arith.ori", [away, b.like(1, bits)])
    last = b.op("arith.andi", [bits, b.like(1, bits)])
    inexact = b.compare_float("one", error, b.like(0.0, error))
    even = b.compare_int("eq", last, b.like(0, bits))
    moved = b.op("arith.addi", [bits, step])
    odd = b.select(b.op("arith.andi", [inexact, even]), moved, bits)
    result = b.op("arith.bitcast", [odd], wide)
    return b.op("arith.truncf", [result], vector_type(f32, lanes_of(x[0])))


GENERIC: dict[str, Emitter] = {
    "snippets.fma": Emitter(_fma_through_f64, 6, 2),
    **{
        name: replace(BASE[name], auxiliary_vectors=5)
        for name in ("snippets.convert_saturation", "snippets.convert_truncation")
    },
}

AVX512: dict[str, Emitter] = {
    name: replace(BASE[name], auxiliary_vectors=1, auxiliary_masks=1)
    for name in ("snippets.maximum", "snippets.minimum")
}

NEON: dict[str, Emitter] = {
    "snippets.running_maximum": replace(BASE["snippets.running_maximum"], auxiliary_vectors=1),
    **{
        name: replace(BASE[name], auxiliary_vectors=0)
        for name in ("snippets.abs", "snippets.bitwise_not", "snippets.negative")
    },
    **{
        name: replace(BASE[name], auxiliary_vectors=1, auxiliary_masks=0)
        for name in ("snippets.maximum", "snippets.minimum")
    },
}
