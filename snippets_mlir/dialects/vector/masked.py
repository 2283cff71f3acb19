"""`vector` ops on elements of a memref that a mask or indices select.

Upstream does not define their effects and has no alignment. It has no gather, scatter, expandload
and compressstore.

Operands come in the order of the base classes: first the position of the elements (`_Consecutive`,
`_Chosen`), then the values that are read or written (`_Read`, `_Write`).
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.vector.access import MASK, Access, alignment_of


class _Consecutive(Access, ABC):
    """Elements that follow each other, from `indices` on."""

    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)


class _Chosen(Access, ABC):
    """Elements at `indices + index_vec` in the last dimension."""

    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    index_vec = operand_def(VectorType)


class _Read(Access, ABC):
    """Masked reads: `mask` and `pass_thru` come after the operands that give the place."""

    mask = operand_def(MASK)
    pass_thru = operand_def(VectorType)
    alignment = opt_prop_def(IntegerAttr)
    result = result_def(VectorType)
    traits = traits_def(MemoryReadEffect())
    irdl_options = (ParsePropInAttrDict(),)

    def verify_(self) -> None:
        """Check C1 to C4 and that the pass-through has the type of the result."""
        _verify_place(self, self.result.type)
        if self.pass_thru.type != self.result.type:
            raise VerifyException(
                f"C3: expected a pass-through of {self.result.type}, found {self.pass_thru.type}"
            )


class _Write(Access, ABC):
    """Masked writes: `mask` and the value come after the operands that give the place."""

    mask = operand_def(MASK)
    value_to_store = operand_def(VectorType)
    alignment = opt_prop_def(IntegerAttr)
    traits = traits_def(MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)

    @override
    def verify_(self) -> None:
        _verify_place(self, self.value_to_store.type)


def _verify_place(op: _Read | _Write, vector: Attribute) -> None:
    """Check that memory, indices and mask fit `vector`."""
    assert isinstance(op, _Consecutive | _Chosen)
    op.check_access(op.base.type, len(op.indices), vector)
    op.check_shapes(vector, op.mask.type)
    if isinstance(op, _Chosen):
        op.check_shapes(vector, op.index_vec.type)


class _ConsecutiveRead(_Consecutive, _Read, ABC):
    """The reads of consecutive elements: text and constructor."""

    assembly_format = (
        "$base `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` type($base) `,` "
        "type($mask) `,` type($pass_thru) `into` type($result)"
    )

    def __init__(
        self,
        base: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        mask: SSAValue | Operation,
        pass_thru: SSAValue | Operation,
        alignment: int | None = None,
    ) -> None:
        pass_thru = SSAValue.get(pass_thru)
        super().__init__(
            operands=[base, indices, mask, pass_thru],
            result_types=[pass_thru.type],
            properties={"alignment": alignment_of(alignment)},
        )


class _ConsecutiveWrite(_Consecutive, _Write, ABC):
    """The writes to consecutive elements: text and constructor."""

    assembly_format = (
        "$base `[` $indices `]` `,` $mask `,` $value_to_store attr-dict `:` type($base) `,` "
        "type($mask) `,` type($value_to_store)"
    )

    def __init__(
        self,
        base: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        mask: SSAValue | Operation,
        value_to_store: SSAValue | Operation,
        alignment: int | None = None,
    ) -> None:
        super().__init__(
            operands=[base, indices, mask, value_to_store],
            properties={"alignment": alignment_of(alignment)},
        )


@irdl_op_definition
class MaskedLoadOp(_ConsecutiveRead):
    """Read the consecutive elements whose mask is 1, and the pass-through for the others.

    C1, C2, C3, C4: see `Access`.
    """

    name = "vector.maskedload"


@irdl_op_definition
class MaskedStoreOp(_ConsecutiveWrite):
    """Write the consecutive elements whose mask is 1.

    C1, C2, C3, C4: see `Access`.
    """

    name = "vector.maskedstore"


@irdl_op_definition
class GatherOp(_Chosen, _Read):
    """Read the elements at `indices + index_vec` in the last dimension whose mask is 1.

    C1, C2, C3, C4: see `Access`.
    """

    name = "vector.gather"
    assembly_format = (
        "$base `[` $indices `]` ` ` `[` $index_vec `]` `,` $mask `,` $pass_thru attr-dict `:` "
        "type($base) `,` type($index_vec) `,` type($mask) `,` type($pass_thru) `into` "
        "type($result)"
    )

    def __init__(
        self,
        base: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        index_vec: SSAValue | Operation,
        mask: SSAValue | Operation,
        pass_thru: SSAValue | Operation,
    ) -> None:
        pass_thru = SSAValue.get(pass_thru)
        super().__init__(
            operands=[base, indices, index_vec, mask, pass_thru], result_types=[pass_thru.type]
        )


@irdl_op_definition
class ScatterOp(_Chosen, _Write):
    """Write the elements at `indices + index_vec` whose mask is 1, in the order of the lanes.

    C1, C2, C3, C4: see `Access`.
    """

    name = "vector.scatter"
    assembly_format = (
        "$base `[` $indices `]` ` ` `[` $index_vec `]` `,` $mask `,` $value_to_store attr-dict "
        "`:` type($base) `,` type($index_vec) `,` type($mask) `,` type($value_to_store)"
    )

    def __init__(
        self,
        base: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        index_vec: SSAValue | Operation,
        mask: SSAValue | Operation,
        value_to_store: SSAValue | Operation,
    ) -> None:
        super().__init__(operands=[base, indices, index_vec, mask, value_to_store])


@irdl_op_definition
class ExpandLoadOp(_ConsecutiveRead):
    """Read consecutive elements into the lanes whose mask is 1.

    C1, C2, C3, C4: see `Access`.
    """

    name = "vector.expandload"


@irdl_op_definition
class CompressStoreOp(_ConsecutiveWrite):
    """Write the lanes whose mask is 1 to consecutive elements.

    C1, C2, C3, C4: see `Access`.
    """

    name = "vector.compressstore"


OPS: tuple[type[Operation], ...] = (
    CompressStoreOp,
    ExpandLoadOp,
    GatherOp,
    MaskedLoadOp,
    MaskedStoreOp,
    ScatterOp,
)
