"""`vector` ops that touch memory: upstream's definitions with their effects said.

Upstream's parsers make upstream's classes, so each of ours parses through upstream's and is
rebuilt.
"""

from __future__ import annotations

from typing import TypeVar

from xdsl.dialects import vector as upstream
from xdsl.ir import Operation
from xdsl.irdl import traits_def
from xdsl.parser import Parser
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

OpT = TypeVar("OpT", bound=Operation)


def as_class(cls: type[OpT], parsed: Operation) -> OpT:
    """`parsed`, which has no results in use and no parent, as an op of class `cls`."""
    op = cls.create(
        operands=parsed.operands,
        result_types=parsed.result_types,
        properties=parsed.properties,
        attributes=parsed.attributes,
    )
    parsed.erase()
    return op


class LoadOp(upstream.LoadOp):
    """Read consecutive elements of a memref."""

    traits = traits_def(MemoryReadEffect())

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        """Parse MLIR's form."""
        return as_class(cls, upstream.LoadOp.parse(parser))


class StoreOp(upstream.StoreOp):
    """Write consecutive elements of a memref."""

    traits = traits_def(MemoryWriteEffect())

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        """Parse MLIR's form."""
        return as_class(cls, upstream.StoreOp.parse(parser))


class MaskedLoadOp(upstream.MaskedLoadOp):
    """Read the elements of a memref whose mask is 1."""

    traits = traits_def(MemoryReadEffect())

    @classmethod
    def parse(cls, parser: Parser) -> MaskedLoadOp:
        """Parse MLIR's form."""
        return as_class(cls, upstream.MaskedLoadOp.parse(parser))


class MaskedStoreOp(upstream.MaskedStoreOp):
    """Write the elements of a memref whose mask is 1."""

    traits = traits_def(MemoryWriteEffect())

    @classmethod
    def parse(cls, parser: Parser) -> MaskedStoreOp:
        """Parse MLIR's form."""
        return as_class(cls, upstream.MaskedStoreOp.parse(parser))


OPS: tuple[type[Operation], ...] = (
    LoadOp,
    MaskedLoadOp,
    MaskedStoreOp,
    StoreOp,
)
