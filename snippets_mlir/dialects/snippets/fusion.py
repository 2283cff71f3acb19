"""Tuples of tensors, and a barrier for operator fusion.

%t = snippets.tuple %a, %b : (tensor<4xf32>, tensor<2xi1>) -> tuple<tensor<4xf32>, tensor<2xi1>>
%b2 = snippets.tuple_get %t {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<2xi1>>) -> tensor<2xi1>
%c = snippets.stop_fusion %a : tensor<4xf32>

Constraints, named in the verifier's messages:

* F1: the type of a tuple lists the types of its fields.
* F2: `index` is the position of a field, counted from 0.
* F3: `tuple_get` gives the type of that field.
* F4: `stop_fusion` gives the type of its operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from typing_extensions import override
from xdsl.dialects.builtin import I64, ArrayAttr, IntegerAttr, TensorType, TupleType, i64
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.snippets.pattern_kinds import Flavor, HasFusePattern, PatternKind
from snippets_mlir.dialects.snippets.typed_op import TypedOp


def is_tensor_like(type_: Attribute) -> bool:
    """Whether values of the type are tensors, or tuples with only such values."""
    if isinstance(type_, TupleType):
        return all(is_tensor_like(t) for t in type_.types.data)
    return isinstance(type_, TensorType)


def _tuple_type(fields: Sequence[SSAValue]) -> TupleType:
    return TupleType(ArrayAttr(cast("TypeAttribute", v.type) for v in fields))


@irdl_op_definition
class TupleOp(HasFusePattern, TypedOp):
    """A tuple of values; its fields are the operands, in order."""

    name = "snippets.tuple"
    fields_ = var_operand_def()
    result = result_def(TupleType)
    traits = traits_def(Pure())

    def __init__(self, values: Sequence[SSAValue]) -> None:
        super().__init__(operands=[values], result_types=[_tuple_type(values)])

    @override
    def verify_(self) -> None:
        expected = _tuple_type(self.fields_)
        if self.result.type != expected:
            raise VerifyException(
                f"F1: snippets.tuple expects a result of {expected}, found {self.result.type}"
            )

    def fuse_pattern(self, flavor: Flavor) -> PatternKind:
        """`tuple`; Relax has no tuples inside groups."""
        return PatternKind.TUPLE if flavor is Flavor.RELAY else PatternKind.OPAQUE


@irdl_op_definition
class TupleGetOp(HasFusePattern, TypedOp):
    """The field of a tuple at a place."""

    name = "snippets.tuple_get"
    tuple = operand_def(TupleType)
    index = prop_def(IntegerAttr[I64])
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, tuple: SSAValue, index: int) -> None:
        types = cast("TupleType", tuple.type).types.data
        super().__init__(
            operands=[tuple],
            result_types=[types[index]],
            properties={"index": IntegerAttr(index, i64)},
        )

    @override
    def verify_(self) -> None:
        types = cast("TupleType", self.tuple.type).types.data
        index = self.index.value.data
        if not 0 <= index < len(types):
            raise VerifyException(
                f"F2: snippets.tuple_get expects an index below {len(types)}, found {index}"
            )
        if self.result.type != types[index]:
            raise VerifyException(
                f"F3: snippets.tuple_get expects a result of {types[index]}, "
                f"found {self.result.type}"
            )

    @override
    def fuse_pattern(self, flavor: Flavor) -> PatternKind:
        return PatternKind.INJECTIVE


@irdl_op_definition
class StopFusionOp(HasFusePattern, TypedOp):
    """The operand; nothing is fused across the op, and `snippets-fuse-ops` removes it."""

    name = "snippets.stop_fusion"
    operand = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue) -> None:
        super().__init__(operands=[operand], result_types=[operand.type])

    @override
    def verify_(self) -> None:
        if self.operand.type != self.result.type:
            raise VerifyException(
                f"F4: snippets.stop_fusion expects a result of {self.operand.type}, "
                f"found {self.result.type}"
            )

    @override
    def fuse_pattern(self, flavor: Flavor) -> PatternKind:
        return PatternKind.OPAQUE


FUSION_OPS = (StopFusionOp, TupleGetOp, TupleOp)
