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

`affine.parallel` becomes `scf.parallel` whose reductions start at the neutral element, and
`affine.if` an `scf.if` of the conjunction of its constraints. Upstream's pass of this name refuses
bounds with operands and computes `mod` and `floordiv` of negative values wrongly. The reduction
"assign" is refused.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.context import Context
from xdsl.dialects import arith as upstream_arith
from xdsl.dialects import memref, scf
from xdsl.dialects.affine import YieldOp
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, ModuleOp, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintKind
from xdsl.passes import ModulePass

from snippets_mlir.dialects import affine
from snippets_mlir.dialects.arith import CmpiOp
from snippets_mlir.dialects.memref.access import PrefetchOp
from snippets_mlir.dialects.scf import ParallelOp, ReduceOp
from snippets_mlir.dialects.vector.memory import LoadOp as VectorLoadOp
from snippets_mlir.dialects.vector.memory import StoreOp as VectorStoreOp
from snippets_mlir.passes.building.affine_values import IndexBuilder
from snippets_mlir.passes.building.reduction_kinds import combining_op, neutral_element
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

Row = Callable[[Operation, IndexBuilder], Sequence[SSAValue]]
_PREDICATES = {
    AffineConstraintKind.eq: "eq",
    AffineConstraintKind.ge: "sge",
    AffineConstraintKind.le: "sle",
}


def _map_of(op: Operation) -> AffineMapAttr:
    map = op.properties["map"]
    assert isinstance(map, AffineMapAttr)
    return map


def _apply(op: Operation, b: IndexBuilder) -> Sequence[SSAValue]:
    return b.map(_map_of(op).data, op.operands)


def _min(op: Operation, b: IndexBuilder) -> Sequence[SSAValue]:
    return (b.extremum(b.map(_map_of(op).data, op.operands), upstream_arith.MinSIOp),)


def _max(op: Operation, b: IndexBuilder) -> Sequence[SSAValue]:
    return (b.extremum(b.map(_map_of(op).data, op.operands), upstream_arith.MaxSIOp),)


def _load(op: Operation, b: IndexBuilder) -> Sequence[SSAValue]:
    indices = b.map(_map_of(op).data, op.operands[1:])
    return (b.add(_kept(op, memref.LoadOp.get(op.operands[0], indices))),)


def _store(op: Operation, b: IndexBuilder) -> Sequence[SSAValue]:
    indices = b.map(_map_of(op).data, op.operands[2:])
    _put(op, b, memref.StoreOp.get(op.operands[0], op.operands[1], indices))
    return ()


def _vector_load(op: Operation, b: IndexBuilder) -> Sequence[SSAValue]:
    indices = b.map(_map_of(op).data, op.operands[1:])
    return (b.add(_kept(op, VectorLoadOp(op.operands[0], indices, op.results[0].type))),)


def _vector_store(op: Operation, b: IndexBuilder) -> Sequence[SSAValue]:
    indices = b.map(_map_of(op).data, op.operands[2:])
    _put(op, b, VectorStoreOp(op.operands[0], op.operands[1], indices))
    return ()


def _prefetch(op: Operation, b: IndexBuilder) -> Sequence[SSAValue]:
    assert isinstance(op, affine.PrefetchOp)
    _put(op, b, PrefetchOp(op.memref, b.map(op.map.data, op.indices), op.hints))
    return ()


def _kept(op: Operation, made: Operation) -> Operation:
    """`made` with the discardable attributes of `op`."""
    made.attributes.update(op.attributes)
    return made


def _put(op: Operation, b: IndexBuilder, made: Operation) -> None:
    """Insert an op without results."""
    made.location = op.location
    assert op.parent is not None
    op.parent.insert_op_before(_kept(op, made), op)


def _for(op: Operation, b: IndexBuilder) -> Sequence[SSAValue]:
    assert isinstance(op, affine.ForOp)
    lower = b.map(op.lowerBoundMap.data, op.lowerBoundOperands)
    upper = b.map(op.upperBoundMap.data, op.upperBoundOperands)
    bounds = (
        b.extremum(lower, upstream_arith.MaxSIOp),
        b.extremum(upper, upstream_arith.MinSIOp),
        b.constant(op.step.value.data),
    )
    loop = scf.ForOp(*bounds, op.inits, op.detach_region(op.body))
    _yield(loop.body.block)
    _put(op, b, loop)
    return loop.results


