"""Plan the dim orders in which values are needed, so that transposes move to arguments."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.analysis.graph.body_views import RegroupOp, body_views, is_read_outside
from snippets_mlir.analysis.graph.product_views import transposes_result
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.shapes import format_shape
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.building.graph import computing_ops, op_text
from snippets_mlir.passes.graph.decompose.arrangements import (
    Arrangement,
    arranged,
    is_identity,
    is_reshape,
    moves_only_ones,
    of_operand,
    without_ones,
)


@dataclass(frozen=True)
class Step:
    """The plan for an op.

    Attributes:
        op: the op.
        again: the arrangements in which it is recomputed.
        operand: the arrangement of its operand, if it is a transpose that is replaced.
    """

    op: ComputeOp
    again: tuple[Arrangement, ...]
    operand: Arrangement | None

    def __str__(self) -> str:
        shape = shape_of(self.op.results[0])
        shapes = " and ".join(format_shape(arranged(shape, place)) for place in self.again)
        what = [f"computed as {shapes}"] if shapes else []
        if self.operand is not None:
            what.append("read in its order")
        return f"{op_text(self.op)}: {', '.join(what)}"


@dataclass(frozen=True)
class Hoisting:
    """The plan for a block.

    Attributes:
        ops: the ops that may be changed, in order.
        steps: the ops that are recomputed or replaced, in order.
        computed: the values that are neither arguments nor views of arguments.
        shared: the computed values with other readers, so that transposes stay after them.
    """

    ops: tuple[ComputeOp, ...]
    steps: tuple[Step, ...]
    computed: frozenset[SSAValue]
    shared: frozenset[SSAValue]

    def __str__(self) -> str:
        return "\n".join(map(str, self.steps)) or "no transpose moves"


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
    """The arrangements in which values are read, and the values that are read unchanged."""

    ops: set[Operation]
    arrangements: dict[SSAValue, dict[Arrangement, None]] = field(
        default_factory=dict[SSAValue, dict[Arrangement, None]]
    )
    plain: set[SSAValue] = field(default_factory=set[SSAValue])

    def read(self, value: SSAValue, arrangement: Arrangement | None) -> None:
        """Note that `value` is read in an arrangement; None: unchanged."""
        if arrangement is None or is_identity(shape_of(value), arrangement):
            self.plain.add(value)
        else:
            self.arrangements.setdefault(value, {})[arrangement] = None

    def is_plain(self, value: SSAValue) -> bool:
        """Whether `value` is read unchanged; its readers among the ops have been visited."""
        return value in self.plain or is_read_outside(value, self.ops)

    def has_one_order(self, value: SSAValue) -> bool:
        """Whether all readers want the same arrangement."""
        return not self.is_plain(value) and len(self.arrangements.get(value, ())) == 1


def _own(op: ComputeOp, between: set[Operation]) -> tuple[Arrangement | None, Arrangement | None]:
    """How `op` itself reads its operand: in the plan (None: it stays), and before it."""
    if not isinstance(op, TransposeOp):
        return None, None
    arrangement = without_ones(shape_of(op.operand), op.permutation)
    if is_reshape(shape_of(op.operand), arrangement):
        return arrangement, None
    return (arrangement, arrangement) if op in between else (None, None)


def plan_hoisting(block: Block) -> Hoisting:
    """The arrangements in which values are needed."""
    ops = [op for op in computing_ops(block) if not transposes_result(op)]
    views = body_views(ops)
    between: set[Operation] = {*views.between, *views.ends}
    may_repeat = isinstance(block.parent_op(), SubgraphOp)
    demands = _Demands(set(ops))
    steps: list[Step] = []
    shared: set[SSAValue] = set()
    for op in reversed(ops):
        result = op.results[0]
        again = tuple(demands.arrangements.get(result, ()))
        if again and not _passes(op, between):
            again = ()
        elif again and not (may_repeat or demands.has_one_order(result)):
            shared.add(result)
            again = ()
        for arrangement in again:
            for operand in op.operands:
                demands.read(operand, of_operand(op, operand, arrangement))
        own = None
        if not again or demands.is_plain(result):
            own, wanted = _own(op, between)
            for operand in op.operands:
                demands.read(operand, wanted)
        if again or own is not None:
            steps.append(Step(op, again, own))
    computed = frozenset[SSAValue](op.results[0] for op in between)
    return Hoisting(tuple(ops), tuple(reversed(steps)), computed, frozenset(shared))
