"""`arith` conversions on scalars and containers: `arith.sitofp %x : vector<8xi32> to
vector<8xf32>`.

* C1: operand and result have the same shape.
* C2: a widening op gives a wider element type.
* C3: a narrowing op gives a narrower element type.

An out-of-range `fptosi` or `fptoui` is poison, as in MLIR.
"""

from __future__ import annotations

from abc import ABC

from typing_extensions import override
from xdsl.dialects.builtin import (
    ContainerType,
    FixedBitwidthType,
    IndexType,
    IntegerType,
    container_of,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.arith.types import FLOAT_LIKE, INTEGER_LIKE, have_one_shape

_INTEGERS = container_of(IntegerType)


def element_of(type: Attribute) -> Attribute:
    """Element type of a container, a scalar itself."""
    if isinstance(type, ContainerType):
        return type.get_element_type()  # pyright: ignore[reportUnknownVariableType]
    return type


def width_of(type: Attribute) -> int:
    """Bits of an element of `type`; `index` counts as 64."""
    element = element_of(type)
    if isinstance(element, FixedBitwidthType):
        return element.bitwidth
    if isinstance(element, IndexType):
        return 64
    raise VerifyException(f"expected an integer, float or index, found {element}")


class CastOp(IRDLOperation, ABC):
    """A conversion of scalars, or of vectors element by element."""

    input = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def __init__(self, input: SSAValue | Operation, target_type: Attribute) -> None:
        super().__init__(operands=[input], result_types=[target_type])

    @override
    def verify_(self) -> None:
        if not have_one_shape(self.input.type, self.result.type):
            raise VerifyException(
                f"C1: expected types of one shape, found {self.input.type} and {self.result.type}"
            )


class _Widening(CastOp, ABC):
    def verify_(self) -> None:
        super().verify_()
        if width_of(self.result.type) <= width_of(self.input.type):
            raise VerifyException(
                f"C2: expected a wider result than {self.input.type}, found {self.result.type}"
            )


class _Narrowing(CastOp, ABC):
    def verify_(self) -> None:
        super().verify_()
        if width_of(self.result.type) >= width_of(self.input.type):
            raise VerifyException(
                f"C3: expected a narrower result than {self.input.type}, found {self.result.type}"
            )


@irdl_op_definition
class ExtFOp(_Widening):
    """Exact conversion to a wider float."""

    name = "arith.extf"
    input = operand_def(FLOAT_LIKE)
    result = result_def(FLOAT_LIKE)


@irdl_op_definition
class TruncFOp(_Narrowing):
    """Conversion to a narrower float, rounding to nearest even."""

    name = "arith.truncf"
    input = operand_def(FLOAT_LIKE)
    result = result_def(FLOAT_LIKE)


@irdl_op_definition
class ExtSIOp(_Widening):
    """Convert to a wider integer; the new bits are copies of the sign bit."""

    name = "arith.extsi"
    input = operand_def(_INTEGERS)
    result = result_def(_INTEGERS)


@irdl_op_definition
class ExtUIOp(_Widening):
    """Convert to a wider integer; the new bits are 0."""

    name = "arith.extui"
    input = operand_def(_INTEGERS)
    result = result_def(_INTEGERS)


@irdl_op_definition
class TruncIOp(_Narrowing):
    """Convert to a narrower integer: keep the low bits."""

    name = "arith.trunci"
    input = operand_def(_INTEGERS)
    result = result_def(_INTEGERS)


@irdl_op_definition
class FPToSIOp(CastOp):
    """Float to signed integer, towards zero; poison when out of range."""

    name = "arith.fptosi"
    input = operand_def(FLOAT_LIKE)
    result = result_def(_INTEGERS)


@irdl_op_definition
class FPToUIOp(CastOp):
    """Float to unsigned integer, towards zero; poison when out of range."""

    name = "arith.fptoui"
    input = operand_def(FLOAT_LIKE)
    result = result_def(_INTEGERS)


@irdl_op_definition
class SIToFPOp(CastOp):
    """Signed integer to float, rounding to nearest even."""

    name = "arith.sitofp"
    input = operand_def(_INTEGERS)
    result = result_def(FLOAT_LIKE)


@irdl_op_definition
class UIToFPOp(CastOp):
    """Unsigned integer to float, rounding to nearest even."""

    name = "arith.uitofp"
    input = operand_def(_INTEGERS)
    result = result_def(FLOAT_LIKE)


class _IndexCast(CastOp, ABC):
    input = operand_def(INTEGER_LIKE)
    result = result_def(INTEGER_LIKE)

    def verify_(self) -> None:
        super().verify_()
        indices = [isinstance(element_of(v.type), IndexType) for v in (self.input, self.result)]
        if sum(indices) != 1:
            raise VerifyException(
                f"expected a conversion from or to index, found {self.input.type} "
                f"to {self.result.type}"
            )


@irdl_op_definition
class IndexCastOp(_IndexCast):
    """Integer to or from index (64 bits): sign-extended or truncated."""

    name = "arith.index_cast"


@irdl_op_definition
class IndexCastUIOp(_IndexCast):
    """Integer to or from index (64 bits): zero-extended or truncated."""

    name = "arith.index_castui"
