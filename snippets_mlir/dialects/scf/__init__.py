"""MLIR's `scf`: upstream's dialect, with our own ops in place of two of its ops.

Only the context of our own tools registers it, under the same name. Replaced ops, and why:

* `scf.parallel`: upstream has no text for it.
* `scf.reduce`: upstream does not read the commas between regions.

Everything else is upstream's.
"""

from xdsl.dialects.scf import Scf as UpstreamScf
from xdsl.ir import Dialect

from snippets_mlir.dialects.scf.parallel import ParallelOp, ReduceOp
from snippets_mlir.support.extension import extended

Scf: Dialect = extended(UpstreamScf, (ParallelOp, ReduceOp))

__all__ = ["ParallelOp", "ReduceOp", "Scf"]
