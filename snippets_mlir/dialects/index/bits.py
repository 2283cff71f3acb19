"""`index` ops on bits: shifts, and, or, xor."""

from __future__ import annotations

from typing import ClassVar

from typing_extensions import override
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Commutative, Pure

from snippets_mlir.dialects.index.arithmetic import MASK, WIDTH, BinaryOp


@irdl_op_definition
class ShlOp(BinaryOp):
    """x * 2^y modulo 2^64: the low 64 bits of the shifted value."""

    name = "index.shl"
    UNIT: ClassVar[int | None] = 0
    traits = traits_def(Pure())

    @classmethod
    def value(cls, x: int, y: int) -> int | None:
        """`x * 2^y`, undefined for 64 and more."""
        return x << y if 0 <= y < WIDTH else None


@irdl_op_definition
class ShrSOp(BinaryOp):
    """Right shift of a signed integer."""

    name = "index.shrs"
    UNIT: ClassVar[int | None] = 0
    traits = traits_def(Pure())

    @classmethod
    def value(cls, x: int, y: int) -> int | None:
        """`x / 2^y` rounded down, undefined for 64 and more."""
        return x >> y if 0 <= y < WIDTH else None


@irdl_op_definition
class ShrUOp(BinaryOp):
    """Right shift of an unsigned integer."""

    name = "index.shru"
    UNIT: ClassVar[int | None] = 0
    traits = traits_def(Pure())

    @classmethod
    def value(cls, x: int, y: int) -> int | None:
        """`x / 2^y` rounded down, undefined for 64 and more."""
        return (x & MASK) >> y if 0 <= y < WIDTH else None


@irdl_op_definition
class AndOp(BinaryOp):
    """Bitwise and: the bits set in both operands."""

    name = "index.and"
    UNIT: ClassVar[int | None] = -1
    traits = traits_def(Pure(), Commutative())

    @classmethod
    @override
    def value(cls, x: int, y: int) -> int | None:
        return x & y


@irdl_op_definition
class OrOp(BinaryOp):
    """Bitwise or: the bits set in either operand."""

    name = "index.or"
    UNIT: ClassVar[int | None] = 0
    traits = traits_def(Pure(), Commutative())

    @classmethod
    @override
    def value(cls, x: int, y: int) -> int | None:
        return x | y


@irdl_op_definition
class XOrOp(BinaryOp):
    """Bits of one but not both."""

    name = "index.xor"
    UNIT: ClassVar[int | None] = 0
    traits = traits_def(Pure(), Commutative())

    @classmethod
    @override
    def value(cls, x: int, y: int) -> int | None:
        return x ^ y


OPS: tuple[type[BinaryOp], ...] = (AndOp, OrOp, ShlOp, ShrSOp, ShrUOp, XOrOp)
