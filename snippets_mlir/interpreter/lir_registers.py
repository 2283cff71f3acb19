"""The register mode: kernels whose ports name registers run with registers and slots only.

The result of an op goes to the physical register or slot that its port names; an operand is the
content of the place that its port names. SSA values are ignored, so a wrong assignment computes
something else, or is an error: an empty register, a part of a wider value, or elements of another
type. Registers that an op's code (`lir.auxiliary`) or a call between `lir.reg_spill_begin` and
`lir.reg_spill_end` overwrites lose their contents.

Pointers are in general-purpose registers from the loop around their first access on, counters while
their loop runs. Both must still be there when they are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from typing_extensions import override
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.lir.access import ports
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.pointers import memory_port
from snippets_mlir.dialects.lir.register_laws import names_registers
from snippets_mlir.dialects.lir.registers import (
    SLOT_BYTES,
    Location,
    auxiliary_of,
    counter_of,
    location,
)
from snippets_mlir.dialects.lir.spills import RegSpillBeginOp, RegSpillEndOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.interpreter.lir_loops import LoopRun
from snippets_mlir.interpreter.lir_memory import KernelMemory, Key, Place, dtype_of
from snippets_mlir.interpreter.lir_tree import Loop
from snippets_mlir.interpreter.poison import data_of
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

Cell = tuple[Any, int, int]
"""A value, the number of the part, and the number of parts."""

_Source = tuple[str | None, Location | None, np.dtype[Any]]
_Target = tuple[Location, tuple[str, ...]]


class RegisterRun(LoopRun):
    """Runs the pieces of a kernel through its registers.

    Attributes:
        cells: what each vector or mask register, by name, and each slot, by number, holds.
        general: what each general-purpose register or pointer's slot holds: a pointer by its array,
            or the counter of a loop.
    """

    def __init__(self, kernel: KernelOp, memory: KernelMemory) -> None:
        super().__init__(kernel, memory)
        self.cells: dict[str | int, Cell] = {}
        self.general: dict[str, Key] = {}
        self._saved: dict[str | int, Cell] = {}
        self._arrays: dict[Operation, Key] = {}
        self._sources: dict[tuple[Operation, int], _Source] = {}
        self._targets: dict[tuple[Operation, int], _Target] = {}

    @override
    def start(self) -> None:
        self.cells.clear()
        self.general.clear()

    def place(self, access: MemoryAccessOp) -> Place:
        """Where an access finds its array; its pointer is that of its register."""
        if access not in self._places:
            found = self.memory.place(access)
            self._arrays[access] = found.key
            register = memory_port(access).register
            self._places[access] = replace(found, key=("register", _home(register)))
        return self._places[access]

    def begin_item(self, item: Loop | Operation) -> None:
        """Put the pointers that are first used in `item` into their registers."""
        for access in _accesses(item):
            place = self.place(access)
            array = self._arrays[access]
            if array not in self.general.values():
                self.general[_home(memory_port(access).register)] = array
                self.pointers[place.key] = 0

    def execute(self, op: Operation) -> None:
        """Execute an op that is not a marker."""
        if isinstance(op, ScalarOp):
            if ports(op)[0].register is not None:
                self.write(op, self._immediates[op.result])
            return
        if isinstance(op, RegSpillBeginOp):
            self._save(op)
        elif isinstance(op, RegSpillEndOp):
            self._restore(op)
        if isinstance(op, MemoryAccessOp):
            self._point(op)
        super().execute(op)

    def _point(self, access: MemoryAccessOp) -> None:
        """Check that the pointer of `access` is in the place that its port names."""
        self.place(access)
        text = memory_port(access).register
        held = self.general.get(_home(text))
        if held != self._arrays[access]:
            what = "nothing" if held is None else f"the {held[0]} {held[1]}"
            raise CompileError(f"{text} holds {what}, not the pointer of {access.name}")
        place = location(text)
        if place is not None and place.slot is not None:
            self.general.pop(place.registers[0], None)

    def begin_iteration(self, loop: Loop) -> None:
        """Put the counter of a loop into its register."""
        if (register := counter_of(loop.begin)) is not None:
            self.general[_home(register)] = ("counter", loop.info.id)

    def end_iteration(self, loop: Loop) -> None:
        """Check that the counter is still in its register."""
        register = counter_of(loop.begin)
        if register is not None and self.general.get(_home(register)) != ("counter", loop.info.id):
            name = self.kernel.sym_name.data
            raise CompileError(
                f"in @{name}: {register} no longer holds the counter of loop {loop.info.id}",
                **position_of(loop.begin),
            )

    def read(self, op: Operation, index: int) -> Any:
        """Operand `index` of an op: the content of the place that its port names."""
        source = self._sources.get((op, index))
        if source is None:
            source = self._sources[op, index] = _source(op, index)
        text, place, dtype = source
        if place is None:
            return super().read(op, index)
        cells = [self.cells.get(name) for name in self._names(place, None)]
        first = cells[0]
        if first is None:
            raise CompileError(f"{text} holds nothing")
        value, _, count = first
        if place.registers:
            parts = cells
        else:
            assert place.slot is not None
            parts = [self.cells.get(place.slot + i) for i in range(count)]
        if len(parts) != count or any(
            cell is None or cell[0] is not value or cell[1] != i for i, cell in enumerate(parts)
        ):
            raise CompileError(f"{text} holds parts of different values")
        if data_of(value).dtype != dtype:
            raise CompileError(f"{text} holds {data_of(value).dtype}, expected {dtype}")
        return value

    def write(self, op: Operation, value: Any, index: int = 0) -> None:
        """Write result `index` of an op to the place that its port names."""
        target = self._targets.get((op, index))
        if target is None:
            target = self._targets[op, index] = _target(op, index)
        place, overwritten = target
        for name in overwritten:
            self.cells.pop(name, None)
            self.general.pop(name, None)
        value = _own(value)
        names = self._names(place, value)
        for part, name in enumerate(names):
            self.cells[name] = (value, part, len(names))

    def _names(self, place: Location, value: Any) -> Sequence[str | int]:
        """The registers, or the slots that `value` takes."""
        if place.registers:
            return place.registers
        assert place.slot is not None
        size = 1 if value is None else data_of(value).nbytes
        return range(place.slot, place.slot + max(1, -(-size // SLOT_BYTES)))

    def _save(self, op: RegSpillBeginOp) -> None:
        for place in op.locations:
            register, slot = place.registers[0], place.slot
            if (cell := self.cells.get(register)) is not None and slot is not None:
                self.cells[slot] = cell
        self._saved = dict(self.cells)

    def _restore(self, op: RegSpillEndOp) -> None:
        for name, cell in list(self.cells.items()):
            if isinstance(name, str) and self._saved.get(name) is cell:
                del self.cells[name]
        for place in op.locations:
            register, slot = place.registers[0], place.slot
            if slot is not None and (cell := self.cells.get(slot)) is not None:
                self.cells[register] = cell


def _source(op: Operation, index: int) -> _Source:
    """The place of operand `index` of an op, and the type of its elements."""
    text = ports(op)[index].register
    return text, location(text), dtype_of(op.operands[index])


def _target(op: Operation, index: int) -> _Target:
    """The place of result `index` of an op, and the other places that its code overwrites."""
    place = location(ports(op)[len(op.operands) + index].register)
    if place is None:
        raise CompileError(f"expected a register for result {index}, found none")
    return place, auxiliary_of(op)


def _own(value: Any) -> Any:
    """A separate object for `value`, so that registers distinguish equal values."""
    return cast("Array", value).view() if isinstance(value, np.ndarray) else value


def _home(text: str | None) -> str:
    """The place of a pointer or counter between its uses: its slot, else its register."""
    place = location(text)
    if place is None:
        raise CompileError("expected a general-purpose register, found none")
    return place.registers[0] if place.slot is None else f"slot{place.slot}"


def _accesses(item: Loop | Operation) -> list[MemoryAccessOp]:
    if not isinstance(item, Loop):
        return [item] if isinstance(item, MemoryAccessOp) else []
    return [access for inner in item.items for access in _accesses(inner)]


def run_of(kernel: KernelOp, memory: KernelMemory) -> LoopRun:
    """The class that runs a kernel with markers: through registers if its ports name them."""
    return RegisterRun(kernel, memory) if names_registers(kernel) else LoopRun(kernel, memory)
