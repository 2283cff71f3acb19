"""`arith.select` and `arith.negf` on scalars, vectors and tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.arith import (
    FastMathFlagsAttr,
)
from xdsl.dialects.builtin import (
    ContainerType,
    IntegerAttr,
    ShapedType,
    VectorType,
    container_of,
    i1,
)
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
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

from snippets_mlir.dialects.arith.types import FLOAT_LIKE, NO_FAST_MATH, have_one_shape


@irdl_op_definition
class SelectOp(IRDLOperation, HasFolderInterface):
    """`cond ? lhs : rhs`, the condition an i1 or a container of i1 of the shape of the values.

    C1: a condition that is not i1 has the shape of the values.
    """

    name = "arith.select"
    T: ClassVar = VarConstraint("T", AnyAttr())

    cond = operand_def(container_of(i1))
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())

    def __init__(
        self, cond: SSAValue | Operation, lhs: SSAValue | Operation, rhs: SSAValue | Operation
    ) -> None:
        lhs = SSAValue.get(lhs)
        super().__init__(operands=[cond, lhs, rhs], result_types=[lhs.type])

    @override
    def verify_(self) -> None:
        cond, result = self.cond.type, self.result.type
        is_of_vectors = isinstance(cond, VectorType) == isinstance(result, VectorType)
        if isinstance(cond, ShapedType) and not (is_of_vectors and have_one_shape(cond, result)):
            raise VerifyException(
                f"C1: expected a condition of i1 or of the shape of {result}, found {cond}"
            )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant i1 condition or two equal values choose a value."""
        if self.lhs is self.rhs:
            return (self.lhs,)
        cond = ConstantLike.get_constant_value(self.cond)
        if isinstance(cond, IntegerAttr):
            return (self.lhs if cond.value.data else self.rhs,)
        return None

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        """Parse `%c, %a, %b attr-dict : [condition type,] type`."""
        names = [parser.parse_unresolved_operand()]
        for _ in range(2):
            parser.parse_punctuation(",")
            names.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        cond_type: Attribute = i1
        type = parser.parse_type()
        if parser.parse_optional_punctuation(","):
            cond_type, type = type, parser.parse_type()
        operands = parser.resolve_operands(names, [cond_type, type, type], parser.pos)
        op = cls(*operands)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        """Print the form that `parse` reads; the condition's type only if it is not i1."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if isinstance(self.cond.type, ContainerType):
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class NegfOp(IRDLOperation):
    """`-x`: flips the sign bit, also for NaN."""

    name = "arith.negf"
    T: ClassVar = VarConstraint("T", FLOAT_LIKE)

    operand = operand_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FAST_MATH)
    result = result_def(T)
    traits = traits_def(Pure())

    assembly_format = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"

    def __init__(
        self, operand: SSAValue | Operation, fastmath: FastMathFlagsAttr = NO_FAST_MATH
    ) -> None:
        operand = SSAValue.get(operand)
        super().__init__(
            operands=[operand], result_types=[operand.type], properties={"fastmath": fastmath}
        )


@irdl_op_definition
class RemfOp(IRDLOperation):
    """`x - trunc(x / y) * y`, exactly: the remainder of C's `fmod`."""

    name = "arith.remf"
    T: ClassVar = VarConstraint("T", FLOAT_LIKE)

    lhs = operand_def(T)
    rhs = operand_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FAST_MATH)
    result = result_def(T)
    traits = traits_def(Pure())

    assembly_format = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        fastmath: FastMathFlagsAttr = NO_FAST_MATH,
    ) -> None:
        lhs = SSAValue.get(lhs)
        super().__init__(
            operands=[lhs, rhs], result_types=[lhs.type], properties={"fastmath": fastmath}
        )
