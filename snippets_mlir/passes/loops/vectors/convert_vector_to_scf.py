"""Turn ops on large super-vectors into loops over tiles.

    %a = vector.transfer_read %A[%i, %j], %p : memref<?x?xf32>, vector<32x256xf32>
    %s = arith.addf %a, %a : vector<32x256xf32>
    vector.transfer_write %s, %B[%i, %j] : vector<32x256xf32>, memref<?x?xf32>

becomes, for 8 lanes and tiles of 8 vectors,

    scf.for %r = %c0 to %rows step %c2 {          // %rows: 32, or the rest of %B
      scf.for %c = %c0 to %columns step %c32 {    // %columns: 256, or the rest of %B
        %x = arith.addi %i, %r : index
        %y = arith.addi %j, %c : index
        %a = vector.transfer_read %A[%x, %y], %p : memref<?x?xf32>, vector<2x32xf32>
        %s = arith.addf %a, %a : vector<2x32xf32>
        vector.transfer_write %s, %B[%x, %y] : vector<2x32xf32>, memref<?x?xf32>
      }
    }

`vector-unroll` would write all vectors of the target side by side: code size and compile time would
grow with the super-vector. This pass takes super-vectors of more than `most` target vectors and
leaves tiles of up to `tile`. Consecutive ops in a block share their loops if each tile of a result
needs only that tile of the operands, and if no write of one tile touches memory that another tile
reads or writes: the memory is provably different (allocations; arguments that are `llvm.noalias`),
or read and written at the same indices. Otherwise other loops follow, and values between the loops
are in a buffer (`super_vector_memory.py`). So are carried values, unless the loop runs in each tile
(`tiled_loops.py`). Values made only of scalars (constants, broadcasts, masks) are rebuilt at each
use.

`lanes=0` takes the lanes of the module's target, as in `vector-unroll`. Leaves for `vector-unroll`:
smaller vectors; `vector.multi_reduction`, contractions, shuffles, casts of shape, insertions, and
extractions at dynamic positions; masks in another order than the vector's, unless they are
`vector.create_mask` or `vector.constant_mask`. Exact: each element is computed by the same ops, and
sums and products of floats keep their order.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.passes.base import Form, Pass, Stages
from snippets_mlir.passes.building.conversion import kernel_functions
from snippets_mlir.passes.loops.vectors.super_vector_nests import NestFinder
from snippets_mlir.passes.loops.vectors.super_vectors import Bound
from snippets_mlir.passes.loops.vectors.vector_unroll import lanes_of_target
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import ops_inside

MOST = 16
"""This many fit, with their operands, into the registers of AVX-512; see docs/vectorizer.md."""
TILE = 8
"""Half of the registers of AVX2: the other half is for the other values of a loop."""


@dataclass(frozen=True)
class ConvertVectorToScfPass(Pass):
    """Turn ops on large super-vectors into loops over tiles."""

    name = "convert-vector-to-scf"
    FORM: ClassVar[Form] = "conversion"
    STAGES: ClassVar[Stages] = Stages(("loops",))

    lanes: int = 0
    """Elements of a vector of the target; 0 for the module's target."""
    most: int = MOST
    """A vector of at most so many vectors of the target stays."""
    tile: int = TILE
    """The vectors of the target in a tile, at most `most`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions that have large vectors.

        Raises:
            CompileError: an option is out of range.
        """
        if self.lanes < 0 or self.most < 1 or self.tile < 1:
            raise CompileError(
                "expected lanes from 0, most and tile from 1, "
                f"found lanes={self.lanes} most={self.most} tile={self.tile}"
            )
        tile = min(self.tile, self.most)
        bound = Bound(self.lanes or lanes_of_target(op), self.most, tile)
        for function in kernel_functions(op):
            if isinstance(function, func.FuncOp) and any(map(bound.touches, ops_inside(function))):
                NestFinder(function, bound).run()
