"""Ops of which reductions consist: neutral lanes, accumulators and horizontal folds.

    %s = snippets.reduce_sum %x {axes = array<i64: 1>, keep_dims}

in loops 0 (kept) and 1 (reduced) is, after `lir-reduce-decomposition`,

    %f = lir.fill %x {offset = 16 : i64, value = 0.0 : f32, lir.loops = array<i64: 0, 1>}
    %a = lir.accumulate %f {kind = "sum", lir.loops = array<i64: 0, 1>}
    %s = lir.horizon %a {kind = "sum", lir.loops = array<i64: 0>}

Source: the guide's ReduceDecomposition (VectorBuffer, Fill, HorizonMax, HorizonSum). The guide pins
one mutable register. Here the accumulator is one op; `lir-insert-loops` turns it into a value that
the loop's markers carry.
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import HasParent, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import bit_width, tensor_of
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.snippets.typed_op import TypedOp

KINDS = ("sum", "prod", "max", "maxnum", "min")


Number = FloatAttr[AnyFloat] | IntegerAttr[IntegerType]


def neutral(kind: str, element: Attribute) -> Number:
    """The neutral value: 0, 1, -inf or the lowest integer, inf or the highest.

    Sums of floats start from 0.0 and so are never -0.0, as `snippets.reduce_sum` says.
    """
    if isinstance(element, AnyFloat):
        values = {"sum": 0.0, "prod": 1.0, "min": float("inf")}
        return FloatAttr(values.get(kind, float("-inf")), element)
    integer = IntegerType(width := bit_width(element))
    low, high = (0, 1) if width == 1 else (-(1 << (width - 1)), (1 << (width - 1)) - 1)
    integers = {"sum": 0, "prod": 1, "max": low, "min": high}
    return IntegerAttr(integers[kind], integer)


@irdl_op_definition
class FillOp(TypedOp):
    """The operand with its lanes from `offset` on replaced by `value` (the guide's Fill).

    An offset equal to the lanes of the port changes nothing.
    """

    name = "lir.fill"
    operand = operand_def(TensorType)
    result = result_def(TensorType)
    offset = prop_def(IntegerAttr)
    value = prop_def(Number)
    traits = traits_def(Pure(), HasParent(KernelOp))

    def __init__(self, operand: SSAValue | Operation, offset: int, value: Number) -> None:
        operand = SSAValue.get(operand)
        super().__init__(
            operands=[operand],
            result_types=[operand.type],
            properties={"offset": IntegerAttr(offset, i64), "value": value},
        )

    @property
    def first_filled(self) -> int:
        """The first lane that is replaced."""
        return self.offset.value.data

    def set_first_filled(self, lane: int) -> None:
        """Make `lane` the first lane that is replaced."""
        self.properties["offset"] = IntegerAttr(lane, i64)


class _KindOp(TypedOp, ABC):
    """An op that combines values by `kind`: sum, prod, max, maxnum or min."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)
    kind = prop_def(StringAttr)

    def __init__(self, operand: SSAValue | Operation, kind: str, result_type: Attribute) -> None:
        super().__init__(
            operands=[SSAValue.get(operand)],
            result_types=[result_type],
            properties={"kind": StringAttr(kind)},
        )

    def verify_(self) -> None:
        """Check that the kind is known, and that `maxnum` has floats."""
        if self.kind.data not in KINDS:
            raise VerifyException(
                f'expected {self.name} of kind {", ".join(KINDS)}, found "{self.kind.data}"'
            )
        element = tensor_of(self.operand).element_type
        if self.kind.data == "maxnum" and not isinstance(element, AnyFloat):
            raise VerifyException(
                f"expected floats for {self.name} of kind maxnum, found {element}; max is for "
                "integers"
            )


@irdl_op_definition
class AccumulateOp(_KindOp):
    """Combines its operand over the iterations of the innermost loop of its `lir.loops`.

    The accumulator starts from the neutral element of `kind`. The result is its content after the
    loop's last iteration, so it is a value of the enclosing loops. Maximum and minimum propagate
    NaN, but `maxnum` ignores it; integers wrap. The op is gone at stage `looped`: the markers then
    carry the accumulator.
    """

    name = "lir.accumulate"
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))


@irdl_op_definition
class HorizonOp(_KindOp):
    """All lanes of a vector combined into one element, by halves (the guide's HorizonSum, ...)."""

    name = "lir.horizon"
    traits = traits_def(Pure(), HasParent(KernelOp))
