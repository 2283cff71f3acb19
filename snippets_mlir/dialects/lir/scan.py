"""Ops that implement cumulative sums, products, maxima and minima.

    %s = snippets.cum_sum %x {axis = 1 : i64}

is a scan over the iterations of a loop if the vectors lie along another dim:

    %s = lir.scan %x {dim = 1 : i64, kind = "sum"}

`dim` is counted from the last dim of the ports. Along the dim of the vectors, which is 0,
`lir-reduce-decomposition` first combines the lanes:

    %p = lir.prefix %x {kind = "sum"}
    %s = lir.scan %p {dim = 0 : i64, kind = "sum", prefixed}

A vector 1, 2, 3, 4 has the prefixes 1, 3, 6, 10, and the next vector begins from 10. At stage
`looped` the markers carry the current state of a scan: the vector itself, or its `lir.last_lane`.
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import HasParent, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.reduction import Number, neutral
from snippets_mlir.dialects.snippets.typed_op import TypedOp

KINDS = ("sum", "prod", "max", "min")


def start_of(kind: str, element: Attribute) -> Number:
    """The start value of a scan, for which the first result equals the first element.

    A sum of floats begins from -0.0, as 0.0 + -0.0 is 0.0.
    """
    if kind == "sum" and isinstance(element, AnyFloat):
        return FloatAttr(-0.0, element)
    return neutral(kind, element)


class _ScanKindOp(TypedOp, ABC):
    """An op that combines values by `kind`: sum, prod, max or min."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)
    kind = prop_def(StringAttr)

    def verify_(self) -> None:
        """Check that the kind is a known one."""
        if self.kind.data not in KINDS:
            raise VerifyException(
                f'expected {self.name} of kind {", ".join(KINDS)}, found "{self.kind.data}"'
            )


@irdl_op_definition
class ScanOp(_ScanKindOp):
    """For each place along `dim`, the combination of all elements up to and including it, in order.

    The innermost loop of its `lir.loops` walks `dim`. With `prefixed`, the vectors of the operand
    lie along it and already hold the prefixes of their lanes. The op is gone at stage `looped`.
    """

    name = "lir.scan"
    dim_attr = prop_def(IntegerAttr, prop_name="dim")
    prefixed = opt_prop_def(UnitAttr)
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))

    def __init__(
        self, operand: SSAValue | Operation, kind: str, dim: int, *, prefixed: bool = False
    ) -> None:
        value = SSAValue.get(operand)
        super().__init__(
            operands=[value],
            result_types=[value.type],
            properties={
                "kind": StringAttr(kind),
                "dim": IntegerAttr(dim, i64),
                "prefixed": UnitAttr() if prefixed else None,
            },
        )

    @property
    def dim(self) -> int:
        """The dim of the ports that is walked, counted from the last."""
        return self.dim_attr.value.data

    def set_dim(self, dim: int) -> None:
        """Walk another dim."""
        self.properties["dim"] = IntegerAttr(dim, i64)

    def verify_(self) -> None:
        """Check the kind, and that the dim exists, or is 0 for prefixes."""
        super().verify_()
        if self.dim < 0 or (self.prefixed is not None and self.dim):
            wanted = "dim 0" if self.prefixed is not None else "a dim of 0 or more"
            raise VerifyException(f"expected {self.name} along {wanted}, found {self.dim}")


@irdl_op_definition
class PrefixOp(_ScanKindOp):
    """In each lane of a vector, the combination of all lanes up to and including it.

    Lanes are combined at distances 1, 2, 4, and so on: `x[i - d]` with `x[i]`.
    """

    name = "lir.prefix"
    traits = traits_def(Pure(), HasParent(KernelOp))

    def __init__(self, operand: SSAValue | Operation, kind: str) -> None:
        value = SSAValue.get(operand)
        super().__init__(
            operands=[value], result_types=[value.type], properties={"kind": StringAttr(kind)}
        )


@irdl_op_definition
class LastLaneOp(TypedOp):
    """A vector of the last lane of the operand."""

    name = "lir.last_lane"
    operand = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure(), HasParent(KernelOp))

    def __init__(self, operand: SSAValue | Operation) -> None:
        value = SSAValue.get(operand)
        super().__init__(operands=[value], result_types=[value.type])
