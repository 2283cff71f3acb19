"""`llvm.atomicrmw`: read, change and write memory in one step."""

from __future__ import annotations

from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import I64, IntegerAttr, SignlessIntegerConstraint, UnitAttr, i64
from xdsl.dialects.llvm import ATOMIC_ORDERING_KEYWORDS, LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.op_class import Op

BINARY: tuple[str, ...] = (
    "xchg",
    "add",
    "sub",
    "_and",
    "nand",
    "_or",
    "_xor",
    "max",
    "min",
    "umax",
    "umin",
)
"""MLIR's keywords of the changes on integers, at their numbers."""
ORDERINGS = {keyword: number for number, keyword in ATOMIC_ORDERING_KEYWORDS.items()}


@irdl_op_definition
class AtomicRMWOp(Op):
    """`%old = llvm.atomicrmw xchg %p, %x acquire {alignment = 4 : i64} : !llvm.ptr, i32`.

    The result is the old value. The ordering is `monotonic` or stronger.
    """

    name = "llvm.atomicrmw"
    T: ClassVar = VarConstraint("T", SignlessIntegerConstraint)

    ptr = operand_def(LLVMPointerType)
    val = operand_def(T)
    res = result_def(T)
    bin_op = prop_def(IntegerAttr[I64])
    ordering = prop_def(IntegerAttr[I64])
    alignment = opt_prop_def(IntegerAttr[I64])
    volatile_ = opt_prop_def(UnitAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        change: str,
        ptr: SSAValue | Operation,
        val: SSAValue | Operation,
        ordering: str,
        alignment: int | None = None,
        *,
        volatile: bool = False,
    ) -> None:
        val = SSAValue.get(val)
        super().__init__(
            operands=[ptr, val],
            result_types=[val.type],
            properties={
                "bin_op": IntegerAttr(BINARY.index(change), i64),
                "ordering": IntegerAttr(ORDERINGS[ordering], i64),
                "alignment": None if alignment is None else IntegerAttr(alignment, i64),
                "volatile_": UnitAttr() if volatile else None,
            },
        )

    @property
    def change(self) -> str:
        """MLIR's keyword for the change of the memory."""
        return BINARY[self.bin_op.value.data]

    def verify_(self) -> None:
        """Check the numbers of the change and of the ordering."""
        if not 0 <= self.bin_op.value.data < len(BINARY):
            raise VerifyException(f"expected a change of integers, found {self.bin_op.value.data}")
        if not ORDERINGS["monotonic"] <= self.ordering.value.data <= ORDERINGS["seq_cst"]:
            raise VerifyException("expected monotonic, acquire, release, acq_rel or seq_cst")

    @classmethod
    @override
    def parse(cls, parser: Parser) -> AtomicRMWOp:
        volatile = parser.parse_optional_keyword("volatile") is not None
        change = parser.expect(
            lambda: parser.parse_optional_keyword_in(BINARY),
            f"expected one of {', '.join(BINARY)}",
        )
        names = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        names.append(parser.parse_unresolved_operand())
        ordering = parser.expect(
            lambda: parser.parse_optional_keyword_in(ORDERINGS),
            f"expected one of {', '.join(ORDERINGS)}",
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = [parser.parse_type()]
        parser.parse_punctuation(",")
        types.append(parser.parse_type())
        ptr, val = parser.resolve_operands(names, types, parser.pos)
        op = cls(change, ptr, val, ordering, volatile=volatile)
        if (alignment := attributes.pop("alignment", None)) is not None:
            op.properties["alignment"] = alignment
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(f" {'volatile ' if self.volatile_ else ''}{self.change} ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_string(f" {ATOMIC_ORDERING_KEYWORDS[self.ordering.value.data]}")
        attributes: dict[str, Attribute] = dict(self.attributes)
        if self.alignment is not None:
            attributes["alignment"] = self.alignment
        printer.print_op_attributes(attributes)
        printer.print_string(" : ")
        printer.print_list(self.operand_types, printer.print_attribute)


OPS: tuple[type[Operation], ...] = (AtomicRMWOp,)
