"""`index.cmp`: comparisons of indices.

%2 = index.cmp ult(%0, %n)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.arith import CMPI_COMPARISON_OPERATIONS
from xdsl.dialects.builtin import BoolAttr, i1
from xdsl.dialects.utils import EnumAttribute
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.str_enum import StrEnum

from snippets_mlir.dialects.index.arithmetic import INDEX, MASK, constant_of


class CmpPredicate(StrEnum):
    """How `index.cmp` compares; the names are those of `arith.cmpi`."""

    EQ = "eq"
    NE = "ne"
    SLT = "slt"
    SLE = "sle"
    SGT = "sgt"
    SGE = "sge"
    ULT = "ult"
    ULE = "ule"
    UGT = "ugt"
    UGE = "uge"

    @property
    def number(self) -> int:
        """Its number in `arith.cmpi` and `llvm.icmp`."""
        return tuple(CMPI_COMPARISON_OPERATIONS).index(self.value)

    def holds(self, x: int, y: int) -> bool:
        """Whether it holds between two signed integers of 64 bits."""
        if self.value[0] == "u":
            x, y = x & MASK, y & MASK
        match self.value[-2:]:
            case "eq":
                return x == y
            case "ne":
                return x != y
            case "lt":
                return x < y
            case "le":
                return x <= y
            case "gt":
                return x > y
            case _:
                return x >= y


@irdl_attr_definition
class CmpPredicateAttr(EnumAttribute[CmpPredicate], SpacedOpaqueSyntaxAttribute):
    """The predicate of `index.cmp` as MLIR prints it: `#index<cmp_predicate slt>`."""

    name = "index.cmp_predicate"


@irdl_op_definition
class CmpOp(IRDLOperation, HasFolderInterface):
    """`index.cmp slt(%a, %b)`: an i1, true where the predicate holds."""

    name = "index.cmp"
    pred = prop_def(CmpPredicateAttr)
    lhs = operand_def(INDEX)
    rhs = operand_def(INDEX)
    result = result_def(i1)
    traits = traits_def(Pure())

    assembly_format = "$pred `` `(` $lhs `,` $rhs `)` attr-dict"

    def __init__(
        self,
        predicate: CmpPredicate,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
    ) -> None:
        super().__init__(
            operands=[lhs, rhs],
            result_types=[i1],
            properties={"pred": CmpPredicateAttr(predicate)},
        )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """Two constants, or a value with itself."""
        x, y = constant_of(self.lhs), constant_of(self.rhs)
        if self.lhs is self.rhs:
            x = y = 0
        if x is None or y is None:
            return None
        return (BoolAttr.from_bool(self.pred.data.holds(x, y)),)
