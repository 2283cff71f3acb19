"""Base classes of passes on graphs, which have to be at one of the pass's stages."""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.dialects.program.graph import GraphOp, graphs_of
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import StageError

PlanT = TypeVar("PlanT")


def graphs_at(module: ModuleOp, stages: Sequence[str]) -> list[GraphOp]:
    """The graphs of a module; an error at the first one that is not at one of these stages.

    Raises:
        StageError: at the graph.
    """
    found = graphs_of(module)
    for graph in found:
        if graph.stage.data not in stages:
            symbol, stage = graph.sym_name.data, graph.stage.data
            raise StageError(symbol, stages, stage, **position_of(graph))
    return found


@dataclass(frozen=True)
class GraphPlanPass(PlanPass[GraphOp, PlanT]):
    """A pass that makes a plan for each `program.graph` of a module, then applies it."""

    MIXES_CLASSES: ClassVar[bool] = False

    def units(self, module: ModuleOp) -> Iterable[GraphOp]:
        """The graphs; an error at the first one that is not at a stage of `STAGES`."""
        return graphs_at(module, self.STAGES.source)


@dataclass(frozen=True)
class UnselectedPlanPass(PlanPass[GraphOp, PlanT]):
    """A pass that makes a plan for each graph without selected implementations."""

    def units(self, module: ModuleOp) -> Iterable[GraphOp]:
        """The graphs without selected implementations."""
        return [graph for graph in graphs_of(module) if not graph.reached("selected")]
