"""Turn affine loops into loops over vectors of any shape, under upstream's name and options.

    affine.for %i = 0 to %n {                       affine.for %i = 0 to %n step 8 {
      %x = affine.load %A[%i] : memref<?xf32>         %m = vector.create_mask ... : vector<8xi1>
      %y = arith.mulf %x, %c : f32            becomes %x = vector.transfer_read %A[%i], %pad : ...
      affine.store %y, %B[%i] : memref<?xf32>         %y = arith.mulf %x, %cs : vector<8xf32>
    }                                                 vector.transfer_write %y, %B[%i], %m : ...
                                                    }

`virtual-vector-size` is the shape, one to three sizes: as many loops around one another are
vectorized, the first size for the outermost of them. `test-fastest-varying` says for each of these
loops which dim of the memrefs it has to step through, counted from the innermost as 0 (-1: any).
`vectorize-reductions` takes loops along their carried values, too (one size only):
`vector.reduction` follows, which adds in another order. `explain` leaves `snippets.reason` on every
loop that is in no vectorized nest, which `snippets-opt --explain` prints.

A nest is vectorized as a whole or left as it is. Refused are, each with its reason: loops that
carry a dependence (exact for affine subscripts; views of one memory count as dependent) or a value;
steps other than 1; subscripts in which consecutive iterations are not consecutive elements; layouts
that are not the identity; `affine.if`; ops without a vector form; indices used as values; inner
bounds that differ between lanes. Where the size does not divide the number of iterations, stores
are masked unless their memref ends where the loop ends, reductions take neutral elements, divisors
become 1. Exact, but for reductions of floats, which reassociate. Memrefs that are different
arguments are taken as different memory, as in all affine analyses: those that are stored to are
marked `llvm.noalias`. Source: MLIR's SuperVectorize.cpp.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import affine, func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from snippets_mlir.analysis.eligibility import REASON
from snippets_mlir.analysis.loop_bodies import Refusal
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.loops.affine.distinct_arguments import mark_distinct
from snippets_mlir.passes.loops.affine.loop_matching import (
    ANY,
    LoopFilter,
    buckets_of,
    dims_of,
    make_pattern,
)
from snippets_mlir.passes.loops.affine.nest_build import NestBuilder
from snippets_mlir.passes.loops.affine.nest_plan import plan_nest
from snippets_mlir.support.errors import CompileError

MAX_RANK = 3


@dataclass(frozen=True)
class AffineSuperVectorizePass(ModulePass):
    """Turn affine loops into loops over vectors."""

    name = "affine-super-vectorize"
    EFFECT: ClassVar[Effect] = REASSOCIATES

    virtual_vector_size: tuple[int, ...]
    test_fastest_varying: tuple[int, ...] = ()
    vectorize_reductions: bool = False
    explain: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Vectorize every function.

        Raises:
            CompileError: the options do not fit one another.
        """
        self._check()
        for function in list(op.walk()):
            if isinstance(function, func.FuncOp):
                self._function(function)

    def _check(self) -> None:
        sizes, wishes = self.virtual_vector_size, self.test_fastest_varying
        if not 1 <= len(sizes) <= MAX_RANK:
            raise CompileError(
                f"virtual-vector-size takes 1 to {MAX_RANK} sizes, found {len(sizes)}"
            )
        if min(sizes) < 1:
            raise CompileError(f"virtual-vector-size takes positive sizes, found {min(sizes)}")
        if wishes and len(wishes) != len(sizes):
            raise CompileError(
                f"test-fastest-varying needs one dim for each of the {len(sizes)} sizes of "
                f"virtual-vector-size, found {len(wishes)}"
            )
        if self.vectorize_reductions and len(sizes) != 1:
            raise CompileError("vectorize-reductions works with one size in virtual-vector-size")

    def _function(self, function: func.FuncOp) -> None:
        loops = LoopFilter(self.vectorize_reductions)
        wishes = self.test_fastest_varying or (ANY,) * len(self.virtual_vector_size)
        matches = make_pattern(loops, wishes).match(function)
        refusals: dict[Operation, Refusal] = {}
        roots: list[Operation] = []
        for bucket in buckets_of(matches):
            for match in bucket:
                if not function.is_ancestor(match.op):  # replaced with another bucket's nest
                    continue
                assert isinstance(match.op, affine.ForOp)
                plan = plan_nest(match.op, dims_of(match), self.virtual_vector_size)
                if isinstance(plan, Refusal):
                    refusals[match.op] = plan
                    continue
                roots.append(NestBuilder(plan).build())
                break
        if roots:
            mark_distinct(function)
        if self.explain:
            left = [loop for loop in _loops(function) if not _touches(loop, roots)]
            for loop in left:
                reason = loops.why_not(loop, wishes, refusals)
                loop.attributes[REASON] = StringAttr(reason)


def _loops(function: func.FuncOp) -> list[affine.ForOp]:
    return [op for op in function.walk() if isinstance(op, affine.ForOp)]


def _touches(loop: affine.ForOp, roots: list[Operation]) -> bool:
    """Whether a loop is a vectorized nest, in one, or around one."""
    return any(root.is_ancestor(loop) or loop.is_ancestor(root) for root in roots)
