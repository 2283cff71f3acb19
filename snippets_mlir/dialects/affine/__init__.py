"""MLIR's `affine`: upstream's dialect, with our own ops in place of most of its ops.

Only the context of our own tools registers it, under the same name. Replaced ops, and why:

* `affine.load`, `affine.store`, `affine.vector_load`, `affine.vector_store`: upstream reads every
  subscript as a symbol of the map, does not know `symbol(...)`, drops attributes, does not check
  the subscripts and has no effects.
* `affine.for`: upstream does not check the terminator, dimensions and symbols, and has no effects.
* `affine.if`: upstream has no text for it.
* `affine.parallel`: upstream has no text for it, and its number of operands and its names differ
  from MLIR's.
* `affine.apply`, `affine.min`: upstream has no folders, drops attributes, and its `min` has no
  `Pure`.

Added: `affine.max`, `affine.prefetch`. `affine.yield` is upstream's.
"""

from xdsl.dialects.affine import Affine as UpstreamAffine
from xdsl.dialects.affine import YieldOp
from xdsl.dialects.arith import ArithConstantMaterializationInterface
from xdsl.ir import Dialect

from snippets_mlir.dialects.affine import access, conditions, loops, parallel, values
from snippets_mlir.dialects.affine.access import (
    LoadOp,
    PrefetchOp,
    StoreOp,
    VectorLoadOp,
    VectorStoreOp,
)
from snippets_mlir.dialects.affine.conditions import IfOp
from snippets_mlir.dialects.affine.loops import ForOp
from snippets_mlir.dialects.affine.parallel import ParallelOp
from snippets_mlir.dialects.affine.values import ApplyOp, MaxOp, MinOp
from snippets_mlir.support.extension import extended

Affine: Dialect = extended(
    UpstreamAffine,
    (*access.OPS, *conditions.OPS, *loops.OPS, *parallel.OPS, *values.OPS),
    [ArithConstantMaterializationInterface()],
)

__all__ = [
    "Affine",
    "ApplyOp",
    "ForOp",
    "IfOp",
    "LoadOp",
    "MaxOp",
    "MinOp",
    "ParallelOp",
    "PrefetchOp",
    "StoreOp",
    "VectorLoadOp",
    "VectorStoreOp",
    "YieldOp",
]
