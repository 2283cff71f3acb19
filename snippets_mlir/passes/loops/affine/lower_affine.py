"""Lower `affine` to `scf`, `arith`, `memref` and `vector`.

    affine.for %i = max affine_map<(d0) -> (0, d0)>(%k) to %n step 2 {
      %0 = affine.load %A[%i floordiv 2] : memref<?xf32>
    }

becomes

    %lower = arith.maxsi %c0, %k : index
    scf.for %i = %lower to %n step %c2 {
      (the quotient of %i and 2, rounded down)
      %0 = memref.load %A[%q] : memref<?xf32>
    }

`affine.parallel` becomes an `scf.parallel` with reductions that start at the neutral element, and
`affine.if` an `scf.if` on the conjunction of its constraints. Upstream's pass of this name refuses
bounds with operands and computes `mod` and `floordiv` of negative values wrongly. Refuses the
reduction "assign".
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeVar, cast

from typing_extensions import override
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.affine import YieldOp
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstraintKind
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects import affine
from snippets_mlir.dialects.arith import CmpiOp
from snippets_mlir.dialects.memref.access import PrefetchOp
from snippets_mlir.dialects.scf import ParallelOp, ReduceOp
from snippets_mlir.dialects.vector.memory import LoadOp as VectorLoadOp
from snippets_mlir.dialects.vector.memory import StoreOp as VectorStoreOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.affine_values import IndexBuilder
from snippets_mlir.passes.building.reduction_kinds import combining_region, neutral_element
from snippets_mlir.passes.patterns import Pattern, PatternPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

OpT = TypeVar("OpT", bound=Operation)
_PREDICATES = {
    AffineConstraintKind.eq: "eq",
    AffineConstraintKind.ge: "sge",
    AffineConstraintKind.le: "sle",
}


class Lowering(Pattern[OpT, Literal[True]]):
    """An op that other ops always replace."""

    @override
    def match(self, op: OpT) -> Literal[True] | None:
        return True

    @abstractmethod
    def values(self, op: OpT, b: IndexBuilder) -> Sequence[SSAValue]:
        """What replaces the results, made before `op`."""

    def rewrite(self, op: OpT, match: Literal[True], rewriter: PatternRewriter) -> None:
        """Make the values and replace the op by them."""
        rewriter.replace(op, [], self.values(op, IndexBuilder(op, rewriter)))


def _put(op: Operation, b: IndexBuilder, made: Operation) -> Sequence[SSAValue]:
    """Insert `made` with the discardable attributes of `op`; its results."""
    made.attributes.update(op.attributes)
    b.put(made)
    return made.results


class Apply(Lowering[affine.ApplyOp]):
    """`affine.apply` is `arith` on the dims and symbols of its map."""

    name = "apply"
    ops = (affine.ApplyOp,)

    @override
    def values(self, op: affine.ApplyOp, b: IndexBuilder) -> Sequence[SSAValue]:
        return b.map(op.map.data, op.operands)


class Extremum(Lowering[affine.MinOp | affine.MaxOp]):
    """`affine.min` is the smallest result of its map, `affine.max` the largest."""

    name = "extremum"
    ops = (affine.MinOp, affine.MaxOp)

    def values(self, op: affine.MinOp | affine.MaxOp, b: IndexBuilder) -> Sequence[SSAValue]:
        """The results of the map, then `arith` that chooses."""
        choose = arith.MinSIOp if isinstance(op, affine.MinOp) else arith.MaxSIOp
        return (b.extremum(b.map(op.map.data, op.operands), choose),)


class Load(Lowering[affine.LoadOp | affine.VectorLoadOp]):
    """A load at subscripts is a load at their values."""

    name = "load"
    ops = (affine.LoadOp, affine.VectorLoadOp)

    def values(
        self, op: affine.LoadOp | affine.VectorLoadOp, b: IndexBuilder
    ) -> Sequence[SSAValue]:
        """The load of `memref` or `vector`."""
        indices = b.map(op.map.data, op.indices)
        if isinstance(op, affine.LoadOp):
            return _put(op, b, memref.LoadOp.get(op.memref, indices))
        return _put(op, b, VectorLoadOp(op.memref, indices, op.result.type))


class Store(Lowering[affine.StoreOp | affine.VectorStoreOp]):
    """A store at subscripts is a store at their values."""

    name = "store"
    ops = (affine.StoreOp, affine.VectorStoreOp)

    def values(
        self, op: affine.StoreOp | affine.VectorStoreOp, b: IndexBuilder
    ) -> Sequence[SSAValue]:
        """The store of `memref` or `vector`."""
        indices = b.map(op.map.data, op.indices)
        if isinstance(op, affine.StoreOp):
            return _put(op, b, memref.StoreOp.get(op.value, op.memref, indices))
        return _put(op, b, VectorStoreOp(op.value, op.memref, indices))


class Prefetch(Lowering[affine.PrefetchOp]):
    """A prefetch at subscripts is a prefetch at their values."""

    name = "prefetch"
    ops = (affine.PrefetchOp,)

    @override
    def values(self, op: affine.PrefetchOp, b: IndexBuilder) -> Sequence[SSAValue]:
        return _put(op, b, PrefetchOp(op.memref, b.map(op.map.data, op.indices), op.hints))


class For(Lowering[affine.ForOp]):
    """`affine.for` is `scf.for` from the largest lower bound to the smallest upper one."""

    name = "for"
    ops = (affine.ForOp,)

    def values(self, op: affine.ForOp, b: IndexBuilder) -> Sequence[SSAValue]:
        """The bounds, then the loop with the body."""
        lower = b.map(op.lowerBoundMap.data, op.lowerBoundOperands)
        upper = b.map(op.upperBoundMap.data, op.upperBoundOperands)
        start, end = b.extremum(lower, arith.MaxSIOp), b.extremum(upper, arith.MinSIOp)
        step = b.constant(op.step.value.data)
        return _put(op, b, scf.ForOp(start, end, step, op.inits, op.detach_region(op.body)))


class If(Lowering[affine.IfOp]):
    """`affine.if` is `scf.if` of the conjunction of its constraints."""

    name = "if"
    ops = (affine.IfOp,)

    def values(self, op: affine.IfOp, b: IndexBuilder) -> Sequence[SSAValue]:
        """The condition, then the op with the regions."""
        set, operands = op.condition.data, op.args
        dims, symbols = operands[: set.num_dims], operands[set.num_dims :]
        condition: SSAValue | None = None
        for c in set.constraints:
            lhs, rhs = (b.expression(side, dims, symbols) for side in (c.lhs, c.rhs))
            holds = b.add(CmpiOp(lhs, rhs, _PREDICATES[c.kind]))
            condition = holds if condition is None else b.add(arith.AndIOp(condition, holds))
        if condition is None:
            condition = b.add(arith.ConstantOp(IntegerAttr(1, i1)))
        then, otherwise = (op.detach_region(region) for region in tuple(op.regions))
        return _put(op, b, scf.IfOp(condition, op.result_types, then, otherwise))


def of_scf(op: YieldOp) -> bool:
    """The op around it has been lowered."""
    return isinstance(op.parent_op(), scf.ForOp | scf.IfOp)


class Yield(Lowering[YieldOp]):
    """`affine.yield` of an `scf` op is `scf.yield`."""

    name = "yield"
    ops = (YieldOp,)
    conditions = (of_scf,)

    def values(self, op: YieldOp, b: IndexBuilder) -> Sequence[SSAValue]:
        """The yield of the same values, which has no results."""
        return _put(op, b, scf.YieldOp(*op.operands))


class Parallel(Pattern[affine.ParallelOp, tuple[Attribute, ...]]):
    """`affine.parallel` is `scf.parallel` whose reductions start at the neutral element."""

    name = "parallel"
    ops = (affine.ParallelOp,)

    def match(self, op: affine.ParallelOp) -> tuple[Attribute, ...] | None:
        """The neutral elements.

        Raises:
            CompileError: a reduction has none.
        """
        found: list[Attribute] = []
        for kind, result in zip(op.reduction_names, op.results, strict=True):
            if (neutral := neutral_element(kind, result.type)) is None:
                raise CompileError(
                    f'expected a reduction with a neutral element, found "{kind}" of {result.type}',
                    **position_of(op),
                )
            found.append(neutral)
        return tuple(found)

    def rewrite(
        self, op: affine.ParallelOp, match: tuple[Attribute, ...], rewriter: PatternRewriter
    ) -> None:
        """The bounds, the steps, the neutral elements, then the loop with the body."""
        b = IndexBuilder(op, rewriter)
        low, high = op.lowerBoundsMap.data, op.upperBoundsMap.data
        lower = [
            b.extremum(b.map(replace(low, results=tuple(group)), op.lower_operands), arith.MaxSIOp)
            for group in op.lower_bounds
        ]
        upper = [
            b.extremum(b.map(replace(high, results=tuple(group)), op.upper_operands), arith.MinSIOp)
            for group in op.upper_bounds
        ]
        steps = [b.constant(step) for step in op.step_values]
        inits = [b.add(arith.ConstantOp(cast(IntegerAttr, value))) for value in match]
        last = op.body.block.last_op
        assert isinstance(last, YieldOp)
        regions = [*map(combining_region, op.reduction_names, last.operands)]
        IndexBuilder(last, rewriter).put(ReduceOp(last.operands, regions))
        rewriter.erase(last)
        made = ParallelOp(lower, upper, steps, op.detach_region(op.body), inits)
        rewriter.replace(op, [], _put(op, b, made))


@dataclass(frozen=True)
class LowerAffinePass(PatternPass):
    """Lower affine to scf, arith, memref and vector."""

    name = "lower-affine"
    STAGES: ClassVar[Stages] = Stages(("loops",))
    PATTERNS = (Apply, Extremum, Load, Store, Prefetch, For, If, Parallel, Yield)
