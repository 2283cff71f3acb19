"""`memref` ops on buffers: copies, globals, prefetches, atomic updates."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BoolAttr,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
    UnrankedMemRefType,
    i32,
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
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.affine.parallel import REDUCTIONS
from snippets_mlir.dialects.shaped import element_of, rank_of, shape_of

_ANY_MEMREF = base(MemRefType) | base(UnrankedMemRefType)


@irdl_op_definition
class CopyOp(IRDLOperation):
    """Copy all elements: `memref.copy %A, %B : memref<?xf32> to memref<?xf32>`.

    C1: both have one element type, one rank, and sizes that agree where both are known.
    """

    name = "memref.copy"

    source = operand_def(_ANY_MEMREF)
    target = operand_def(_ANY_MEMREF)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$source `,` $target attr-dict `:` type($source) `to` type($target)"

    def __init__(self, source: SSAValue | Operation, target: SSAValue | Operation) -> None:
        super().__init__(operands=[source, target])

    def verify_(self) -> None:
        """Check C1."""
        source, target = self.source.type, self.target.type
        if UnrankedMemRefType.name in (source.name, target.name):
            return
        shapes = shape_of(source), shape_of(target)
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

    def verify_(self) -> None:
        """Check C1 and C2."""
        shape = shape_of(self.type)
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
                tensor = TensorType(element_of(type), shape_of(type))
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

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
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


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """Update an element in one step and give its old value.

    `%old = memref.atomic_rmw addf %x, %A[%i] : (f32, memref<?xf32>) -> f32`

    C1: one index for each dimension, and the value and the result are elements.
    C2: the kind is one that MLIR knows.
    """

    name = "memref.atomic_rmw"

    value = operand_def()
    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    kind = prop_def(IntegerAttr)
    result = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        kind: str,
        value: SSAValue | Operation,
        memref: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
    ) -> None:
        value = SSAValue.get(value)
        super().__init__(
            operands=[value, memref, indices],
            result_types=[value.type],
            properties={"kind": IntegerAttr(REDUCTIONS.index(kind), i64)},
        )

    @property
    def kind_name(self) -> str:
        """The kind as it is written."""
        return REDUCTIONS[self.kind.value.data]

    def verify_(self) -> None:
        """Check C1 and C2."""
        element = element_of(self.memref.type)
        if len(self.indices) != rank_of(self.memref.type) or not (
            self.value.type == self.result.type == element
        ):
            raise VerifyException(
                f"C1: expected {rank_of(self.memref.type)} indices and a value of {element}, "
                f"found {len(self.indices)} and {self.value.type}"
            )
        if not 0 <= self.kind.value.data < len(REDUCTIONS):
            raise VerifyException(f"C2: expected a known kind, found {self.kind.value.data}")

    @classmethod
    def parse(cls, parser: Parser) -> AtomicRMWOp:
        """Parse `kind %value, %memref[indices] attr-dict : (type, type) -> type`."""
        position = parser.pos
        kind = parser.parse_identifier()
        if kind not in REDUCTIONS:
            parser.raise_error(
                f"expected one of {', '.join(REDUCTIONS)}, found {kind!r}", position, parser.pos
            )
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        memref = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_operand(IndexType())
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        parser.parse_punctuation("->")
        parser.parse_type()
        operands = parser.resolve_operands([value, memref], types, position)
        op = cls(kind, operands[0], operands[1], indices)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(f" {self.kind_name} ")
        printer.print_operand(self.value)
        printer.print_string(", ")
        printer.print_operand(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : (")
        printer.print_list((self.value.type, self.memref.type), printer.print_attribute)
        printer.print_string(") -> ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """Ask for a cache line: `memref.prefetch %A[%i], read, locality<3>, data : memref<8xf32>`.

    C1: one index for each dimension; locality is 0 (none) to 3 (keep).
    """

    name = "memref.prefetch"

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    isWrite = prop_def(BoolAttr)
    localityHint = prop_def(IntegerAttr)
    isDataCache = prop_def(BoolAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        memref: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        *,
        write: bool,
        locality: int,
        data: bool = True,
    ) -> None:
        super().__init__(
            operands=[memref, indices],
            properties={
                "isWrite": BoolAttr.from_bool(write),
                "localityHint": IntegerAttr(locality, i32),
                "isDataCache": BoolAttr.from_bool(data),
            },
        )

    def verify_(self) -> None:
        """Check C1."""
        rank, locality = rank_of(self.memref.type), self.localityHint.value.data
        if len(self.indices) != rank or not 0 <= locality <= 3:
            raise VerifyException(
                f"C1: expected {rank} indices and a locality from 0 to 3, "
                f"found {len(self.indices)} and {locality}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        """Parse `%memref[indices], read|write, locality<n>, data|instr attr-dict : type`."""
        name = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_operand(IndexType())
        )
        parser.parse_punctuation(",")
        write = parser.parse_optional_keyword("write") is not None
        if not write:
            parser.parse_keyword("read")
        parser.parse_punctuation(",")
        parser.parse_keyword("locality")
        with parser.in_angle_brackets():
            locality = parser.parse_integer()
        parser.parse_punctuation(",")
        data = parser.parse_optional_keyword("data") is not None
        if not data:
            parser.parse_keyword("instr")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        memref = parser.resolve_operand(name, parser.parse_type())
        op = cls(memref, indices, write=write, locality=locality, data=data)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_operand(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_operand)
        way = "write" if self.isWrite else "read"
        cache = "data" if self.isDataCache else "instr"
        printer.print_string(f", {way}, locality<{self.localityHint.value.data}>, {cache}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


OPS: tuple[type[Operation], ...] = (AtomicRMWOp, CopyOp, GlobalOp, PrefetchOp)
