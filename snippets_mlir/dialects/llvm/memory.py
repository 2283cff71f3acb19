"""`llvm` memory ops: load, store and getelementptr; the masked ones are in `masked.py`.

`alignment` is in bytes; without one LLVM assumes the natural alignment of the type (32 bytes for
`vector<8xf32>`), so what this compiler writes always names it.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I32,
    I64,
    DenseArrayBase,
    IntegerAttr,
    SignlessIntegerConstraint,
    UnitAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.llvm import ATOMIC_ORDERING_KEYWORDS, GEP_USE_SSA_VAL, LLVMPointerType
from xdsl.dialects.utils import parse_dynamic_index_list_without_types, print_dynamic_index_list
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

POINTER = LLVMPointerType()
_POINTERS = base(LLVMPointerType) | VectorType.constr(base(LLVMPointerType))
_INDEX = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)
_NOT_ATOMIC = IntegerAttr(0, i64)
_ORDERINGS = {keyword: number for number, keyword in ATOMIC_ORDERING_KEYWORDS.items()}
NO_WRAP: dict[str, int] = {"inbounds": 3, "nusw": 2, "nuw": 4}
"""MLIR's bits of `noWrapFlags`; inbounds implies nusw."""


class _Access(IRDLOperation, ABC):
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


def _access_properties(
    alignment: int | None, nontemporal: bool, volatile: bool
) -> dict[str, Attribute | None]:
    return {
        "alignment": None if alignment is None else IntegerAttr(alignment, i64),
        "nontemporal": UnitAttr() if nontemporal else None,
        "volatile_": UnitAttr() if volatile else None,
        "ordering": _NOT_ATOMIC,
    }


@irdl_op_definition
class LoadOp(_Access):
    """`llvm.load volatile %p {alignment = 4 : i64, nontemporal} : !llvm.ptr -> vector<8xf32>`."""

    name = "llvm.load"
    ptr = operand_def(LLVMPointerType)
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
    ) -> None:
        super().__init__(
            operands=[ptr],
            result_types=[result_type],
            properties=_access_properties(alignment, nontemporal, volatile),
        )

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        """Parse MLIR's form."""
        volatile = parser.parse_optional_keyword("volatile") is not None
        name = parser.parse_unresolved_operand()
        ordering = cls._parse_ordering(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        ptr = parser.resolve_operand(name, parser.parse_type())
        parser.parse_punctuation("->")
        op = cls(ptr, parser.parse_type())
        op._adopt(volatile, ordering, attributes)
        return op

    def print(self, printer: Printer) -> None:
        """Print MLIR's form."""
        printer.print_string(" volatile " if self.volatile_ else " ")
        printer.print_operand(self.ptr)
        self._print_attributes(printer)
        printer.print_attribute(self.ptr.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.res.type)


@irdl_op_definition
class StoreOp(_Access):
    """`llvm.store volatile %x, %p {alignment = 4 : i64, nontemporal} : vector<8xf32>, !llvm.ptr`."""

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
    ) -> None:
        super().__init__(
            operands=[value, ptr], properties=_access_properties(alignment, nontemporal, volatile)
        )

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        """Parse MLIR's form."""
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

    def print(self, printer: Printer) -> None:
        """Print MLIR's form."""
        printer.print_string(" volatile " if self.volatile_ else " ")
        printer.print_list(self.operands, printer.print_operand)
        self._print_attributes(printer)
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        printer.print_attribute(self.ptr.type)


@irdl_op_definition
class GEPOp(IRDLOperation):
    """`llvm.getelementptr inbounds|nuw %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32`.

    A vector of pointers comes out when the base or an index is a vector.
    """

    name = "llvm.getelementptr"
    ptr = operand_def(_POINTERS)
    ssa_indices = var_operand_def(_INDEX)
    elem_type = prop_def()
    noWrapFlags = prop_def(IntegerAttr[I32], default_value=IntegerAttr(0, i32))
    rawConstantIndices = prop_def(DenseArrayBase.constr(i32))
    result = result_def(_POINTERS)
    traits = traits_def(Pure())

    def __init__(
        self,
        ptr: SSAValue | Operation,
        indices: Sequence[int | SSAValue],
        elem_type: Attribute,
        *,
        result_type: Attribute = POINTER,
        flags: Sequence[str] = (),
    ) -> None:
        bits = 0
        for flag in flags:
            bits |= NO_WRAP[flag]
        super().__init__(
            operands=[ptr, [i for i in indices if not isinstance(i, int)]],
            result_types=[result_type],
            properties={
                "elem_type": elem_type,
                "noWrapFlags": IntegerAttr(bits, i32),
                "rawConstantIndices": DenseArrayBase.from_list(
                    i32, [i if isinstance(i, int) else GEP_USE_SSA_VAL for i in indices]
                ),
            },
        )

    @property
    def flag_names(self) -> tuple[str, ...]:
        """The flags as they are written."""
        bits = self.noWrapFlags.value.data
        names = ("inbounds",) if bits & 1 else ("nusw",) if bits & 2 else ()
        return (*names, "nuw") if bits & 4 else names

    def verify_(self) -> None:
        """Check that there is one operand for each dynamic index."""
        raw = self.rawConstantIndices.get_values()
        if not raw:
            raise VerifyException("expected at least one index")
        if raw.count(GEP_USE_SSA_VAL) != len(self.ssa_indices):
            raise VerifyException(
                f"expected {raw.count(GEP_USE_SSA_VAL)} dynamic indices, "
                f"found {len(self.ssa_indices)}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> GEPOp:
        """Parse MLIR's form."""
        flags: list[str] = []
        while flag := parser.parse_optional_keyword_in(NO_WRAP):
            flags.append(flag)
            if parser.parse_optional_punctuation("|") is None:
                break
        name = parser.parse_unresolved_operand()
        names, raw = parse_dynamic_index_list_without_types(parser, GEP_USE_SSA_VAL)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_function_type()
        parser.parse_punctuation(",")
        elem_type = parser.parse_type()
        operands = parser.resolve_operands([name, *names], types.inputs.data, parser.pos)
        dynamic = iter(operands[1:])
        op = cls(
            operands[0],
            [next(dynamic) if i == GEP_USE_SSA_VAL else i for i in raw],
            elem_type,
            result_type=types.outputs.data[0],
            flags=flags,
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        """Print MLIR's form."""
        printer.print_string(" ")
        if flags := self.flag_names:
            printer.print_string("|".join(flags) + " ")
        printer.print_operand(self.ptr)
        print_dynamic_index_list(
            printer, GEP_USE_SSA_VAL, self.ssa_indices, self.rawConstantIndices.get_values()
        )
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        printer.print_string(", ")
        printer.print_attribute(self.elem_type)


OPS: tuple[type[Operation], ...] = (GEPOp, LoadOp, StoreOp)
