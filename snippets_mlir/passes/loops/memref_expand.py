"""Expand what `memref` ops do in several steps: copies become loops.

    memref.copy %A, %B : memref<?x4xf32> to memref<?x4xf32>

becomes

    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
        %0 = memref.load %A[%i, %j] : memref<?x4xf32>
        memref.store %0, %B[%i, %j] : memref<?x4xf32>
      }
    }

Any strides are right; LLVM makes `memcpy` of loops over dense memory. Left as they are: copies of
unranked memrefs.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp, UnrankedMemRefType
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.shaped import rank_of
from snippets_mlir.dialects.memref.facts import DimOp
from snippets_mlir.dialects.memref.memory import CopyOp
from snippets_mlir.passes.building.affine_values import INDEX, IndexBuilder


def _expand(op: CopyOp) -> None:
    b = IndexBuilder(op)
    rank = rank_of(op.source.type)
    zero, one = b.constant(0), b.constant(1)
    sizes = [b.add(DimOp(op.source, b.constant(d))) for d in range(rank)]
    indices: list[SSAValue] = []
    loops: list[scf.ForOp] = []
    for size in sizes:
        block = Block(arg_types=[INDEX])
        loops.append(scf.ForOp(zero, size, one, (), Region(block)))
        indices.append(block.args[0])
    load = memref.LoadOp.get(op.source, indices)
    store = memref.StoreOp.get(load.res, op.target, indices)
    inner: list[scf.ForOp | memref.LoadOp | memref.StoreOp] = [load, store]
    for loop in reversed(loops):
        loop.body.block.add_ops([*inner, scf.YieldOp()])
        inner = [loop]
    block = op.parent
    assert block is not None
    for made in inner:
        made.location = op.location
        block.insert_op_before(made, op)
    op.detach()
    op.erase()


@dataclass(frozen=True)
class MemRefExpandPass(ModulePass):
    """Expand memref copies to loops."""

    name: ClassVar[str] = "memref-expand"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace each copy of ranked memrefs."""
        for inner in tuple(op.walk()):
            if isinstance(inner, CopyOp) and UnrankedMemRefType.name not in (
                inner.source.type.name,
                inner.target.type.name,
            ):
                _expand(inner)
