"""`llvm` masked loads and stores, gather and scatter on 1-D vectors, and the fence.

`alignment` is in bytes and belongs to each element; lanes whose mask is 0 touch no memory.
"""

from __future__ import annotations

from abc import ABC

from typing_extensions import override
from xdsl.dialects.builtin import I32, I64, IntegerAttr, VectorType, i1, i32, i64
from xdsl.dialects.llvm import ATOMIC_ORDERING_KEYWORDS, LLVMPointerType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.op_class import Op
from snippets_mlir.dialects.llvm.casts import lanes_of

_MASK = VectorType.constr(i1)
_POINTERS = VectorType.constr(base(LLVMPointerType))
_ORDERINGS = {keyword: number for number, keyword in ATOMIC_ORDERING_KEYWORDS.items()}


class _Masked(Op, ABC):
    alignment = prop_def(IntegerAttr[I32])
    irdl_options = (ParsePropInAttrDict(),)

    def verify_(self) -> None:
        """Check that all vectors have the same number of lanes."""
        types = (*self.operand_types, *self.result_types)
        lanes = {lanes_of(t) for t in types if isinstance(t, VectorType)}  # pyright: ignore[reportUnknownArgumentType]
        if len(lanes) != 1:
            raise VerifyException(
                f"expected vectors of one length, found {', '.join(map(str, types))}"
            )


class _Reading(_Masked, ABC):
    data = operand_def()
    mask = operand_def(_MASK)
    pass_thru = operand_def(VectorType)
    res = result_def(VectorType)
    traits = traits_def(MemoryReadEffect())

    assembly_format = (
        "$data `,` $mask `,` $pass_thru attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        data: SSAValue | Operation,
        mask: SSAValue | Operation,
        pass_thru: SSAValue | Operation,
        alignment: int,
    ) -> None:
        pass_thru = SSAValue.get(pass_thru)
        super().__init__(
            operands=[data, mask, pass_thru],
            result_types=[pass_thru.type],
            properties={"alignment": IntegerAttr(alignment, i32)},
        )


class _Writing(_Masked, ABC):
    value = operand_def(VectorType)
    data = operand_def()
    mask = operand_def(_MASK)
    traits = traits_def(MemoryWriteEffect())

    assembly_format = (
        "$value `,` $data `,` $mask attr-dict `:` type($value) `,` type($mask) `into` type($data)"
    )

    def __init__(
        self,
        value: SSAValue | Operation,
        data: SSAValue | Operation,
        mask: SSAValue | Operation,
        alignment: int,
    ) -> None:
        super().__init__(
            operands=[value, data, mask], properties={"alignment": IntegerAttr(alignment, i32)}
        )


@irdl_op_definition
class MaskedLoadOp(_Reading):
    """Consecutive elements where the mask is 1, `pass_thru` elsewhere."""

    name = "llvm.intr.masked.load"
    data = operand_def(LLVMPointerType)


@irdl_op_definition
class MaskedGatherOp(_Reading):
    """One element from each pointer where the mask is 1, `pass_thru` elsewhere."""

    name = "llvm.intr.masked.gather"
    data = operand_def(_POINTERS)


@irdl_op_definition
class MaskedStoreOp(_Writing):
    """Store consecutive elements where the mask is 1."""

    name = "llvm.intr.masked.store"
    value = operand_def(VectorType)
    data = operand_def(LLVMPointerType)
    mask = operand_def(_MASK)


@irdl_op_definition
class MaskedScatterOp(_Writing):
    """Store one element through each pointer where the mask is 1."""

    name = "llvm.intr.masked.scatter"
    value = operand_def(VectorType)
    data = operand_def(_POINTERS)
    mask = operand_def(_MASK)


@irdl_op_definition
class FenceOp(Op):
    """`llvm.fence release`: orders stores before it and later ones."""

    name = "llvm.fence"
    ordering = prop_def(IntegerAttr[I64])

    def __init__(self, ordering: str) -> None:
        super().__init__(properties={"ordering": IntegerAttr(_ORDERINGS[ordering], i64)})

    def verify_(self) -> None:
        """Check that the ordering is acquire or stronger."""
        if self.ordering.value.data not in (4, 5, 6, 7):
            raise VerifyException("expected acquire, release, acq_rel or seq_cst")

    @classmethod
    def parse(cls, parser: Parser) -> FenceOp:
        """Parse the ordering and the attributes."""
        keyword = parser.expect(
            lambda: parser.parse_optional_keyword_in(_ORDERINGS),
            f"expected one of {', '.join(_ORDERINGS)}",
        )
        op = cls(keyword)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(f" {ATOMIC_ORDERING_KEYWORDS[self.ordering.value.data]}")
        printer.print_op_attributes(self.attributes)


OPS: tuple[type[Operation], ...] = (
    FenceOp,
    MaskedGatherOp,
    MaskedLoadOp,
    MaskedScatterOp,
    MaskedStoreOp,
)
