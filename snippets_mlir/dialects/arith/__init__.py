"""MLIR's `arith`: upstream's dialect, with our own ops in place of some of its ops.

Only the context of our own tools registers it, under the same name. Replaced ops, and why:

* `arith.select`: upstream takes an `i1` condition only, and folds `select(a > b, a, b)` to a
  maximum, which differs for NaN and -0.0.
* `arith.cmpf`, `arith.cmpi`: upstream gives `i1` for vector operands of cmpf, and drops the
  attributes of both ops when it parses.
* `arith.negf`: upstream's builder puts `fastmath` among the attributes.
* `arith.index_cast`, `arith.fptosi`, `arith.fptoui`, `arith.sitofp`, `arith.uitofp`,
  `arith.trunci`, `arith.extsi`, `arith.extui`: upstream takes scalars only; its `extsi` has no
  effect traits, so it is never removed.
* `arith.extf`, `arith.truncf`: upstream does not compare the shapes and widths.

Added: `arith.index_castui`, `arith.remf`. Everything else is upstream's.
"""

from xdsl.dialects.arith import Arith as UpstreamArith
from xdsl.dialects.arith import ArithConstantMaterializationInterface
from xdsl.ir import Dialect

from snippets_mlir.dialects.arith.casts import (
    ExtFOp,
    ExtSIOp,
    ExtUIOp,
    FPToSIOp,
    FPToUIOp,
    IndexCastOp,
    IndexCastUIOp,
    SIToFPOp,
    TruncFOp,
    TruncIOp,
    UIToFPOp,
)
from snippets_mlir.dialects.arith.compare import CmpfOp, CmpiOp
from snippets_mlir.dialects.arith.ops import NegfOp, RemfOp, SelectOp
from snippets_mlir.support.extension import extended

Arith: Dialect = extended(
    UpstreamArith,
    (
        CmpfOp,
        CmpiOp,
        ExtFOp,
        ExtSIOp,
        ExtUIOp,
        FPToSIOp,
        FPToUIOp,
        IndexCastOp,
        IndexCastUIOp,
        NegfOp,
        RemfOp,
        SIToFPOp,
        SelectOp,
        TruncFOp,
        TruncIOp,
        UIToFPOp,
    ),
    [ArithConstantMaterializationInterface()],
)

__all__ = [
    "Arith",
    "CmpfOp",
    "CmpiOp",
    "ExtFOp",
    "ExtSIOp",
    "ExtUIOp",
    "FPToSIOp",
    "FPToUIOp",
    "IndexCastOp",
    "IndexCastUIOp",
    "NegfOp",
    "RemfOp",
    "SIToFPOp",
    "SelectOp",
    "TruncFOp",
    "TruncIOp",
    "UIToFPOp",
]
