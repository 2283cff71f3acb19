"""Insert the ops of an expansion into a kernel, with their ports and loops.

New ops go before the expanded op, into its loops. Their ports have the broadcast shape of their
operands. Constants are scalars at the front of the kernel, one for each value and type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Self

from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    TensorType,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.lir.access import (
    input_ports,
    loop_ids,
    output_ports,
    set_loop_ids,
    set_ports,
)
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes


@lru_cache(maxsize=4096)
def _type(element: Attribute, shape: Shape) -> TensorType[Attribute]:
    return tensor_type(element, shape)


@lru_cache(maxsize=4096)
def _joined(*shapes: Shape) -> Shape:
    shape = broadcast_shapes(*shapes)
    assert shape is not None
    return shape


@lru_cache(maxsize=4096)
def _port(shape: Shape, lanes: int) -> PortDescriptor:
    return PortDescriptor(shape, subtensor=(lanes,))


@lru_cache(maxsize=4096)
def _float(text: str, element: Float32Type | Float64Type) -> FloatAttr:
    """The immediate of `text`, which distinguishes -0.0 from 0.0."""
    return FloatAttr(float(text), element)


@dataclass
class Facts:
    """The shared facts of the builders of one expansion.

    Attributes:
        kernel: the kernel that is edited.
        anchor: the expanded op; new ops go before it.
        scalars: the kernel's immediates by value and type.
        ports: the port of each value the expansion has seen.
    """

    kernel: KernelOp
    anchor: Operation
    scalars: dict[tuple[str, Attribute], SSAValue]
    ports: dict[SSAValue, PortDescriptor] = field(default_factory=dict[SSAValue, PortDescriptor])

    @cached_property
    def immediate(self) -> PortDescriptor:
        """The port of an immediate: every size is 1, and so are the lanes."""
        return _port((1,) * len(input_ports(self.anchor)[0].shape), 1)

    @cached_property
    def result(self) -> PortDescriptor:
        """The port of the anchor's one result."""
        (port,) = output_ports(self.anchor)
        return port

    @cached_property
    def loops(self) -> tuple[int, ...]:
        """The ids of the loops around the anchor, outermost first."""
        return loop_ids(self.anchor)


class ExpansionBuilder:
    """Inserts ops for elements `f32` (integers i32) or `f64` (integers i64)."""

    branches = True

    def __init__(
        self, facts: Facts, element: str, fma_is_fast: bool, permutes: bool = False
    ) -> None:
        self.facts = facts
        self.element = element
        self.fma_is_fast = fma_is_fast
        self.permutes = permutes
        self.float_type: Float32Type | Float64Type = f32 if element == "f32" else f64
        self.int_type = i32 if element == "f32" else i64

    def operands(self) -> list[SSAValue]:
        """The operands of the expanded op."""
        anchor = self.facts.anchor
        for value, port in zip(anchor.operands, input_ports(anchor), strict=True):
            self.facts.ports[value] = port
        return list(anchor.operands)

    def f64(self) -> Self:
        """A builder for f64 elements on the same lanes."""
        return type(self)(self.facts, "f64", self.fma_is_fast, self.permutes)

    def constant(self, x: float) -> SSAValue:
        """An immediate of the builder's float type."""
        return self.scalar(_float(repr(x), self.float_type))

    def integer(self, x: int) -> SSAValue:
        """An immediate of the integer type with the float type's width."""
        return self.scalar(IntegerAttr(x, self.int_type))

    def scalar(self, attr: FloatAttr | IntegerAttr) -> SSAValue:
        """The kernel's scalar of this value, created on first use."""
        facts = self.facts
        key = (repr(attr.value.data), attr.type)
        if (known := facts.scalars.get(key)) is None:
            op = ScalarOp.create(properties={"value": attr}, result_types=[_type(attr.type, ())])
            set_ports(op, [facts.immediate])
            set_loop_ids(op, ())
            first = facts.kernel.block.first_op
            assert first is not None
            facts.kernel.block.insert_op_before(op, first)
            known = facts.scalars[key] = op.results[0]
        facts.ports.setdefault(known, facts.immediate)
        return known

    def op(
        self,
        op_class: type[Operation],
        operands: Sequence[SSAValue],
        element: Attribute,
        **properties: Attribute,
    ) -> SSAValue:
        """Insert an op with one result of `element`; its shape follows from the operands."""
        facts = self.facts
        ports = [facts.ports[v] for v in operands]
        shape = _joined(*(shape_of(v) for v in operands))
        port = facts.result
        if (lanes := max(p.lanes for p in ports)) == port.lanes:
            port = _port(_joined(*(p.shape for p in ports)), lanes)
        op = op_class.create(
            operands=operands, result_types=[_type(element, shape)], properties=properties
        )
        set_ports(op, [*ports, port])
        set_loop_ids(op, facts.loops)
        op.location = facts.anchor.location
        block = facts.anchor.parent
        assert block is not None
        block.insert_op_before(op, facts.anchor)
        result = op.results[0]
        facts.ports[result] = port
        return result

    def same(self, op_class: type[Operation], *operands: SSAValue) -> SSAValue:
        """Insert an op whose result has the element type of its first operand."""
        return self.op(op_class, operands, tensor_of(operands[0]).element_type)

    def mask(self, op_class: type[Operation], *operands: SSAValue) -> SSAValue:
        """Insert an op whose result is a mask."""
        return self.op(op_class, operands, i1)
