"""`memref` ops on whole buffers: copies and globals."""

from __future__ import annotations

from io import StringIO
from typing import cast

from typing_extensions import override
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
    UnrankedMemRefType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of

_ANY_MEMREF = base(MemRefType) | base(UnrankedMemRefType)


@irdl_op_definition
class CopyOp(IRDLOperation):
    """Copy all elements: `memref.copy %A, %B : memref<?xf32> to memref<?xf32>`.

    C1: both have the same element type, the same rank, and equal sizes where both are known.
    """

    name = "memref.copy"

    source = operand_def(_ANY_MEMREF)
    target = operand_def(_ANY_MEMREF)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$source `,` $target attr-dict `:` type($source) `to` type($target)"

    def __init__(self, source: SSAValue | Operation, target: SSAValue | Operation) -> None:
        super().__init__(operands=[source, target])

    @override
    def verify_(self) -> None:
        source, target = self.source.type, self.target.type
        if UnrankedMemRefType.name in (source.name, target.name):
            return
        shapes = extents_of(source), extents_of(target)
        if (
            element_of(source) != element_of(target)
            or len(shapes[0]) != len(shapes[1])
            or any(DYNAMIC_INDEX not in (a, b) and a != b for a, b in zip(*shapes, strict=True))
        ):
            raise VerifyException(
                f"C1: expected memrefs of one shape and element type, found {source} and {target}"
            )


@irdl_op_definition
class GlobalOp(IRDLOperation):
    """A named buffer: `memref.global "private" constant @c : memref<2xf32> = dense<[1.0, 2.0]>`.

    C1: the memref has a static shape.
    C2: the initial value is a tensor constant of its shape and element type.
    """

    name = "memref.global"

    sym_name = prop_def(StringAttr)
    sym_visibility = opt_prop_def(StringAttr)
    type = prop_def(MemRefType)
    initial_value = opt_prop_def()
    constant = opt_prop_def(UnitAttr)
    alignment = opt_prop_def(IntegerAttr)
    traits = traits_def(SymbolOpInterface())

    def __init__(
        self,
        name: str,
        type: Attribute,
        initial_value: Attribute | None = None,
        *,
        visibility: str | None = None,
        constant: bool = False,
        alignment: int | None = None,
    ) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "sym_visibility": None if visibility is None else StringAttr(visibility),
                "type": type,
                "initial_value": initial_value,
                "constant": UnitAttr() if constant else None,
                "alignment": None if alignment is None else IntegerAttr(alignment, i64),
            }
        )

    @override
    def verify_(self) -> None:
        shape = extents_of(self.type)
        if DYNAMIC_INDEX in shape:
            raise VerifyException(f"C1: expected a static shape, found {self.type}")
        value = self.initial_value
        if value is None or isinstance(value, UnitAttr):
            return
        expected = TensorType(element_of(self.type), shape)
        if not isinstance(value, DenseIntOrFPElementsAttr) or value.get_type() != expected:
            raise VerifyException(f"C2: expected a constant of {expected}, found {value}")

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        """Parse `["visibility"] [constant] @name : type [= value|uninitialized] attr-dict`."""
        visibility = parser.parse_optional_str_literal()
        constant = parser.parse_optional_keyword("constant") is not None
        name = parser.parse_symbol_name()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        value: Attribute | None = None
        if parser.parse_optional_punctuation("="):
            if parser.parse_optional_keyword("uninitialized"):
                value = UnitAttr()
            else:
                parser.parse_keyword("dense")
                tensor = TensorType(element_of(type), extents_of(type))
                value = parser.parse_dense_int_or_fp_elements_attr(
                    cast("TensorType[IntegerType]", tensor)
                )
        attributes = parser.parse_optional_attr_dict()
        alignment = attributes.pop("alignment", None)
        op = cls(name.data, type, value, visibility=visibility, constant=constant)
        if alignment is not None:
            op.properties["alignment"] = alignment
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        if self.sym_visibility is not None:
            printer.print_string(f' "{self.sym_visibility.data}"')
        printer.print_string(" constant" if self.constant else "")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" : ")
        printer.print_attribute(self.type)
        if isinstance(self.initial_value, UnitAttr):
            printer.print_string(" = uninitialized")
        elif self.initial_value is not None:
            printer.print_string(" = ")
            text = StringIO()
            type(printer)(text).print_attribute(self.initial_value)
            printer.print_string(text.getvalue().rpartition(" : ")[0])
        shown = dict(self.attributes)
        if self.alignment is not None:
            shown["alignment"] = self.alignment
        printer.print_op_attributes(shown)


OPS: tuple[type[Operation], ...] = (CopyOp, GlobalOp)
