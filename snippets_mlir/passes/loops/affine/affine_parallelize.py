"""Make loops with independent iterations parallel.

    affine.for %i = 0 to %n {                          affine.parallel (%i) = (0) to (%n) {
      affine.store %x, %A[%i] : memref<?xf32>  becomes   affine.store %x, %A[%i] : memref<?xf32>
    }                                                  }

Outer loops come first; at most `max-nested` nested loops become parallel (0: all). A loop stays if
it carries values or a dependence, or has an op of unknown effects: these are the rules of
`affine-super-vectorize`, which may follow for the inner loops. Exact. Source: MLIR's
AffineParallelize.cpp, without its reductions.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from xdsl.dialects import affine, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.analysis.loops.loop_bodies import why_not_parallel
from snippets_mlir.dialects.affine.parallel import ParallelOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.loops.affine.distinct_arguments import mark_distinct
from snippets_mlir.passes.patterns import Pattern, PatternPass
from snippets_mlir.support.errors import CompileError


def independent(loop: affine.ForOp) -> bool:
    """It carries no value and no dependence, and all of its effects are known."""
    return why_not_parallel(loop, with_reductions=False) is None


def _depth(op: Operation) -> int:
    """The number of parallel loops around an op."""
    parent = op.parent_op()
    return 0 if parent is None else _depth(parent) + isinstance(parent, ParallelOp)


class IndependentIterations(Pattern[affine.ForOp, Literal[True]]):
    """A loop of independent iterations is `affine.parallel`; its function is marked."""

    name = "independent-iterations"
    ops = (affine.ForOp,)
    conditions = (independent,)

    def __init__(self, function: func.FuncOp, max_nested: int) -> None:
        self._function = function
        self._max_nested = max_nested

    def match(self, op: affine.ForOp) -> Literal[True] | None:
        """Matches if it is not nested too deep in parallel loops."""
        return None if self._max_nested and _depth(op) >= self._max_nested else True

    def rewrite(self, op: affine.ForOp, match: Literal[True], rewriter: PatternRewriter) -> None:
        """Replace it by a parallel loop with the same bounds and body."""
        lower, upper = op.lowerBoundMap.data, op.upperBoundMap.data
        parallel = ParallelOp(
            ((lower.results,), lower, op.lowerBoundOperands),
            ((upper.results,), upper, op.upperBoundOperands),
            (op.step.value.data,),
            op.detach_region(op.body),
        )
        parallel.location = op.location
        rewriter.replace(op, parallel, [])
        mark_distinct(self._function)


@dataclass(frozen=True)
class AffineParallelizePass(PatternPass):
    """Make loops with independent iterations parallel."""

    name = "affine-parallelize"
    STAGES: ClassVar[Stages] = Stages(("loops",))
    PATTERNS = (IndependentIterations,)

    max_nested: int = 0

    def roots(self, module: ModuleOp) -> Iterable[Operation]:
        """The functions.

        Raises:
            CompileError: `max-nested` is negative.
        """
        if self.max_nested < 0:
            raise CompileError(f"max-nested takes 0 or more, found {self.max_nested}")
        return [inner for inner in module.walk() if isinstance(inner, func.FuncOp)]

    def facts(self, root: Operation) -> tuple[Any, ...]:
        """The function, and the most nested parallel loops."""
        return root, self.max_nested
