"""Emission of the ops of a kernel: values become vectors, memory accesses go through pointers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from xdsl.dialects.builtin import AnyFloat, i64
from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.kernels.load_tiles import tile_of
from snippets_mlir.dialects.builtin.shaped import byte_width, tensor_of
from snippets_mlir.dialects.builtin.sizes import SizeAttr
from snippets_mlir.dialects.lir.access import (
    VIEWS,
    input_ports,
    is_view,
    output_ports,
    ports,
)
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.memory import (
    TAIL,
    BroadcastLoadOp,
    LoadOp,
    MemoryAccessOp,
    ResultOp,
    StoreOp,
)
from snippets_mlir.dialects.lir.reduction import FillOp, HorizonOp
from snippets_mlir.dialects.lir.scan import LastLaneOp, PrefixOp
from snippets_mlir.dialects.lir.spills import RegisterMoveOp, RegSpillOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.passes.lir_to_vector.access_emission import SMALLEST_COMPUTED, AccessEmission
from snippets_mlir.passes.lir_to_vector.aligned_loops import FROM
from snippets_mlir.passes.lir_to_vector.memory_elements import (
    as_held,
    as_operand,
    from_memory,
    memory_element,
    to_memory,
)
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import operands_of
from snippets_mlir.targets.emitters.arith_builder import lanes_of, vector_type
from snippets_mlir.targets.emitters.reductions import emit_fill, emit_horizon, emit_prefix
from snippets_mlir.targets.emitters.transposes import emit_tile


@cache
def computes(kind: type[Operation]) -> bool:
    """Whether ops of a class compute vectors: most ops do, and a test of each op is slow."""
    others = (ScalarOp, ResultOp, BufferOp, MemoryAccessOp, FillOp, HorizonOp)
    moved = (RegisterMoveOp, RegSpillOp, PrefixOp, LastLaneOp)
    return not issubclass(kind, (*others, *moved)) and kind.name not in VIEWS


class OpEmission(AccessEmission):
    """Appends the code of ops to the builder's block."""

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
        """Emit an op that only kernels have, if it emits code."""
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
            self.values[op.result] = self.gather(op)
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
        elif isinstance(op, PrefixOp):
            value = self._operand(op, 0, output_ports(op)[0].lanes)
            self.values[op.result] = emit_prefix(self.b, value, op.kind.data)
        elif isinstance(op, LastLaneOp):
            lanes = output_ports(op)[0].lanes
            value = self._operand(op, 0, lanes)
            self.values[op.result] = self.b.shuffled(value, [lanes - 1] * lanes)
        elif isinstance(op, RegisterMoveOp):
            self.values[op.result] = self._operand(op, 0, output_ports(op)[0].lanes)

    def _load(self, op: LoadOp | BroadcastLoadOp) -> SSAValue:
        b, element = self.b, memory_element(op)
        port = input_ports(op)[0]
        lanes = output_ports(op)[0].lanes
        pointer = self.address(op)
        alignment = byte_width(element)
        type_ = vector_type(element, lanes)
        stride = port.stride(len(port.shape) - 1)
        if isinstance(op, BroadcastLoadOp):
            value = b.splat(b.load(pointer, element, alignment), lanes)
        elif lanes > 1 and stride != 1:
            pointers = self.apart(pointer, element, stride, lanes)
            value = b.masked_gather(pointers, self.mask(op.elements, lanes), type_, alignment)
        else:
            value = self.load_neighbours(op, pointer, lanes)
        return from_memory(b, value, tensor_of(op.result).element_type)

    def _load_tile(self, tile: Sequence[LoadOp]) -> None:
        """Load the elements that neighbours read of a transposed array at once."""
        element, pointer = memory_element(tile[0]), self.address(tile[0])
        port = input_ports(tile[0])[0]
        stride = port.stride(len(port.shape) - 1)
        shape = len(tile), output_ports(tile[0])[0].lanes, tile[0].elements
        vectors = emit_tile(
            self.b,
            lambda index: self.moved(pointer, element, index * stride),
            element,
            byte_width(element),
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

    def _store(self, op: StoreOp) -> None:
        b, element = self.b, memory_element(op)
        lanes = input_ports(op)[0].lanes
        value = to_memory(b, self._operand(op, 0, lanes), tensor_of(op.value).element_type)
        pointer = self.address(op)
        if op.accumulate is not None:
            value = b.op("arith.addf", [self.load_neighbours(op, pointer, lanes), value])
        port = output_ports(op)[0]
        stride = port.stride(len(port.shape) - 1)
        if op in self.stacks:
            self.store_stack(op, value, self.stacks[op])
        elif lanes > 1 and stride != 1:
            self.store_apart(op, value, pointer, stride)
        elif op.elements == lanes:
            least = op.nontemporal_from
            hint = {} if least is None else {FROM: least}
            streams = op.nontemporal is not None
            b.store(value, pointer, byte_width(element), hint, nontemporal=streams)
        elif op.elements == 1 and byte_width(element) < SMALLEST_COMPUTED:
            # Of a masked store of one truncated lane, LLVM stores the bytes before truncation.
            b.store(b.shuffled(value, [0]), pointer, byte_width(element))
        else:
            b.masked_store(value, pointer, self.mask(op.elements, lanes), byte_width(element))

    def _compute(self, op: Operation) -> SSAValue:
        lanes = ports(op)[-1].lanes
        if isinstance(op, BroadcastLikeOp):
            return self._broadcast(op, lanes)
        emitter = self.emitters.emitter_for(op)
        operands = [
            as_operand(self.b, self._operand(op, i, lanes), tensor_of(value).element_type)
            for i, value in enumerate(op.operands)
        ]
        result = emitter.emit(self.b, op, operands)
        return as_held(self.b, result, tensor_of(op.results[0]).element_type)

    def _operand(self, op: Operation, index: int, lanes: int) -> SSAValue:
        value = operands_of(op)[index]
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
        assert byte_width(element) < byte_width(i64)
        return self.b.op("arith.trunci", [size], element)

    def _scalar(self, scalar: ScalarOp, lanes: int) -> SSAValue:
        value = scalar.value
        if isinstance(value, SizeAttr):
            vector = self.b.splat(self.brought[scalar], lanes)
        else:
            vector = self.b.constant(value.value.data, vector_type(value.type, lanes))
        return as_held(self.b, vector, value.type)

    def _broadcast(self, op: BroadcastLikeOp, lanes: int) -> SSAValue:
        if isinstance(op.operand.owner, ScalarOp):
            return self._scalar(op.operand.owner, lanes)
        vector = self.value(op.operand)
        if lanes_of(vector) == lanes:
            return vector
        b = self.b
        return b.splat(b.extract_first(vector), lanes)
