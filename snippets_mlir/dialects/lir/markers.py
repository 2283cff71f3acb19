"""The markers of loops in a `lir.kernel`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Self

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, MemoryWriteEffect

from snippets_mlir.dialects.builtin.op_class import Op
from snippets_mlir.dialects.builtin.sizes import i64_attr
from snippets_mlir.dialects.lir.kernel import KernelOp


class LoopMarkerOp(Op, ABC):
    """A begin or end of a loop; operands and results are the values that the loop carries."""

    loop_id = prop_def(IntegerAttr)
    carried = var_operand_def(TensorType)
    values = var_result_def(TensorType)
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))

    def __init__(self, loop_id: int, carried: Sequence[SSAValue] = ()) -> None:
        Operation.__init__(
            self,
            operands=carried,
            result_types=[v.type for v in carried],
            properties={"loop_id": i64_attr(loop_id)},
        )

    @property
    def id(self) -> int:
        """The id of the loop in the kernel's table."""
        loop_id = self.properties["loop_id"]  # `self.loop_id` would read the definition of the op
        assert isinstance(loop_id, IntegerAttr)
        return loop_id.value.data

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `id`, and `(%a, %b) : types` when values are carried."""
        loop_id = IntegerAttr(parser.parse_integer(), i64)
        pos = parser.pos
        carried = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        types: list[Attribute] = []
        if carried:
            parser.parse_punctuation(":")
            types = list(
                parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            )
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            operands=parser.resolve_operands(carried or [], types, pos),
            result_types=types,
            properties={"loop_id": loop_id},
            attributes=attributes,
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.id}")
        if self.operands:
            printer.print_string(" (")
            printer.print_list(self.operands, printer.print_operand)
            printer.print_string(") : ")
            printer.print_list([v.type for v in self.operands], printer.print_attribute)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class LoopBeginOp(LoopMarkerOp):
    """The first op of a loop; returns the carried values of the current iteration."""

    name = "lir.loop_begin"


@irdl_op_definition
class LoopEndOp(LoopMarkerOp):
    """The last op of a loop; takes the next carried values and returns the final ones."""

    name = "lir.loop_end"


MARKERS = frozenset((LoopBeginOp.name, LoopEndOp.name))
"""The names of the markers: most ops of a kernel are not markers, and a test of their class is
slower.
"""
