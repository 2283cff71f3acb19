"""`index` ops with two operands: `%0 = index.maxu %a, %b`.

Sums, differences, products and left shifts are modulo 2^64. A shift by 64 or more is undefined, as
in MLIR, and is never folded. Divisions are in `division.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Commutative, ConstantLike, Pure

INDEX = IndexType()
WIDTH = 64
MASK = (1 << WIDTH) - 1


def wrapped(value: int) -> int:
    """The signed integer of 64 bits that equals `value` modulo 2^64."""
    value &= MASK
    return value - (1 << WIDTH) if value >> (WIDTH - 1) else value


def constant_of(value: SSAValue) -> int | None:
    """The signed integer of a constant; None for other values."""
    attr = ConstantLike.get_constant_value(value)
    return attr.value.data if isinstance(attr, IntegerAttr) else None


class BinaryOp(IRDLOperation, HasFolderInterface, ABC):
    """An op on two indices with one index as result; `value` is its 64-bit arithmetic."""

    UNIT: ClassVar[int | None] = None
    """`x op UNIT` is x, and for a commutative op also `UNIT op x`."""

    lhs = operand_def(INDEX)
    rhs = operand_def(INDEX)
    result = result_def(INDEX)

    assembly_format = "$lhs `,` $rhs attr-dict"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation) -> None:
        super().__init__(operands=[lhs, rhs], result_types=[INDEX])

    @classmethod
    @abstractmethod
    def value(cls, x: int, y: int) -> int | None:
        """The value modulo 2^64 for two signed integers of 64 bits, None if it is undefined."""

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """Two constants to one; an operand when the other does not change it."""
        x, y = constant_of(self.lhs), constant_of(self.rhs)
        if x is not None and y is not None:
            value = self.value(x, y)
            return None if value is None else (IntegerAttr(wrapped(value), INDEX),)
        if self.UNIT is not None:
            if y == self.UNIT:
                return (self.lhs,)
            if x == self.UNIT and self.has_trait(Commutative):
                return (self.rhs,)
        return None


@irdl_op_definition
class AddOp(BinaryOp):
    """x + y modulo 2^64."""

    name = "index.add"
    UNIT: ClassVar[int | None] = 0
    traits = traits_def(Pure(), Commutative())

    @classmethod
    @override
    def value(cls, x: int, y: int) -> int | None:
        return x + y


@irdl_op_definition
class SubOp(BinaryOp):
    """x - y modulo 2^64."""

    name = "index.sub"
    UNIT: ClassVar[int | None] = 0
    traits = traits_def(Pure())

    @classmethod
    @override
    def value(cls, x: int, y: int) -> int | None:
        return x - y


@irdl_op_definition
class MulOp(BinaryOp):
    """x * y modulo 2^64."""

    name = "index.mul"
    UNIT: ClassVar[int | None] = 1
    traits = traits_def(Pure(), Commutative())

    @classmethod
    @override
    def value(cls, x: int, y: int) -> int | None:
        return x * y


@irdl_op_definition
class MaxSOp(BinaryOp):
    """The larger operand, both read as signed integers."""

    name = "index.maxs"
    traits = traits_def(Pure(), Commutative())

    @classmethod
    @override
    def value(cls, x: int, y: int) -> int | None:
        return max(x, y)


@irdl_op_definition
class MaxUOp(BinaryOp):
    """The larger operand, both read as unsigned integers."""

    name = "index.maxu"
    UNIT: ClassVar[int | None] = 0
    traits = traits_def(Pure(), Commutative())

    @classmethod
    @override
    def value(cls, x: int, y: int) -> int | None:
        return max(x & MASK, y & MASK)


@irdl_op_definition
class MinSOp(BinaryOp):
    """The smaller operand, both read as signed integers."""

    name = "index.mins"
    traits = traits_def(Pure(), Commutative())

    @classmethod
    @override
    def value(cls, x: int, y: int) -> int | None:
        return min(x, y)


@irdl_op_definition
class MinUOp(BinaryOp):
    """The smaller operand, both read as unsigned integers."""

    name = "index.minu"
    UNIT: ClassVar[int | None] = -1
    traits = traits_def(Pure(), Commutative())

    @classmethod
    @override
    def value(cls, x: int, y: int) -> int | None:
        return min(x & MASK, y & MASK)


OPS: tuple[type[BinaryOp], ...] = (AddOp, MaxSOp, MaxUOp, MinSOp, MinUOp, MulOp, SubOp)
