"""Turn constants of one element in subgraphs into scalars, which kernels hold as immediates.

    %c = snippets.constant dense<2.0> : tensor<1x1xf32>       %c = snippets.scalar 2.0 : f32
    %0 = snippets.add %a, %c                         becomes  %0 = snippets.add %a, %c

A scalar has rank 0. Where the constant's rank is what gives a user's result its rank
(`tensor<8xf32>` plus `tensor<1x1xf32>` is `tensor<1x8xf32>`), or the constant is yielded, a
`snippets.broadcast` restores it. Constants of more elements, and those outside of subgraphs, are
left alone. Source: the guide's ConvertConstantsToScalars.
"""

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
)
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp


def _plan(op: Operation) -> FloatAttr | IntegerAttr[IntegerType] | None:
    """The value of a constant of one element, or None."""
    if not isinstance(op, ConstantOp) or not isinstance(op.value, DenseIntOrFPElementsAttr):
        return None
    type_ = tensor_of(op.result)
    if type_.element_count() != 1:
        return None
    (number,) = cast("tuple[float, ...]", op.value.get_values())
    if isinstance(type_.element_type, AnyFloat):
        return FloatAttr(float(number), type_.element_type)
    return IntegerAttr(int(number), cast("IntegerType", type_.element_type))


def _rank_matters(op: ConstantOp, user: Operation) -> bool:
    """Whether `user` would get another result shape, or operand type, from a scalar."""
    if not isinstance(user, ComputeOp) or isinstance(user, WholeTensorOp):
        return True
    if len(user.operands) == 1:
        return True
    shapes = [() if value is op.result else shape_of(value) for value in user.operands]
    return broadcast_shapes(*shapes) != shape_of(user.results[0])


def _apply(op: ConstantOp, value: FloatAttr | IntegerAttr[IntegerType]) -> None:
    scalar = ScalarOp(value)
    scalar.location = op.location
    Rewriter.insert_op(scalar, InsertPoint.before(op))
    scalar.result.name_hint = op.result.name_hint
    shape = shape_of(op.result)
    if shape and any(_rank_matters(op, use.operation) for use in op.result.uses):
        restored = BroadcastOp(scalar, shape)
        Rewriter.insert_op(restored, InsertPoint.before(op))
        op.result.replace_all_uses_with(restored.result)
    else:
        op.result.replace_all_uses_with(scalar.result)
    Rewriter.erase_op(op)


@dataclass(frozen=True)
class SnippetsConstantsToScalarsPass(ModulePass):
    """Turn constants of one element in subgraphs into scalars."""

    name = "snippets-constants-to-scalars"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert the constants of every subgraph."""
        for subgraph in [o for o in op.walk() if isinstance(o, SubgraphOp)]:
            for inner in list(subgraph.block.ops):
                if isinstance(inner, ConstantOp) and (value := _plan(inner)) is not None:
                    _apply(inner, value)
