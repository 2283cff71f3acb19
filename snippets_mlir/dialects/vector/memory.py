"""`vector` ops on consecutive or chosen elements of a memref.

Upstream says nothing of the effects, has no alignment, and no gather, scatter, expandload and
compressstore.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import TypeVar

from xdsl.dialects.builtin import (
    BoolAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
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

from snippets_mlir.dialects.memref.views import layout_of
from snippets_mlir.dialects.shaped import element_of, rank_of, shape_of

OpT = TypeVar("OpT", bound=Operation)
_FALSE = BoolAttr.from_bool(False)


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


class _Access(IRDLOperation, ABC):
    """What the ops on memrefs share.

    C1: one index for each dimension of the memref.
    C2: vectors and memref have one element type.
    C3: mask, indices and vectors have one shape.
    C4: the alignment is a power of two.
    C5: memory that is loaded or stored in one piece has a last stride of 1.
    """

    def _check(self, base: Attribute, indices: int, vector: Attribute) -> None:
        """Check C1, C2 and C4; elements that are vectors are taken apart."""
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

    def _check_stride(self, base: Attribute) -> None:
        """Check C5."""
        layout = layout_of(base)
        if layout is not None and layout[0] and layout[0][-1] != 1:
            raise VerifyException(f"C5: expected memory whose last stride is 1, found {base}")

    def _check_shapes(self, vector: Attribute, *others: Attribute) -> None:
        """Check C3."""
        for other in others:
            if shape_of(other) != shape_of(vector):
                raise VerifyException(f"C3: expected the shape of {vector}, found {other}")


@irdl_op_definition
class LoadOp(_Access):
    """Read consecutive elements: `vector.load %A[%i] {alignment = 16 : i64} : memref<?xf32>, ...`.

    C1, C2, C4: see `_Access`.
    """

    name = "vector.load"
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    nontemporal = opt_prop_def(BoolAttr, default_value=_FALSE)
    alignment = opt_prop_def(IntegerAttr)
    result = result_def(VectorType)
    traits = traits_def(MemoryReadEffect())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$base `[` $indices `]` attr-dict `:` type($base) `,` type($result)"

    def __init__(
        self,
        base: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        result_type: Attribute,
        alignment: int | None = None,
    ) -> None:
        super().__init__(
            operands=[base, indices],
            result_types=[result_type],
            properties={"alignment": alignment_of(alignment)},
        )

    def verify_(self) -> None:
        """Check C1, C2, C4 and C5."""
        self._check(self.base.type, len(self.indices), self.result.type)
        self._check_stride(self.base.type)


@irdl_op_definition
class StoreOp(_Access):
    """Write consecutive elements: `vector.store %v, %A[%i] : memref<?xf32>, vector<8xf32>`.

    C1, C2, C4: see `_Access`.
    """

    name = "vector.store"
    vector = operand_def(VectorType)
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    nontemporal = opt_prop_def(BoolAttr, default_value=_FALSE)
    alignment = opt_prop_def(IntegerAttr)
    traits = traits_def(MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$vector `,` $base `[` $indices `]` attr-dict `:` type($base) `,` type($vector)"
    )

    def __init__(
        self,
        vector: SSAValue | Operation,
        base: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        alignment: int | None = None,
    ) -> None:
        super().__init__(
            operands=[vector, base, indices],
            properties={"alignment": alignment_of(alignment)},
        )

    def verify_(self) -> None:
        """Check C1, C2, C4 and C5."""
        self._check(self.base.type, len(self.indices), self.vector.type)
        self._check_stride(self.base.type)


class _MaskedRead(_Access, ABC):
    """Checks of the reads with mask and pass-through."""

    def verify_(self) -> None:
        """Check C1 to C4 and that the pass-through has the type of the result."""
        assert isinstance(self, MaskedLoadOp | GatherOp | ExpandLoadOp)
        result = self.result.type
        self._check(self.base.type, len(self.indices), result)
        self._check_shapes(result, self.mask.type)
        if self.pass_thru.type != result:
            raise VerifyException(
                f"C3: expected a pass-through of {result}, found {self.pass_thru.type}"
            )
        if isinstance(self, GatherOp):
            self._check_shapes(result, self.index_vec.type)


class _MaskedWrite(_Access, ABC):
    """Checks of the writes with mask."""

    def verify_(self) -> None:
        """Check C1 to C4."""
        assert isinstance(self, MaskedStoreOp | ScatterOp | CompressStoreOp)
        vector = self.value_to_store.type
        self._check(self.base.type, len(self.indices), vector)
        self._check_shapes(vector, self.mask.type)
        if isinstance(self, ScatterOp):
            self._check_shapes(vector, self.index_vec.type)


_MASK = VectorType.constr(i1)


@irdl_op_definition
class MaskedLoadOp(_MaskedRead):
    """Read the consecutive elements whose mask is 1, the pass-through for the others.

    C1, C2, C3, C4: see `_Access`.
    """

    name = "vector.maskedload"
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    mask = operand_def(_MASK)
    pass_thru = operand_def(VectorType)
    alignment = opt_prop_def(IntegerAttr)
    result = result_def(VectorType)
    traits = traits_def(MemoryReadEffect())

    irdl_options = (ParsePropInAttrDict(),)
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


@irdl_op_definition
class MaskedStoreOp(_MaskedWrite):
    """Write the consecutive elements whose mask is 1.

    C1, C2, C3, C4: see `_Access`.
    """

    name = "vector.maskedstore"
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    mask = operand_def(_MASK)
    value_to_store = operand_def(VectorType)
    alignment = opt_prop_def(IntegerAttr)
    traits = traits_def(MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
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
class GatherOp(_MaskedRead):
    """Read the elements at `indices + index_vec` in the last dimension whose mask is 1.

    C1, C2, C3, C4: see `_Access`.
    """

    name = "vector.gather"
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    index_vec = operand_def(VectorType)
    mask = operand_def(_MASK)
    pass_thru = operand_def(VectorType)
    alignment = opt_prop_def(IntegerAttr)
    result = result_def(VectorType)
    traits = traits_def(MemoryReadEffect())

    irdl_options = (ParsePropInAttrDict(),)
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
class ScatterOp(_MaskedWrite):
    """Write the elements at `indices + index_vec` whose mask is 1, in the order of the lanes.

    C1, C2, C3, C4: see `_Access`.
    """

    name = "vector.scatter"
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    index_vec = operand_def(VectorType)
    mask = operand_def(_MASK)
    value_to_store = operand_def(VectorType)
    alignment = opt_prop_def(IntegerAttr)
    traits = traits_def(MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
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
class ExpandLoadOp(_MaskedRead):
    """Read consecutive elements into the lanes whose mask is 1.

    C1, C2, C3, C4: see `_Access`.
    """

    name = "vector.expandload"
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    mask = operand_def(_MASK)
    pass_thru = operand_def(VectorType)
    alignment = opt_prop_def(IntegerAttr)
    result = result_def(VectorType)
    traits = traits_def(MemoryReadEffect())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$base `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` type($base) `,` "
        "type($mask) `,` type($pass_thru) `into` type($result)"
    )


@irdl_op_definition
class CompressStoreOp(_MaskedWrite):
    """Write the lanes whose mask is 1 to consecutive elements.

    C1, C2, C3, C4: see `_Access`.
    """

    name = "vector.compressstore"
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    mask = operand_def(_MASK)
    value_to_store = operand_def(VectorType)
    alignment = opt_prop_def(IntegerAttr)
    traits = traits_def(MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$base `[` $indices `]` `,` $mask `,` $value_to_store attr-dict `:` type($base) `,` "
        "type($mask) `,` type($value_to_store)"
    )


def alignment_of(bytes: int | None) -> IntegerAttr | None:
    """An alignment in bytes as it is written."""
    return None if bytes is None else IntegerAttr(bytes, i64)


OPS: tuple[type[Operation], ...] = (
    CompressStoreOp,
    ExpandLoadOp,
    GatherOp,
    LoadOp,
    MaskedLoadOp,
    MaskedStoreOp,
    ScatterOp,
    StoreOp,
)
