"""Turn constants of one element in subgraphs into scalars, which are immediates of kernels.

    %c = snippets.constant dense<2.0> : tensor<1x1xf32>       %c = snippets.scalar 2.0 : f32
    %0 = snippets.add %a, %c                         becomes  %0 = snippets.add %a, %c

A scalar has rank 0. A `snippets.broadcast` restores the constant's rank if a user's result gets its
rank from it (`tensor<8xf32>` plus `tensor<1x1xf32>` is `tensor<1x8xf32>`), or if the constant is
yielded. Constants of more elements, and those outside of subgraphs, stay. Source: the guide's
ConvertConstantsToScalars.
"""

from dataclasses import dataclass
from typing import ClassVar, cast

from typing_extensions import override
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.building.graph import Number, OpBuilder, number
from snippets_mlir.passes.graph.graph_passes import SubgraphPatternPass
from snippets_mlir.passes.patterns import Pattern


def _rank_matters(op: ConstantOp, user: Operation) -> bool:
    """Whether `user` would get another result shape, or operand type, from a scalar."""
    if not isinstance(user, ComputeOp) or isinstance(user, WholeTensorOp):
        return True
    if len(user.operands) == 1:
        return True
    shapes = [() if value is op.result else shape_of(value) for value in user.operands]
    return broadcast_shapes(*shapes) != shape_of(user.results[0])


def one_element(op: ConstantOp) -> bool:
    """It has one element, and this is in the text."""
    dense = isinstance(op.value, DenseIntOrFPElementsAttr)
    return dense and tensor_of(op.result).element_count() == 1


def no_reader_needs_the_rank(op: ConstantOp) -> bool:
    """Its readers have the same result with a scalar."""
    uses = op.result.uses
    return not shape_of(op.result) or not any(_rank_matters(op, u.operation) for u in uses)


class Scalar(Pattern[ConstantOp, Number]):
    """A constant of one element is a scalar."""

    name = "scalar"
    ops = (ConstantOp,)
    conditions = (one_element, no_reader_needs_the_rank)
    restores_rank: ClassVar[bool] = False

    @override
    def match(self, op: ConstantOp) -> Number:
        (value,) = cast("DenseIntOrFPElementsAttr", op.value).get_values()
        return number(cast("float", value), tensor_of(op.result).element_type)

    def rewrite(self, op: ConstantOp, match: Number, rewriter: PatternRewriter) -> None:
        """Replace the constant by the scalar, or by its broadcast."""
        build = OpBuilder(op, rewriter)
        value = build.add(ScalarOp(match))
        value.name_hint = op.result.name_hint
        if self.restores_rank:
            value = build.add(BroadcastOp(value, shape_of(op.result)))
        rewriter.replace_all_uses_with(op.result, value)
        rewriter.erase(op)


class SpreadScalar(Scalar):
    """A constant of one element is the broadcast of a scalar if its rank matters."""

    name = "spread-scalar"
    conditions = (one_element,)
    restores_rank: ClassVar[bool] = True


@dataclass(frozen=True)
class SnippetsConstantsToScalarsPass(SubgraphPatternPass):
    """Turn constants of one element in subgraphs into scalars."""

    name = "snippets-constants-to-scalars"
    PATTERNS = (Scalar, SpreadScalar)
