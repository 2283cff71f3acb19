"""Buffers for super-vectors.

Buffers of a function take up to `STACK` bytes of the stack (allocated once, at its start), and
further ones come from the heap. In a parallel loop each iteration has its own buffers.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType, i64
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of, rank_of
from snippets_mlir.dialects.memref.layout import byte_size
from snippets_mlir.dialects.scf import ParallelOp
from snippets_mlir.dialects.vector.transfer import TransferReadOp, TransferWriteOp
from snippets_mlir.passes.building.affine_values import IndexBuilder

STACK = 1 << 16
"""Bytes of buffers on the stack of one function."""
ALIGNMENT = 64


class Buffers:
    """The buffers in memory of one function, and how many bytes they take."""

    def __init__(self, function: func.FuncOp) -> None:
        self._function = function
        self._bytes = 0
        self._zeros: dict[Block, SSAValue] = {}

    def new(self, type: Attribute, at: Operation) -> SSAValue:
        """A buffer for vectors of `type` that `at` may use."""
        block = self._scope(at)
        first = block.first_op
        assert first is not None
        b = IndexBuilder(first)
        size = (byte_size(element_of(type)) or 1) * prod(extents_of(type))
        kind, alignment = (
            MemRefType(element_of(type), extents_of(type)),
            IntegerAttr(ALIGNMENT, i64),
        )
        if self._bytes + size <= STACK and isinstance(block.parent_op(), func.FuncOp):
            self._bytes += size
            return b.add(memref.AllocaOp.get(kind.element_type, alignment, extents_of(type)))
        made = b.add(memref.AllocOp([], [], kind, alignment))
        region = block.parent
        assert region is not None
        for end in [other.last_op for other in region.blocks]:
            if isinstance(end, func.ReturnOp | scf.ReduceOp):
                IndexBuilder(end).put(memref.DeallocOp.get(made))
        return made

    def zero(self, at: Operation) -> SSAValue:
        """The constant 0 of type `index`, made once for each block."""
        block = self._scope(at)
        if block not in self._zeros:
            first = block.first_op
            assert first is not None
            self._zeros[block] = IndexBuilder(first).constant(0)
        return self._zeros[block]

    def _scope(self, at: Operation) -> Block:
        """The scope of buffers for `at`: a parallel loop around it, or the function."""
        above = at.parent_op()
        while above is not None and above is not self._function:
            if isinstance(above, ParallelOp):
                return above.body.block
            above = above.parent_op()
        return self._function.body.blocks[0]

    def write(
        self, value: SSAValue, buffer: SSAValue, at: Operation, indices: Sequence[SSAValue] = ()
    ) -> TransferWriteOp:
        """Write a vector into a buffer, before `at`."""
        start = list(indices) or [self.zero(at)] * rank_of(buffer.type)
        inside = [True] * rank_of(value.type)
        op = TransferWriteOp(value, buffer, start, inside)
        IndexBuilder(at).put(op)
        return op

    def read(
        self,
        buffer: SSAValue,
        type: Attribute,
        at: Operation,
        map: AffineMap | None = None,
        indices: Sequence[SSAValue] = (),
    ) -> TransferReadOp:
        """Read a vector from a buffer, before `at`."""
        start = list(indices) or [self.zero(at)] * rank_of(buffer.type)
        b = IndexBuilder(at)
        padding = b.add(PoisonOp(element_of(type)))
        op = TransferReadOp(buffer, start, padding, type, [True] * rank_of(type), map)
        b.put(op)
        return op
