"""`vector.load` and `vector.store`: consecutive elements of a memref.

Upstream has no effects and no alignment.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    BoolAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    VectorType,
)
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

from snippets_mlir.dialects.vector.access import Access, alignment_of

_FALSE = BoolAttr.from_bool(False)


@irdl_op_definition
class LoadOp(Access):
    """Read consecutive elements: `vector.load %A[%i] {alignment = 16 : i64} : memref<?xf32>, ...`.

    C1, C2, C4: see `Access`.
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
        self.check_access(self.base.type, len(self.indices), self.result.type)
        self.check_stride(self.base.type)


@irdl_op_definition
class StoreOp(Access):
    """Write consecutive elements: `vector.store %v, %A[%i] : memref<?xf32>, vector<8xf32>`.

    C1, C2, C4: see `Access`.
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
        self.check_access(self.base.type, len(self.indices), self.vector.type)
        self.check_stride(self.base.type)


OPS: tuple[type[Operation], ...] = (LoadOp, StoreOp)
