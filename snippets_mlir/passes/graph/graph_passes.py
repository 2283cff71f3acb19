"""Base classes of the passes on graphs and subgraphs with only our own op classes."""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from snippets_mlir.passes.base import Form, Stages
from snippets_mlir.passes.building.graph import subgraphs_of
from snippets_mlir.passes.patterns import PatternPass
from snippets_mlir.passes.plans import PlanPass

PlanT = TypeVar("PlanT")


@dataclass(frozen=True)
class FormulaPass(PatternPass):
    """Formulas for ops of functions and subgraphs."""

    FORM: ClassVar[Form] = "formulas"
    STAGES: ClassVar[Stages] = Stages(("graph", "subgraphs"))
    MIXES_CLASSES: ClassVar[bool] = False


@dataclass(frozen=True)
class SubgraphPatternPass(PatternPass):
    """Patterns on the ops of each subgraph."""

    STAGES: ClassVar[Stages] = Stages(("subgraphs",))
    MIXES_CLASSES: ClassVar[bool] = False

    def roots(self, module: ModuleOp) -> Iterable[Operation]:
        """The subgraphs of all functions, in the order of the text."""
        return subgraphs_of(module)


@dataclass(frozen=True)
class GraphPlanPass(PlanPass[Block, PlanT]):
    """A plan for each block of each function."""

    STAGES: ClassVar[Stages] = Stages(("graph",))
    MIXES_CLASSES: ClassVar[bool] = False

    def units(self, module: ModuleOp) -> Iterable[Block]:
        """All blocks of all functions of the module; subgraphs are ops in them."""
        return (block for op in module.ops if isinstance(op, FuncOp) for block in op.body.blocks)
