"""The locations of a kernel's values, pointers and sizes during emission.

%x : tensor<8xf32>             a vector, or a slot of the scratchpad when it is spilled
lir.load %p                    a pointer for each register, or for each array, and its offset
lir.buffer {offset = 64}       the scratchpad, 64 bytes further
work ?0*4                      arith.muli of a symbol that was read from `rt`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i8
from xdsl.ir import Attribute, BlockArgument, SSAValue

from snippets_mlir.analysis.kernels.live_ranges import port_of
from snippets_mlir.analysis.kernels.rare_values import rare_values
from snippets_mlir.dialects.builtin.dims import Dim, Size, terms_of
from snippets_mlir.dialects.builtin.shaped import byte_width, tensor_of
from snippets_mlir.dialects.builtin.sizes import is_size, size_in
from snippets_mlir.dialects.lir.access import (
    output_ports,
    view_source,
)
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import (
    TAIL,
    MemoryAccessOp,
)
from snippets_mlir.dialects.lir.pointers import buffer_of, memory_port, pointer_of
from snippets_mlir.dialects.lir.registers import SLOT_BASE, SLOT_BYTES, SLOTS, location
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.passes.lir_to_vector.memory_elements import (
    from_memory,
    memory_element,
    stored_as,
    to_memory,
)
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import emitters_around
from snippets_mlir.targets.emitters.arith_builder import vector_type
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder

Key = tuple[str, object]
"""A pointer of the kernel: ("gpr", its register and array), or `pointer_of` without registers."""


def slots_of(kernel: KernelOp) -> dict[SSAValue, int]:
    """The slots of the values that are only in memory, by their ports.

    Values that few vectors need are not: a write for them is a write for all vectors.
    """
    if SLOTS not in kernel.attributes:
        return {}
    found: dict[SSAValue, int] = {}
    ops = list(kernel.block.ops)
    rare = rare_values(ops)
    for op in ops:
        for value, port in zip(op.results, output_ports(op), strict=False):
            place = location(port.register)
            in_memory = place is not None and place.slot is not None and not place.registers
            if in_memory and value not in rare:
                assert place is not None
                assert place.slot is not None
                found[value] = place.slot
    return found


@dataclass(frozen=True, eq=False)
class Given:
    """The inputs of a kernel's emission.

    Attributes:
        kernel: the kernel.
        builder: writes the ops, in its block.
        arrays: the pointers of the kernel's arrays: inputs, then outputs.
        bounds: the range of the parallel domain.
        scratch: the thread's scratchpad.
        symbols: the values of the kernel's symbols.
    """

    kernel: KernelOp
    builder: VectorBuilder
    arrays: Sequence[SSAValue]
    bounds: tuple[SSAValue, SSAValue]
    scratch: SSAValue | None
    symbols: Mapping[int, SSAValue]


class KernelValues:
    """The state of an emission, which appends to the builder's block.

    Attributes:
        arrays: the pointers of the kernel's arrays: inputs, then outputs.
        scratch: the thread's scratchpad.
        symbols: the values of the kernel's symbols, if it has dynamic dimensions.
        pointers: the current value of each pointer; they begin at their arrays.
        values: the vector of each value computed so far.
        keys: the pointer of each access.
        brought: the scalars that are sizes of the call.
    """

    def __init__(self, given: Given) -> None:
        self.kernel = kernel = given.kernel
        self.emitters = emitters_around(kernel)
        self.symbols = given.symbols
        self.tail: SSAValue | None = None
        self.b = given.builder
        self.arrays = given.arrays
        self.scratch = given.scratch
        self.values: dict[SSAValue, SSAValue] = {}
        self.brought: dict[ScalarOp, SSAValue] = {}
        self.in_slots = slots_of(kernel)
        self.pointers: dict[Key, SSAValue] = {}
        self.keys: dict[MemoryAccessOp, Key] = {}
        for op in kernel.block.ops:
            if isinstance(op, MemoryAccessOp):
                start = self._start(op)
                self.keys[op] = key = self._key(op, start)
                self.pointers.setdefault(key, start)

    def _key(self, access: MemoryAccessOp, start: SSAValue) -> Key:
        """The pointer of an access: that of its register, if it has one.

        An abstract register does not count.
        """
        place = location(memory_port(access).register)
        if place is not None and (place.registers or place.slot is not None):
            home = place.registers[0] if place.slot is None else f"slot{place.slot}"
            return "gpr", (home, start)
        return pointer_of(access)

    def _start(self, access: MemoryAccessOp) -> SSAValue:
        kind, number = pointer_of(access)
        if kind == "output":
            assert isinstance(number, int)
            return self.arrays[len(self.kernel.block.args) + number]
        if buffer_of(access) is not None:
            assert self.scratch is not None
            return self.scratch
        source = view_source(access.operands[0])
        assert isinstance(source, BlockArgument)
        return self.arrays[source.index]

    def size(self, size: Dim) -> SSAValue:
        """A size as an i64: a constant, or the sum of products of its symbols and constants."""
        if not isinstance(size, Size):
            return self.b.index(size)
        first, *others = [self._product(*term) for term in terms_of(size)]
        for term in others:
            first = self.b.op("arith.addi", [first, term])
        return first

    def _product(self, symbols: Sequence[int], factor: int) -> SSAValue:
        b = self.b
        if not symbols:
            return b.index(factor)
        product = self.symbols[symbols[0]]
        for index in symbols[1:]:
            product = b.op("arith.muli", [product, self.symbols[index]])
        return product if factor == 1 else b.op("arith.muli", [product, b.index(factor)])

    def moved(self, pointer: SSAValue, element: Attribute, elements: Dim | SSAValue) -> SSAValue:
        """`pointer` moved by a number of elements."""
        if isinstance(elements, Size):
            elements = self.size(elements)
        return self.b.pointer_offset(pointer, element, elements)

    def mask(self, count: int, lanes: int) -> SSAValue:
        """The lanes that an access of `count` elements touches."""
        b = self.b
        if count != TAIL:
            return b.mask(count, lanes)
        assert self.tail is not None
        return b.compare_int("slt", b.steps(1, lanes), b.splat(self.tail, lanes))

    def address(self, access: MemoryAccessOp) -> SSAValue:
        """The address of an access: its pointer, at its offset in its buffer."""
        pointer = self.pointers[self.keys[access]]
        buffer = buffer_of(access)
        offset = 0 if buffer is None or buffer.output is not None else buffer.decided_size("offset")
        if offset is None:
            raise CompileError(
                "a buffer has no offset; run lir-allocate-buffers before convert-lir-to-vector",
                **position_of(access),
            )
        start = self.moved(pointer, i8, offset)
        return self.moved(start, memory_element(access), access.distance)

    def value(self, value: SSAValue) -> SSAValue:
        """The vector of a value, read from its slot if it is in one."""
        if value not in self.in_slots:
            return self.values[value]
        element, lanes = tensor_of(value).element_type, port_of(value).lanes
        memory = stored_as(element)
        type_ = vector_type(memory, lanes)
        vector = self.b.load(self._slot(value), type_, byte_width(memory))
        return from_memory(self.b, vector, element)

    def _spill(self, value: SSAValue, vector: SSAValue) -> None:
        """Write a value to its slot; an i1 takes a byte."""
        element = tensor_of(value).element_type
        vector = to_memory(self.b, vector, element)
        self.b.store(vector, self._slot(value), byte_width(stored_as(element)))

    def _slot(self, value: SSAValue) -> SSAValue:
        base = self.kernel.attributes[SLOT_BASE]
        assert self.scratch is not None
        assert is_size(base)
        start = self.moved(self.scratch, i8, size_in(base))
        return self.moved(start, i8, self.in_slots[value] * SLOT_BYTES)

    def in_registers(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """The carried values of a loop that are not in slots."""
        return [value for value in values if value not in self.in_slots]
