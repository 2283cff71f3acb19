"""`vector.multi_reduction`: reduction of a vector along dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import DenseArrayBase, VectorType, i64
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.vector.lanes import integers_in


@irdl_op_definition
class MultiReductionOp(IRDLOperation):
    """Dimensions reduced away: `vector.multi_reduction <add>, %v, %acc [1] : ... to ...`.

    C1: the dimensions are different ones of the source.
    C2: result and accumulator have the remaining sizes; they are scalars if none remain.
    """

    name = "vector.multi_reduction"
    T: ClassVar = VarConstraint("T", AnyAttr())

    source = operand_def(VectorType)
    acc = operand_def(T)
    kind = prop_def(CombiningKindAttr)
    reduction_dims = prop_def(DenseArrayBase.constr(i64))
    dest = result_def(T)
    traits = traits_def(Pure())

    assembly_format = (
        "$kind `,` $source `,` $acc $reduction_dims attr-dict `:` type($source) `to` type($dest)"
    )

    def __init__(
        self,
        kind: CombiningKindFlag,
        source: SSAValue | Operation,
        acc: SSAValue | Operation,
        dims: Sequence[int],
    ) -> None:
        acc = SSAValue.get(acc)
        super().__init__(
            operands=[source, acc],
            result_types=[acc.type],
            properties={
                "kind": CombiningKindAttr(kind),
                "reduction_dims": DenseArrayBase.from_list(i64, dims),
            },
        )

    @property
    def dims(self) -> tuple[int, ...]:
        """The reduced dimensions as Python integers."""
        return integers_in(self.reduction_dims)

    @override
    def verify_(self) -> None:
        shape = extents_of(self.source.type)
        dims = self.dims
        if len(set(dims)) != len(dims) or any(not 0 <= d < len(shape) for d in dims):
            raise VerifyException(
                f"C1: expected different dimensions of {self.source.type}, found {list(dims)}"
            )
        left = [size for d, size in enumerate(shape) if d not in dims]
        element = element_of(self.source.type)
        expected = VectorType(element, left) if left else element
        if self.dest.type != expected:
            raise VerifyException(f"C2: expected a result of {expected}, found {self.dest.type}")


OPS: tuple[type[Operation], ...] = (MultiReductionOp,)
