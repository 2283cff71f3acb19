"""Turn affine loops into loops over vectors of any shape, under upstream's name and options.

    affine.for %i = 0 to %n {                       affine.for %i = 0 to %n step 8 {
      %x = affine.load %A[%i] : memref<?xf32>         %m = vector.create_mask ... : vector<8xi1>
      %y = arith.mulf %x, %c : f32            becomes %x = vector.transfer_read %A[%i], %pad : ...
      affine.store %y, %B[%i] : memref<?xf32>         %y = arith.mulf %x, %cs : vector<8xf32>
    }                                                 vector.transfer_write %y, %B[%i], %m : ...
                                                    }

`virtual-vector-size` is the shape, one to three sizes: as many nested loops are vectorized, with
the first size for the outermost. `test-fastest-varying` gives for each of these loops the dim of
the memrefs that it has to step through, counted from the innermost as 0 (-1: any).
`vectorize-reductions` also takes loops along their carried values (one size only): a
`vector.reduction` follows, which adds in another order. `explain` writes `snippets.reason` on every
loop in no vectorized nest, and `snippets-opt --explain` prints it.

A nest is vectorized as a whole or not at all. Refused, each with its reason: loops that carry a
dependence (exact for affine subscripts; views of one memory count as dependent) or a value; steps
other than 1; subscripts in which consecutive iterations are not consecutive elements; layouts other
than the identity; `affine.if`; ops without a vector form; indices used as values; inner bounds that
differ between lanes. If the size does not divide the number of iterations, stores are masked unless
their memref ends where the loop ends, reductions take neutral elements, and divisors become 1.
Exact, except for reductions of floats, which reassociate. Different memref arguments are taken as
different memory, as in all affine analyses: those that are stored to are marked `llvm.noalias`.
Source: MLIR's SuperVectorize.cpp.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import affine, func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from snippets_mlir.analysis.loops.affine_access import iv_of
from snippets_mlir.analysis.loops.loop_bodies import Refusal
from snippets_mlir.passes.base import Stages
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
from snippets_mlir.passes.loops.affine.nest_plan import NestPlan, plan_nest
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.support.attribute_names import REASON
from snippets_mlir.support.diagnostics import describe_value
from snippets_mlir.support.errors import CompileError

MAX_RANK = 3


@dataclass(frozen=True)
class SuperVectors:
    """The nests of a function to vectorize, and the reason for each loop in and around none."""

    nests: tuple[NestPlan, ...]
    left: tuple[tuple[affine.ForOp, str], ...]

    def __str__(self) -> str:
        left = (f"{describe_value(iv_of(loop))} stays: {why}" for loop, why in self.left)
        return "\n".join([*map(str, self.nests), *left]) or "no loops"


@dataclass(frozen=True)
class AffineSuperVectorizePass(PlanPass[func.FuncOp, SuperVectors]):
    """Turn affine loops into loops over vectors."""

    name = "affine-super-vectorize"
    STAGES: ClassVar[Stages] = Stages(("loops",))
    EFFECT: ClassVar[Effect] = REASSOCIATES

    virtual_vector_size: tuple[int, ...]
    test_fastest_varying: tuple[int, ...] = ()
    vectorize_reductions: bool = False
    explain: bool = False

    def units(self, module: ModuleOp) -> Iterable[func.FuncOp]:
        """The functions.

        Raises:
            CompileError: the options do not fit one another.
        """
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
        return [op for op in module.walk() if isinstance(op, func.FuncOp)]

    def plan(self, unit: func.FuncOp) -> SuperVectors:
        """The first vectorizable nest of each bucket of nests around one another."""
        loops = LoopFilter(self.vectorize_reductions)
        wishes = self.test_fastest_varying or (ANY,) * len(self.virtual_vector_size)
        refusals: dict[Operation, Refusal] = {}
        nests: list[NestPlan] = []
        for bucket in buckets_of(make_pattern(loops, wishes).match(unit)):
            for match in bucket:
                if any(nest.root.is_ancestor(match.op) for nest in nests):
                    continue
                assert isinstance(match.op, affine.ForOp)
                found = plan_nest(match.op, dims_of(match), self.virtual_vector_size)
                if isinstance(found, NestPlan):
                    nests.append(found)
                    break
                refusals[match.op] = found
        left = tuple(
            (op, loops.why_not(op, wishes, refusals))
            for op in unit.walk()
            if isinstance(op, affine.ForOp)
            and not any(n.root.is_ancestor(op) or op.is_ancestor(n.root) for n in nests)
        )
        return SuperVectors(tuple(nests), left)

    def carry_out(self, unit: func.FuncOp, plan: SuperVectors) -> None:
        """Build the nests; mark the arguments, and with `explain` the remaining loops."""
        for nest in plan.nests:
            NestBuilder(nest).build()
        if plan.nests:
            mark_distinct(unit)
        for loop, why in plan.left if self.explain else ():
            loop.attributes[REASON] = StringAttr(why)