def _yield(block: Block) -> None:
    """Put an `scf.yield` in place of the `affine.yield` of `block`."""
    last = block.last_op
    assert isinstance(last, YieldOp)
    made = scf.YieldOp(*last.operands)
    made.location = last.location
    block.insert_op_before(made, last)
    last.detach()
    last.erase()


def _if(op: Operation, b: IndexBuilder) -> Sequence[SSAValue]:
    assert isinstance(op, affine.IfOp)
    set, operands = op.condition.data, op.args
    dims, symbols = operands[: set.num_dims], operands[set.num_dims :]
    condition: SSAValue | None = None
    for constraint in set.constraints:
        lhs = b.expression(constraint.lhs, dims, symbols)
        rhs = b.expression(constraint.rhs, dims, symbols)
        holds = b.add(CmpiOp(lhs, rhs, _PREDICATES[constraint.kind]))
        condition = holds if condition is None else b.add(upstream_arith.AndIOp(condition, holds))
    if condition is None:
        condition = b.add(upstream_arith.ConstantOp(IntegerAttr(1, i1)))
    regions = [op.detach_region(region) for region in tuple(op.regions)]
    for region in regions:
        for block in region.blocks:
            _yield(block)
    made = scf.IfOp(condition, op.result_types, regions[0], regions[1])
    _put(op, b, made)
    return made.results


def _parallel(op: Operation, b: IndexBuilder) -> Sequence[SSAValue]:
    assert isinstance(op, affine.ParallelOp)
    bounds: list[list[SSAValue]] = []
    for map, groups, operands, choose in (
        (op.lowerBoundsMap.data, op.lower_bounds, op.lower_operands, upstream_arith.MaxSIOp),
        (op.upperBoundsMap.data, op.upper_bounds, op.upper_operands, upstream_arith.MinSIOp),
    ):
        dims, symbols = operands[: map.num_dims], operands[map.num_dims :]
        bounds.append(
            [
                b.extremum([b.expression(e, dims, symbols) for e in group], choose)
                for group in groups
            ]
        )
    steps = [b.constant(step) for step in op.step_values]
    inits: list[SSAValue] = []
    for kind, result in zip(op.reduction_names, op.results, strict=True):
        neutral = neutral_element(kind, result.type)
        if neutral is None:
            raise CompileError(
                f'expected a reduction with a neutral element, found "{kind}" of {result.type}',
                **position_of(op),
            )
        inits.append(b.add(upstream_arith.ConstantOp(cast(IntegerAttr, neutral), result.type)))
    body = op.detach_region(op.body)
    _reduce(body.block, op.reduction_names)
    made = ParallelOp(bounds[0], bounds[1], steps, body, inits)
    _put(op, b, made)
    return made.results


def _reduce(block: Block, kinds: Sequence[str]) -> None:
    """Put an `scf.reduce` in place of the `affine.yield` of `block`."""
    last = block.last_op
    assert isinstance(last, YieldOp)
    regions: list[Region] = []
    for kind, value in zip(kinds, last.operands, strict=True):
        inner = Block(arg_types=[value.type, value.type])
        combined = combining_op(kind, inner.args[0], inner.args[1])
        inner.add_ops([combined, scf.ReduceReturnOp(combined.results[0])])
        regions.append(Region(inner))
    made = ReduceOp(last.operands, regions)
    made.location = last.location
    block.insert_op_before(made, last)
    last.detach()
    last.erase()


TABLE: dict[type[Operation], Row] = {
    affine.ApplyOp: _apply,
    affine.ForOp: _for,
    affine.IfOp: _if,
    affine.LoadOp: _load,
    affine.MaxOp: _max,
    affine.MinOp: _min,
    affine.ParallelOp: _parallel,
    affine.PrefetchOp: _prefetch,
    affine.StoreOp: _store,
    affine.VectorLoadOp: _vector_load,
    affine.VectorStoreOp: _vector_store,
}


@dataclass(frozen=True)
class LowerAffinePass(ModulePass):
    """Lower affine to scf, arith, memref and vector."""

    name: ClassVar[str] = "lower-affine"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace the ops of `TABLE`, each before what is in its regions."""
        for inner in tuple(op.walk()):
            row = TABLE.get(inner.__class__)
            if row is None:
                continue
            values = row(inner, IndexBuilder(inner))
            for result, value in zip(inner.results, values, strict=True):
                value.name_hint = value.name_hint or result.name_hint
                result.replace_all_uses_with(value)
            inner.detach()
            inner.erase()
