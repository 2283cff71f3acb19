"""`memref` ops on one element: atomic updates and prefetches."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.affine.parallel_text import REDUCTIONS
from snippets_mlir.dialects.builtin.shaped import element_of, rank_of
from snippets_mlir.dialects.memref.prefetching import Hints, Prefetch, parse_hints


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """Update an element atomically and return its old value.

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
        """The keyword of the kind."""
        return REDUCTIONS[self.kind.value.data]

    @override
    def verify_(self) -> None:
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

    @override
    def print(self, printer: Printer) -> None:
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
class PrefetchOp(Prefetch):
    """Ask for a cache line: `memref.prefetch %A[%i], read, locality<3>, data : memref<8xf32>`.

    C1: one index for each dimension; locality is 0 (none) to 3 (keep).
    """

    name = "memref.prefetch"

    def __init__(
        self, memref: SSAValue | Operation, indices: Sequence[SSAValue | Operation], hints: Hints
    ) -> None:
        super().__init__(operands=[memref, indices], properties=hints.properties)

    @override
    def verify_(self) -> None:
        rank, locality = rank_of(self.memref.type), self.hints.locality
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
        hints = parse_hints(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(parser.resolve_operand(name, parser.parse_type()), indices, hints)
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_operand)
        self.print_hints(printer)


OPS: tuple[type[Operation], ...] = (AtomicRMWOp, PrefetchOp)
