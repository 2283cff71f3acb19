"""The nodes of an ONNX model that become kernels, and those that are left to onnxruntime.

    model    MatMul  Elu  Mul  MatMul  Add       candidates: Elu+Mul, Add
    plan     Elu+Mul pays: kernel; Add does not  kept: MatMul, MatMul, Add

The model is imported once as if all of it that can were kernels, and tokenized; each group is a
candidate, whose gain and cut `analysis/cost.py` estimates. A node with an op in no group that pays
is kept: the program is made from a second import, in which it stays an `onnx.node` with the reason.
What only renames or slices elements for the kernels of its node costs nothing, and keeps no node.
So what no kernel holds runs in the engine in the form that the model has it, never in NumPy.
Candidates beside each other with a matrix product among them are weighed together. When nothing
pays the whole model is one session.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation

from snippets_mlir.analysis.cost import Model
from snippets_mlir.analysis.eligibility import SKIPPED
from snippets_mlir.analysis.engine_costs import Estimate
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.rules.match import dense_constant, splat_value
from snippets_mlir.driver.build import FROM_DATA, follows_from_data
from snippets_mlir.driver.onnx.cut_candidates import (
    candidates_of,
    is_between_kernels,
    moves_elements,
    with_products,
)
from snippets_mlir.emit.host import body_of, find_entry
from snippets_mlir.frontends.onnx import Imported
from snippets_mlir.passes.graph.tokenize.onnxruntime_plan import plan_marks
from snippets_mlir.support.diagnostics import Position, position_of
from snippets_mlir.targets.engine import ENGINE, operator_of
from snippets_mlir.targets.instructions import instructions_of
from snippets_mlir.targets.machine import machine

MULTIPLIED = "Mul"
NO_KERNEL = "no kernel that pays reads or makes it"


@dataclass(frozen=True)
class Cuts:
    """The plan for one model.

    Attributes:
        reasons: why nodes are in no kernel, by position.
        kept: those of them that could be in a kernel.
        candidates: every candidate for a kernel, in the order of the graph.
        kernels: the places of those that become kernels.
        nodes: for each candidate, the nodes that its ops come from, by position.
        places: for each candidate, the position of its first op in the text, if it comes from one.
        rest: nanoseconds that the first cut costs more than the others.
    """

    reasons: Mapping[int, str]
    kept: Mapping[int, str]
    candidates: tuple[Estimate, ...]
    kernels: Collection[int]
    nodes: tuple[tuple[int, ...], ...] = ()
    places: tuple[Position, ...] = ()
    rest: float = 0.0

    @property
    def saved(self) -> float:
        """Nanoseconds of a call that the kernels save."""
        return sum(c.gain - c.cut for i, c in enumerate(self.candidates) if i in self.kernels)

    def __str__(self) -> str:
        lines = [
            f"{'kernel' if place in self.kernels else 'engine'}: {', '.join(c.ops)}: {c}"
            for place, c in enumerate(self.candidates)
        ]
        return "\n".join(lines)


def plan_cuts(
    imported: Imported,
    target: str,
    threads: int,
    hints: Sequence[int] = (),
    *,
    every: bool = False,
    chosen: Collection[int] | None = None,
    unknown: int = 0,
    entry: str | None = None,
) -> Cuts:
    """Decide for a model that was imported with nothing kept; its module is as before.

    Args:
        imported: the import.
        target: the name of the target machine.
        threads: how many threads a kernel and a node of the engine may use.
        hints: sizes of the dynamic dims that the estimates are for.
        every: whether kernels are made that do not pay, too, and of what the engine would fuse.
        chosen: the candidates that become kernels, by their place in `candidates`, whether they
            pay or not, each weighed alone; those that pay unless given.
        unknown: what a dim `?` counts as; with 0 an op that has one is in no candidate.
        entry: the function to plan for; `main` or the only public one unless given.
    """
    block, origins = body_of(find_entry(imported.module, entry)), imported.origins
    skipped = {op: FROM_DATA for op in block.ops if not unknown and follows_from_data(op)}
    if not every:
        skipped |= {mark.op: mark.reason for mark in plan_marks(list(block.ops))}
    for op, reason in skipped.items():
        op.attributes[SKIPPED] = StringAttr(reason)
    tokens = candidates_of(block, target, threads)
    model = _cost_model(imported, target, threads, hints, unknown, block)
    candidates: list[Estimate] = []
    nodes: list[tuple[int, ...]] = []
    places: list[Position] = []
    kernels: set[int] = set()
    reasons: dict[int, str] = {}
    inside: set[Operation] = set()
    shared = {} if chosen is not None else with_products(tokens.groups, model)
    estimates = [shared.get(k) or model.estimate(g.ops) for k, g in enumerate(tokens.groups)]
    rest = ENGINE.rest_of(threads if model.shares else 1)
    if chosen is None:
        chosen = paying(estimates, shared, rest)
    for place, (group, estimate) in enumerate(zip(tokens.groups, estimates, strict=True)):
        ops = group.ops
        if every or place in chosen:
            kernels.add(len(candidates))
            inside.update([*ops, *group.trailing])
        else:
            reasons.update((origins[op], str(estimate)) for op in ops if op in origins)
        candidates.append(estimate)
        nodes.append(tuple(dict.fromkeys(origins[op] for op in ops if op in origins)))
        places.append(position_of(ops[0]))
    for op, reason in tokens.reasons:
        if op in origins and op not in inside and isinstance(op, NodeOp | ComputeOp):
            reasons.setdefault(origins[op], reason)
    for op in skipped:
        del op.attributes[SKIPPED]
    # Also results unused in this import: a node that is kept may read them.
    alive = {index for op, index in origins.items() if op.parent is block}
    in_kernels = {origins[op] for op in inside if op in origins}
    kept = {
        index: reasons.get(index, NO_KERNEL)
        for op, index in origins.items()
        if isinstance(op, ComputeOp)
        and op not in inside
        and not (moves_elements(op) and (index in in_kernels or is_between_kernels(op, inside)))
        and (op.parent is block or index not in alive)
    }
    return Cuts(
        reasons, kept, tuple(candidates), frozenset(kernels), tuple(nodes), tuple(places), rest
    )


def paying(
    estimates: Sequence[Estimate], together: Collection[int], rest: float
) -> Collection[int]:
    """The places of the candidates that become kernels: none if they save less than `rest`.

    Args:
        estimates: all candidates.
        together: the places of those that pay with others beside them.
        rest: what the first cut costs, however many follow.
    """
    places = {k for k, one in enumerate(estimates) if k in together or one.pays}
    saved = sum(estimates[k].gain - estimates[k].cut for k in places)
    cuts = any(estimates[k].cut for k in places)
    return places if saved > (rest if cuts else 0.0) else set()


def _is_small_power(op: Operation) -> bool:
    """Whether `op` is x to the power of 2 or 3, which the engine multiplies."""
    value = dense_constant(op.operands[1]) if op.name == "snippets.power" else None
    return value is not None and splat_value(value) in (2, 3)


def _cost_model(
    imported: Imported,
    target: str,
    threads: int,
    hints: Sequence[int],
    unknown: int,
    block: Block,
) -> Model:
    lanes, origins = machine(target).lanes, imported.origins

    def operator(op: Operation) -> tuple[str, object]:
        index = origins.get(op)
        if index is None:
            return operator_of(op), op
        return (MULTIPLIED if _is_small_power(op) else imported.operators[index]), index

    return Model(
        costs=ENGINE,
        threads=threads,
        hints=hints,
        operator=operator,
        unknown=unknown,
        instructions=lambda op: instructions_of(op) / lanes,
        block=block,
    )
