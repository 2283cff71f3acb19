"""Emission of the ops of a kernel: values become vectors, memory accesses go through pointers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from xdsl.dialects.builtin import AnyFloat, i8, i64
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from snippets_mlir.analysis.live_ranges import port_of
from snippets_mlir.analysis.load_tiles import tile_of
from snippets_mlir.analysis.store_stacks import Stack, stacks_of
from snippets_mlir.dialects.builtin.dims import Dim, Size, terms_of
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.builtin.sizes import SizeAttr, is_size, size_in
from snippets_mlir.dialects.lir.access import (
    VIEWS,
    input_ports,
    is_view,
    output_ports,
    ports,
    view_source,
)
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import (
    TAIL,
    BroadcastLoadOp,
    LoadOp,
    MemoryAccessOp,
    ResultOp,
    StoreOp,
)
from snippets_mlir.dialects.lir.pointers import buffer_of, memory_port, pointer_of
from snippets_mlir.dialects.lir.reduction import FillOp, HorizonOp
from snippets_mlir.dialects.lir.registers import SLOT_BASE, SLOT_BYTES, SLOTS, location
from snippets_mlir.dialects.lir.spills import RegisterMoveOp, RegSpillOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.passes.lir_to_vector.aligned_loops import FROM
from snippets_mlir.passes.lir_to_vector.memory_elements import (
    element_size,
    from_memory,
    memory_element,
    stored_as,
    to_memory,
)
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import emitters_around
from snippets_mlir.targets.emitters.arith_builder import lanes_of, vector_type
from snippets_mlir.targets.emitters.interleaving import emit_interleaved
from snippets_mlir.targets.emitters.reductions import emit_fill, emit_horizon
from snippets_mlir.targets.emitters.transposes import emit_tile
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder

SMALLEST_COMPUTED = 4
"""Bytes of the smallest number that kernels compute; others are truncated to be stored."""

Key = tuple[str, object]
"""A pointer of the kernel: ("gpr", its register and array); before registers are assigned what
`pointer_of` says."""


@cache
def computes(kind: type[Operation]) -> bool:
    """Whether ops of a class compute vectors: most ops do, and asking each of them takes long."""
    others = (ScalarOp, ResultOp, BufferOp, MemoryAccessOp, FillOp, HorizonOp)
    moved = (RegisterMoveOp, RegSpillOp)
    return not issubclass(kind, (*others, *moved)) and kind.name not in VIEWS


class OpEmission:
    """Appends the code of ops to the builder's block.

    Attributes:
        arrays: the pointers that the kernel gets: inputs, then outputs.
        scratch: the thread's scratchpad.
        symbols: the values of the kernel's symbols, when it has dynamic dimensions.
        pointers: where each pointer stands; they begin at their arrays.
        values: the vector of each value computed so far.
        keys: the pointer that each access goes through.
        brought: the scalars that are sizes of the call.
        stacks: the stores that are one of a stack, with all of them.
        waiting: what stores of a stack write, until the last one of them comes.
    """

    def __init__(
        self,
        kernel: KernelOp,
        builder: VectorBuilder,
        arrays: Sequence[SSAValue],
        scratch: SSAValue | None = None,
        symbols: Mapping[int, SSAValue] | None = None,
    ) -> None:
        self.kernel = kernel
        self.emitters = emitters_around(kernel)
        self.symbols = symbols or {}
        self.tail: SSAValue | None = None
        self.b = builder
        self.arrays = arrays
        self.scratch = scratch
        self.values: dict[SSAValue, SSAValue] = {}
        self.brought: dict[ScalarOp, SSAValue] = {}
        self.in_slots = slots_of(kernel)
        self.pointers: dict[Key, SSAValue] = {}
        self.keys: dict[MemoryAccessOp, Key] = {}
        self.stacks = stacks_of(kernel.block.ops)
        self.waiting: dict[StoreOp, SSAValue] = {}
        for op in kernel.block.ops:
            if isinstance(op, MemoryAccessOp):
                start = self._start(op)
                self.keys[op] = key = self._key(op, start)
                self.pointers.setdefault(key, start)

    def _key(self, access: MemoryAccessOp, start: SSAValue) -> Key:
        """The pointer that an access goes through: that of its register, once it has one.

        An abstract register is none yet.
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
        """Where an access reads or writes: its pointer, at its offset in its buffer."""
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

    def emit(self, op: Operation) -> None:
        """Emit an op that is not a loop marker."""
        if computes(op.__class__):
            self.values[op.results[0]] = self._compute(op)
        else:
            self._emit_of_kernels(op)
        for result in op.results:
            if result in self.in_slots and result in self.values:
                self._spill(result, self.values.pop(result))

    def _emit_of_kernels(self, op: Operation) -> None:
        """Emit an op of the kinds that kernels alone have, if it emits anything."""
        if isinstance(op, ScalarOp) and isinstance(op.value, SizeAttr):
            self.brought[op] = self._converted(op.value)
        if isinstance(op, ScalarOp | ResultOp | BufferOp) or is_view(op):
            return
        if isinstance(op, LoadOp) and op.result in self.values:
            pass  # the first one of its tile has loaded it
        elif isinstance(op, LoadOp) and len(tile := tile_of(op)) > 1:
            self._load_tile(tile)
        elif isinstance(op, LoadOp | BroadcastLoadOp):
            self.values[op.result] = self._load(op)
        elif isinstance(op, GatherOp):
            self.values[op.result] = self._gather(op)
        elif isinstance(op, StoreOp):
            self._store(op)
        elif isinstance(op, FillOp):
            value = self._operand(op, 0, input_ports(op)[0].lanes)
            neutral = op.value.value.data
            self.values[op.result] = self._fill(op, value, neutral)
        elif isinstance(op, HorizonOp):
            value = self._operand(op, 0, input_ports(op)[0].lanes)
            lanes = output_ports(op)[0].lanes
            self.values[op.result] = emit_horizon(self.b, value, op.kind.data, lanes)
        elif isinstance(op, RegisterMoveOp):
            self.values[op.result] = self._operand(op, 0, output_ports(op)[0].lanes)

    def value(self, value: SSAValue) -> SSAValue:
        """The vector of a value, read from its slot when it is in one."""
        if value not in self.in_slots:
            return self.values[value]
        element, lanes = tensor_of(value).element_type, port_of(value).lanes
        memory = stored_as(element)
        type_ = vector_type(memory, lanes)
        vector = self.b.load(self._slot(value), type_, element_size(memory))
        return from_memory(self.b, vector, element)

    def _spill(self, value: SSAValue, vector: SSAValue) -> None:
        """Write a value to its slot; an i1 takes a byte."""
        element = tensor_of(value).element_type
        vector = to_memory(self.b, vector, element)
        self.b.store(vector, self._slot(value), element_size(stored_as(element)))

    def _slot(self, value: SSAValue) -> SSAValue:
        base = self.kernel.attributes[SLOT_BASE]
        assert self.scratch is not None
        assert is_size(base)
        start = self.moved(self.scratch, i8, size_in(base))
        return self.moved(start, i8, self.in_slots[value] * SLOT_BYTES)

    def in_registers(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Those of the values that a loop carries which are not in slots."""
        return [value for value in values if value not in self.in_slots]

    def _load(self, op: LoadOp | BroadcastLoadOp) -> SSAValue:
        b, element = self.b, memory_element(op)
        port = input_ports(op)[0]
        lanes = output_ports(op)[0].lanes
        pointer = self.address(op)
        alignment = element_size(element)
        type_ = vector_type(element, lanes)
        stride = port.stride(len(port.shape) - 1)
        if isinstance(op, BroadcastLoadOp):
            value = b.splat(b.load(pointer, element, alignment), lanes)
        elif lanes > 1 and stride != 1:
            pointers = self._apart(pointer, element, stride, lanes)
            value = b.masked_gather(pointers, self.mask(op.elements, lanes), type_, alignment)
        elif op.elements == lanes:
            value = b.load(pointer, type_, alignment)
        else:
            value = b.masked_load(pointer, self.mask(op.elements, lanes), type_, alignment)
        return from_memory(b, value, tensor_of(op.result).element_type)

    def _gather(self, op: GatherOp) -> SSAValue:
        """One row from an address that places of one element decide, or a lane at each place."""
        b, element = self.b, memory_element(op)
        port, *places = input_ports(op)
        lanes = output_ports(op)[0].lanes
        pointer, type_ = self.address(op), vector_type(element, lanes)
        apart: SSAValue | None = None
        operands = enumerate(zip(places, op.limits, op.steps, strict=True), start=1)
        for index, (place, limit, step) in operands:
            offset = self._place(op, index, limit, step)
            if place.shape[-1] == 1:
                pointer = self.moved(pointer, element, b.extract_first(offset))
            else:
                apart = offset
        stride = port.stride(len(port.shape) - 1)
        alignment = element_size(element)
        if apart is not None or (lanes > 1 and stride != 1):
            pointers = (
                self._apart(pointer, element, stride, lanes)
                if apart is None
                else b.pointer_offset(pointer, element, apart)
            )
            value = b.masked_gather(pointers, self.mask(op.elements, lanes), type_, alignment)
        elif op.elements == lanes:
            value = b.load(pointer, type_, alignment)
        else:
            value = b.masked_load(pointer, self.mask(op.elements, lanes), type_, alignment)
        return from_memory(b, value, tensor_of(op.result).element_type)

    def _place(self, op: GatherOp, index: int, limit: Dim, step: Dim) -> SSAValue:
        """Elements from the pointer to the place that operand `index` is, as a vector of i64."""
        b, value = self.b, self.value(op.operands[index])
        lanes = lanes_of(value)
        type_ = vector_type(i64, lanes)
        if tensor_of(op.operands[index]).element_type != i64:
            value = b.op("arith.extsi", [value], type_)
        zero, most = b.like(0, value), b.splat(self.size(limit), lanes)
        if op.from_end is not None:
            beyond = b.op("arith.addi", [most, b.like(1, value)])
            from_end = b.op("arith.addi", [value, beyond])
            value = b.select(b.compare_int("slt", value, zero), from_end, value)
        value = b.op("arith.minsi", [b.op("arith.maxsi", [value, zero]), most])
        return b.op("arith.muli", [value, b.splat(self.size(step), lanes)])

    def _load_tile(self, tile: Sequence[LoadOp]) -> None:
        """Load what neighbours read of a transposed array, all at once."""
        element, pointer = memory_element(tile[0]), self.address(tile[0])
        port = input_ports(tile[0])[0]
        stride = port.stride(len(port.shape) - 1)
        shape = len(tile), output_ports(tile[0])[0].lanes, tile[0].elements
        vectors = emit_tile(
            self.b,
            lambda index: self.moved(pointer, element, index * stride),
            element,
            element_size(element),
            shape,
        )
        for load, vector in zip(tile, vectors, strict=True):
            self.values[load.result] = from_memory(
                self.b, vector, tensor_of(load.result).element_type
            )

    def _fill(self, op: FillOp, value: SSAValue, neutral: float) -> SSAValue:
        if op.first_filled != TAIL:
            return emit_fill(self.b, value, op.first_filled, neutral)
        mask = self.mask(TAIL, lanes_of(value))
        return self.b.select(mask, value, self.b.like(neutral, value))

    def _apart(self, pointer: SSAValue, element: Attribute, stride: Dim, lanes: int) -> SSAValue:
        """A vector of pointers `stride` elements apart."""
        if not isinstance(stride, Size):
            return self.b.pointers_apart(pointer, element, stride, lanes)
        steps, factor = self.b.steps(1, lanes), self.b.splat(self.size(stride), lanes)
        return self.b.pointer_offset(pointer, element, self.b.op("arith.muli", [steps, factor]))

    def _store(self, op: StoreOp) -> None:
        b, element = self.b, memory_element(op)
        lanes = input_ports(op)[0].lanes
        value = to_memory(b, self._operand(op, 0, lanes), tensor_of(op.value).element_type)
        pointer = self.address(op)
        port = output_ports(op)[0]
        stride = port.stride(len(port.shape) - 1)
        if op in self.stacks:
            self._store_stack(op, value, self.stacks[op])
        elif lanes > 1 and stride != 1:
            self._store_apart(op, value, pointer, stride)
        elif op.elements == lanes:
            least = op.nontemporal_from
            hint = {} if least is None else {FROM: least}
            streams = op.nontemporal is not None
            b.store(value, pointer, element_size(element), hint, nontemporal=streams)
        elif op.elements == 1 and element_size(element) < SMALLEST_COMPUTED:
            # Of a masked store of one truncated lane, LLVM stores the bytes before truncation.
            b.store(b.shuffled(value, [0]), pointer, element_size(element))
        else:
            b.masked_store(value, pointer, self.mask(op.elements, lanes), element_size(element))

    def _store_apart(self, op: StoreOp, value: SSAValue, pointer: SSAValue, stride: Dim) -> None:
        """Store lanes that are `stride` elements apart in memory.

        One store for each lane takes a quarter of the time of a scatter.
        """
        b, element, lanes = self.b, memory_element(op), lanes_of(value)
        size = element_size(element)
        if op.elements == TAIL:
            pointers = self._apart(pointer, element, stride, lanes)
            b.masked_scatter(value, pointers, self.mask(TAIL, lanes), size)
            return
        for lane in range(op.elements):
            b.store(b.shuffled(value, [lane]), self.moved(pointer, element, lane * stride), size)

    def _store_stack(self, op: StoreOp, value: SSAValue, stack: Stack) -> None:
        """Store the vectors of a stack with the last of its stores."""
        self.waiting[op] = value
        if not all(store in self.waiting for store in stack):
            return
        b, element, lanes, width = self.b, memory_element(op), lanes_of(value), len(stack)
        pointer, size = self.address(stack[0]), element_size(element)
        pieces = emit_interleaved(b, [self.waiting.pop(store) for store in stack])
        for number, piece in enumerate(pieces):
            place = self.moved(pointer, element, number * lanes)
            if op.elements == TAIL:
                assert self.tail is not None
                end = b.op("arith.muli", [self.tail, b.index(width)])
                left = b.op("arith.subi", [end, b.index(number * lanes)])
                mask = b.compare_int("slt", b.steps(1, lanes), b.splat(left, lanes))
                b.masked_store(piece, place, mask, size)
            elif (count := min(op.elements * width - number * lanes, lanes)) == lanes:
                b.store(piece, place, size)
            elif count == 1 and size < SMALLEST_COMPUTED:
                b.store(b.shuffled(piece, [0]), place, size)
            elif count > 0:
                b.masked_store(piece, place, b.mask(count, lanes), size)

    def _compute(self, op: Operation) -> SSAValue:
        lanes = ports(op)[-1].lanes
        if isinstance(op, BroadcastLikeOp):
            return self._broadcast(op, lanes)
        emitter = self.emitters.emitter_for(op)
        operands = [self._operand(op, i, lanes) for i in range(len(op.operands))]
        return emitter.emit(self.b, op, operands)

    def _operand(self, op: Operation, index: int, lanes: int) -> SSAValue:
        value = op.operands[index]
        if isinstance(value.owner, ScalarOp):
            return self._scalar(value.owner, lanes)
        vector = self.value(value)
        if lanes_of(vector) != lanes:
            raise CompileError(
                f"operand {index} of {op.name} has {lanes_of(vector)} lanes, expected {lanes}; "
                "run lir-insert-broadcast-move before convert-lir-to-vector",
                **position_of(op),
            )
        return vector

    def _converted(self, value: SizeAttr) -> SSAValue:
        """The size of a dynamic dimension as a number of its element type."""
        size, element = self.size(value.size), value.type
        if isinstance(element, AnyFloat):
            return self.b.op("arith.sitofp", [size], element)
        if element == i64:
            return size
        assert element_size(element) < element_size(i64)
        return self.b.op("arith.trunci", [size], element)

    def _scalar(self, scalar: ScalarOp, lanes: int) -> SSAValue:
        value = scalar.value
        if isinstance(value, SizeAttr):
            return self.b.splat(self.brought[scalar], lanes)
        return self.b.constant(value.value.data, vector_type(value.type, lanes))

    def _broadcast(self, op: BroadcastLikeOp, lanes: int) -> SSAValue:
        if isinstance(op.operand.owner, ScalarOp):
            return self._scalar(op.operand.owner, lanes)
        vector = self.value(op.operand)
        if lanes_of(vector) == lanes:
            return vector
        b = self.b
        return b.splat(b.extract_first(vector), lanes)


def slots_of(kernel: KernelOp) -> dict[SSAValue, int]:
    """The slots of the values that are in memory: their ports name nothing else."""
    if SLOTS not in kernel.attributes:
        return {}
    found: dict[SSAValue, int] = {}
    for op in kernel.block.ops:
        for value, port in zip(op.results, output_ports(op), strict=False):
            place = location(port.register)
            if place is not None and place.slot is not None and not place.registers:
                found[value] = place.slot
    return found
