"""The laws of each stage of a `lir.kernel`, checked by its verifier.

* L1: the stage is one of the known ones, and the block's arguments are the kernel's inputs.
* L2: every computing op has one port per operand and result.
* L3: results have the indices 0, 1, ... once each, and the types of the kernel's outputs.
* L4: ids in `lir.loops` are in the kernel's table, whose ids are unique; a loop walks a dim that
  ports have; no buffer lives in a jammed loop (`nesting_laws.py`).
* L5, L6: (looped) markers nest, and values stay in the loops that define them (`nesting_laws.py`).
* L7: (accessed) arguments, buffers and views of them are read by loads and views only, and results
  take what a store wrote.
* L8: (accessed) pointer motion is balanced: over a whole loop, increments and finalization offset
  add up to 0; from expanded on, only if a later access uses the pointer. From looped on, ports of
  memory say how each enclosing loop moves their pointers (`motion_laws.py`).
* L9: (expanded) no loop has a tail. Exceptions are loops that are in the table only as the origin
  of their parts, and parts of dynamic loops, which share the work of their loop.
* L10: before `looped` accesses begin at their pointers: they have no offset except the offset of a
  slice or of a part of an output.
* L11: the parts of loops, and blocks that may be short (`part_laws.py`).
* L12 to L14: (assigned) ports name registers (`register_laws.py`).
* L15: (accessed) the memory that non-temporal stores write (`streaming_laws.py`).
* L16: a loop without work never runs. It is not parallel, because the kernel would then never run,
  and (accessed) no store in it has elements.
* L17: the outputs that buffers live in (`placement_laws.py`).
* L18: the parts of an output, and the loops that they run in (`output_laws.py`).
* L19: (accessed) an access moves as many elements as its register port has lanes; in the last part
  of a loop along the vectors, and from expanded on, it may move fewer, but at least one.
* L20: ports that read a slice or a gather walk its elements, and from marked on also ports that
  read a transpose (`slice_laws.py`).
* L21: before `accessed`, ports have the elements of their values, and operands broadcast to the
  result (`shape_laws.py`).
* L22: both ports of a value have the same tile; before `looped` they have the same shape, and the
  result of an op fits its operands (`connector_laws.py`).
* L23: (marked, accessed) the loops around an op walk all of its ports once, in steps of the
  elements that the op handles at a time (`walk_laws.py`).
* L24: before `looped`, the lanes after a tail do not change the result of a reduction; before
  `expanded`, a fill begins after all lanes (`neutral_laws.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NoReturn

from xdsl.ir import BlockArgument, Operation
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import format_size
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.lir.access import (
    is_array,
    is_view,
    loop_ids,
    place_in_view,
    ports,
    view_source,
)
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.connector_laws import check_connectors, check_made
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.kernel import STAGES, KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopMarkerOp
from snippets_mlir.dialects.lir.memory import (
    BroadcastLoadOp,
    LoadOp,
    MemoryAccessOp,
    ResultOp,
    StoreOp,
)
from snippets_mlir.dialects.lir.motion_laws import (
    check_counts,
    check_dims,
    check_named,
    check_pointers,
    check_ports,
)
from snippets_mlir.dialects.lir.nesting_laws import check_diagonals, check_jammed, check_nesting
from snippets_mlir.dialects.lir.neutral_laws import check_fills, check_neutral
from snippets_mlir.dialects.lir.output_laws import check_outputs
from snippets_mlir.dialects.lir.part_laws import check_parts, check_steps
from snippets_mlir.dialects.lir.placement_laws import check_placed
from snippets_mlir.dialects.lir.register_laws import check_registers
from snippets_mlir.dialects.lir.shape_laws import check_shapes
from snippets_mlir.dialects.lir.slice_laws import check_slices
from snippets_mlir.dialects.lir.streaming_laws import check_streams
from snippets_mlir.dialects.lir.walk_laws import check_walks

Fail = Callable[[str, str], NoReturn]
"""Raises the finding that a kernel breaks a law, given its name and a message."""


def _fail(kernel: KernelOp, law: str, message: str) -> NoReturn:
    raise VerifyException(f"{law}: in @{kernel.sym_name.data}: {message}")


def verify_kernel(kernel: KernelOp) -> None:
    """Check the laws of the kernel's stage; the message names the law."""
    fail = partial(_fail, kernel)
    if kernel.stage.data not in STAGES:
        fail("L1", f'expected a stage of {", ".join(STAGES)}, found "{kernel.stage.data}"')
    if tuple(kernel.block.arg_types) != kernel.function_type.inputs.data:
        fail("L1", "expected block arguments of the kernel's input types")
    ops = list(kernel.block.ops)
    _check_ports(ops, fail)
    _check_results(kernel, ops, fail)
    table = _check_table(kernel, ops, fail)
    check_placed(kernel, ops, fail)
    check_outputs(ops, table, fail)
    check_steps(kernel, table, fail)
    check_parts(table, fail)
    check_slices(ops, kernel.reached("marked"), fail)
    _check_idle_loops(ops, table, fail)
    if kernel.reached("accessed"):
        _check_accesses(ops, fail)
        check_ports(ops, table, kernel.reached("expanded"), fail)
        check_streams(ops, table, fail)
    if kernel.reached("looped"):
        check_nesting(ops, fail)
        check_named(ops, fail)
        check_connectors(ops, False, fail)
    else:
        _check_no_offsets(ops, fail)
        if not kernel.reached("accessed"):
            check_shapes(ops, fail)
        check_connectors(ops, True, fail)
        check_made(ops, table, fail)
        check_neutral(ops, table, fail)
        if kernel.reached("marked"):
            check_walks(ops, table, fail)
    if not kernel.reached("expanded"):
        check_fills(ops, table, fail)
    check_registers(kernel, ops, fail)
    if kernel.reached("accessed"):
        check_counts(ops, table, kernel.reached("expanded"), fail)
    if kernel.reached("expanded"):
        check_pointers(ops, table, fail)
        _check_tails(table, fail)


