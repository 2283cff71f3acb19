"""Build the vectorized copy of a nest from its plan, and replace the nest with it."""

from __future__ import annotations

from functools import lru_cache

from xdsl.dialects import affine, arith, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    BoolAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    VectorType,
)
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.analysis.loops.affine_access import iv_of, memref_type
from snippets_mlir.passes.loops.affine.lane_masks import LaneMasks
from snippets_mlir.passes.loops.affine.nest_plan import NestPlan, is_identity
from snippets_mlir.passes.loops.affine.reduction_build import finish_reduction, start_of
from snippets_mlir.passes.loops.affine.transfer_plan import Transfer


@lru_cache(maxsize=4096)
def vector_of(element: Attribute, sizes: tuple[int, ...]) -> VectorType:
    """A cached vector type, because making one is slow."""
    return VectorType(element, sizes)


def splat(value: Attribute, sizes: tuple[int, ...]) -> DenseIntOrFPElementsAttr:
    """A dense vector of one number."""
    assert isinstance(value, IntegerAttr | FloatAttr)
    number = value.value.data
    type_ = vector_of(value.type, sizes)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return DenseIntOrFPElementsAttr.from_list(type_, [number])  # pyright: ignore[reportCallIssue, reportUnknownVariableType, reportArgumentType]


