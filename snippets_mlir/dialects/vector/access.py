"""Shared by `vector` ops on memrefs: checks of indices, element types, shapes and alignment."""

from __future__ import annotations

from abc import ABC
from typing import TypeVar

from xdsl.dialects.builtin import IntegerAttr, VectorType, i1, i64
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of, rank_of
from snippets_mlir.dialects.memref.layout import layout_of

OpT = TypeVar("OpT", bound=Operation)
MASK = VectorType.constr(i1)
"""A vector of bits."""


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


def alignment_of(bytes: int | None) -> IntegerAttr | None:
    """The alignment in bytes from the text."""
    return None if bytes is None else IntegerAttr(bytes, i64)


class Access(IRDLOperation, ABC):
    """The base of the ops on memrefs.

    C1: one index for each dimension of the memref.
    C2: vectors and memref have the same element type.
    C3: mask, indices and vectors have the same shape.
    C4: the alignment is a power of two.
    C5: contiguous loads and stores have a last stride of 1.
    """

    def check_access(self, base: Attribute, indices: int, vector: Attribute) -> None:
        """Check C1, C2 and C4; elements that are vectors are extra dimensions."""
        if indices != rank_of(base):
            raise VerifyException(
                f"C1: expected {rank_of(base)} indices of {base}, found {indices}"
            )
        if element_of(vector) != element_of(element_of(base)):
            raise VerifyException(f"C2: expected elements of {base}, found {vector}")
        alignment = self.properties.get("alignment")
        if isinstance(alignment, IntegerAttr):
            value = alignment.value.data
            if value <= 0 or value & (value - 1):
                raise VerifyException(f"C4: expected a power of two as alignment, found {value}")

    def check_stride(self, base: Attribute) -> None:
        """C5: the last stride of the memory is 1; else a `VerifyException`."""
        layout = layout_of(base)
        if layout is not None and layout[0] and layout[0][-1] != 1:
            raise VerifyException(f"C5: expected memory whose last stride is 1, found {base}")

    def check_shapes(self, vector: Attribute, *others: Attribute) -> None:
        """C3: all types have the shape of `vector`; else a `VerifyException`."""
        for other in others:
            if extents_of(other) != extents_of(vector):
                raise VerifyException(f"C3: expected the shape of {vector}, found {other}")
