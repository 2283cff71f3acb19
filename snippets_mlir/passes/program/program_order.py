"""Choose the execution order of nodes, which is the order of the text.

    %0 = program.node "a" (%x)                  %0 = program.node "a" (%x)
    %1 = program.node "b" (%x)    by=depth      %2 = program.node "c" (%0)
    %2 = program.node "c" (%0)    becomes       %1 = program.node "b" (%x)
    program.output %2, %1                       program.output %2, %1

Options: `by`:

* `depth` (the default): from the outputs, a node's operands right before it, first operands first.
  Few values are alive at a time, which suits one in-order queue.
* `memory`: the order with the fewest bytes live at once, out of three: text order, `depth`, and the
  order that always continues with the node that adds the fewest bytes
  (`analysis/memory/memory_order.py`). Results of unknown size and outputs of the graph count as 0
  bytes.
* `levels`: by the longest distance from the inputs; nodes of one level are in text order.
  Neighbours are independent, which suits out-of-order queues.

Constants come first, in their order. A graph with planned memory does not change, because its plan
is for its order. Refuses another name of an order.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.memory.graph_lives import graph_lives
from snippets_mlir.analysis.memory.memory_order import best_order
from snippets_mlir.analysis.placement import aligned
from snippets_mlir.dialects.program.data import DataOp, ViewOp
from snippets_mlir.dialects.program.graph import GraphOp, graphs_of
from snippets_mlir.dialects.program.ids import op_id, root_of
from snippets_mlir.dialects.program.laws import value_bytes
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.programs import in_order, put_in_order
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError

ORDERS = ("depth", "memory", "levels")


@dataclass(frozen=True)
class Order:
    """The ops of a graph in the wanted order; operands may come later in it.

    Attributes:
        ops: the ops, the output last.
        why: the comparison, if there was one.
    """

    ops: tuple[Operation, ...]
    why: str = ""

    def __str__(self) -> str:
        named = (f'"{id_}"' for op in self.ops if (id_ := op_id(op)) is not None)
        return self.why + (", ".join(named) or "empty")


def depth_first(graph: GraphOp) -> list[Operation]:
    """The ops that each output needs, one output after another, then the other ops."""
    *others, output = graph.block.ops
    owners = [v.owner for v in output.operands if isinstance(v.owner, Operation)]
    return [*owners, *others, output]


def by_levels(graph: GraphOp) -> list[Operation]:
    """The ops by their longest distance from the inputs, then in text order."""
    level: dict[Operation, int] = {}
    *others, output = graph.block.ops
    for op in others:
        owners = [v.owner for v in op.operands]
        level[op] = 1 + max((level[o] for o in owners if isinstance(o, Operation)), default=0)
    return [*sorted(others, key=lambda op: level[op]), output]


def by_memory(graph: GraphOp) -> tuple[list[Operation], str]:
    """The ops in the order with the fewest live bytes, and how many these are."""
    lives = graph_lives(graph)
    ops = [op for op in graph.block.ops if isinstance(op, NodeOp | ViewOp)]
    number: dict[Operation, int] = {op: index for index, op in enumerate(ops)}
    numbers: dict[SSAValue, int] = {
        value: v
        for op, step in zip(ops, lives.steps, strict=True)
        for value, v in zip(op.results, step.results, strict=True)
    }
    returned = {root_of(value) for value in graph.output.values}
    outputs = [numbers[value] for value in returned if value in numbers]
    sizes = {numbers[v]: aligned(value_bytes(v) or 0) for v in lives.values if v not in returned}
    depth = [number[op] for op in in_order(depth_first(graph)) if op in number]
    orders = {"text": range(len(ops)), "depth": depth}
    name, order, live = best_order(lives.steps, orders, sizes, outputs)
    others = [op for op in graph.block.ops if op not in number]
    why = f"{name}: {live} bytes live at once\n"
    return [*others[:-1], *(ops[index] for index in order), others[-1]], why


@dataclass(frozen=True)
class ProgramOrderPass(PlanPass[GraphOp, Order]):
    """Choose the order in which nodes run."""

    name = "program-order"
    STAGES: ClassVar[Stages] = Stages(("topology", "fused", "selected"))

    by: str = "depth"

    @override
    def units(self, module: ModuleOp) -> Iterable[GraphOp]:
        if self.by not in ORDERS:
            hint = close_match(self.by, ORDERS)
            expected = f"{', '.join(ORDERS[:-1])} or {ORDERS[-1]}"
            raise CompileError(f"by: expected {expected}, found '{self.by}'{hint}")
        return [graph for graph in graphs_of(module) if not graph.reached("planned")]

    def plan(self, unit: GraphOp) -> Order:
        """Constants, then the rest in the order of the option."""
        why = ""
        if self.by == "memory":
            ops, why = by_memory(unit)
        else:
            ops = depth_first(unit) if self.by == "depth" else by_levels(unit)
        return Order(tuple(in_order(sorted(ops, key=lambda op: not isinstance(op, DataOp)))), why)

    def carry_out(self, unit: GraphOp, plan: Order) -> None:
        """Put the ops in the order."""
        put_in_order(unit.block, plan.ops)
