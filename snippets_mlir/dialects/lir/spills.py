"""Ops that move values between registers and slots of the scratchpad.

    %s = lir.spill %v {lir.ports = [#lir.port<.., reg "vec3">, #lir.port<.., reg "slot0">]} : T
    %w = lir.reload %s {lir.ports = [#lir.port<.., reg "slot0">, #lir.port<.., reg "vec1">]} : T
    %c = lir.move %v : T
    lir.reg_spill_begin ["vec3/slot1", "vec4/slot2"]
    lir.reg_spill_end ["vec3/slot1", "vec4/slot2"]

The result of a spill is the value in memory. Its users are reloads, ops that read the slot
directly, and markers of a loop that carries the value in memory. A `lir.move` copies a value to a
separate register. The `reg_spill` pair surrounds an op that calls other code. It saves the
registers that the call may overwrite and restores them (the guide's RegSpillBegin and RegSpillEnd).
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Self

from typing_extensions import override
from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.op_class import Op
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.registers import Location, location
from snippets_mlir.dialects.snippets.typed_op import TypedOp


class RegisterMoveOp(TypedOp, ABC):
    """An op that moves its operand to another location."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, operand: SSAValue | Operation) -> None:
        operand = SSAValue.get(operand)
        Operation.__init__(self, operands=[operand], result_types=[operand.type])

    def verify_(self) -> None:
        """Check that the value stays the same."""
        if self.operand.type != self.result.type:
            raise VerifyException(
                f"expected {self.name} to keep the type {self.operand.type}, "
                f"found {self.result.type}"
            )


@irdl_op_definition
class MoveOp(RegisterMoveOp):
    """Copies a value to another register."""

    name = "lir.move"
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))


@irdl_op_definition
class SpillOp(RegisterMoveOp):
    """Writes a value to its slot."""

    name = "lir.spill"
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))


@irdl_op_definition
class ReloadOp(RegisterMoveOp):
    """Reads a value from its slot into a register."""

    name = "lir.reload"
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))


class RegSpillOp(Op, ABC):
    """One op of the pair around a call: the saved registers and their slots."""

    saved = prop_def(ArrayAttr[StringAttr])

    def __init__(self, saved: Sequence[str]) -> None:
        super().__init__(properties={"saved": ArrayAttr([StringAttr(text) for text in saved])})

    @property
    def locations(self) -> list[Location]:
        """The saved registers, each with its slot."""
        return [found for text in self.saved if (found := location(text.data)) is not None]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse the list, and the other attributes."""
        saved = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: StringAttr(parser.parse_str_literal())
        )
        attributes = parser.parse_optional_attr_dict()
        return cls.create(properties={"saved": ArrayAttr(saved)}, attributes=attributes)

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" [")
        printer.print_list(self.saved, printer.print_attribute)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        """Check that each entry is one register and a slot."""
        for text in self.saved:
            try:
                found = location(text.data)
            except ValueError as error:
                raise VerifyException(str(error)) from error
            if found is None or len(found.registers) != 1 or found.slot is None:
                raise VerifyException(
                    f"expected {self.name} to save registers as vec3/slot1, found {text.data}"
                )


@irdl_op_definition
class RegSpillBeginOp(RegSpillOp):
    """Saves the registers in `saved` to their slots before a call."""

    name = "lir.reg_spill_begin"
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))


@irdl_op_definition
class RegSpillEndOp(RegSpillOp):
    """Restores the registers in `saved` from their slots after a call."""

    name = "lir.reg_spill_end"
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))
