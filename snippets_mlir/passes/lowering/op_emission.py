"""Emission of the ops of a kernel: values become vectors, memory accesses go through pointers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FixedBitwidthType, i1, i8
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from snippets_mlir.diagnostics import position_of
from snippets_mlir.dialects.lir.access import input_ports, output_ports, ports
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import (
    BroadcastLoadOp,
    LoadOp,
    MemoryAccessOp,
    ResultOp,
    StoreOp,
)
from snippets_mlir.dialects.snippets.base import tensor_of
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.errors import CompileError
from snippets_mlir.targets.emitters.arith_builder import lanes_of, vector_type
from snippets_mlir.targets.emitters.table import EMITTERS
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder

Key = tuple[str, int]
"""An array of the kernel: ("in", index) or ("out", index)."""


class OpEmission:
    """Appends the code of ops to the builder's block.

    Attributes:
        pointers: where the pointer of each array stands.
        values: the vector of each value computed so far.
    """

    def __init__(
        self,
        kernel: KernelOp,
        builder: VectorBuilder,
        pointers: Sequence[SSAValue],
    ) -> None:
        self.kernel = kernel
        self.b = builder
        inputs = len(kernel.block.args)
        self.pointers: dict[Key, SSAValue] = {
            ("in", i) if i < inputs else ("out", i - inputs): p for i, p in enumerate(pointers)
        }
        self.values: dict[SSAValue, SSAValue] = {}
        self.outputs = {
            value: op.index.value.data
            for op in kernel.block.ops
            if isinstance(op, ResultOp)
            for value in op.values
        }

    def key(self, access: MemoryAccessOp) -> Key:
        """The array that an access touches."""
        if isinstance(access, StoreOp):
            return "out", self.outputs[access.target]
        source = access.operands[0]
        assert isinstance(source, BlockArgument)
        return "in", source.index

    def emit(self, op: Operation) -> None:
        """Emit an op that is not a loop marker."""
        if isinstance(op, ScalarOp | ResultOp):
            return
        if isinstance(op, LoadOp | BroadcastLoadOp):
            self.values[op.result] = self._load(op)
        elif isinstance(op, StoreOp):
            self._store(op)
        else:
            self.values[op.results[0]] = self._compute(op)

    def _load(self, op: LoadOp | BroadcastLoadOp) -> SSAValue:
        b, element = self.b, memory_element(op)
        lanes = output_ports(op)[0].lanes
        pointer = self.pointers[self.key(op)]
        alignment = _bytes(element)
        type_ = vector_type(element, lanes)
        if isinstance(op, BroadcastLoadOp):
            value = b.splat(b.load(pointer, element, alignment), lanes)
        elif op.elements == lanes:
            value = b.load(pointer, type_, alignment)
        else:
            value = b.masked_load(pointer, b.mask(op.elements, lanes), type_, alignment)
        if tensor_of(op.result).element_type == i1:
            return b.compare_int("ne", value, b.constant(0, type_))
        return value

    def _store(self, op: StoreOp) -> None:
        b, element = self.b, memory_element(op)
        lanes = input_ports(op)[0].lanes
        value = self._operand(op, 0, lanes)
        if tensor_of(op.value).element_type == i1:
            value = b.op("arith.extui", [value], vector_type(i8, lanes))
        pointer = self.pointers[self.key(op)]
        if op.elements == lanes:
            b.store(value, pointer, _bytes(element))
        else:
            b.masked_store(value, pointer, b.mask(op.elements, lanes), _bytes(element))

    def _compute(self, op: Operation) -> SSAValue:
        lanes = ports(op)[-1].lanes
        if isinstance(op, BroadcastLikeOp):
            return self._broadcast(op, lanes)
        emitter = EMITTERS.get(op.name)
        if emitter is None:
            raise CompileError(
                f"{op.name} has no emitter; run lir-expand-math before convert-lir-to-vector",
                **position_of(op),
            )
        operands = [self._operand(op, i, lanes) for i in range(len(op.operands))]
        return emitter.emit(self.b, op, operands)

    def _operand(self, op: Operation, index: int, lanes: int) -> SSAValue:
        value = op.operands[index]
        if isinstance(value.owner, ScalarOp):
            return self._scalar(value.owner, lanes)
        vector = self.values[value]
        if lanes_of(vector) != lanes:
            raise CompileError(
                f"operand {index} of {op.name} has {lanes_of(vector)} lanes, expected {lanes}; "
                "run lir-insert-broadcast-move before convert-lir-to-vector",
                **position_of(op),
            )
        return vector

    def _scalar(self, scalar: ScalarOp, lanes: int) -> SSAValue:
        value = scalar.value
        return self.b.constant(value.value.data, vector_type(value.type, lanes))

    def _broadcast(self, op: BroadcastLikeOp, lanes: int) -> SSAValue:
        if isinstance(op.operand.owner, ScalarOp):
            return self._scalar(op.operand.owner, lanes)
        vector = self.values[op.operand]
        if lanes_of(vector) == lanes:
            return vector
        b = self.b
        return b.splat(b.extract_first(vector), lanes)


def memory_element(access: MemoryAccessOp) -> Attribute:
    """The element type in memory: i1 takes a byte."""
    element = tensor_of(access.operands[0]).element_type
    return i8 if element == i1 else element


def _bytes(element: Attribute) -> int:
    assert isinstance(element, FixedBitwidthType)
    return element.size
