"""Move the reshapes and transposes between the ops of a body to its arguments and results.

    %0 = snippets.relu %a : tensor<4x6xf32>
    %1 = snippets.reshape %0 : (tensor<4x6xf32>) -> tensor<24xf32>
    %2 = snippets.add %1, %b : tensor<24xf32>
    snippets.yield %2 : tensor<24xf32>

becomes

    %0 = snippets.relu %a : tensor<4x6xf32>
    %1 = snippets.reshape %b : (tensor<24xf32>) -> tensor<4x6xf32>
    %2 = snippets.add %0, %1 : tensor<4x6xf32>
    %3 = snippets.reshape %2 : (tensor<4x6xf32>) -> tensor<24xf32>
    snippets.yield %3 : tensor<24xf32>

Every dim is split into factors such that each reshape is the identity on them
(`analysis/graph/dim_classes.py`). Aligned dims of operands and results are split alike, and
reductions run over the factors of their dims. A value without a factor has a dim of size 1 in its
place. A transpose between ops is moved in the same way, to an argument, if the orders allow it.
Constants of several elements are arguments too.

Ops that pass values to each other are handled together. The pass refuses ops without common
factors, such as `6x4 -> 4x6` between two ops, and ops that would need a dim of unknown size to be
split. A subgraph then keeps its reshapes, with the reason on the first one. On the graph, the ops
are split in two at each reshape that does not fit, and that reshape gets the reason. Ops with
reshapes and transposes only on arguments and before the yield stay, and so do ops marked
`snippets.skipped`; softmax and normalizations count as outside. Run it after the decompositions.
Exact, except that reductions of transposed values over several dims run in another order.

Ours; the guide's SoftmaxReshapeElimination and ExtractReshapes are two special cases.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from snippets_mlir.analysis.graph.body_views import Leaf
from snippets_mlir.analysis.graph.refined_bodies import Refinement, View
from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import LayoutOp, SqueezeOp, TransposeOp, UnsqueezeOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import (
    OpBuilder,
    computing_ops,
    erase_unused,
    is_skipped,
    leave,
    tensor_blocks,
)
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.graph.canonicalize.reshape_plan import (
    Elimination,
    Refusal,
    free_ops,
    plan_elimination,
)
from snippets_mlir.passes.plans import PlanPass


def _constant(value: SSAValue, shape: Shape) -> ConstantOp | None:
    """The constant `value` with another shape, if its elements are in the text."""
    if not isinstance(value, OpResult) or not isinstance(value.op, ConstantOp):
        return None
    dense: Any = value.op.value
    if not isinstance(dense, DenseIntOrFPElementsAttr):
        return None
    type_ = tensor_type(tensor_of(value).element_type, shape)
    return ConstantOp(DenseIntOrFPElementsAttr(cast(Any, type_), dense.data))


def _shorten(block: Block) -> None:
    """Let a reshape of a reshape read the operand of the inner one."""
    ops = computing_ops(block)
    for op in ops:
        if isinstance(op, ReshapeOp):
            source = op.operand.owner
            if isinstance(source, ReshapeOp | SqueezeOp | UnsqueezeOp) and not is_skipped(source):
                op.operands[0] = source.operand
    erase_unused([op for op in ops if isinstance(op, LayoutOp)])


def _add_view(leaf: Leaf, view: View, builder: OpBuilder) -> SSAValue:
    value = leaf.argument
    if view.result == shape_of(leaf.value) and view.permutation in (
        None,
        leaf.permutation,
    ):
        return leaf.value
    if view.shape != shape_of(value):
        constant = _constant(value, view.shape)
        value = builder.reshape(value, view.shape) if constant is None else builder.add(constant)
    if view.permutation is not None:
        value = builder.add(TransposeOp(value, view.permutation))
    return value


def _rebuild(
    op: ComputeOp, operands: Sequence[SSAValue], plan: Refinement, builder: OpBuilder
) -> SSAValue:
    """The refined form of an op between reshapes."""
    if isinstance(op, LayoutOp):
        return operands[0]
    if isinstance(op, ReduceOp):
        axes = plan.axes(op.operand, op.axes)
        reduce = type(op)(operands[0], axes, keep_dims=True)
        reduce.attributes.update(op.attributes)
        return builder.add(reduce)
    type_ = tensor_type(tensor_of(op.results[0]).element_type, plan.shape(op.results[0]))
    return builder.add(
        type(op).create(
            operands=operands,
            result_types=[type_],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
    )


def _replace_outside(value: SSAValue, by: SSAValue, inside: set[Operation]) -> None:
    for use in list(value.uses):
        if use.operation not in inside:
            use.operation.operands[use.index] = by


def _apply(plan: Refinement) -> None:
    views = plan.views
    inside: set[Operation] = {*views.between, *views.ends}
    made: dict[SSAValue, SSAValue] = {}

    def operand(value: SSAValue, builder: OpBuilder) -> SSAValue:
        if value not in made:
            leaf = views.leaves[value]
            made[value] = _add_view(leaf, plan.view(leaf), builder)
        return made[value]

    results = set(views.results)
    for op in views.between:
        assert isinstance(op, ComputeOp)
        builder, result = OpBuilder(op), op.results[0]
        operands = [operand(value, builder) for value in op.operands]
        made[result] = _rebuild(op, operands, plan, builder)
        made[result].name_hint = made[result].name_hint or result.name_hint
        if result in results and any(use.operation not in inside for use in result.uses):
            shape = shape_of(result)
            _replace_outside(result, builder.reshape(made[result], shape), inside)
    for end in views.ends:
        builder = OpBuilder(end)
        shape = shape_of(end.result)
        builder.replace(builder.reshape(operand(end.operand, builder), shape))
    erase_unused(views.between)


@dataclass(frozen=True)
class SnippetsEliminateReshapesPass(PlanPass[Block, Elimination]):
    """Move reshapes between ops to the arguments and results."""

    name = "snippets-eliminate-reshapes"
    STAGES: ClassVar[Stages] = Stages(("graph", "subgraphs"))
    EFFECT: ClassVar[Effect] = REASSOCIATES
    MIXES_CLASSES: ClassVar[bool] = False

    def units(self, module: ModuleOp) -> Iterable[Block]:
        """The blocks with reshapes, after nested reshapes have become one."""
        for block in list(tensor_blocks(module)):
            _shorten(block)
            if any(isinstance(op, LayoutOp) for op in free_ops(block)):
                yield block

    def plan(self, unit: Block) -> Elimination:
        """The plan for each component; in a function some reshapes may stay."""
        in_parts = not isinstance(unit.parent_op(), SubgraphOp)
        return plan_elimination(free_ops(unit), in_parts)

    def carry_out(self, unit: Block, plan: Elimination) -> None:
        """Compute the components in their shapes, and erase dead ops."""
        for outcome in plan.components:
            if isinstance(outcome, Refusal):
                leave(outcome.op, outcome.reason)
            else:
                _apply(outcome)
        erase_unused([o for o in unit.ops if isinstance(o, LayoutOp | ConstantOp)])
