"""The registers of a `lir.kernel` hold the values that ops read from them.

The checker executes the kernel on an abstract machine. Its registers and slots hold tokens: a
value, and the part of it if it is wider than a register. A loop is executed until the tokens at its
first op no longer change: those that its entry and its back edge have in common. Spills, reloads
and moves keep the value. The checker uses no code of the allocator, only the order of the ops, the
ports, and the operands. Claims checked on kernels whose ports name registers:

* R1: the register or slot on an operand's port holds the whole value that the op takes;
* R2: an access finds the pointer of its array in its register or slot;
* R3: the counter of a loop is in the same register at its begin and end;
* R4: an op's code overwrites, besides its result's register, no register that it reads or writes
  otherwise;
* R5: a pair around a call restores what it saves.

A pointer is in its register from the outermost loop of its first access on. A call overwrites all
vector and mask registers. Source: the checker of regalloc2 has the same claim R1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from snippets_mlir.checkers.linear_loops import Item, LoopNode, fail, loop_nodes
from snippets_mlir.checkers.register_places import (
    all_ops,
    cells,
    home,
    is_memory,
    memory_port,
    place_of,
    pointer_of,
)
from snippets_mlir.dialects.lir.access import ports
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopEndOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, StoreOp
from snippets_mlir.dialects.lir.register_laws import names_registers
from snippets_mlir.dialects.lir.registers import auxiliary_of, counter_of, location
from snippets_mlir.dialects.lir.spills import RegisterMoveOp, RegSpillBeginOp, RegSpillEndOp

Token = tuple[object, int, int]
"""The value or pointer in a place, the index of its part, and the number of parts."""

State = dict[str | int, Token]
"""The contents of registers, by name, and of slots, by number."""


def verify_registers(kernel: KernelOp) -> None:
    """Check the claims, if the ports of `kernel` name registers.

    Raises:
        CompileError: at the first op that breaks one.
    """
    if names_registers(kernel):
        _Machine(kernel).run_kernel()


@dataclass
class _Machine:
    kernel: KernelOp
    ends: dict[int, LoopEndOp] = field(init=False)
    _saved: list[tuple[State, set[object]]] = field(default_factory=list[tuple[State, set[object]]])
    _roots: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def __post_init__(self) -> None:
        self.ends = {op.id: op for op in self.kernel.block.ops if isinstance(op, LoopEndOp)}

    def run_kernel(self) -> None:
        state: State = {}
        begun: set[object] = set()
        for item in loop_nodes(self.kernel):
            for op in item.ops() if isinstance(item, LoopNode) else (item,):
                if isinstance(op, MemoryAccessOp) and (pointer := pointer_of(op)) not in begun:
                    begun.add(pointer)
                    if (register := home(memory_port(op).register)) is not None:
                        state[register] = (pointer, 0, 1)
            state = self._run([item], state)

    def _run(self, items: Sequence[Item], state: State) -> State:
        for item in items:
            if isinstance(item, LoopNode):
                state = self._loop(item, state)
            else:
                self._op(item, state)
        return state

    def _loop(self, node: LoopNode, state: State) -> State:
        begin, end = node.begin, self.ends[node.info.id]
        inside: set[object] = {v for op in (begin, *all_ops(node)) for v in op.results}
        counter = home(counter_of(begin))
        self._take(begin, state)
        head = dict(state)
        if counter is not None:
            head[counter] = (("counter", node.info.id), 0, 1)
        self._give(begin, head)
        while True:
            after = self._run(node.items, dict(head))
            self._take(end, after)
            if counter is not None and after.get(counter) != head[counter]:
                fail(
                    end,
                    "R3",
                    f"expected the counter of loop {node.info.id} in {counter_of(begin)}, "
                    "found something else",
                )
            back = {cell: token for cell, token in after.items() if token[0] not in inside}
            self._give(begin, back)
            joined = {cell: token for cell, token in head.items() if back.get(cell) == token}
            if joined == head:
                break
            head = joined
        out = {cell: token for cell, token in head.items() if after.get(cell) == token}
        self._give(end, out)
        return out

    def _op(self, op: Operation, state: State) -> None:
        if isinstance(op, RegSpillBeginOp):
            self._save(op, state)
        elif isinstance(op, RegSpillEndOp):
            self._restore(op, state)
        if isinstance(op, MemoryAccessOp):
            self._point(op, state)
        self._take(op, state)
        for name in self._overwritten(op):
            state.pop(name, None)
        self._give(op, state)

    def _root(self, value: SSAValue) -> SSAValue:
        """The value that a spill, a reload or a move keeps."""
        if value not in self._roots:
            owner = value.owner
            moved = isinstance(owner, RegisterMoveOp)
            self._roots[value] = self._root(owner.operand) if moved else value
        return self._roots[value]

    def _take(self, op: Operation, state: State) -> None:
        """R1 for all operands that are values."""
        for index, (value, port) in enumerate(zip(op.operands, ports(op), strict=False)):
            place = place_of(port.register)
            if place is None or is_memory(op, index):
                continue
            held = cells(place, value, port)
            for part, cell in enumerate(held):
                if state.get(cell) != (self._root(value), part, len(held)):
                    name = value.name_hint or "the value it takes"
                    fail(
                        op,
                        "R1",
                        f"expected operand {index} of {op.name}, {name}, in {port.register}, "
                        f"found {'nothing' if cell not in state else 'another one'}",
                    )

    def _give(self, op: Operation, state: State) -> None:
        for value, port in zip(op.results, ports(op)[len(op.operands) :], strict=False):
            place = place_of(port.register)
            if place is None or isinstance(op, StoreOp):
                continue
            held = cells(place, value, port)
            for part, cell in enumerate(held):
                state[cell] = (self._root(value), part, len(held))
            if self._saved:
                self._saved[-1][1].update(held)

    def _point(self, op: MemoryAccessOp, state: State) -> None:
        text = memory_port(op).register
        register = home(text)
        if register is None or state.get(register) != (pointer_of(op), 0, 1):
            fail(op, "R2", f"expected the pointer of {op.name} in {text}, found something else")
        place = location(text)
        if place is not None and place.slot is not None:
            state[place.registers[0]] = (pointer_of(op), 0, 1)

    def _overwritten(self, op: Operation) -> tuple[str, ...]:
        names = auxiliary_of(op)
        for port in ports(op) if names else ():
            place = location(port.register)
            if place is not None and set(place.registers) & set(names):
                fail(
                    op,
                    "R4",
                    f"expected the auxiliary registers of {op.name} apart from its operands and "
                    f"results, found {port.register} among {', '.join(names)}",
                )
        return names

    def _save(self, op: RegSpillBeginOp, state: State) -> None:
        for place in op.locations:
            assert place.slot is not None
            if (token := state.get(place.registers[0])) is None:
                fail(op, "R5", f"expected a value in {place.registers[0]} to save, found nothing")
            state[place.slot] = token
        self._saved.append(({c: state[c] for p in op.locations for c in p.registers}, set()))

    def _restore(self, op: RegSpillEndOp, state: State) -> None:
        if not self._saved:
            fail(op, "R5", f"expected a lir.reg_spill_begin before {op.name}, found none")
        saved, given = self._saved.pop()
        for cell in [c for c in state if isinstance(c, str) and c not in given]:
            if not cell.startswith("gpr"):
                del state[cell]
        for place in op.locations:
            register, slot = place.registers[0], place.slot
            assert slot is not None
            if register not in saved or state.get(slot) != saved[register]:
                fail(op, "R5", f"expected slot {slot} to hold what {register} held before the call")
            state[register] = saved[register]
