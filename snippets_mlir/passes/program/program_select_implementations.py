"""Select the implementation that runs each node.

    %0 = program.node "c0" (%a = %x) : (...) -> ... {
      onnx.node "Conv"
    }
    %1 = program.node "r0" (%a = %0) : (...) -> ... {
      snippets.relu
    }

becomes

    %0 = program.node "c0" (%a = %x) impl<"onnxruntime"> : ...
    %1 = program.node "r0" (%a = %0) impl<"snippets"> : ...

The first row of the registry (`targets/implementations`) that fits runs a node: `snippets`, then
`onnxruntime`, then `reference`; plugins choose the places of their rows. A row with a cost leaves
the node to a later row that costs less (`offers.py` has the costs that are compared). A node that
has an implementation keeps it. `--explain` prints for each node the rows that refused it with their
reasons, the row that runs it, and the costs of the other rows that fit. In a module with a target,
`impl<...>` has the nanoseconds that the cost model estimates for one thread.

In a function, which has no nodes yet, rows claim ops that they compute as a part of other nodes:

    %1 = onnx.node "Conv"(%x, %w)
    %2 = snippets.relu %1        becomes  snippets.relu %1 {snippets.skipped = "onnxruntime ..."}

These ops, and ops that are forced to run outside of kernels, get the reason as `snippets.skipped`,
and `snippets-tokenize` leaves them. The pass decides about the other ops as nodes, after
`convert-host-to-program` has made them; without that pass, a subgraph is a kernel.

Options: `force`, pairs `PATTERN:KIND`, separated by `|`, where a pattern is an id with `*` and `?`;
the last pair that matches a node wins, also over an existing implementation. A kind that is forced
for a node is forced for the node that it was fused into (whose `origin` names it). `claims=false`:
rows claim nothing in functions.

Refuses a kind that the registry does not have, a pattern that matches no node, a forced kind that
cannot run a node (with its reason), a node that nothing can run, and an implementation in the text
that does not exist, that is `onnxruntime` or `inside` and cannot run its node, or that is
`reference` for a node of ONNX. A pattern may match no op of a function.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from snippets_mlir.dialects.program.attributes import Impl
from snippets_mlir.dialects.program.graph import GraphOp, graphs_of
from snippets_mlir.dialects.program.host import host_functions
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.forcing import forced_kinds
from snippets_mlir.passes.building.left_out import LeftOut, left_out
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.implementations import Implementation, claimed, implementation
from snippets_mlir.targets.implementations.answers import cost_of, refusal_of, scratch_of
from snippets_mlir.targets.implementations.offers import best_of, check_kept, offers_of


@dataclass(frozen=True)
class Choice:
    """The implementation of one node.

    Attributes:
        id: of the node.
        impl: of the node.
        refused: the kinds before it in the registry, with the reason of each.
        why: `chosen`, `forced` or `kept`.
        others: the other kinds that could run it, with their known costs.
    """

    id: str
    impl: Impl
    refused: tuple[tuple[str, str], ...]
    why: str
    others: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        before = "".join(f"{kind} refused: {reason}; " for kind, reason in self.refused)
        cost = "" if self.impl.cost is None else f", {self.impl.cost} ns"
        others = "".join(f"; {kind}: {cost} ns" for kind, cost in self.others)
        return f'"{self.id}": {before}{self.impl.kind}: {self.why}{cost}{others}'


@dataclass(frozen=True)
class Choices:
    """The implementations of all nodes, in processing order."""

    nodes: tuple[Choice, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.nodes)) or "no nodes"


def made(row: Implementation, node: NodeOp) -> Impl:
    """The implementation of a node by a row that fits."""
    return Impl(row.kind, None, cost_of(row, node), scratch_of(row, node))


def choose(node: NodeOp, forced: str | None) -> Choice:
    """The choice for a node; `CompileError` if no row, or not the forced one, can run it."""
    id_ = node.id.data
    if forced is not None:
        row = implementation(forced)
        assert row is not None
        if (reason := refusal_of(row, node)) is not None:
            raise CompileError(
                f'"{id_}": {forced} is forced and refused it: {reason}', **position_of(node)
            )
        return Choice(id_, made(row, node), (), "forced")
    if node.how is not None:
        check_kept(node)
        return Choice(id_, node.how, (), "kept")
    offers = offers_of(node)
    best = best_of(offers)
    if best is not None:
        before = offers[: offers.index(best)]
        refused = tuple((o.kind, o.reason) for o in before if o.reason is not None)
        others = tuple((o.kind, o.cost) for o in offers if o is not best and o.cost is not None)
        return Choice(id_, made(best.row, node), refused, "chosen", others)
    reasons = "; ".join(f"{offer.kind} refused: {offer.reason}" for offer in offers)
    raise CompileError(f'"{id_}": no implementation: {reasons}', **position_of(node))


@dataclass(frozen=True)
class ProgramSelectImplementationsPass(PlanPass[GraphOp | Block, Choices | LeftOut]):
    """Select the implementation of each node, and mark ops that stay outside of kernels."""

    name = "program-select-implementations"
    STAGES: ClassVar[Stages] = Stages(("graph", "topology", "fused", "selected"))

    force: str = ""
    claims: bool = True

    @override
    def units(self, module: ModuleOp) -> Iterable[GraphOp | Block]:
        blocks = (block for function in host_functions(module) for block in function.body.blocks)
        return [*graphs_of(module), *blocks]

    @override
    def plan(self, unit: GraphOp | Block) -> Choices | LeftOut:
        if isinstance(unit, Block):
            ops = list(unit.ops)
            return left_out(ops, claimed(ops) if self.claims else {}, self.force)
        forced = forced_kinds(unit.nodes, self.force)
        return Choices(tuple(choose(node, forced.get(node.id.data)) for node in unit.nodes))

    @override
    def carry_out(self, unit: GraphOp | Block, plan: Choices | LeftOut) -> None:
        if isinstance(plan, LeftOut):
            plan.mark()
            return
        assert isinstance(unit, GraphOp)
        for node, choice in zip(unit.nodes, plan.nodes, strict=True):
            node.set_impl(choice.impl)
        if not unit.reached("selected"):
            unit.set_stage("selected")
