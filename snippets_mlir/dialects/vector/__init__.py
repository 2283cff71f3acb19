"""MLIR's `vector`: upstream's dialect, with our own ops in place of some of its ops.

Only the context of our own tools registers it, under the same name. Replaced ops, and why:

* `vector.load`, `vector.store`, `vector.maskedload`, `vector.maskedstore`: upstream does not define
  their effects, so that nothing around them is removed or moved, and has no `alignment`; its masked
  forms take vectors of rank 1 only.
* `vector.transfer_read`, `vector.transfer_write`: upstream does not define their effects either,
  drops attributes when it parses and does not check masks of broadcasts.
* `vector.reduction`: upstream has no effect traits and prints no space before the kind, and its
  builder gives the vector's type to the result.
* `vector.broadcast`, `vector.extract`, `vector.insert`, `vector.shuffle`: upstream has no folders,
  does not check the shapes of a broadcast, and its shuffle has no `Pure`.
* `vector.bitcast`, `vector.create_mask`: upstream has no `Pure`.
* `vector.print`: upstream has no text for it.

Added: `vector.compressstore`, `vector.constant_mask`, `vector.contract`, `vector.deinterleave`,
`vector.expandload`, `vector.extract_strided_slice`, `vector.from_elements`, `vector.gather`,
`vector.insert_strided_slice`, `vector.interleave`, `vector.multi_reduction`,
`vector.outerproduct`, `vector.scatter`, `vector.shape_cast`, `vector.step`,
`vector.to_elements`, `vector.transpose`. `vector.fma` is upstream's.
"""

from xdsl.dialects.arith import ArithConstantMaterializationInterface
from xdsl.dialects.vector import Vector as UpstreamVector
from xdsl.ir import Dialect

from snippets_mlir.dialects.vector import (
    contraction,
    elements,
    masked,
    memory,
    multi_reduction,
    ops,
    outer_product,
    printing,
    shapes,
    slices,
    transfer,
)
from snippets_mlir.support.extension import extended

Vector: Dialect = extended(
    UpstreamVector,
    (
        *contraction.OPS,
        *elements.OPS,
        *masked.OPS,
        *memory.OPS,
        *multi_reduction.OPS,
        *ops.OPS,
        *outer_product.OPS,
        *printing.OPS,
        *shapes.OPS,
        *slices.OPS,
        *transfer.OPS,
    ),
    [ArithConstantMaterializationInterface()],
    (contraction.IteratorTypeAttr, printing.PunctuationAttr),
)

__all__ = ["Vector"]
