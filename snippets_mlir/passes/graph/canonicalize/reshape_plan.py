"""Plan how to move the reshapes of a block; `snippets_eliminate_reshapes.py` has the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.analysis.graph.body_views import body_views
from snippets_mlir.analysis.graph.dim_classes import NoRefinementError, UnionFind
from snippets_mlir.analysis.graph.product_views import transposes_result
from snippets_mlir.analysis.graph.refined_bodies import Refinement
from snippets_mlir.analysis.graph.reshape_refinement import refine
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.layout import LayoutOp, TransposeOp
from snippets_mlir.dialects.snippets.normalization import NormalizationOp
from snippets_mlir.dialects.snippets.shapes import format_shape
from snippets_mlir.passes.building.graph import computing_ops, op_text

MAX_TRIES = 32
"""How many reshapes are tried one by one if they do not fit together."""


@dataclass(frozen=True, eq=False)
class Refusal:
    """The reason why a body keeps its reshapes; `op` is the first one."""

    op: Operation
    reason: str


Outcome = Refinement | Refusal


@dataclass(frozen=True)
class Elimination:
    """The plan for the components of a block with reshapes between their ops."""

    components: tuple[Outcome, ...]

    def __str__(self) -> str:
        return "\n".join(map(_outcome_text, self.components)) or "no reshape stands between ops"


def _outcome_text(outcome: Outcome) -> str:
    if isinstance(outcome, Refusal):
        return f"{op_text(outcome.op)}: {outcome.reason}"
    between = (op for op in outcome.views.between if not isinstance(op, LayoutOp))
    shapes = (f"{op_text(op)} as {format_shape(outcome.shape(op.results[0]))}" for op in between)
    return ", ".join(shapes)


def free_ops(block: Block) -> list[ComputeOp]:
    """The ops that may be computed in other shapes."""
    return [
        op
        for op in computing_ops(block)
        if not isinstance(op, NormalizationOp) and not transposes_result(op)
    ]


def components(ops: Sequence[ComputeOp]) -> list[list[ComputeOp]]:
    """The ops in groups that pass values to each other, in the order of their first ops."""
    classes = UnionFind()
    number: dict[SSAValue, int] = {op.results[0]: classes.add() for op in ops}
    for op in ops:
        for operand in op.operands:
            if operand in number:
                classes.unite(number[op.results[0]], number[operand])
    groups: dict[int, list[ComputeOp]] = {}
    for op in ops:
        groups.setdefault(classes.find(number[op.results[0]]), []).append(op)
    return list(groups.values())


def _layouts_between(ops: Sequence[ComputeOp]) -> list[LayoutOp]:
    return [op for op in body_views(ops).between if isinstance(op, LayoutOp)]


def _plan_component(ops: Sequence[ComputeOp]) -> Outcome | None:
    """The refined form of a component, the reason why there is none, or None if it can stay."""
    layouts = _layouts_between(ops)
    if not layouts:
        return None
    try:
        return refine(ops)
    except NoRefinementError as error:
        reason = f"no shapes make the reshapes around it the identity: {error}"
        return Refusal(layouts[0], reason)


def _plan_parts(ops: Sequence[ComputeOp]) -> list[Outcome]:
    """Plans for a component without one as a whole: it is split at the reshapes that do not fit."""
    found = _layouts_between(ops)
    layouts = sorted(found, key=lambda op: isinstance(op, TransposeOp))
    cut: set[Operation] = set(layouts)
    refusals: list[Outcome] = []
    for op in layouts[:MAX_TRIES]:
        cut.remove(op)
        plans = map(_plan_component, components([o for o in ops if o not in cut]))
        refusal = next((plan for plan in plans if isinstance(plan, Refusal)), None)
        if refusal is not None:
            refusals.append(Refusal(op, refusal.reason))
            cut.add(op)
    rest = map(_plan_component, components([o for o in ops if o not in cut]))
    return [*refusals, *(plan for plan in rest if plan is not None)]


def plan_elimination(ops: Sequence[ComputeOp], in_parts: bool) -> Elimination:
    """The plan for each component of a block; `in_parts`: some reshapes may stay."""
    outcomes: list[Outcome] = []
    for component in components(ops):
        plan = _plan_component(component)
        if isinstance(plan, Refusal) and in_parts:
            outcomes += _plan_parts(component)
        elif plan is not None:
            outcomes.append(plan)
    return Elimination(tuple(outcomes))