def _check_ports(ops: Iterable[Operation], fail: Fail) -> None:
    for op in ops:
        if isinstance(op, LoopMarkerOp):
            continue
        expected = len(op.operands) + len(op.results)
        if len(ports(op)) != expected:
            fail(
                "L2",
                f"expected {op.name} to have {expected} ports in `lir.ports`, "
                f"found {len(ports(op))}",
            )


def _check_results(kernel: KernelOp, ops: Iterable[Operation], fail: Fail) -> None:
    results = [op for op in ops if isinstance(op, ResultOp)]
    outputs = kernel.function_type.outputs.data
    indices = sorted(op.index.value.data for op in results)
    if indices != list(range(len(outputs))):
        fail("L3", f"expected results 0 to {len(outputs) - 1} once each, found {indices}")
    for op in results:
        expected = outputs[op.index.value.data]
        for value in op.values:
            if value.type != expected:
                fail(
                    "L3",
                    f"expected result {op.index.value.data} of {expected}, found {value.type}",
                )


def _check_table(kernel: KernelOp, ops: Iterable[Operation], fail: Fail) -> dict[int, LoopInfo]:
    table = kernel.loop_table
    if len(table) != len(kernel.loops.data):
        fail("L4", "expected unique loop ids in the table")
    for loop in table.values():
        if loop.diagonal is not None and loop.diagonal[1] not in table:
            found = loop.diagonal[1]
            fail("L4", f"loop {loop.id} names loop {found}, which is not in the table")
    for op in ops:
        named = [op.id] if isinstance(op, LoopMarkerOp) else loop_ids(op)
        for id_ in named:
            if id_ not in table:
                fail("L4", f"{op.name} names loop {id_}, which is not in the table")
    check_diagonals(ops, table, fail)
    check_jammed(ops, table, fail)
    check_dims(ops, table, fail)
    return table


def _check_no_offsets(ops: Iterable[Operation], fail: Fail) -> None:
    for op in ops:
        if not isinstance(op, MemoryAccessOp):
            continue
        if isinstance(op, StoreOp) and ports(op)[1].strides:
            continue
        if op.distance != (place := place_in_view(op.operands[0])):
            at = f"at offset {format_size(place)}, where its slice begins,"
            wanted = "without an offset" if place == 0 else at
            fail(
                "L10",
                f"expected {op.name} {wanted} before the loops are inserted, "
                f"found {format_size(op.distance)}",
            )


def _check_accesses(ops: Iterable[Operation], fail: Fail) -> None:
    for op in ops:
        if isinstance(op, ResultOp):
            if not all(isinstance(view_source(value).owner, StoreOp) for value in op.values):
                fail("L7", "expected lir.result to take the targets of lir.store ops")
        if isinstance(op, LoadOp | BroadcastLoadOp | BufferOp) or is_view(op):
            continue
        for operand in op.places if isinstance(op, GatherOp) else op.operands:
            if is_array(operand):
                what = "an argument" if isinstance(operand, BlockArgument) else "memory"
                fail("L7", f"expected {op.name} to read {what} through a lir.load")


def _check_idle_loops(ops: Iterable[Operation], table: dict[int, LoopInfo], fail: Fail) -> None:
    idle = {id_ for id_, loop in table.items() if table[loop.unified_id].work_amount == 0}
    for id_ in idle:
        if table[id_].parallel:
            fail("L16", f"expected loop {id_}, which has no work, not to be parallel")
    for op in ops if idle else ():
        if isinstance(op, StoreOp) and 0 not in shape_of(op.target):
            for id_ in idle.intersection(loop_ids(op)):
                what = f"a store of {op.target.type}"
                fail("L16", f"expected {what} in loops with work, found loop {id_}")


def _check_tails(table: dict[int, LoopInfo], fail: Fail) -> None:
    split = {loop.origin for loop in table.values() if loop.iteration != "unified"}
    for loop in table.values():
        allowed = loop.dynamic or loop.iteration == "whole" or loop.id in split
        if not allowed and loop.tail:
            tail = format_size(loop.tail)
            fail("L9", f"loop {loop.id} has a tail of {tail}; run lir-insert-specific-iterations")
