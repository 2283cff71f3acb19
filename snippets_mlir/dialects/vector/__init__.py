"""MLIR's `vector`: upstream's dialect with ops of our own in place of some.

Registered under the same name in our own tools' context only. Replaced, and why:

* `vector.load`, `vector.store`, `vector.maskedload`, `vector.maskedstore`, `vector.transfer_read`,
  `vector.transfer_write`: upstream says nothing of their effects, so that nothing around them is
  removed or moved.
* `vector.reduction`: upstream has no effect traits, prints no space before the kind and its builder
  gives the vector's type to the result.
* `vector.bitcast`, `vector.create_mask`: upstream has no `Pure`.

Added: `vector.constant_mask`, `vector.from_elements`, `vector.to_elements`, `vector.step`.
Everything else is upstream's.
"""

from xdsl.dialects.vector import Vector as UpstreamVector
from xdsl.ir import Dialect

from snippets_mlir.dialects.extension import extended
from snippets_mlir.dialects.vector import elements, memory, ops, transfer

Vector: Dialect = extended(UpstreamVector, (*elements.OPS, *memory.OPS, *ops.OPS, *transfer.OPS))

__all__ = ["Vector"]
