"""`index` constants, casts, and the width.

%0 = index.constant 42
%1 = index.bool.constant true
%2 = index.castu %i : i32 to index
%3 = index.sizeof
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, IntegerType, i1
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyOf,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.arith.casts import width_of
from snippets_mlir.dialects.index.arithmetic import INDEX, constant_of

_INTEGER = AnyOf.get(IntegerType, IndexType)


class _ConstantOp(IRDLOperation, HasFolderInterface, ABC):
    value = prop_def(IntegerAttr)
    traits = traits_def(Pure(), ConstantLike())

    @override
    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        return (self.value,)


@irdl_op_definition
class ConstantOp(_ConstantOp):
    """`index.constant 5`: a constant of 64 bits."""

    name = "index.constant"
    value = prop_def(IntegerAttr.constr(IndexType))
    result = result_def(INDEX)

    def __init__(self, value: int) -> None:
        super().__init__(result_types=[INDEX], properties={"value": IntegerAttr(value, INDEX)})

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        """Parse `attr-dict number`."""
        attributes = parser.parse_optional_attr_dict()
        position = parser.pos
        number = parser.parse_integer(allow_boolean=False)
        if not -(1 << 63) <= number < 1 << 63:
            parser.raise_error(
                f"expected a signed integer of 64 bits, found {number}", position, parser.pos
            )
        op = cls(number)
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" {self.value.value.data}")


@irdl_op_definition
class BoolConstantOp(_ConstantOp):
    """`index.bool.constant true`: a constant of type i1."""

    name = "index.bool.constant"
    value = prop_def(BoolAttr)
    result = result_def(i1)

    def __init__(self, value: bool) -> None:
        super().__init__(result_types=[i1], properties={"value": BoolAttr.from_bool(value)})

    @classmethod
    def parse(cls, parser: Parser) -> BoolConstantOp:
        """Parse `attr-dict true|false`."""
        attributes = parser.parse_optional_attr_dict()
        op = cls(parser.parse_boolean())
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(" true" if self.value.value.data else " false")


def constant_op(value: Attribute) -> Operation | None:
    """The constant of an index or an i1, None for other types."""
    if isinstance(value, IntegerAttr):
        if isinstance(value.type, IndexType):  # pyright: ignore[reportUnknownMemberType]
            return ConstantOp(value.value.data)
        if value.type == i1:  # pyright: ignore[reportUnknownMemberType]
            return BoolConstantOp(bool(value.value.data))
    return None


class _CastOp(IRDLOperation, HasFolderInterface, ABC):
    """Between index and an integer.

    C1: exactly one side is index.
    """

    SIGNED: ClassVar[bool]

    input = operand_def(_INTEGER)
    output = result_def(_INTEGER)
    traits = traits_def(Pure())

    assembly_format = "$input attr-dict `:` type($input) `to` type($output)"

    def __init__(self, input: SSAValue | Operation, type: Attribute) -> None:
        super().__init__(operands=[input], result_types=[type])

    @override
    def verify_(self) -> None:
        sides = (self.input.type, self.output.type)
        if sum(isinstance(side, IndexType) for side in sides) != 1:
            raise VerifyException(
                f"C1: expected a cast between index and an integer, found {sides[0]} to {sides[1]}"
            )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant index; integers are constants of other dialects."""
        value = constant_of(self.input)
        type = self.output.type
        if value is None or not isinstance(type, IndexType):
            return None
        width = width_of(self.input.type)
        value &= (1 << width) - 1
        if self.SIGNED and value & (1 << width >> 1):
            value -= 1 << width
        return (IntegerAttr(value, INDEX, truncate_bits=True),)


@irdl_op_definition
class CastSOp(_CastOp):
    """Between index and integers: sign extension, or the low bits."""

    name = "index.casts"
    SIGNED: ClassVar[bool] = True


@irdl_op_definition
class CastUOp(_CastOp):
    """Between index and integers: zero extension, or the low bits."""

    name = "index.castu"
    SIGNED: ClassVar[bool] = False


@irdl_op_definition
class SizeOfOp(IRDLOperation):
    """The width of `index` in bits: 64 here."""

    name = "index.sizeof"
    result = result_def(INDEX)
    traits = traits_def(Pure())

    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__(result_types=[INDEX])
