"""`affine` ops on memory: loads, stores and prefetches with affine subscripts.

    %v = affine.load %A[%i + 1, symbol(%n)] : memref<?x?xf32>
    affine.vector_store %w, %A[%i, %j * 8] : memref<?x?xf32>, vector<8xf32>

Upstream's parsers read every subscript as a symbol and drop attributes; its ops have no effects.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Self

from typing_extensions import override
from xdsl.dialects import affine as upstream
from xdsl.dialects.builtin import AffineMapAttr, MemRefType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.affine.scope import verify_operands
from snippets_mlir.dialects.affine.text import parse_subscripts, print_subscripts
from snippets_mlir.dialects.affine.values import map_of
from snippets_mlir.dialects.builtin.shaped import element_of, rank_of
from snippets_mlir.dialects.memref.prefetching import Hints, Prefetch, parse_hints


def _verify_subscripts(map: AffineMap, memref: Attribute) -> None:
    """C4: one subscript for each dimension of the memref; raises `VerifyException`."""
    if len(map.results) != rank_of(memref):
        raise VerifyException(
            f"C4: expected {rank_of(memref)} subscripts of {memref}, found {len(map.results)}"
        )


class _Access(IRDLOperation, ABC):
    """The base of loads and stores.

    C1, C2, C3: the operands of the map (`scope.verify_operands`).
    C4: the map has one result for each dimension of the memref.
    C5: the element type of a vector is the memref's.
    """

    HAS_VALUE: ClassVar[bool] = False
    IS_VECTOR: ClassVar[bool] = False

    @override
    def verify_(self) -> None:
        places = 1 + self.HAS_VALUE
        memref = self.operands[places - 1].type
        map = map_of(self)
        verify_operands("access map", map, self.operands[places:])
        _verify_subscripts(map, memref)
        value = self.operands[0].type if self.HAS_VALUE else self.results[0].type
        element = element_of(value) if self.IS_VECTOR else value
        if element != element_of(memref):
            raise VerifyException(f"C5: expected elements of {memref}, found {value}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `[%value,] %memref[subscripts] attr-dict : memref type [, vector type]`."""
        value = None
        if cls.HAS_VALUE:
            value = parser.parse_unresolved_operand()
            parser.parse_punctuation(",")
        memref = parser.parse_unresolved_operand()
        map, indices = parse_subscripts(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        memref_type = parser.parse_type()
        if memref_type.name != MemRefType.name:
            parser.raise_error(f"expected a memref type, found {memref_type}", position, parser.pos)
        element = element_of(memref_type)
        if cls.IS_VECTOR:
            parser.parse_punctuation(",")
            element = parser.parse_type()
        operands: list[SSAValue] = [parser.resolve_operand(memref, memref_type), *indices]
        if value is not None:
            operands.insert(0, parser.resolve_operand(value, element))
        return cls.create(
            operands=operands,
            result_types=[] if cls.HAS_VALUE else [element],
            properties={"map": map},
            attributes=attributes,
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.HAS_VALUE:
            printer.print_operand(self.operands[0])
            printer.print_string(", ")
        places = 1 + self.HAS_VALUE
        printer.print_operand(self.operands[places - 1])
        print_subscripts(printer, map_of(self), self.operands[places:])
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[places - 1].type)
        if self.IS_VECTOR:
            printer.print_string(", ")
            value = self.operands[0] if self.HAS_VALUE else self.results[0]
            printer.print_attribute(value.type)


class LoadOp(_Access, upstream.LoadOp):  # pyright: ignore[reportIncompatibleMethodOverride]
    """`%v = affine.load %A[%i + 1]`: the element at affine subscripts."""

    traits = traits_def(MemoryReadEffect())


class StoreOp(_Access, upstream.StoreOp):  # pyright: ignore[reportIncompatibleMethodOverride]
    """`affine.store %v, %A[%i + 1]`: writes the element at affine subscripts."""

    HAS_VALUE: ClassVar[bool] = True
    traits = traits_def(MemoryWriteEffect())


class VectorLoadOp(_Access, upstream.VectorLoadOp):  # pyright: ignore[reportIncompatibleMethodOverride]
    """`affine.vector_load`: a vector of consecutive elements from affine subscripts on."""

    IS_VECTOR: ClassVar[bool] = True
    traits = traits_def(MemoryReadEffect())


class VectorStoreOp(_Access, upstream.VectorStoreOp):  # pyright: ignore[reportIncompatibleMethodOverride]
    """`affine.vector_store`: writes a vector to consecutive elements from affine subscripts on."""

    HAS_VALUE: ClassVar[bool] = True
    IS_VECTOR: ClassVar[bool] = True
    traits = traits_def(MemoryWriteEffect())


@irdl_op_definition
class PrefetchOp(Prefetch):
    """Ask for a cache line: `affine.prefetch %A[%i], read, locality<3>, data : memref<8xf32>`.

    C1, C2, C3: the operands of the map (`scope.verify_operands`).
    C4: the map has one result for each dimension of the memref.
    C6: locality is 0 (none) to 3 (keep).
    """

    name = "affine.prefetch"

    map = prop_def(AffineMapAttr)

    def __init__(
        self,
        memref: SSAValue | Operation,
        indices: Sequence[SSAValue],
        map: AffineMap,
        hints: Hints,
    ) -> None:
        super().__init__(
            operands=[memref, indices], properties={"map": AffineMapAttr(map), **hints.properties}
        )

    def verify_(self) -> None:
        """Check C1 to C4 and C6."""
        verify_operands("access map", self.map.data, self.indices)
        _verify_subscripts(self.map.data, self.memref.type)
        if not 0 <= self.hints.locality <= 3:
            raise VerifyException(
                f"C6: expected a locality from 0 to 3, found {self.hints.locality}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        """Parse `%memref[subscripts], read|write, locality<n>, data|instr attr-dict : type`."""
        name = parser.parse_unresolved_operand()
        map, indices = parse_subscripts(parser)
        hints = parse_hints(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        memref = parser.resolve_operand(name, parser.parse_type())
        op = cls(memref, indices, map.data, hints)
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.memref)
        print_subscripts(printer, self.map.data, self.indices)
        self.print_hints(printer)


OPS: tuple[type[Operation], ...] = (
    LoadOp,
    PrefetchOp,
    StoreOp,
    VectorLoadOp,
    VectorStoreOp,
)
