"""The laws of registers, from stage `assigned` on.

* L12: each port of a value names physical registers of one file: vec, or mask for i1. Each port
  that touches memory names one gpr register, alone or with a slot. A port names a slot alone if it
  is the result of `lir.spill` or the operand of `lir.reload`, or if its value stays in memory. Only
  scalars, which are immediates, may name nothing.
* L13: a value that a loop carries stays at one place: the ports of the initial value, the block's
  argument, the next value and the final value agree.
* L14: each slot is one of the kernel's slots.

A kernel may skip `assigned`. When it is `expanded`, the laws hold if any of its ports names a
register. An invalid register name is an error (L12) at every stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Operation, OpResult, SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.access import is_array, is_view, ports
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp, LoopMarkerOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, ResultOp, StoreOp
from snippets_mlir.dialects.lir.registers import SLOTS, Location, counter_of, location
from snippets_mlir.dialects.lir.spills import ReloadOp, SpillOp
from snippets_mlir.dialects.snippets.constants import ScalarOp

if TYPE_CHECKING:
    from snippets_mlir.dialects.lir.laws import Fail


def names_registers(kernel: KernelOp) -> bool:
    """Whether the laws apply to `kernel`."""
    if kernel.stage.data == "assigned":
        return True
    return kernel.reached("expanded") and any(
        port.register is not None for op in kernel.block.ops for port in ports(op)
    )


def check_registers(kernel: KernelOp, ops: Sequence[Operation], fail: Fail) -> None:
    """Check the laws; `fail` is called with the law and a message."""
    for op in ops:
        for port in ports(op):
            _location(port.register, fail)
    if not names_registers(kernel):
        return
    attr = kernel.attributes.get(SLOTS)
    slots = attr.value.data if isinstance(attr, IntegerAttr) else 0
    for op in ops:
        if isinstance(op, ResultOp | BufferOp) or is_view(op):
            continue
        own = ports(op)
        values = [*op.operands, *op.results]
        if isinstance(op, LoopMarkerOp) and len(own) != len(values):
            fail("L12", f"expected ports on {op.name} {op.id}, which carries values, found none")
        for index, (value, port) in enumerate(zip(values, own, strict=True)):
            place = _location(port.register, fail)
            if place is not None and place.slot is not None and place.slot >= slots:
                fail("L14", f"{op.name} names {port.register}; the kernel has {slots} slots")
            _check_port(op, index, value, place, fail)
    _check_carried(ops, fail)


def _location(text: str | None, fail: Fail) -> Location | None:
    try:
        return location(text)
    except ValueError as error:
        fail("L12", str(error))


def _check_port(
    op: Operation, index: int, value: SSAValue, place: Location | None, fail: Fail
) -> None:
    what = f"port {index} of {op.name}"
    defines = index >= len(op.operands)
    memory = isinstance(op, MemoryAccessOp) and defines == isinstance(op, StoreOp)
    if isinstance(op, GatherOp):
        memory = index == 0  # the others are places, which are values
    if place is None:
        if not isinstance(value.owner, ScalarOp):
            fail("L12", f"expected a register on {what}, found none")
        return
    if place.abstract is not None or place.again:
        fail("L12", f"expected a physical register on {what}; run lir-insert-reg-spills")
    if memory:
        if place.file != "gpr" or len(place.registers) != 1:
            fail("L12", f"expected a general-purpose register on {what}")
        return
    in_memory = place.slot is not None and not place.registers
    if isinstance(op, SpillOp if defines else ReloadOp) != in_memory:
        if not in_memory:
            fail("L12", f"expected a slot on {what}, found a register")
        if not defines and not _stays_in_memory(value):
            fail("L12", f"{what} names a slot, but its value is in a register")
        return
    files = ("vec", "mask") if tensor_of(value).element_type == i1 else ("vec",)
    if not in_memory and (place.slot is not None or place.file not in files):
        fail("L12", f"expected a register of {' or '.join(files)} on {what}")


def _stays_in_memory(value: SSAValue) -> bool:
    """Whether the port of the definition of `value` names a slot alone."""
    if not isinstance(value, OpResult) or is_array(value):
        return False
    own = ports(value.op)
    found = location(own[len(value.op.operands) + value.index].register) if own else None
    return found is not None and found.slot is not None and not found.registers


def _check_carried(ops: Sequence[Operation], fail: Fail) -> None:
    begins: list[LoopBeginOp] = []
    for op in ops:
        if isinstance(op, LoopBeginOp):
            _location(counter_of(op), fail)
            begins.append(op)
        elif isinstance(op, LoopEndOp):
            begin = begins.pop()
            count = len(begin.carried)
            lists = [own[part:][:count] for own in map(ports, (begin, op)) for part in (0, count)]
            for index, places in enumerate(zip(*lists, strict=False)):
                if len({port.register for port in places}) != 1:
                    fail(
                        "L13",
                        f"expected value {index} that loop {op.id} carries at one place, found "
                        f"{', '.join(str(port.register) for port in places)}",
                    )
