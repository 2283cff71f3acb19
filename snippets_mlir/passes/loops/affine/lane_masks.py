"""Masks for the lanes past the end of vectorized loops.

    %n = affine.apply affine_map<(d0)[s0] -> (-d0 + s0)>(%i)[%N]    iterations that are left
    %mask = vector.create_mask %n : vector<8xi1>

They are at the start of the innermost vectorized loop's body. A dim has its full size if its loop
fills whole vectors. A store to a memref with its dims in another order gets a mask in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import affine, arith, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    VectorType,
    i1,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap, AffineSymExpr
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.analysis.loops.affine_access import iv_of
from snippets_mlir.passes.loops.affine.nest_plan import NestPlan
from snippets_mlir.passes.loops.affine.transfer_plan import Transfer


class LaneMasks:
    """The masks of one nest while it is built."""

    def __init__(self, plan: NestPlan, scalar: Callable[[SSAValue], SSAValue]) -> None:
        self.plan = plan
        self.scalar = scalar
        self.loops: list[affine.ForOp] = []
        self.made: list[dict[tuple[int, ...], SSAValue]] = []
        self.partial = frozenset(dim for loop, dim in plan.dims if loop not in plan.whole)

    def enter(self, old: affine.ForOp, new: affine.ForOp, block: Block, depth: int) -> None:
        """The body of a vectorized loop starts: make the masks that its ops will need."""
        self.loops.append(new)
        self.made.append({})
        if depth != len(self.plan.sizes):
            return
        for order, dims in self._wanted(old):
            self._make(block, order, dims)

    def leave(self) -> None:
        """End the body of a loop: the masks of the outer loop are valid again."""
        self.loops.pop()
        self.made.pop()

    def of_store(self, transfer: Transfer) -> SSAValue | None:
        """The mask of a store, None if it needs none."""
        return self.made[-1][transfer.mask_order()] if transfer.mask else None

    def of_lanes(self) -> SSAValue | None:
        """The mask of a value with the vector's own shape, None if all lanes are iterations."""
        return self.made[-1].get(tuple(range(len(self.plan.sizes))))

    def guarded(self, divisor: SSAValue) -> tuple[SSAValue, list[Operation]]:
        """A divisor that is 1 in lanes past the end."""
        mask = self.of_lanes()
        assert mask is not None
        type_ = divisor.type
        assert isinstance(type_, VectorType)
        one = arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type_, [1]))  # pyright: ignore[reportUnknownArgumentType]
        select = arith.SelectOp(mask, divisor, one)
        return select.result, [one, select]

    def _wanted(self, loop: affine.ForOp) -> list[tuple[tuple[int, ...], frozenset[int]]]:
        """Order and masked dims of the masks for the ops of the innermost vectorized loop."""
        own_order = tuple(range(len(self.plan.sizes)))
        wanted: dict[tuple[int, ...], frozenset[int]] = {}
        guarded = any(loop.is_ancestor(op) for op in self.plan.guarded)
        if self.partial and (guarded or self.plan.reductions):
            wanted[own_order] = self.partial
        for op, transfer in self.plan.transfers:
            if transfer.mask and loop.is_ancestor(op):
                order = transfer.mask_order()
                wanted[order] = wanted.get(order, frozenset[int]()) | frozenset(transfer.mask)
        return list(wanted.items())

    def _make(self, block: Block, order: Sequence[int], dims: frozenset[int]) -> None:
        ops: list[Operation] = []
        sizes: list[Operation | SSAValue] = []
        for dim in order:
            if dim in dims:
                ops += self._left(self.loops[dim])
            else:
                size = IntegerAttr(self.plan.sizes[dim], IndexType())
                ops.append(arith.ConstantOp(size))
            sizes.append(ops[-1].results[0])
        shape = [self.plan.sizes[dim] for dim in order]
        mask = vector.CreateMaskOp(sizes, VectorType(i1, shape))
        ops.append(mask)
        last = block.last_op
        for op in ops:
            op.location = self.loops[-1].location
            place = InsertPoint.at_start(block) if last is None else InsertPoint.after(last)
            Rewriter.insert_op(op, place)
            last = op
        self.made[-1][tuple(order)] = mask.results[0]

    def _left(self, loop: affine.ForOp) -> list[Operation]:
        """Ops; the last one is the number of remaining iterations."""
        if loop.step.value.data != self._size(loop):
            return [arith.ConstantOp(IntegerAttr(1, IndexType()))]
        map, operands = loop.upperBoundMap.data, list(loop.upperBoundOperands)
        ends = list(map.results)
        iv = iv_of(loop)
        if len(ends) > 1:
            least = affine.MinOp(operands, AffineMapAttr(map))
            left = AffineMap(1, 1, (AffineDimExpr(0) * -1 + AffineSymExpr(0),))
            return [least, affine.ApplyOp([iv, least.result], AffineMapAttr(left))]
        dims: list[AffineExpr] = [AffineDimExpr(d + 1) for d in range(map.num_dims)]
        symbols: list[AffineExpr] = [AffineSymExpr(s) for s in range(map.num_symbols)]
        end = ends[0].replace_dims_and_symbols(dims, symbols)
        expr = AffineDimExpr(0) * -1 + end
        left = AffineMap(map.num_dims + 1, map.num_symbols, (expr,))
        return [affine.ApplyOp([iv, *operands], AffineMapAttr(left))]

    def _size(self, loop: affine.ForOp) -> int:
        """The size of the vector dim that a new loop stands for."""
        return self.plan.sizes[self.loops.index(loop)]
