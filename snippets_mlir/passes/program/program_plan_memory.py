"""Give each result of a node its memory.

    program.graph @main "selected" (...) attributes {queue = "in-order"} {
      %a = program.node "a" (%v = %x) impl<"reference"> conflicts ["b"] : ...
      %b = program.node "b" (%v = %a) impl<"reference"> conflicts ["a", "c"] : ...
      %c = program.node "c" (%v = %b) impl<"reference"> conflicts ["b", "d"] : ...
      %d = program.node "d" (%v = %c) impl<"reference"> conflicts ["c"] : ...
      program.output %d as "y" : tensor<1024xf32>

becomes

    program.graph @main "planned" (...) attributes {queue = "in-order", arena = 8192 : i64} {
      %a = program.node "a" (%v = %x) impl<"reference"> mem<arena, 0, 4096> conflicts ["b"] : ...
      %b = program.node "b" (%v = %a) impl<"reference"> mem<arena, 4096, 4096> ... : ...
      %c = program.node "c" (%v = %b) impl<"reference"> mem<arena, 0, 4096> ... : ...
      %d = program.node "d" (%v = %c) impl<"reference"> mem<output, 0> conflicts ["c"] : ...

A result that is an output, also through a view, is written to the array of the first such output. A
result of unknown size has memory of its own. All others share one arena of `arena` bytes, and
conflicting results share no byte:

* `pool=offsets`: each result is at the lowest free offset, in the best of four orders;
* `pool=records`: results share whole records, as in OpenVINO's pool;
* `pool=none`: no result shares a byte with another one.

A graph without conflicts in its text is planned for an in-order queue, on which results conflict if
both are live at one step of the text.

`analysis/placement.py` has the algorithms. `snippets-opt --explain=program-plan-memory`
prints the arena beside the two bounds: the most bytes live at once in text order, and the sum of
all sizes. Refuses a graph with conflicts on only some nodes.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import SSAValue

from snippets_mlir.analysis.memory.graph_lives import GraphLives, graph_lives
from snippets_mlir.analysis.memory.happens_before import Conflicts, InOrder, Listed
from snippets_mlir.analysis.placement import Pool, place
from snippets_mlir.dialects.program.attributes import Mem
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.ids import root_of
from snippets_mlir.dialects.program.laws import value_bytes
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.program.graph_passes import GraphPlanPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


@dataclass(frozen=True)
class MemoryPlan:
    """The memory of a graph.

    Attributes:
        how: the pool, and the best order of placement.
        arena: bytes of the arena.
        live: the most bytes that are live at once in text order.
        total: bytes without sharing.
        slots: each result, by its name, and its memory.
    """

    how: str
    arena: int
    live: int
    total: int
    slots: tuple[tuple[str, Mem], ...]

    def __str__(self) -> str:
        bounds = f"{self.live} live at once, {self.total} without sharing"
        head = f"{self.how}: an arena of {self.arena} bytes; {bounds}"
        return "\n".join([head, *(f'"{name}": {_text(slot)}' for name, slot in self.slots)])


def _text(slot: Mem) -> str:
    if slot.pool == "arena":
        return f"arena [{slot.offset}, {slot.end})"
    return f"output {slot.offset}" if slot.pool == "output" else "memory of its own"


def outputs_by_root(graph: GraphOp) -> dict[SSAValue, int]:
    """The first output that each result is, directly or through views."""
    found: dict[SSAValue, int] = {}
    for index, value in enumerate(graph.output.values):
        found.setdefault(root_of(value), index)
    return found


def conflicts_of(graph: GraphOp, lives: GraphLives) -> Conflicts:
    """The conflicts in the text of a graph; if there are none, those of its order."""
    if all(node.conflicts is None for node in graph.nodes):
        return InOrder.of(lives.lives)
    number = {name: index for index, name in enumerate(lives.ids)}
    lists = [
        np.array([number[name] for name in names], np.int64)
        for node in graph.nodes
        for names in node.conflict_ids
    ]
    if len(lists) != len(lives.ids):
        raise CompileError(
            f"program-plan-memory: expected conflicts on each node of @{graph.sym_name.data} or "
            "on none, found some without them; program-memory-dependencies writes them",
            **position_of(graph),
        )
    return Listed(tuple(lists))


@dataclass(frozen=True)
class ProgramPlanMemoryPass(GraphPlanPass[MemoryPlan]):
    """Give each result of a node its memory."""

    name = "program-plan-memory"
    STAGES: ClassVar[Stages] = Stages(("selected",), "planned")

    pool: Pool = "offsets"

    @override
    def plan(self, unit: GraphOp) -> MemoryPlan:
        lives = graph_lives(unit)
        outputs = outputs_by_root(unit)
        sizes = [None if v in outputs else value_bytes(v) for v in lives.values]
        placed = place(
            [size or 0 for size in sizes], lives.lives, conflicts_of(unit, lives), pool=self.pool
        )

        def slot(value: SSAValue, size: int | None, offset: int) -> Mem:
            if value in outputs:
                return Mem("output", outputs[value])
            return Mem("own") if size is None else Mem("arena", offset, size)

        return MemoryPlan(
            f"{self.pool} by {placed.order}" if placed.order else self.pool,
            placed.arena,
            placed.live,
            placed.total,
            tuple(zip(lives.ids, map(slot, lives.values, sizes, placed.offsets), strict=True)),
        )

    def carry_out(self, unit: GraphOp, plan: MemoryPlan) -> None:
        """Write the memory of each result and the size of the arena."""
        unit.attributes["arena"] = IntegerAttr(plan.arena, i64)
        slots = dict(plan.slots)
        for node in unit.nodes:
            node.set_slots([slots[unit.id_of(value)] for value in node.outputs])
        unit.set_stage("planned")
