"""Choose the order in which nodes run: the order of the text.

    %0 = program.node "a" (%x)                  %0 = program.node "a" (%x)
    %1 = program.node "b" (%x)    by=depth      %2 = program.node "c" (%0)
    %2 = program.node "c" (%0)    becomes       %1 = program.node "b" (%x)
    program.output %2, %1                       program.output %2, %1

Options: `by`:

* `depth` (the default): from the outputs, what a node reads right before it, first operands first.
  Few values are alive at a time: for one queue in order.
* `levels`: by the longest distance from the inputs; nodes of one level are in the order of the
  text. Neighbours are independent: for queues out of order.

Constants come first, in their order. A graph whose memory is planned stays as it is: its plan is
for its order. Refuses another name of an order.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.dialects.program.data import DataOp
from snippets_mlir.dialects.program.graph import GraphOp, graphs_of, op_id
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.programs import put_in_order
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError

ORDERS = ("depth", "levels")


@dataclass(frozen=True)
class Order:
    """The ops of a graph in the order that is wanted; what one reads may come later in it."""

    ops: tuple[Operation, ...]

    def __str__(self) -> str:
        return ", ".join(f'"{id_}"' for op in self.ops if (id_ := op_id(op)) is not None) or "empty"


def depth_first(graph: GraphOp) -> list[Operation]:
    """What each output needs, one after the other, then what none needs."""
    *others, output = graph.block.ops
    owners = [v.owner for v in output.operands if isinstance(v.owner, Operation)]
    return [*owners, *others, output]


def by_levels(graph: GraphOp) -> list[Operation]:
    """The ops by their longest distance from the inputs, else as in the text."""
    level: dict[Operation, int] = {}
    *others, output = graph.block.ops
    for op in others:
        owners = [v.owner for v in op.operands]
        level[op] = 1 + max((level[o] for o in owners if isinstance(o, Operation)), default=0)
    return [*sorted(others, key=lambda op: level[op]), output]


@dataclass(frozen=True)
class ProgramOrderPass(PlanPass[GraphOp, Order]):
    """Choose the order in which nodes run."""

    name = "program-order"
    STAGES: ClassVar[Stages] = Stages(("topology", "fused", "selected"))

    by: str = "depth"

    def units(self, module: ModuleOp) -> Iterable[GraphOp]:
        """The graphs without memory."""
        if self.by not in ORDERS:
            hint = close_match(self.by, ORDERS)
            raise CompileError(f"by: expected {' or '.join(ORDERS)}, found '{self.by}'{hint}")
        return [graph for graph in graphs_of(module) if not graph.reached("planned")]

    def plan(self, unit: GraphOp) -> Order:
        """Constants, then the rest in the order of the option."""
        ops = depth_first(unit) if self.by == "depth" else by_levels(unit)
        return Order(tuple(sorted(ops, key=lambda op: not isinstance(op, DataOp))))

    def carry_out(self, unit: GraphOp, plan: Order) -> None:
        """Put the ops in the order."""
        put_in_order(unit.block, list(dict.fromkeys(plan.ops)))
