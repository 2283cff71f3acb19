"""`llvm` memory ops: load and store; the masked ones are in `masked.py`.

`alignment` is in bytes; without one LLVM assumes the natural alignment of the type (32 bytes for
`vector<8xf32>`), so this compiler always writes it. An `invariant` load reads memory that nothing
writes while it can be read, so LLVM may move it out of loops.
"""

from __future__ import annotations

from abc import ABC
from functools import lru_cache

from typing_extensions import override
from xdsl.dialects.builtin import (
    I64,
    IntegerAttr,
    UnitAttr,
    i64,
)
from xdsl.dialects.llvm import ATOMIC_ORDERING_KEYWORDS, LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
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

_NOT_ATOMIC = IntegerAttr(0, i64)
_ORDERINGS = {keyword: number for number, keyword in ATOMIC_ORDERING_KEYWORDS.items()}


class _Access(Op, ABC):
    alignment = opt_prop_def(IntegerAttr[I64])
    volatile_ = opt_prop_def(UnitAttr)
    nontemporal = opt_prop_def(UnitAttr)
    ordering = prop_def(IntegerAttr[I64], default_value=_NOT_ATOMIC)

    def verify_(self) -> None:
        """Check that the alignment is a power of two."""
        if self.alignment is None:
            return
        value = self.alignment.value.data
        if value < 1 or value & (value - 1):
            raise VerifyException(f"expected an alignment that is a power of two, found {value}")

    def _print_attributes(self, printer: Printer) -> None:
        if number := self.ordering.value.data:
            printer.print_string(f" atomic {ATOMIC_ORDERING_KEYWORDS[number]}")
        if "invariant" in self.properties:
            printer.print_string(" invariant")
        attributes: dict[str, Attribute] = dict(self.attributes)
        for name in ("alignment", "nontemporal"):
            if (attr := self.properties.get(name)) is not None:
                attributes[name] = attr
        printer.print_op_attributes(attributes)
        printer.print_string(" : ")

    @staticmethod
    def _parse_ordering(parser: Parser) -> IntegerAttr:
        if parser.parse_optional_keyword("atomic") is None:
            return _NOT_ATOMIC
        keyword = parser.expect(
            lambda: parser.parse_optional_keyword_in(_ORDERINGS),
            f"expected one of {', '.join(_ORDERINGS)}",
        )
        return IntegerAttr(_ORDERINGS[keyword], i64)

    def _adopt(self, volatile: bool, ordering: IntegerAttr, attrs: dict[str, Attribute]) -> None:
        self.properties["ordering"] = ordering
        if volatile:
            self.properties["volatile_"] = UnitAttr()
        for name, attr in attrs.items():
            kept = self.properties if name in ("alignment", "nontemporal") else self.attributes
            kept[name] = attr


@lru_cache
def _bytes(count: int) -> IntegerAttr[I64]:
    return IntegerAttr(count, i64)


def _access_properties(
    alignment: int | None, nontemporal: bool, volatile: bool, ordering: str
) -> dict[str, Attribute | None]:
    return {
        "alignment": None if alignment is None else _bytes(alignment),
        "nontemporal": UnitAttr() if nontemporal else None,
        "volatile_": UnitAttr() if volatile else None,
        "ordering": IntegerAttr(_ORDERINGS[ordering], i64) if ordering else _NOT_ATOMIC,
    }


@irdl_op_definition
class LoadOp(_Access):
    """`llvm.load %p invariant {alignment = 4 : i64, nontemporal} : !llvm.ptr -> vector<8xf32>`."""

    name = "llvm.load"
    ptr = operand_def(LLVMPointerType)
    invariant = opt_prop_def(UnitAttr)
    res = result_def()
    traits = traits_def(MemoryReadEffect())

    def __init__(
        self,
        ptr: SSAValue | Operation,
        result_type: Attribute,
        alignment: int | None = None,
        *,
        nontemporal: bool = False,
        volatile: bool = False,
        invariant: bool = False,
        ordering: str = "",
    ) -> None:
        properties = _access_properties(alignment, nontemporal, volatile, ordering)
        if invariant:
            properties["invariant"] = UnitAttr()
        super().__init__(operands=[ptr], result_types=[result_type], properties=properties)

    @classmethod
    @override
    def parse(cls, parser: Parser) -> LoadOp:
        volatile = parser.parse_optional_keyword("volatile") is not None
        name = parser.parse_unresolved_operand()
        ordering = cls._parse_ordering(parser)
        invariant = parser.parse_optional_keyword("invariant") is not None
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        ptr = parser.resolve_operand(name, parser.parse_type())
        parser.parse_punctuation("->")
        op = cls(ptr, parser.parse_type(), invariant=invariant)
        op._adopt(volatile, ordering, attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" volatile " if self.volatile_ else " ")
        printer.print_operand(self.ptr)
        self._print_attributes(printer)
        printer.print_attribute(self.ptr.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.res.type)


@irdl_op_definition
class StoreOp(_Access):
    """`llvm.store %x, %p {alignment = 4 : i64, nontemporal} : vector<8xf32>, !llvm.ptr`."""

    name = "llvm.store"
    value = operand_def()
    ptr = operand_def(LLVMPointerType)
    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        value: SSAValue | Operation,
        ptr: SSAValue | Operation,
        alignment: int | None = None,
        *,
        nontemporal: bool = False,
        volatile: bool = False,
        ordering: str = "",
    ) -> None:
        properties = _access_properties(alignment, nontemporal, volatile, ordering)
        super().__init__(operands=[value, ptr], properties=properties)

    @classmethod
    @override
    def parse(cls, parser: Parser) -> StoreOp:
        volatile = parser.parse_optional_keyword("volatile") is not None
        value_name = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        ptr_name = parser.parse_unresolved_operand()
        ordering = cls._parse_ordering(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        value = parser.resolve_operand(value_name, parser.parse_type())
        parser.parse_punctuation(",")
        op = cls(value, parser.resolve_operand(ptr_name, parser.parse_type()))
        op._adopt(volatile, ordering, attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" volatile " if self.volatile_ else " ")
        printer.print_list(self.operands, printer.print_operand)
        self._print_attributes(printer)
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        printer.print_attribute(self.ptr.type)


OPS: tuple[type[Operation], ...] = (LoadOp, StoreOp)
