"""`index` ops on bits: shifts, and, or, xor."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Commutative, Pure

from snippets_mlir.dialects.index.arithmetic import MASK, WIDTH, BinaryOp


@irdl_op_definition
class ShlOp(BinaryOp):
    """Left shift modulo 2^64."""

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
    """Bits of both."""

    name = "index.and"
    UNIT: ClassVar[int | None] = -1
    traits = traits_def(Pure(), Commutative())

    @classmethod
    def value(cls, x: int, y: int) -> int | None:
        """`x & y`."""
        return x & y


@irdl_op_definition
class OrOp(BinaryOp):
    """Bits of either."""

    name = "index.or"
    UNIT: ClassVar[int | None] = 0
    traits = traits_def(Pure(), Commutative())

    @classmethod
    def value(cls, x: int, y: int) -> int | None:
        """`x | y`."""
        return x | y


@irdl_op_definition
class XOrOp(BinaryOp):
    """Bits of one but not both."""

    name = "index.xor"
    UNIT: ClassVar[int | None] = 0
    traits = traits_def(Pure(), Commutative())

    @classmethod
    def value(cls, x: int, y: int) -> int | None:
        """`x ^ y`."""
        return x ^ y


OPS: tuple[type[BinaryOp], ...] = (AndOp, OrOp, ShlOp, ShrSOp, ShrUOp, XOrOp)
