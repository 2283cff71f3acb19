"""Let the iterations of loops that do not depend on one another run at the same time.

    affine.for %i = 0 to %n {                          affine.parallel (%i) = (0) to (%n) {
      affine.store %x, %A[%i] : memref<?xf32>  becomes   affine.store %x, %A[%i] : memref<?xf32>
    }                                                  }

Outer loops come first; `max-nested` is how many around one another become parallel (0: all). A loop
stays as it is when it carries values or a dependence, or does something whose effect is not known:
the rules of `affine-super-vectorize`, which may follow for the loops inside. Exact. Source: MLIR's
AffineParallelize.cpp, without its reductions.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import affine, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from snippets_mlir.analysis.loop_bodies import why_not_parallel
from snippets_mlir.dialects.affine.parallel import ParallelOp
from snippets_mlir.passes.loops.affine.distinct_arguments import mark_distinct
from snippets_mlir.support.errors import CompileError


def _depth(op: Operation) -> int:
    """How many parallel loops there are around an op."""
    parent = op.parent_op()
    return 0 if parent is None else _depth(parent) + isinstance(parent, ParallelOp)


def _apply(loop: affine.ForOp) -> None:
    lower, upper = loop.lowerBoundMap.data, loop.upperBoundMap.data
    parallel = ParallelOp(
        ((lower.results,), lower, loop.lowerBoundOperands),
        ((upper.results,), upper, loop.upperBoundOperands),
        (loop.step.value.data,),
        loop.detach_region(loop.body),
    )
    parallel.location = loop.location
    Rewriter.replace_op(loop, parallel, [])


@dataclass(frozen=True)
class AffineParallelizePass(ModulePass):
    """Let independent iterations run at the same time."""

    name = "affine-parallelize"

    max_nested: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert loops, outer ones first.

        Raises:
            CompileError: `max-nested` is negative.
        """
        if self.max_nested < 0:
            raise CompileError(f"max-nested takes 0 or more, found {self.max_nested}")
        for function in [inner for inner in op.walk() if isinstance(inner, func.FuncOp)]:
            for loop in [inner for inner in function.walk() if isinstance(inner, affine.ForOp)]:
                if self.max_nested and _depth(loop) >= self.max_nested:
                    continue
                if why_not_parallel(loop, with_reductions=False) is None:
                    _apply(loop)
                    mark_distinct(function)
