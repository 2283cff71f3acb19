"""MLIR's `memref`: upstream's dialect, with our own ops in place of some of its ops.

Only the context of our own tools registers it, under the same name. Replaced ops, and why:

* `memref.atomic_rmw`, `memref.cast`, `memref.copy`, `memref.extract_aligned_pointer_as_index`,
  `memref.global`, `memref.memory_space_cast`, `memref.rank`: upstream has no text for them and
  checks little; its global needs a visibility and an initial value.
* `memref.dim`: upstream has no folder.

Added: `memref.prefetch`, `memref.transpose`. Everything else is upstream's.
"""

from xdsl.dialects.arith import ArithConstantMaterializationInterface
from xdsl.dialects.memref import MemRef as UpstreamMemRef
from xdsl.ir import Dialect

from snippets_mlir.dialects.memref import access, facts, memory, views
from snippets_mlir.support.extension import extended

MemRef: Dialect = extended(
    UpstreamMemRef,
    (*access.OPS, *facts.OPS, *memory.OPS, *views.OPS),
    [ArithConstantMaterializationInterface()],
)

__all__ = ["MemRef"]
