"""MLIR's `scf`: upstream's dialect with an op of our own in place of one.

Registered under the same name in our own tools' context only. Replaced, and why:

* `scf.parallel`: upstream has no text for it.

Everything else is upstream's.
"""

from xdsl.dialects.scf import Scf as UpstreamScf
from xdsl.ir import Dialect

from snippets_mlir.dialects.extension import extended
from snippets_mlir.dialects.scf.parallel import ParallelOp

Scf: Dialect = extended(UpstreamScf, (ParallelOp,))

__all__ = ["ParallelOp", "Scf"]
