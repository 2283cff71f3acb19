"""The nodes of an ONNX model that become kernels, and the nodes that stay with onnxruntime.

    model    MatMul  Elu  Mul  MatMul  Add       candidates: Elu+Mul, Add
    plan     Elu+Mul pays: kernel; Add does not  kept: MatMul, MatMul, Add

The model is first imported as if every possible node became a kernel, and tokenized. Each group is
a candidate; `analysis/cost.py` estimates its gain and its cut. A node with an op outside of all
groups that pay off is kept: a second import makes the program, and leaves such a node as an
`onnx.node` with the reason. Ops that only rename or slice elements for kernels cost nothing, and
keep no node. So everything outside of kernels runs in the engine in the model's form, never in
NumPy. Adjacent candidates that include a matrix product are weighed together. If nothing pays off,
the whole model is one session.

The rows of the registry provide the times (`targets/implementations`). A row of a plug-in may win a
candidate from kernels (`rows.py`): by its cost, which is weighed against onnxruntime and the
cut like the cost of a kernel, or, without a cost, by its priority. Forced choices always hold: a
candidate with an op that is forced into a kernel is a kernel, and an op that is forced to run
otherwise is in no candidate.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation

from snippets_mlir.analysis.cost import Model
from snippets_mlir.analysis.engine.costs import EngineCosts, Estimate, save, that_pay
from snippets_mlir.analysis.engine.graph_facts import GraphFacts
from snippets_mlir.analysis.graph.static_powers import static_exponent
from snippets_mlir.dialects.snippets.powers import PowerOp
from snippets_mlir.driver.building.lowering import FROM_DATA, has_dynamic_dims
from snippets_mlir.driver.onnx.cuts.candidates import candidates_of, with_products
from snippets_mlir.driver.onnx.cuts.least_work import Kernels, Least, least_of
from snippets_mlir.driver.onnx.cuts.reasons import kept_of, reasons_of
from snippets_mlir.driver.onnx.cuts.rows import ENGINE_KIND, estimate_of, takers_of
from snippets_mlir.driver.onnx.python_walk import is_walked, of_any_kernel, with_steps
from snippets_mlir.driver.onnx.shared_work import may_share
from snippets_mlir.emit.host import body_of, find_entry
from snippets_mlir.frontends.onnx import Imported
from snippets_mlir.passes.building.left_out import KERNEL
from snippets_mlir.support.attribute_names import SKIPPED
from snippets_mlir.support.diagnostics import Position, position_of
from snippets_mlir.targets.engine import engine_of, operator_of
from snippets_mlir.targets.implementations import claimed
from snippets_mlir.targets.implementations.offers import Offer
from snippets_mlir.targets.instructions import instructions_of
from snippets_mlir.targets.machine import machine

MULTIPLIED = "Mul"


@dataclass(frozen=True)
class Cuts:
    """The plan for one model.

    Attributes:
        reasons: why nodes are in no kernel, by position.
        kept: the reasons of nodes that could be in a kernel.
        candidates: every candidate for a kernel, in the order of the graph.
        kernels: the places of the candidates that become kernels.
        nodes: for each candidate, the nodes that its ops come from, by position.
        places: for each candidate, the position of its first op in the text, if it comes from one.
        rest: additional nanoseconds of the first cut.
        engine_shares: whether the engine may share the work of one of its nodes among its threads.
        rows: the kinds of plug-ins that won candidates from kernels, by the candidates' places.
        least: the least work of calls for the kernels; None if they take calls of all sizes.
    """

    reasons: Mapping[int, str]
    kept: Mapping[int, str]
    candidates: tuple[Estimate, ...]
    kernels: Collection[int]
    nodes: tuple[tuple[int, ...], ...] = ()
    places: tuple[Position, ...] = ()
    rest: float = 0.0
    engine_shares: bool = True
    rows: Mapping[int, str] = field(default_factory=dict[int, str])
    least: Least | None = None

    @property
    def left(self) -> frozenset[int]:
        """The positions of the nodes of candidates that stay with onnxruntime."""
        others = (n for i, n in enumerate(self.nodes) if i not in self.kernels)
        return frozenset(place for nodes in others for place in nodes if place in self.kept)

    def kind_of(self, place: int) -> str:
        """The implementation of a candidate: `kernel`, `engine`, or the kind of a plug-in."""
        return self.rows.get(place, "kernel") if place in self.kernels else "engine"

    @property
    def saved(self) -> float:
        """Nanoseconds of a call that the kernels save."""
        return sum(c.gain - c.cut for i, c in enumerate(self.candidates) if i in self.kernels)

    def __str__(self) -> str:
        lines = [
            f"{self.kind_of(place)}: {', '.join(c.ops)}: {c}"
            for place, c in enumerate(self.candidates)
        ]
        return "\n".join(lines)


def plan_cuts(
    imported: Imported,
    target: str,
    threads: int,
    hints: Sequence[int] = (),
    *,
    tune: str = "",
    every: bool = False,
    chosen: Collection[int] | None = None,
    unknown: int = 0,
    entry: str | None = None,
    forced: Mapping[Operation, str] | None = None,
    smaller: Sequence[Sequence[int]] = (),
) -> Cuts:
    """Decide for a model that was imported without kept nodes; its module does not change.

    Args:
        imported: the import.
        target: the name of the target machine.
        threads: how many threads a kernel and a node of the engine may use.
        hints: sizes of the dynamic dims that the estimates are for.
        tune: the machine's tune.
        every: whether to also make kernels that do not pay off, or of ops that the engine would
            fuse.
        chosen: the candidates that become kernels, by their place in `candidates`, whether they pay
            off or not, each weighed alone; by default the candidates that pay off.
        unknown: the assumed size of a dim `?`; with 0 an op with such a dim is in no candidate.
        entry: the function to plan for; `main` or the only public one unless given.
        forced: the kinds of implementations that the caller gives ops.
        smaller: as `hints`, for smaller and smaller calls: to find out whether kernels that pay off
            do so there (`least_work.py`).
    """
    function = find_entry(imported.module, entry)
    block, origins = body_of(function), imported.origins
    forced = forced or {}
    skipped = _skipped(block, forced, every=every, unknown=unknown)
    for op, reason in skipped.items():
        op.attributes[SKIPPED] = StringAttr(reason)
    tokens = candidates_of(block, target, threads)
    costs, groups = engine_of(target, tune), tokens.groups
    elsewhere = {op for op, kind in forced.items() if kind not in (KERNEL, ENGINE_KIND)}
    graph, lanes = GraphFacts(block, frozenset(elsewhere)), machine(target).lanes
    model = _cost_model(imported, lanes, costs, threads, hints, unknown, graph)
    together = {} if chosen is not None else with_products(groups, model)
    takers = takers_of(function, groups, target)
    for op in skipped:
        del op.attributes[SKIPPED]
    estimates = [together.get(k) or estimate_of(model, g.ops) for k, g in enumerate(groups)]
    estimates = with_steps(estimates, costs) if is_walked(block.arg_types) else estimates
    estimates = _with_costs(estimates, takers)
    weighed = that_pay(estimates, together.keys() - takers.keys()) if chosen is None else chosen
    shares = model.shares(groups[place].ops for place in weighed)
    rest = costs.rest_of(threads if shares else 1)
    least: Least | None = None
    if chosen is None:
        given = {k for k, offer in takers.items() if offer.cost is None}
        given |= {k for k, g in enumerate(groups) if any(op in forced for op in g.ops)}
        of_any = of_any_kernel(block, costs, sized=not unknown)
        chosen = {*given, *(weighed if given or save(estimates, weighed, rest, of_any) else ())}
        if chosen and not (every or given or takers):
            walked = is_walked(block.arg_types)
            least = least_of(Kernels(groups, chosen, together, walked, of_any), model, smaller)
    kernels = frozenset(range(len(groups)) if every else chosen)
    inside = {op for k in kernels for op in (*groups[k].ops, *groups[k].trailing)}
    reasons = reasons_of(tokens, estimates, kernels, inside, origins)
    return Cuts(
        reasons,
        kept_of(block, inside, reasons, origins, {origins[op] for op in forced if op in origins}),
        tuple(estimates),
        kernels,
        tuple(tuple(dict.fromkeys(origins[o] for o in g.ops if o in origins)) for g in groups),
        tuple(position_of(group.ops[0]) for group in groups),
        rest,
        may_share(model, inside),
        {place: offer.kind for place, offer in takers.items() if place in kernels},
        least,
    )


def _skipped(
    block: Block, forced: Mapping[Operation, str], *, every: bool, unknown: int
) -> dict[Operation, str]:
    """Why ops are in no candidate, before candidates are formed."""
    skipped = {op: FROM_DATA for op in block.ops if not unknown and has_dynamic_dims(op)}
    if not every:
        claims = claimed(list(block.ops), weighed=True)
        skipped |= {op: reason for op, reason in claims.items() if op not in forced}
    return skipped | {op: f"{kind} is forced" for op, kind in forced.items() if kind != KERNEL}


def _with_costs(estimates: Sequence[Estimate], takers: Mapping[int, Offer]) -> list[Estimate]:
    """The estimates; the rows of plug-ins that win candidates from kernels give theirs."""
    given = {place: offer.cost for place, offer in takers.items() if offer.cost is not None}
    return [
        replace(estimate, kernel=float(given[place])) if place in given else estimate
        for place, estimate in enumerate(estimates)
    ]


def _is_small_power(op: Operation) -> bool:
    """Whether `op` is x to the power of 2 or 3, which the engine multiplies."""
    return isinstance(op, PowerOp) and static_exponent(op) in (2, 3)


def _cost_model(
    imported: Imported,
    lanes: int,
    costs: EngineCosts,
    threads: int,
    hints: Sequence[int],
    unknown: int,
    graph: GraphFacts,
) -> Model:
    origins = imported.origins

    def operator(op: Operation) -> tuple[str, object]:
        index = origins.get(op)
        if index is None:
            return operator_of(op), op
        return (MULTIPLIED if _is_small_power(op) else imported.operators[index]), index

    return Model(
        costs=costs,
        threads=threads,
        hints=hints,
        operator=operator,
        unknown=unknown,
        instructions=lambda op: instructions_of(op) / lanes,
        graph=graph,
    )
