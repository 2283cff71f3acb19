"""The math expansions' builder on the linear IR: every step is an op of the `snippets` dialect.

The table of expansions (`targets/math`) is written against an abstract builder; this one inserts
ops before the op that is expanded, with its loops, and ports of the broadcast shape of their
operands. Constants are scalars at the front of the kernel, one for each value and type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    UnitAttr,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.lir.access import (
    input_ports,
    loop_ids,
    output_ports,
    set_loop_ids,
    set_ports,
)
from snippets_mlir.dialects.lir.attributes import PortDescriptor
from snippets_mlir.dialects.lir.ops import KernelOp
from snippets_mlir.dialects.snippets import binary, conversion, internal, unary
from snippets_mlir.dialects.snippets.base import tensor_of
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes
from snippets_mlir.dialects.snippets.structure import ScalarOp
from snippets_mlir.dialects.snippets.unary_with_attributes import RoundOp

Shape = tuple[int, ...]


@cache
def _type(element: Attribute, shape: Shape) -> TensorType[Attribute]:
    return TensorType(element, shape)


@cache
def _joined(*shapes: Shape) -> Shape:
    shape = broadcast_shapes(*shapes)
    assert shape is not None
    return shape


@cache
def _port(shape: Shape, lanes: int) -> PortDescriptor:
    return PortDescriptor(shape, subtensor=(lanes,))


@cache
def _table(
    values: tuple[float, ...] | tuple[int, ...], element: Float32Type | Float64Type | IntegerType
) -> DenseIntOrFPElementsAttr:
    if isinstance(element, IntegerType):
        numbers = [int(v) for v in values]
        return DenseIntOrFPElementsAttr.from_list(TensorType(element, [len(values)]), numbers)
    return DenseIntOrFPElementsAttr.from_list(TensorType(element, [len(values)]), list(values))


@dataclass
class Facts:
    """What is shared by the builders of one expansion.

    Attributes:
        kernel: the kernel that is edited.
        anchor: the op that is expanded; new ops go before it.
        scalars: the kernel's immediates by value and type.
        ports: the port of each value the expansion has seen.
    """

    kernel: KernelOp
    anchor: Operation
    scalars: dict[tuple[str, Attribute], SSAValue]
    ports: dict[SSAValue, PortDescriptor] = field(default_factory=dict[SSAValue, PortDescriptor])


class LirMathBuilder:
    """Builds the ops of an expansion for elements `f32` or `f64`; see `targets.math.builder`."""

    def __init__(self, facts: Facts, element: str, fma_is_fast: bool) -> None:
        self.facts = facts
        self.element = element
        self.fma_is_fast = fma_is_fast
        self._float: Float32Type | Float64Type = f32 if element == "f32" else f64
        self._int = i32 if element == "f32" else i64

    def operands(self) -> list[SSAValue]:
        """The operands of the op that is expanded."""
        anchor = self.facts.anchor
        for value, port in zip(anchor.operands, input_ports(anchor), strict=True):
            self.facts.ports[value] = port
        return list(anchor.operands)

    def f64(self) -> LirMathBuilder:
        """A builder for f64 elements on the same lanes."""
        return LirMathBuilder(self.facts, "f64", self.fma_is_fast)

    def constant(self, x: float) -> SSAValue:
        """An immediate of the builder's float type."""
        return self._scalar(FloatAttr(x, self._float))

    def integer(self, x: int) -> SSAValue:
        """An immediate of the integer type that is as wide as the float type."""
        return self._scalar(IntegerAttr(x, self._int))

    def _scalar(self, attr: FloatAttr | IntegerAttr) -> SSAValue:
        facts = self.facts
        key = (repr(attr.value.data), attr.type)
        if (known := facts.scalars.get(key)) is None:
            op = ScalarOp.create(properties={"value": attr}, result_types=[_type(attr.type, ())])
            rank = len(input_ports(facts.anchor)[0].shape)
            set_ports(op, [_port((1,) * rank, 1)])
            set_loop_ids(op, ())
            first = facts.kernel.block.first_op
            assert first is not None
            facts.kernel.block.insert_op_before(op, first)
            known = facts.scalars[key] = op.results[0]
        rank = len(input_ports(facts.anchor)[0].shape)
        facts.ports.setdefault(known, _port((1,) * rank, 1))
        return known

    def _op(
        self,
        op_class: type[Operation],
        operands: Sequence[SSAValue],
        element: Attribute,
        **properties: Attribute,
    ) -> SSAValue:
        facts = self.facts
        ports = [facts.ports[v] for v in operands]
        shape = _joined(*(tensor_of(v).get_shape() for v in operands))
        (port,) = output_ports(facts.anchor)
        if (lanes := max(p.lanes for p in ports)) == port.lanes:
            port = _port(_joined(*(p.shape for p in ports)), lanes)
        op = op_class.create(
            operands=operands, result_types=[_type(element, shape)], properties=properties
        )
        set_ports(op, [*ports, port])
        set_loop_ids(op, loop_ids(facts.anchor))
        op.location = facts.anchor.location
        block = facts.anchor.parent
        assert block is not None
        block.insert_op_before(op, facts.anchor)
        result = op.results[0]
        facts.ports[result] = port
        return result

    def _same(self, op_class: type[Operation], *operands: SSAValue) -> SSAValue:
        return self._op(op_class, operands, tensor_of(operands[0]).element_type)

    def _mask(self, op_class: type[Operation], *operands: SSAValue) -> SSAValue:
        return self._op(op_class, operands, i1)

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a + b`."""
        return self._same(binary.AddOp, a, b)

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a - b`."""
        return self._same(binary.SubtractOp, a, b)

    def mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a * b`."""
        return self._same(binary.MultiplyOp, a, b)

    def div(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a / b`."""
        return self._same(binary.DivideOp, a, b)

    def fma(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        """`a * b + c`, rounded once."""
        return self._same(internal.FmaOp, a, b, c)

    def neg(self, a: SSAValue) -> SSAValue:
        """-a."""
        return self._same(unary.NegativeOp, a)

    def abs(self, a: SSAValue) -> SSAValue:
        """|a|."""
        return self._same(unary.AbsOp, a)

    def sqrt(self, a: SSAValue) -> SSAValue:
        """Square root of a."""
        return self._same(unary.SqrtOp, a)

    def floor(self, a: SSAValue) -> SSAValue:
        """`a rounded down`."""
        return self._same(unary.FloorOp, a)

    def ceil(self, a: SSAValue) -> SSAValue:
        """`a rounded up`."""
        return self._same(unary.CeilingOp, a)

    def trunc(self, a: SSAValue) -> SSAValue:
        """`a rounded toward zero`."""
        return self._same(internal.TruncOp, a)

    def round_even(self, a: SSAValue) -> SSAValue:
        """`a rounded to nearest`, halves to even."""
        return self._same(RoundOp, a)

    def max(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """IEEE 754-2019 maximum."""
        return self._same(binary.MaximumOp, a, b)

    def min(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """IEEE 754-2019 minimum."""
        return self._same(binary.MinimumOp, a, b)

    def lt(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a < b`."""
        return self._mask(binary.LessOp, a, b)

    def le(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a <= b`."""
        return self._mask(binary.LessEqualOp, a, b)

    def gt(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a > b`."""
        return self._mask(binary.GreaterOp, a, b)

    def ge(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a >= b`."""
        return self._mask(binary.GreaterEqualOp, a, b)

    def eq(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a == b`."""
        return self._mask(binary.EqualOp, a, b)

    def ne(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a != b`, true for NaN."""
        return self._mask(binary.NotEqualOp, a, b)

    def select(self, mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a where mask`, else b."""
        return self._op(conversion.SelectOp, (mask, a, b), tensor_of(a).element_type)

    def mask_and(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Both masks."""
        return self._mask(binary.LogicalAndOp, a, b)

    def mask_or(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Either mask."""
        return self._mask(binary.LogicalOrOp, a, b)

    def mask_xor(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """One of both masks."""
        return self._mask(binary.LogicalXorOp, a, b)

    def mask_not(self, a: SSAValue) -> SSAValue:
        """The inverse mask."""
        return self._mask(unary.LogicalNotOp, a)

    iadd, isub, imul = add, sub, mul

    def iand(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Bits of both."""
        return self._same(binary.BitwiseAndOp, a, b)

    def ior(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Bits of either."""
        return self._same(binary.BitwiseOrOp, a, b)

    def ixor(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Bits of one of both."""
        return self._same(binary.BitwiseXorOp, a, b)

    def ishl(self, a: SSAValue, n: int) -> SSAValue:
        """`a << n`."""
        return self._same(binary.BitwiseLeftShiftOp, a, self._amount(a, n))

    def iashr(self, a: SSAValue, n: int) -> SSAValue:
        """`a >> n`, the sign shifted in."""
        return self._same(binary.BitwiseRightShiftOp, a, self._amount(a, n))

    def _amount(self, a: SSAValue, n: int) -> SSAValue:
        element = tensor_of(a).element_type
        assert element in (i32, i64)
        return self._scalar(IntegerAttr(n, i32 if element == i32 else i64))

    ieq, ilt, igt = eq, lt, gt

    def to_int(self, x: SSAValue) -> SSAValue:
        """`x`, which fits, as an integer of the same width, truncated."""
        return self._op(conversion.ConvertTruncationOp, (x,), self._int, in_range=UnitAttr())

    def to_float(self, i: SSAValue) -> SSAValue:
        """The integer i as a float."""
        return self._op(conversion.ConvertTruncationOp, (i,), self._float)

    def as_int(self, x: SSAValue) -> SSAValue:
        """The bits of x as an integer."""
        return self._op(internal.BitcastOp, (x,), self._int)

    def as_float(self, i: SSAValue) -> SSAValue:
        """The bits of i as a float."""
        return self._op(internal.BitcastOp, (i,), self._float)

    def lookup(self, table: tuple[float, ...] | tuple[int, ...], index: SSAValue) -> SSAValue:
        """table[index]; floats give floats, integers give integers."""
        element = self._float if isinstance(table[0], float) else self._int
        return self._op(internal.LookupOp, (index,), element, table=_table(table, element))

    def widen(self, x: SSAValue) -> SSAValue:
        """An f32 value as f64."""
        return self._op(conversion.ConvertTruncationOp, (x,), f64)

    def narrow(self, x: SSAValue) -> SSAValue:
        """An f64 value as f32."""
        return self._op(conversion.ConvertTruncationOp, (x,), f32)

    def wide_int(self, i: SSAValue) -> SSAValue:
        """An i32 value as i64."""
        return self._op(conversion.ConvertTruncationOp, (i,), i64)

    def narrow_int(self, i: SSAValue) -> SSAValue:
        """The low bits of an i64 value as i32."""
        return self._op(conversion.ConvertTruncationOp, (i,), i32)
