"""Erase nodes and constants that no output needs.

    program.graph @main "topology" (%x: tensor<4xf32>, %y: tensor<4xf32>) {
      %w = program.data "w" dense<1.0> : tensor<4xf32>
      %0 = program.node "dead" (%a = %y, %b = %w) {...}
      %1 = program.node "live" (%a = %x) {...}
      program.output %1 as "out" : tensor<4xf32>
    }

keeps only "live". The inputs stay, and if one result of a node is needed, all its results stay: the
interface of the graph and of its nodes is that of the model.

A graph with planned memory does not change.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.dialects.program.graph import GraphOp, graphs_of
from snippets_mlir.dialects.program.ids import op_id
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.plans import PlanPass


@dataclass(frozen=True)
class Trimmed:
    """The ops that no output needs, in the order of the text."""

    ops: tuple[Operation, ...]

    def __str__(self) -> str:
        return "\n".join(f'"{op_id(op)}": no output needs it' for op in self.ops) or "nothing"


@dataclass(frozen=True)
class ProgramTrimToOutputsPass(PlanPass[GraphOp, Trimmed]):
    """Erase nodes and constants that no output needs."""

    name = "program-trim-to-outputs"
    STAGES: ClassVar[Stages] = Stages(("topology", "fused", "selected"))

    @override
    def units(self, module: ModuleOp) -> Iterable[GraphOp]:
        return [graph for graph in graphs_of(module) if not graph.reached("planned")]

    def plan(self, unit: GraphOp) -> Trimmed:
        """The ops that are not reachable from the outputs."""
        needed: set[Operation] = {unit.output}
        for op in reversed(list(unit.block.ops)):
            if op in needed:
                needed.update(v.owner for v in op.operands if isinstance(v.owner, Operation))
        return Trimmed(tuple(op for op in unit.block.ops if op not in needed))

    @override
    def carry_out(self, unit: GraphOp, plan: Trimmed) -> None:
        for op in reversed(plan.ops):
            unit.block.erase_op(op)
