"""`index` quotients and remainders: `%0 = index.ceildivu %a, %b`.

A division by zero, or of the smallest index by -1, is undefined, as in MLIR, and is never folded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from typing_extensions import override
from xdsl.interfaces import ConditionallySpeculatableInterface
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import NoMemoryEffect

from snippets_mlir.dialects.index.arithmetic import MASK, WIDTH, BinaryOp, constant_of


class DivisionOp(BinaryOp, ConditionallySpeculatableInterface, ABC):
    """A quotient or remainder: undefined when the divisor is zero."""

    traits = traits_def(NoMemoryEffect())

    def is_speculatable(self) -> bool:
        """Whether the divisor is a constant that no dividend makes undefined."""
        return constant_of(self.rhs) not in (None, 0, -1)

    @staticmethod
    @abstractmethod
    def quotient(x: int, y: int) -> int:
        """The result for operands that define it."""


class SignedDivisionOp(DivisionOp, ABC):
    """Also undefined for the smallest index and -1."""

    @classmethod
    def value(cls, x: int, y: int) -> int | None:
        """`quotient` of signed integers, None if it is undefined."""
        if y == 0 or (y == -1 and x == -(1 << (WIDTH - 1))):
            return None
        return cls.quotient(x, y)


class UnsignedDivisionOp(DivisionOp, ABC):
    """A division of operands that are read as unsigned integers."""

    @classmethod
    def value(cls, x: int, y: int) -> int | None:
        """`quotient` of unsigned integers, None for the divisor zero."""
        return None if y == 0 else cls.quotient(x & MASK, y & MASK)


@irdl_op_definition
class DivSOp(SignedDivisionOp):
    """Quotient of signed integers, rounded towards zero."""

    name = "index.divs"
    UNIT: ClassVar[int | None] = 1

    @staticmethod
    def quotient(x: int, y: int) -> int:
        """`x / y` without its fraction."""
        return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


@irdl_op_definition
class DivUOp(UnsignedDivisionOp):
    """Quotient of unsigned integers, rounded down."""

    name = "index.divu"
    UNIT: ClassVar[int | None] = 1

    @staticmethod
    @override
    def quotient(x: int, y: int) -> int:
        return x // y


@irdl_op_definition
class CeilDivSOp(SignedDivisionOp):
    """Quotient of signed integers, rounded up."""

    name = "index.ceildivs"
    UNIT: ClassVar[int | None] = 1

    @staticmethod
    @override
    def quotient(x: int, y: int) -> int:
        return -(-x // y)


@irdl_op_definition
class CeilDivUOp(UnsignedDivisionOp):
    """Quotient of unsigned integers, rounded up."""

    name = "index.ceildivu"
    UNIT: ClassVar[int | None] = 1

    @staticmethod
    @override
    def quotient(x: int, y: int) -> int:
        return -(-x // y)


@irdl_op_definition
class FloorDivSOp(SignedDivisionOp):
    """Quotient of signed integers, rounded down."""

    name = "index.floordivs"
    UNIT: ClassVar[int | None] = 1

    @staticmethod
    @override
    def quotient(x: int, y: int) -> int:
        return x // y


@irdl_op_definition
class RemSOp(SignedDivisionOp):
    """Remainder of `index.divs`, with the sign of the dividend."""

    name = "index.rems"

    @staticmethod
    def quotient(x: int, y: int) -> int:
        """`x - divs(x, y) * y`."""
        return abs(x) % abs(y) * (-1 if x < 0 else 1)


@irdl_op_definition
class RemUOp(UnsignedDivisionOp):
    """Remainder of unsigned integers: x - y * (x divu y)."""

    name = "index.remu"

    @staticmethod
    @override
    def quotient(x: int, y: int) -> int:
        return x % y


OPS: tuple[type[BinaryOp], ...] = (
    CeilDivSOp,
    CeilDivUOp,
    DivSOp,
    DivUOp,
    FloorDivSOp,
    RemSOp,
    RemUOp,
)
