"""`vector.outerproduct`: every element of one vector times every element of another."""

from __future__ import annotations

from typing_extensions import override
from xdsl.dialects.builtin import VectorType
from xdsl.dialects.vector import CombiningKindAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.vector.contraction import ADD


@irdl_op_definition
class OuterProductOp(IRDLOperation):
    """`acc[i, j] += lhs[i] * rhs[j]`; with a scalar on the right `acc[i] += lhs[i] * rhs`.

    C1: vectors of rank 1 (or a scalar on the right) of one element type, and the result and the
        accumulator have their sizes.
    """

    name = "vector.outerproduct"

    lhs = operand_def(VectorType)
    rhs = operand_def()
    acc = opt_operand_def(VectorType)
    kind = prop_def(CombiningKindAttr, default_value=ADD)
    result = result_def(VectorType)
    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        acc: SSAValue | Operation | None = None,
        kind: CombiningKindAttr = ADD,
    ) -> None:
        lhs, rhs = SSAValue.get(lhs), SSAValue.get(rhs)
        sizes = [*extents_of(lhs.type), *extents_of(rhs.type)]
        super().__init__(
            operands=[lhs, rhs, acc],
            result_types=[VectorType(element_of(lhs.type), sizes)],
            properties={"kind": kind},
        )

    @override
    def verify_(self) -> None:
        lhs, rhs = self.lhs.type, self.rhs.type
        expected = VectorType(element_of(lhs), [*extents_of(lhs), *extents_of(rhs)])
        accumulator = expected if self.acc is None else self.acc.type
        good = len(extents_of(lhs)) == 1 and len(extents_of(rhs)) <= 1
        if not good or element_of(rhs) != element_of(lhs) or self.result.type != expected:
            raise VerifyException(
                f"C1: expected two vectors of rank 1 and a result of their sizes, found {lhs}, "
                f"{rhs} and {self.result.type}"
            )
        if accumulator != expected:
            raise VerifyException(f"C1: expected an accumulator of {expected}, found {accumulator}")

    @classmethod
    def parse(cls, parser: Parser) -> OuterProductOp:
        """Parse `%lhs, %rhs[, %acc] attr-dict : type, type`."""
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        lhs = parser.parse_type()
        parser.parse_punctuation(",")
        rhs = parser.parse_type()
        types = [lhs, rhs]
        if len(names) > 2:
            types.append(VectorType(element_of(lhs), [*extents_of(lhs), *extents_of(rhs)]))
        operands = parser.resolve_operands(names, types, position)
        kind = attributes.pop("kind", ADD)
        if not isinstance(kind, CombiningKindAttr):
            parser.raise_error(f"expected a kind, found {kind}", position, parser.pos)
        op = cls(operands[0], operands[1], operands[2] if len(names) > 2 else None, kind)
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes({"kind": self.kind, **self.attributes})
        printer.print_string(" : ")
        printer.print_list(self.operand_types[:2], printer.print_attribute)


OPS: tuple[type[Operation], ...] = (OuterProductOp,)
