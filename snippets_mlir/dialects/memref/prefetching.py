"""Shared by `memref.prefetch` and `affine.prefetch`: the hints for the cache line.

memref.prefetch %A[%i], read, locality<3>, data : memref<8xf32>
"""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass

from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, MemRefType, i32
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, operand_def, prop_def, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect


@dataclass(frozen=True)
class Hints:
    """Hints for prefetching a cache line.

    Attributes:
        write: whether it will be written.
        locality: 0 (none) to 3 (keep it).
        data: whether it holds data, not instructions.
    """

    write: bool
    locality: int
    data: bool = True

    @property
    def properties(self) -> dict[str, Attribute]:
        """The hints as properties of an op, under MLIR's names."""
        return {
            "isWrite": BoolAttr.from_bool(self.write),
            "localityHint": IntegerAttr(self.locality, i32),
            "isDataCache": BoolAttr.from_bool(self.data),
        }


class Prefetch(IRDLOperation, ABC):
    """Operands, properties and text of the prefetches; their effects keep them in their place."""

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    isWrite = prop_def(BoolAttr)
    localityHint = prop_def(IntegerAttr)
    isDataCache = prop_def(BoolAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @property
    def hints(self) -> Hints:
        """The hints in the op's properties."""
        return Hints(bool(self.isWrite), self.localityHint.value.data, bool(self.isDataCache))

    def print_hints(self, printer: Printer) -> None:
        """Print the form that `parse_hints` reads, the attributes and the type of the memory."""
        hints = self.hints
        way, cache = "write" if hints.write else "read", "data" if hints.data else "instr"
        printer.print_string(f", {way}, locality<{hints.locality}>, {cache}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


def parse_hints(parser: Parser) -> Hints:
    """Parse the hints after the subscripts: `, read|write, locality<n>, data|instr`."""
    parser.parse_punctuation(",")
    way = parser.expect(lambda: _keyword(parser, "read", "write"), "expected read or write")
    parser.parse_punctuation(",")
    parser.parse_keyword("locality")
    with parser.in_angle_brackets():
        locality = parser.parse_integer()
    parser.parse_punctuation(",")
    cache = parser.expect(lambda: _keyword(parser, "data", "instr"), "expected data or instr")
    return Hints(way == "write", locality, cache == "data")


def _keyword(parser: Parser, *words: str) -> str | None:
    return next((word for word in words if parser.parse_optional_keyword(word)), None)