class NestBuilder:
    """A nest during vectorization: scalar values to their scalar and vector forms in the copy."""

    def __init__(self, plan: NestPlan) -> None:
        self.plan = plan
        self.scalars: dict[SSAValue, SSAValue] = {}
        self.vectors: dict[SSAValue, SSAValue] = {}
        self.constants: dict[tuple[SSAValue, Block], SSAValue] = {}
        self.neutral: dict[Operation, SSAValue] = {}
        self.bodies: list[Block] = []
        self.masks = LaneMasks(plan, self.scalar)
        self.dims, self.transfers = dict(plan.dims), dict(plan.transfers)

    def build(self) -> affine.ForOp:
        """Build the copy after the nest, erase the nest, and return the new root."""
        root, plan = self.plan.root, self.plan
        parent = root.parent
        assert parent is not None
        inits: list[SSAValue] = []
        for reduction, init in zip(plan.reductions, root.inits, strict=True):
            made = arith.ConstantOp(splat(start_of(reduction, init), plan.sizes))
            Rewriter.insert_op(made, InsertPoint.before(root))
            self.neutral[reduction.combiner] = made.result
            inits.append(made.result)
        new = self._loop(root, inits)
        Rewriter.insert_op(new, InsertPoint.after(root))
        place: Operation = new
        ends: list[SSAValue] = []
        for reduction, init, result in zip(plan.reductions, root.inits, new.results, strict=True):
            ops = finish_reduction(reduction, init, result)
            for op in ops:
                op.location = root.location
                Rewriter.insert_op(op, InsertPoint.after(place))
                place = op
            ends.append(ops[-1].results[0])
        Rewriter.replace_op(root, [], ends)
        return new

    def scalar(self, value: SSAValue) -> SSAValue:
        """The scalar form of an index."""
        return self.scalars.get(value, value)

    def vector(self, value: SSAValue) -> SSAValue:
        """The vector form of an operand; constants and uniform values get one here."""
        if value in self.vectors:
            return self.vectors[value]
        if isinstance(value.owner, arith.ConstantOp):
            return self._constant(value, value.owner)
        return self._uniform(value)

    def _constant(self, value: SSAValue, owner: arith.ConstantOp) -> SSAValue:
        for body in self.bodies:
            if (value, body) in self.constants:
                return self.constants[value, body]
        op = arith.ConstantOp(splat(owner.value, self.plan.sizes))
        op.location = owner.location
        Rewriter.insert_op(op, InsertPoint.at_start(self.bodies[-1]))
        self.constants[value, self.bodies[-1]] = op.result
        return op.result

    def _uniform(self, value: SSAValue) -> SSAValue:
        scalar = self.scalar(value)
        type_ = vector_of(scalar.type, self.plan.sizes)
        op = vector.BroadcastOp(scalar, type_)
        if isinstance(scalar, BlockArgument):
            place = InsertPoint.at_start(scalar.owner)
        else:
            assert isinstance(scalar.owner, Operation)
            place = InsertPoint.after(scalar.owner)
        Rewriter.insert_op(op, place)
        self.vectors[value] = op.results[0]
        return op.results[0]

    def _loop(self, loop: affine.ForOp, inits: list[SSAValue]) -> affine.ForOp:
        dim = self.dims.get(loop)
        args = loop.body.block.args
        block = Block(arg_types=[iv_of(loop).type, *(init.type for init in inits)])
        for old, new in zip(args, block.args, strict=True):
            new.name_hint = old.name_hint
            (self.scalars if old is args[0] else self.vectors)[old] = new
        factor = 1 if dim is None else self.plan.sizes[dim]
        properties = dict(loop.properties)
        step = loop.step.value.data * factor
        properties["step"] = IntegerAttr(step, loop.step.type)
        op = type(loop).create(
            operands=[
                *(self.scalar(v) for v in loop.lowerBoundOperands),
                *(self.scalar(v) for v in loop.upperBoundOperands),
                *inits,
            ],
            result_types=[init.type for init in inits],
            properties=properties,
            attributes=loop.attributes.copy(),
            regions=[Region(block)],
        )
        op.location = loop.location
        for old, new in zip(loop.results, op.results, strict=True):
            new.name_hint = old.name_hint
            if dim is None:
                self.vectors[old] = new
        self._body(loop, op, block, vectorized=dim is not None)
        return op

    def _body(
        self, loop: affine.ForOp, new: affine.ForOp, block: Block, *, vectorized: bool
    ) -> None:
        if vectorized:
            self.bodies.append(block)
            self.masks.enter(loop, new, block, len(self.bodies))
        for op in loop.body.block.ops:
            for made in self._convert(op):
                made.location = op.location
                block.add_op(made)
        if vectorized:
            self.bodies.pop()
            self.masks.leave()

    def _convert(self, op: Operation) -> list[Operation]:
        match op:
            case affine.ForOp():
                return [self._loop(op, [self.vector(init) for init in op.inits])]
            case affine.YieldOp():
                return [type(op).create(operands=[self.vector(value) for value in op.operands])]
            case arith.ConstantOp() | affine.ApplyOp():
                copy = op.clone({v: self.scalar(v) for v in op.operands})
                self.scalars[op.results[0]] = copy.results[0]
                return [copy]
            case affine.LoadOp() | affine.StoreOp():
                return self._access(op)
            case _:
                return self._elementwise(op)

    def _access(self, op: affine.LoadOp | affine.StoreOp) -> list[Operation]:
        operands = [self.scalar(v) for v in op.indices]
        made: list[Operation] = []
        map = op.map.data
        if is_identity(map):
            indices = operands
        else:
            for result in map.results:
                one = AffineMapAttr(AffineMap(map.num_dims, map.num_symbols, (result,)))
                made.append(affine.ApplyOp(operands, one))
            indices = [apply.results[0] for apply in made]
        transfer = self.transfers[op]
        permutation = permutation_map(transfer, memref_type(op.memref).get_num_dims())
        in_bounds = ArrayAttr([BoolAttr.from_bool(inside) for inside in transfer.in_bounds])
        if isinstance(op, affine.StoreOp):
            mask = self.masks.of_store(transfer)
            write = vector.TransferWriteOp(
                self.vector(op.value), op.memref, indices, in_bounds, mask, permutation
            )
            return [*made, write]
        element = op.result.type
        padding = PoisonOp(element)
        type_ = vector_of(element, self.plan.sizes)
        read = vector.TransferReadOp(op.memref, indices, padding, type_, in_bounds, permutation)
        self._keep(op, read)
        return [*made, padding, read]

    def _elementwise(self, op: Operation) -> list[Operation]:
        operands = [self.vector(value) for value in op.operands]
        made: list[Operation] = []
        if op in self.plan.guarded:
            operands[1], guard = self.masks.guarded(operands[1])
            made += guard
        if op in self.neutral:
            made += self._mask_reduced(op, operands)
        new = type(op).create(
            operands=operands,
            result_types=[vector_of(result.type, self.plan.sizes) for result in op.results],
            properties=op.properties.copy(),
            attributes=op.attributes.copy(),
        )
        self._keep(op, new)
        return [*made, new]

    def _mask_reduced(self, combiner: Operation, operands: list[SSAValue]) -> list[Operation]:
        """Lanes past the end of the loop reduce the neutral element."""
        mask = self.masks.of_lanes()
        if mask is None:
            return []
        place = next(r.place for r in self.plan.reductions if r.combiner is combiner)
        select = arith.SelectOp(mask, operands[place], self.neutral[combiner])
        operands[place] = select.result
        return [select]

    def _keep(self, op: Operation, new: Operation) -> None:
        for old, result in zip(op.results, new.results, strict=True):
            result.name_hint = old.name_hint
            self.vectors[old] = result


def permutation_map(transfer: Transfer, rank: int) -> AffineMapAttr:
    """The permutation map of a transfer on a memref of a rank."""
    zero: AffineExpr = AffineConstantExpr(0)
    results = (zero if dim is None else AffineDimExpr(dim) for dim in transfer.dims)
    return AffineMapAttr(AffineMap(rank, 0, tuple(results)))
