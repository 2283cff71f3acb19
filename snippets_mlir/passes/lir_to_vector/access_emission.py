"""Emission of accesses with lanes apart in memory, or with a computed address.

lir.load, stride 3             a gather of pointers 3 elements apart
lir.store, stride 3            a store of each lane; in a tail of unknown length a scatter
two lir.store of stride 2      the lanes of both in turn, two stores of neighbours
lir.gather                     a load of a row that begins at a place, or a lane at each place
"""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.analysis.kernels.store_stacks import Stack, stacks_of
from snippets_mlir.dialects.builtin.dims import Dim, Size
from snippets_mlir.dialects.builtin.shaped import byte_width, tensor_of
from snippets_mlir.dialects.lir.access import input_ports, output_ports
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.memory import TAIL, MemoryAccessOp, StoreOp
from snippets_mlir.passes.lir_to_vector.kernel_values import Given, KernelValues
from snippets_mlir.passes.lir_to_vector.memory_elements import from_memory, memory_element
from snippets_mlir.targets.emitters.arith_builder import lanes_of, vector_type
from snippets_mlir.targets.emitters.interleaving import emit_interleaved

SMALLEST_COMPUTED = 4
"""Bytes of the smallest number that kernels compute; smaller ones are truncated at stores."""


class AccessEmission(KernelValues):
    """The state of an emission, with the code of such accesses.

    Attributes:
        stacks: for each store of a stack, all stores of the stack.
        waiting: the values of a stack's stores, until its last store.
    """

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self.stacks = stacks_of(given.kernel.block.ops)
        self.waiting: dict[StoreOp, SSAValue] = {}

    def apart(self, pointer: SSAValue, element: Attribute, stride: Dim, lanes: int) -> SSAValue:
        """A vector of pointers `stride` elements apart."""
        if not isinstance(stride, Size):
            return self.b.pointers_apart(pointer, element, stride, lanes)
        steps, factor = self.b.steps(1, lanes), self.b.splat(self.size(stride), lanes)
        return self.b.pointer_offset(pointer, element, self.b.op("arith.muli", [steps, factor]))

    def gather(self, op: GatherOp) -> SSAValue:
        """One row from an address given by places of one element, or a lane at each place."""
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
        alignment = byte_width(element)
        if apart is not None or (lanes > 1 and stride != 1):
            pointers = (
                self.apart(pointer, element, stride, lanes)
                if apart is None
                else b.pointer_offset(pointer, element, apart)
            )
            value = b.masked_gather(pointers, self.mask(op.elements, lanes), type_, alignment)
        else:
            value = self.load_neighbours(op, pointer, lanes)
        return from_memory(b, value, tensor_of(op.result).element_type)

    def load_neighbours(self, op: MemoryAccessOp, pointer: SSAValue, lanes: int) -> SSAValue:
        """The elements of an access that are neighbours in memory; other lanes are undefined."""
        element = memory_element(op)
        type_, alignment = vector_type(element, lanes), byte_width(element)
        if op.elements == lanes:
            return self.b.load(pointer, type_, alignment)
        return self.b.masked_load(pointer, self.mask(op.elements, lanes), type_, alignment)

    def _place(self, op: GatherOp, index: int, limit: Dim, step: Dim) -> SSAValue:
        """Elements from the pointer to the place in operand `index`, as a vector of i64."""
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

    def store_apart(self, op: StoreOp, value: SSAValue, pointer: SSAValue, stride: Dim) -> None:
        """Store lanes that are `stride` elements apart in memory.

        One store for each lane takes a quarter of the time of a scatter.
        """
        b, element, lanes = self.b, memory_element(op), lanes_of(value)
        size = byte_width(element)
        if op.elements == TAIL:
            pointers = self.apart(pointer, element, stride, lanes)
            b.masked_scatter(value, pointers, self.mask(TAIL, lanes), size)
            return
        for lane in range(op.elements):
            b.store(b.shuffled(value, [lane]), self.moved(pointer, element, lane * stride), size)

    def store_stack(self, op: StoreOp, value: SSAValue, stack: Stack) -> None:
        """Store the vectors of a stack with the last of its stores."""
        self.waiting[op] = value
        if not all(store in self.waiting for store in stack):
            return
        b, element, lanes, width = self.b, memory_element(op), lanes_of(value), len(stack)
        pointer, size = self.address(stack[0]), byte_width(element)
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
