"""Law L22 of a `lir.kernel`: both ports of a value agree, and an op's result fits its operands.

    %0 = lir.load %x {count = 8 : i64, lir.ports = [.., #lir.port<[3, 37], sub [8]>]}
    %1 = snippets.relu %0 {lir.ports = [#lir.port<[3, 37], sub [8]>, ..]}            right
    %1 = snippets.relu %0 {lir.ports = [#lir.port<[3, 37], sub [4]>, ..]}            L22

A port that reads a value has the tile of the port that defines it. Exceptions are views, and
buffers and results, which have no tile. Before `looped`

* it also has the shape of that port;
* the result of a fill, a prefix, a scan or a buffer has the shape of the operand; an accumulator
  has one element for the dim that its loop walks, or a tile along the last dim, and a fold reduces
  that tile to one element;
* the memory port of a load or a store has the elements of its array, if that is an argument or an
  output without strides; its other port has the elements of its value.

From `looped` on the pointers determine where arrays are accessed (L8), and checkers follow them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from xdsl.ir import BlockArgument, Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, Shape, product
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_text import format_sizes
from snippets_mlir.dialects.lir.access import input_ports, is_view, loop_ids, output_ports, ports
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopMarkerOp
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, MemoryAccessOp, ResultOp, StoreOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.reduction import AccumulateOp, FillOp, HorizonOp
from snippets_mlir.dialects.lir.scan import PrefixOp, ScanOp

if TYPE_CHECKING:
    from snippets_mlir.dialects.lir.laws import Fail


def check_connectors(ops: Iterable[Operation], shapes: bool, fail: Fail) -> None:
    """Check the tiles of both ports of each value, and with `shapes` also their shapes.

    `fail` is called with the law and a message. A value that a loop carries has the port of the
    initial value, and the result of the loop has the port of its end marker's operand; both have
    the same tile.
    """
    made: dict[SSAValue, PortDescriptor] = {}
    carried: dict[int, list[PortDescriptor | None]] = {}
    for op in ops:
        if isinstance(op, LoopMarkerOp):
            given = [made.get(value) for value in op.operands]
            if isinstance(op, LoopBeginOp):
                carried[op.id] = given
            else:
                for before, port in zip(carried.get(op.id, ()), given, strict=False):
                    if before is not None and port is not None and before.lanes != port.lanes:
                        what = f"{op.name} to take {before.lanes} lanes, as go in"
                        fail("L22", f"expected {what}, found {port.lanes}")
            made |= {
                result: port
                for result, port in zip(op.results, given, strict=False)
                if port is not None
            }
        elif not is_view(op):
            for value, port in zip(op.operands, input_ports(op), strict=True):
                _check_same(op, made.get(value), port, shapes, fail)
            made |= zip(op.results, output_ports(op), strict=True)


def check_made(ops: Iterable[Operation], table: dict[int, LoopInfo], fail: Fail) -> None:
    """Check the results of ops and the elements that accesses move; `fail` as in
    `check_connectors`.
    """
    for op in ops:
        if isinstance(op, MemoryAccessOp):
            _check_access(op, fail)
        elif isinstance(op, LoopMarkerOp) or is_view(op):
            continue
        elif (wanted := _made_by(op, table)) is not None and wanted != output_ports(op)[0].shape:
            found = format_sizes(output_ports(op)[0].shape)
            fail("L22", f"expected {op.name} to make {format_sizes(wanted)}, found {found}")


def _check_same(
    op: Operation, made: PortDescriptor | None, read: PortDescriptor, shapes: bool, fail: Fail
) -> None:
    """Check that `op` reads a value in the form of its definition; None for an array or a view of
    one.
    """
    if made is None:
        return
    aside = isinstance(op, BufferOp | ResultOp)  # views evaluate nothing
    if (shapes and made.shape != read.shape) or (made.lanes != read.lanes and not aside):
        wanted, found = _text(made), _text(read)
        fail("L22", f"expected {op.name} to read {wanted}, as it is made, found {found}")


def _text(port: PortDescriptor) -> str:
    return f"{format_sizes(port.shape)} by {port.lanes}"


def _made_by(op: Operation, table: dict[int, LoopInfo]) -> Shape | None:
    """The shape of the result of an op; None if the law does not cover the op."""
    if isinstance(op, FillOp | PrefixOp | ScanOp | BufferOp):
        return input_ports(op)[0].shape
    if isinstance(op, HorizonOp):
        source, target = ports(op)
        folds = source.lanes > target.lanes
        return (*source.shape[:-1], 1) if folds else source.shape
    if isinstance(op, AccumulateOp) and (ids := loop_ids(op)):
        (source, _), dim = ports(op), table[ids[-1]].dim
        place = len(source.shape) - 1 - dim
        left: Dim = 1 if dim else source.lanes
        return (*source.shape[:place], left, *source.shape[place + 1 :])
    return None


def _check_access(op: MemoryAccessOp, fail: Fail) -> None:
    """The elements of an access, in memory and in a register."""
    if isinstance(op, GatherOp):
        return
    memory, own = ports(op)
    array, value = op.operands[0], op.results[0]
    outside = isinstance(array, BlockArgument)
    if isinstance(op, StoreOp):
        memory, own, array, value = own, memory, value, array
        outside = all(isinstance(use.operation, ResultOp) for use in array.uses)
    held = memory.stored_shape
    for shape, wanted in ((held, shape_of(array)), (own.shape, shape_of(value))):
        if shape is held and (not outside or memory.strides):
            continue
        if shape is own.shape and isinstance(op, BroadcastLoadOp):
            continue  # broadcast, which its type does not show
        if product(shape) != product(wanted):
            text = f"a port with the elements of {format_sizes(wanted)}"
            fail("L22", f"expected {op.name} to have {text}, found {format_sizes(shape)}")
    if outside and not _fits(memory.shape, own.shape):
        moved, found = format_sizes(own.shape), format_sizes(memory.shape)
        fail("L22", f"expected {op.name} to move {moved}, found {found} in memory")


def _fits(memory: Shape, own: Shape) -> bool:
    """Whether each dim of an array equals the value's dim, or is 1."""
    return len(memory) == len(own) and all(a in (1, b) for a, b in zip(memory, own, strict=True))
