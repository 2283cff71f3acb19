"""Move transposes up to the arguments, where they only say how memory is walked.

    %0 = snippets.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : (..) -> tensor<8x4xf32>

becomes

    %2 = snippets.transpose %a {permutation = array<i64: 1, 0>} : (..) -> tensor<8x4xf32>
    %3 = snippets.reshape %b : (tensor<8xf32>) -> tensor<8x1xf32>
    %1 = snippets.add %2, %3 : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>

They go through ops that work element by element, broadcasts, reductions that keep their dims, other
transposes, and reshapes that only add or drop dims of size 1. A transpose that moves nothing but
dims of size 1 becomes a reshape, an identity one disappears. In a subgraph, what is also read in
another order is computed twice; elsewhere transposes stay behind it.

A transpose stays on arguments, on reshapes of arguments, on constants and on what other ops make.
One that reads another computed value (a reshape that merges or splits dims, softmax, a reduction
that drops its dims) stays, too, and the reason is written on it; `snippets-eliminate-reshapes` can
move some of those. Ops marked `snippets.skipped` count as the world outside. Exact, but for
reductions over several dims, which come in another order. Source: the guide's
TransposeDecomposition, which takes transposes of arguments only.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.analysis.body_views import RegroupOp, body_views, is_read_outside
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
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
    moves_only_ones,
    of_operand,
    with_ones_in_front,
    without_ones,
)


@dataclass(frozen=True, eq=False)
class Hoisting:
    """What to do in a block.

    Attributes:
        ops: the ops that may be changed, in order.
        roots: the transposes to replace, each with the arrangement of its operand.
        demands: for each value the arrangements that are needed of it.
        through: the ops that are computed again in another arrangement.
        computed: the values that are neither arguments nor views of arguments.
        shared: those of them behind which transposes stay because they have other readers.
    """

    ops: tuple[ComputeOp, ...]
    roots: dict[TransposeOp, Arrangement]
    demands: dict[SSAValue, dict[Arrangement, None]]
    through: set[Operation]
    computed: set[SSAValue]
    shared: set[SSAValue]


def _passes(op: ComputeOp, between: set[Operation]) -> bool:
    """Whether a transpose of the result of `op` can be one of its operands."""
    if isinstance(op, TransposeOp):
        return True
    if op not in between:
        return False
    if isinstance(op, RegroupOp):
        return moves_only_ones(op)
    if isinstance(op, ReduceOp):
        return op.keeps_dims
    return not isinstance(op, WholeTensorOp)


@dataclass(eq=False)
class _Demands:
    """How values are read: in which arrangements, and which of them as they are."""

    ops: set[Operation]
    arrangements: dict[SSAValue, dict[Arrangement, None]] = field(
        default_factory=dict[SSAValue, dict[Arrangement, None]]
    )
    plain: set[SSAValue] = field(default_factory=set[SSAValue])

    def read(self, value: SSAValue, arrangement: Arrangement | None) -> None:
        """`value` is read in an arrangement; None: as it is."""
        if arrangement is None or is_identity(shape_of(value), arrangement):
            self.plain.add(value)
        else:
            self.arrangements.setdefault(value, {})[arrangement] = None

    def is_plain(self, value: SSAValue) -> bool:
        """Whether `value` is read as it is; its readers among the ops have been looked at."""
        return value in self.plain or is_read_outside(value, self.ops)

    def has_one_order(self, value: SSAValue) -> bool:
        """Whether all readers want the same arrangement."""
        return not self.is_plain(value) and len(self.arrangements.get(value, ())) == 1


def _plan(block: Block) -> Hoisting | None:
    """Which values are needed in which arrangements, or None when no transpose moves."""
    ops = computing_ops(block)
    if not any(isinstance(op, TransposeOp) for op in ops):
        return None
    views = body_views(ops)
    between: set[Operation] = {*views.between, *views.ends}
    may_repeat = isinstance(block.parent_op(), SubgraphOp)
    roots: dict[TransposeOp, Arrangement] = {}
    demands = _Demands(set(ops))
    through: set[Operation] = set()
    shared: set[SSAValue] = set()
    for op in reversed(ops):
        result = op.results[0]
        wanted = demands.arrangements.get(result, {})
        passes = bool(wanted) and _passes(op, between)
        if passes and not (may_repeat or demands.has_one_order(result)):
            shared.add(result)
        elif passes:
            through.add(op)
            for arrangement in wanted:
                for operand in op.operands:
                    demands.read(operand, of_operand(op, operand, arrangement))
            if not demands.is_plain(result):
                continue
        arrangement: Arrangement | None = None
        if isinstance(op, TransposeOp):
            arrangement = without_ones(shape_of(op.operand), op.permutation)
            moves_ones = is_reshape(shape_of(op.operand), arrangement)
            if op in between or moves_ones:
                roots[op] = arrangement
            if moves_ones or op not in between:
                arrangement = None
        for operand in op.operands:
            demands.read(operand, arrangement)
    if not roots and not through:
        return None
    computed: set[SSAValue] = {op.results[0] for op in between}
    return Hoisting(tuple(ops), roots, demands.arrangements, through, computed, shared)


class _Rewriter:
    """Builds the arrangements that a plan asks for."""

    def __init__(self, plan: Hoisting) -> None:
        self.plan = plan
        self.made: dict[tuple[SSAValue, Arrangement], SSAValue] = {}

    def get(self, value: SSAValue, arrangement: Arrangement | None, builder: OpBuilder) -> SSAValue:
        """`value` in an arrangement."""
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
        """A transpose of a value through which transposes do not go."""
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
            leave(transpose, f"a transpose cannot move in front of {value.owner.name}")
        return builder.add(transpose)

    def rebuild(self, op: ComputeOp, arrangement: Arrangement) -> None:
        """Compute `op` in an arrangement."""
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


def _apply(plan: Hoisting) -> None:
    rewriter = _Rewriter(plan)
    for op in plan.ops:
        if op in plan.through:
            for arrangement in plan.demands[op.results[0]]:
                rewriter.rebuild(op, arrangement)
        if isinstance(op, TransposeOp) and op in plan.roots:
            builder = OpBuilder(op)
            value = rewriter.get(op.operand, plan.roots[op], builder)
            builder.replace(builder.reshape(value, shape_of(op.result)))
    erase_unused([op for op in plan.ops if op.parent is not None])


@dataclass(frozen=True)
class SnippetsDecomposeTransposePass(ModulePass):
    """Move transposes up to the arguments."""

    name = "snippets-decompose-transpose"
    EFFECT: ClassVar[Effect] = REASSOCIATES

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions and the bodies of subgraphs."""
        for block in list(tensor_blocks(op)):
            if (plan := _plan(block)) is not None:
                _apply(plan)
