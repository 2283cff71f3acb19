"""Move transposes up to the arguments, where they only change how memory is read.

    %0 = snippets.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : (..) -> tensor<8x4xf32>

becomes

    %2 = snippets.transpose %a {permutation = array<i64: 1, 0>} : (..) -> tensor<8x4xf32>
    %3 = snippets.reshape %b : (tensor<8xf32>) -> tensor<8x1xf32>
    %1 = snippets.add %2, %3 : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>

They move through elementwise ops, broadcasts, reductions that keep their dims, other transposes,
and reshapes that only add or drop dims of size 1. A transpose that moves only dims of size 1
becomes a reshape, and an identity disappears. In a subgraph, a value that is read in two orders is
computed twice; elsewhere transposes stay after it.

A transpose stays on arguments, on reshapes of arguments, on constants and on results of other ops.
One that reads another computed value (a reshape that merges or splits dims, a softmax, a reduction
that drops its dims) also stays and gets the reason; `snippets-eliminate-reshapes` can move some of
those. Ops marked `snippets.skipped` count as outside. Exact, except that reductions over several
dims run in another order. Source: the guide's TransposeDecomposition, which handles only transposes
of arguments.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.analysis.graph.body_views import RegroupOp
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import (
    OpBuilder,
    computing_ops,
    erase_unused,
    leave,
    tensor_blocks,
)
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.graph.decompose.arrangements import (
    ONE,
    Arrangement,
    arranged,
    is_identity,
    is_reshape,
    of_operand,
    with_ones_in_front,
)
from snippets_mlir.passes.graph.decompose.transpose_plan import Hoisting, plan_hoisting
from snippets_mlir.passes.plans import PlanPass


class _Rewriter:
    """Builds the arrangements of a plan."""

    def __init__(self, plan: Hoisting) -> None:
        self.plan = plan
        self.made: dict[tuple[SSAValue, Arrangement], SSAValue] = {}

    def get(self, value: SSAValue, arrangement: Arrangement | None, builder: OpBuilder) -> SSAValue:
        if arrangement is None or is_identity(shape := shape_of(value), arrangement):
            return value
        if (value, arrangement) not in self.made:
            if is_reshape(shape, arrangement):
                return builder.reshape(value, arranged(shape, arrangement))
            self.made[value, arrangement] = self._transposed(value, arrangement, builder)
        return self.made[value, arrangement]

    def _transposed(
        self, value: SSAValue, arrangement: Arrangement, builder: OpBuilder
    ) -> SSAValue:
        """A transpose of a value that transposes cannot move through."""
        shape = shape_of(value)
        ones = [dim for dim, size in enumerate(shape) if size == 1]
        held = [dim for dim, size in enumerate(shape) if size != 1]
        extra = arrangement.count(ONE) - len(ones)
        base = with_ones_in_front(value, extra, ones, builder)
        if extra:
            free = iter(range(arrangement.count(ONE)))
            place = {dim: arrangement.count(ONE) + i for i, dim in enumerate(held)}
        else:
            free, place = iter(ones), {dim: dim for dim in held}
        order = [next(free) if dim == ONE else place[dim] for dim in arrangement]
        transpose = TransposeOp(base, order)
        if value in self.plan.shared:
            leave(transpose, "what it reads is also read in another order")
        elif value in self.plan.computed and isinstance(value.owner, Operation):
            leave(transpose, f"a transpose cannot move before {value.owner.name}")
        return builder.add(transpose)

    def rebuild(self, op: ComputeOp, arrangement: Arrangement) -> None:
        builder, result = OpBuilder(op), op.results[0]
        wanted = [of_operand(op, operand, arrangement) for operand in op.operands]
        operands = [
            self.get(operand, place, builder)
            for operand, place in zip(op.operands, wanted, strict=True)
        ]
        shape = arranged(shape_of(result), arrangement)
        if isinstance(op, TransposeOp | RegroupOp):
            value = builder.reshape(operands[0], shape)
        elif isinstance(op, ReduceOp):
            place = wanted[0] or ()
            axes = [i for i, dim in enumerate(place) if dim in op.axes]
            value = builder.reshape(builder.add(type(op)(operands[0], axes, keep_dims=True)), shape)
        else:
            value = builder.add(
                type(op).create(
                    operands=operands,
                    result_types=[tensor_type(tensor_of(result).element_type, shape)],
                    properties=dict(op.properties),
                    attributes=dict(op.attributes),
                )
            )
        self.made[result, arrangement] = value


@dataclass(frozen=True)
class SnippetsDecomposeTransposePass(PlanPass[Block, Hoisting]):
    """Move transposes up to the arguments."""

    name = "snippets-decompose-transpose"
    STAGES: ClassVar[Stages] = Stages(("graph", "subgraphs"))
    EFFECT: ClassVar[Effect] = REASSOCIATES
    MIXES_CLASSES: ClassVar[bool] = False

    def units(self, module: ModuleOp) -> Iterable[Block]:
        """The blocks of functions and subgraphs that have a transpose."""
        for block in list(tensor_blocks(module)):
            if any(isinstance(op, TransposeOp) for op in computing_ops(block)):
                yield block

    def plan(self, unit: Block) -> Hoisting:
        """The arrangement of each op."""
        return plan_hoisting(unit)

    def carry_out(self, unit: Block, plan: Hoisting) -> None:
        """Compute the ops in their arrangements, and erase dead ops."""
        rewriter = _Rewriter(plan)
        for step in plan.steps:
            for arrangement in step.again:
                rewriter.rebuild(step.op, arrangement)
            if step.operand is not None:
                builder = OpBuilder(step.op)
                value = rewriter.get(step.op.operands[0], step.operand, builder)
                builder.replace(builder.reshape(value, shape_of(step.op.results[0])))
        if plan.steps:
            erase_unused([op for op in plan.ops if op.parent is not None])
