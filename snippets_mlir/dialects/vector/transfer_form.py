"""The parts and the text of the vector transfers.

    %v = vector.transfer_read %A[%i, %j], %pad, %mask {in_bounds = [true, false],
        permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<?x?xf32>, vector<4x8xf32>
    vector.transfer_write %v, %A[%i, %j] : vector<4x8xf32>, memref<?x?xf32>

A map that is the minor identity and flags that are all false are not written.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects import vector as upstream
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    IndexType,
    MemRefType,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer

from snippets_mlir.dialects.builtin.shaped import element_of
from snippets_mlir.dialects.vector.transfer_maps import flags_of, mask_type_of, minor_identity


class TransferForm(IRDLOperation, ABC):
    """The parts of a transfer, and how they are written."""

    READS: ClassVar[bool]
    """Whether the op is `vector.transfer_read`."""

    @property
    def memory(self) -> SSAValue:
        """The memref or tensor that the transfer reads or writes."""
        return self.operands[0 if self.READS else 1]

    @property
    def vector_type(self) -> Attribute:
        """The type of the vector that is read or written."""
        return self.results[0].type if self.READS else self.operands[0].type

    @property
    def map(self) -> AffineMap:
        """The permutation map, from the dims of the memory to those of the vector."""
        map = self.properties["permutation_map"]
        assert isinstance(map, AffineMapAttr)
        return map.data

    @property
    def bounds(self) -> tuple[bool, ...]:
        """`in_bounds` as Python booleans."""
        flags = self.properties["in_bounds"]
        assert isinstance(flags, ArrayAttr)
        return tuple(bool(flag) for flag in flags)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]

    @property
    def start(self) -> Sequence[SSAValue]:
        """The indices where the vector begins."""
        assert isinstance(self, upstream.TransferReadOp | upstream.TransferWriteOp)
        return self.indices

    @property
    def mask_or_none(self) -> SSAValue | None:
        """The mask, None when every lane is walked."""
        assert isinstance(self, upstream.TransferReadOp | upstream.TransferWriteOp)
        return self.mask

    @property
    def padding_or_none(self) -> SSAValue | None:
        """The padding, None of a write."""
        return self.padding if isinstance(self, upstream.TransferReadOp) else None

    def print(self, printer: Printer) -> None:
        """Print the form that `parse` reads; the map and the flags only if they differ from the
        defaults.
        """
        vector = None if self.READS else self.operands[0]
        printer.print_string(" ")
        if vector is not None:
            printer.print_operand(vector)
            printer.print_string(", ")
        printer.print_operand(self.memory)
        with printer.in_square_brackets():
            printer.print_list(self.start, printer.print_operand)
        for value in (self.padding_or_none, self.mask_or_none):
            if value is not None:
                printer.print_string(", ")
                printer.print_operand(value)
        hidden = {"operandSegmentSizes"}
        if self.map == minor_identity(self.memory.type, self.vector_type):
            hidden.add("permutation_map")
        if not any(self.bounds):
            hidden.add("in_bounds")
        printer.print_op_attributes(
            dict(sorted({**self.attributes, **self.properties}.items())),
            reserved_attr_names=hidden,
        )
        types = [self.memory.type, self.vector_type]
        printer.print_string(" : ")
        printer.print_list(types if vector is None else types[::-1], printer.print_attribute)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `[%v,] %memory[indices][, %padding][, %mask] attr-dict : type, type`."""
        read = cls.READS
        names = [] if read else [parser.parse_unresolved_operand()]
        if not read:
            parser.parse_punctuation(",")
        names.append(parser.parse_unresolved_operand())
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_operand(IndexType())
        )
        if read:
            parser.parse_punctuation(",")
            names.append(parser.parse_unresolved_operand())
        mask = None
        if parser.parse_optional_punctuation(","):
            mask = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        memory, vector = _parse_types(parser, read=read)
        properties = _properties(attributes, memory, vector, parser)
        map = properties["permutation_map"]
        assert isinstance(map, AffineMapAttr)
        masked = (
            [] if mask is None else [parser.resolve_operand(mask, mask_type_of(vector, map.data))]
        )
        first = parser.resolve_operand(names[0], memory if read else vector)
        second = parser.resolve_operand(names[1], element_of(memory) if read else memory)
        result = [vector] if read else [memory] if memory.name == TensorType.name else []
        return cls.build(
            operands=[first, indices, second, masked] if read else [first, second, indices, masked],
            result_types=[result] if not read else result,
            properties=properties,
            attributes=attributes,
        )


def _parse_types(parser: Parser, *, read: bool) -> tuple[Attribute, Attribute]:
    position = parser.pos
    types: list[Attribute] = [parser.parse_type()]
    parser.parse_punctuation(",")
    types.append(parser.parse_type())
    memory, vector = types if read else types[::-1]
    if not isinstance(memory, MemRefType | TensorType) or not isinstance(vector, VectorType):
        parser.raise_error(
            f"expected a memref or tensor and a vector, found {memory} and {vector}",
            position,
            parser.pos,
        )
    return memory, vector  # pyright: ignore[reportUnknownVariableType]


def _properties(
    attributes: dict[str, Attribute], memory: Attribute, vector: Attribute, parser: Parser
) -> dict[str, Attribute]:
    """Take the properties out of `attributes`, with defaults for missing ones."""
    map = attributes.pop("permutation_map", None) or AffineMapAttr(minor_identity(memory, vector))
    if not isinstance(map, AffineMapAttr):
        parser.raise_error(f"expected an affine map as permutation_map, found {map}")
    return {
        "permutation_map": map,
        "in_bounds": attributes.pop("in_bounds", None) or flags_of([False] * len(map.data.results)),
    }
