"""Expand `memref` ops of several steps: copies become loops.

    memref.copy %A, %B : memref<?x4xf32> to memref<?x4xf32>

becomes

    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
        %0 = memref.load %A[%i, %j] : memref<?x4xf32>
        memref.store %0, %B[%i, %j] : memref<?x4xf32>
      }
    }

Any strides are supported; LLVM turns loops over dense memory into `memcpy`. Leaves copies of
unranked memrefs.
"""

from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import rank_of
from snippets_mlir.dialects.memref.facts import DimOp
from snippets_mlir.dialects.memref.memory import CopyOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.affine_values import INDEX, IndexBuilder
from snippets_mlir.passes.patterns import Pattern, PatternPass


def of_known_rank(op: CopyOp) -> bool:
    """There are as many loops as dimensions."""
    return all(value.type.name == MemRefType.name for value in (op.source, op.target))


class CopyToLoops(Pattern[CopyOp, int]):
    """`B = A` is `B[i, j] = A[i, j]` for all `i` and `j`."""

    name = "copy-to-loops"
    ops = (CopyOp,)
    conditions = (of_known_rank,)

    @override
    def match(self, op: CopyOp) -> int | None:
        return rank_of(op.source.type)

    def rewrite(self, op: CopyOp, match: int, rewriter: PatternRewriter) -> None:
        """Replace the copy by loops around a load and a store."""
        b = IndexBuilder(op, rewriter)
        zero, one = b.constant(0), b.constant(1)
        sizes = [b.add(DimOp(op.source, b.constant(d))) for d in range(match)]
        blocks = [Block(arg_types=[INDEX]) for _ in sizes]
        indices: list[SSAValue] = [block.args[0] for block in blocks]
        load = memref.LoadOp.get(op.source, indices)
        store = memref.StoreOp.get(load.res, op.target, indices)
        inner: list[scf.ForOp | memref.LoadOp | memref.StoreOp] = [load, store]
        for size, block in reversed([*zip(sizes, blocks, strict=True)]):
            block.add_ops([*inner, scf.YieldOp()])
            inner = [scf.ForOp(zero, size, one, (), Region(block))]
        for made in inner:
            b.put(made)
        rewriter.erase(op)


@dataclass(frozen=True)
class MemRefExpandPass(PatternPass):
    """Expand memref copies to loops."""

    name = "memref-expand"
    STAGES: ClassVar[Stages] = Stages(("loops",))
    PATTERNS = (CopyToLoops,)
