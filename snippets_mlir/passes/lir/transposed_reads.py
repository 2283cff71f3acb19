"""The reads of transposed arrays, and whether `lir-jam-loops` is enough for them.

`lir_copy_transposed.py` has the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.kernels.load_tiles import tile_rows
from snippets_mlir.dialects.builtin.dims import Size
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.lir.access import (
    input_ports,
    is_array,
    is_view,
    loop_ids,
    output_ports,
)
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.snippets.gathering import PlacesOp
from snippets_mlir.passes.lir.epilogue_weights import weight_of

JAMMED = 8
"""The most ops, including accesses, whose rows `lir-jam-loops` takes for a whole cache line."""


@dataclass(frozen=True, eq=False)
class Read:
    """One transposed array that an op reads.

    Attributes:
        op: the reader.
        index: of the operand.
        port: through which it reads.
    """

    op: Operation
    index: int
    port: PortDescriptor

    @property
    def array(self) -> SSAValue:
        """The array, or the view of one."""
        return self.op.operands[self.index]


def reads_of(rows: LoopInfo, ops: Sequence[Operation]) -> Iterator[Read]:
    """The reads of `ops` from arrays whose neighbours are iterations of `rows`."""
    for op in ops:
        if isinstance(op, PlacesOp) or is_view(op):
            continue
        for index, (value, port) in enumerate(zip(op.operands, input_ports(op), strict=True)):
            last = len(port.shape) - 1
            if (
                is_array(value)
                and rows.dim != 0
                and port.lanes > 1
                and port.shape[last - rows.dim] == rows.work_amount
                and port.stride(last - rows.dim) == 1
                and port.stride(last) != 1
                and tile_rows(element_bytes(value), port.lanes) > 1
            ):
                yield Read(op, index, port)


def is_jammed_whole(rows: LoopInfo, ops: Sequence[Operation]) -> bool:
    """Whether `lir-jam-loops` reads whole cache lines without a copy.

    It does if there are few ops, in one loop nest, at known distances.
    """
    accesses = [
        port
        for op in ops
        for value, port in zip(op.operands, input_ports(op), strict=True)
        if is_array(value)
    ]
    stored = [
        port
        for op in ops
        for result, port in zip(op.results, output_ports(op), strict=True)
        if any(is_view(use.operation) or isinstance(use.operation, ResultOp) for use in result.uses)
    ]
    known = not any(_is_dynamic(port, rows) for port in (*accesses, *stored))
    nests = {ids for op in ops if (ids := loop_ids(op))[-1] != rows.id}
    made = sum(weight_of(op) or 1 for op in ops)
    return known and len(nests) == 1 and len(accesses) + len(stored) + made <= JAMMED


def _is_dynamic(port: PortDescriptor, loop: LoopInfo) -> bool:
    """Whether only a call knows the distance of iterations of `loop` in memory."""
    dim = len(port.shape) - 1 - loop.dim
    return port.shape[dim] != 1 and isinstance(port.stride(dim), Size)
