"""MLIR's `llvm`: upstream's dialect, with our own ops in place of some of its ops.

Only the context of our own tools registers it, under the same name. Replaced ops, and why:

* `llvm.load`, `llvm.store`: upstream has no effects, keeps `nontemporal` and `volatile` of a load
  as discardable attributes and does not print the ordering of a store.
* `llvm.getelementptr`: upstream takes one pointer and scalar indices only, and has `inbounds`
  besides MLIR's `noWrapFlags`.
* `llvm.intr.masked.store`: upstream takes floats only and has no effects.
* `llvm.fcmp`, `llvm.select`: upstream takes scalars only; its fcmp drops fast-math flags when it
  parses.
* `llvm.mlir.zero`: upstream refuses scalars and vectors.
* `llvm.bitcast`, `llvm.fpext`, `llvm.fptrunc`, `llvm.sitofp`: upstream verifies nothing.
* `llvm.intr.fabs`: upstream has no effect traits, so it is never removed.
* `llvm.mlir.global`: upstream prints the visibility among the attributes, which MLIR refuses.

Added: conversions (`fptosi fptoui uitofp`), `extractelement`, `freeze`, `mlir.poison`, masked
loads, gathers and scatters, `fence`, `atomicrmw`, the float intrinsics `trunc rint nearbyint round
roundeven fmuladd maximum minimum`, the integer intrinsics `smax smin umax umin`, saturating add and
subtract, `ctpop`, `stepvector`, the vector reductions, and annotations of loops. Everything else is
upstream's.
"""

from xdsl.dialects.llvm import LLVM as UpstreamLLVM
from xdsl.ir import Dialect

from snippets_mlir.dialects.llvm import (
    atomics,
    casts,
    globals,
    integer_intrinsics,
    intrinsics,
    loop_annotations,
    masked,
    memory,
    pointers,
    reductions,
    values,
)
from snippets_mlir.support.extension import extended

LLVM: Dialect = extended(
    UpstreamLLVM,
    (
        *atomics.OPS,
        *casts.OPS,
        *globals.OPS,
        *integer_intrinsics.OPS,
        *intrinsics.OPS,
        *masked.OPS,
        *memory.OPS,
        *pointers.OPS,
        *reductions.OPS,
        *values.OPS,
    ),
    attributes=loop_annotations.ATTRIBUTES,
)

__all__ = ["LLVM"]
