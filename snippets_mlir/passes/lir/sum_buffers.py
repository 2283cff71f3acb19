"""Sums of a product in buffers, for `lir-brgemm-part-sums` and `lir-brgemm-sum-blocks`.

The edits of the latter, block by block:

loops columns, blocks of the sum, terms        become
loops columns, zeros of the sums
      columns, blocks, zeros of a block
      columns, blocks, rows, columns of a block, terms     added to the buffer of a block
      columns, blocks, columns of a block                  added to the buffer of the sums
      columns, columns of a block                          what reads the product
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.lir.access import loop_ids, output_ports, set_loop_ids
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import LoadOp, StoreOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.reduction import AccumulateOp, neutral
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.passes.lir.editing import erase, insert_after, insert_before
from snippets_mlir.passes.lir.kernel_passes import op_text
from snippets_mlir.passes.lir.lir_insert_buffers import held

VECTORS = 4
"""Vectors of columns in a pass: a product waits this many cycles for the previous one."""


@dataclass(frozen=True, eq=False)
class SumBlocks:
    """A product with sums in blocks.

    Attributes:
        product: the op.
        totals: the accumulators over blocks of its sum, inner ones first.
        columns: its loop over columns.
        sums: the loops over the sum, outer ones first; the last one walks a block.
        rows: of the right operand that are read at a time.
        width: columns of a block.
        others: the other ops in the loop over columns.
    """

    product: BrgemmOp
    totals: tuple[AccumulateOp, ...]
    columns: LoopInfo
    sums: tuple[LoopInfo, ...]
    rows: int
    width: int
    others: tuple[Operation, ...]

    def __str__(self) -> str:
        rows = f"{self.rows} rows of the right operand at a time"
        return f"{op_text(self.product)}, {rows}, sums of {self.width} columns in buffers"


def filled(
    kernel: KernelOp, product: BrgemmOp, kept: PortDescriptor, ids: tuple[int, ...]
) -> StoreOp:
    """Before a product, fill a buffer for its sums, with the port `kept`, in the loops `ids`."""
    (port,) = output_ports(product)
    scalar = ScalarOp(neutral("sum", tensor_of(product.result).element_type))
    first = kernel.block.first_op
    assert first is not None
    nothing = PortDescriptor((1,) * len(port.shape), subtensor=(1,))
    insert_before(first, scalar, [nothing], ())
    zeros = BroadcastOp(scalar, shape_of(product.result))
    insert_before(product, zeros, [nothing, port], ids)
    store = StoreOp(zeros, port.lanes)
    insert_before(product, store, [port, kept], ids)
    return store


@dataclass(frozen=True, eq=False)
class SumBuffer:
    """A buffer that sums are added to.

    Attributes:
        zeros: the store that fills it.
        port: of the sums.
        kept: the port of the buffer.
        home: the loops that it lives in.
    """

    zeros: StoreOp
    port: PortDescriptor
    kept: PortDescriptor
    home: tuple[int, ...]

    def added(
        self, value: SSAValue, last: Operation, ids: tuple[int, ...], out: tuple[int, ...]
    ) -> LoadOp:
        """After `last`, add `value` of the loops `ids`; returns the sums, loaded in loops `out`."""
        port, kept = self.port, self.kept
        store = StoreOp(value, port.lanes, accumulate=True)
        insert_after(last, store, [port, kept], ids)
        buffer = BufferOp([self.zeros.target, store.target])
        insert_after(store, buffer, [kept, kept, kept], self.home)
        load = LoadOp(buffer.result, port.lanes)
        insert_after(buffer, load, [kept, port], out)
        return load


def move_after(last: Operation, ops: Sequence[Operation], product: BrgemmOp) -> None:
    """Let the ops beside a product run in the loops of `last`, after it loads the sums."""
    for op in ops:
        early = op.is_before_in_block(product)
        set_loop_ids(op, loop_ids(last))
        if early:  # it does not read the product
            op.detach()
            Rewriter.insert_op(op, InsertPoint.after(last))
            last = op


class Splitting:
    """The edits for one product."""

    def __init__(self, kernel: KernelOp, blocks: SumBlocks) -> None:
        self.kernel, self.blocks, self.table = kernel, blocks, kernel.loop_table
        (self.port,) = output_ports(blocks.product)

    def run(self) -> None:
        """Split the loops, and put a buffer at the end of each loop over the sum."""
        blocks, product = self.blocks, self.blocks.product
        around = loop_ids(product)[: -len(blocks.sums)]
        *outer, block = blocks.sums
        self._keep(replace(blocks.columns, increment=blocks.width, jam=1))
        for loop in (*outer, replace(block, increment=blocks.rows)):
            self._keep(loop)
        steps = self._new(block, blocks.rows, block.id)
        loops = [loop.id for loop in blocks.sums]
        homes = [(*around, *loops[:depth]) for depth in range(len(loops))]
        ids = (*around, *loops, self._walk(VECTORS))
        top = blocks.totals[-1] if blocks.totals else product
        readers = list(top.results[0].uses)
        zeros = [self._zeros(home) for home in homes]
        set_loop_ids(product, (*ids, steps))
        value, last = product.result, product
        for home, zero in zip(reversed(homes), reversed(zeros), strict=True):
            last = self._added(value, last, ids, zero, home)
            value, ids = last.result, loop_ids(last)
        for use in readers:
            use.operation.operands[use.index] = value
        for total in reversed(blocks.totals):
            erase(total)
        move_after(last, self.blocks.others, product)
        self.kernel.set_loops(list(self.table.values()))

    def _keep(self, loop: LoopInfo) -> int:
        self.table[loop.id] = loop
        return loop.id

    def _new(self, loop: LoopInfo, work: int, around: int, jam: int = 1) -> int:
        """A loop like `loop` over one iteration of `around`, which has `work` units."""
        id_ = max(self.table) + 1
        inside = replace(loop, id=id_, work_amount=work, inner_of=around, parallel=False, jam=jam)
        return self._keep(inside)

    def _walk(self, jam: int = 1) -> int:
        """A loop over the columns of a block."""
        columns = self.blocks.columns
        return self._new(columns, self.blocks.width, columns.id, jam)

    def _held(self, home: tuple[int, ...]) -> PortDescriptor:
        """The port of a buffer that lives in the loops `home`."""
        return held(self.port, [self.table[id_] for id_ in home])

    def _zeros(self, home: tuple[int, ...]) -> StoreOp:
        """Fill a buffer that lives in the loops `home`, before the product."""
        return filled(self.kernel, self.blocks.product, self._held(home), (*home, self._walk()))

    def _added(
        self,
        value: SSAValue,
        last: Operation,
        ids: tuple[int, ...],
        zeros: StoreOp,
        home: tuple[int, ...],
    ) -> LoadOp:
        """After `last`, add `value` of the loops `ids` to a buffer; returns a load of the sums."""
        sums = SumBuffer(zeros, self.port, self._held(home), home)
        return sums.added(value, last, ids, (*home, self._walk()))
