"""Assign each node to a queue, and insert the waits between queues.

    program.graph @main "planned" (...) attributes {queue = "out-of-order", ...} {
      %a = program.node "a" (%v = %x) ...
      %b = program.node "b" (%v = %x) ...
      %c = program.node "c" (%v = %a, %w = %b) ...

becomes with `queues=2`

    program.graph @main "scheduled" (...) attributes {queue = "out-of-order", queues = 2 : i64} {
      %a = program.node "a" (%v = %x) ...
      %b = program.node "b" (%v = %x) ...
      %c = program.node "c" (%v = %a, %w = %b) ...
      program.schedule {
        program.launch "a" queue 0
        program.launch "b" queue 1
        %e = program.record queue 1
        program.wait %e queue 0
        program.launch "c" queue 0
      }

Nodes are launched in text order. Each goes to the queue on which it can start first, by the `cost`
of implementations (1 if unknown). On a tie it goes to the queue of the operand that is ready last,
then to the queue with the smaller number. A queue waits for an operand only if it does not already
know that the operand is written: each queue has a clock with the number of launches that are known
to be done.

If the memory of a graph is planned for an in-order queue, it takes only one queue: on several, a
node could overwrite memory that is still read. The refusal names the option that plans for several.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Region, SSAValue

from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.ids import root_of
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.program.schedule import LaunchOp, RecordOp, ScheduleOp, WaitOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.program.graph_passes import GraphPlanPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


@dataclass(frozen=True)
class Action:
    """`launch` a node on a queue, `record` that it is done, or `wait` on a queue for that."""

    kind: Literal["launch", "record", "wait"]
    node: str
    queue: int

    def __str__(self) -> str:
        if self.kind == "launch":
            return f'queue {self.queue} runs "{self.node}"'
        if self.kind == "record":
            return f'queue {self.queue} records that "{self.node}" is done'
        return f'queue {self.queue} waits for "{self.node}"'


@dataclass(frozen=True)
class Schedule:
    """The actions of all queues, in order."""

    queues: int
    actions: tuple[Action, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.actions)) or "nothing to run"


@dataclass(eq=False)
class _Queue:
    """A queue during scheduling.

    Attributes:
        ready: the time when it has finished its launches.
        clock: for each queue, the number of its launches done before the next launch here.
    """

    ready: int
    clock: list[int]


@dataclass(eq=False)
class _Launched:
    """A node that is on a queue.

    Attributes:
        queue: its number.
        end: the time when the node is done.
        clock: for each queue, the number of its launches done when the node is done.
        wanted: whether some queue waits for the node.
    """

    queue: int
    end: int
    clock: Sequence[int]
    wanted: bool = field(default=False)


def _schedule(graph: GraphOp, count: int) -> tuple[Action, ...]:
    queues = [_Queue(0, [0] * count) for _ in range(count)]
    launched: dict[NodeOp, _Launched] = {}
    waits: dict[NodeOp, list[NodeOp]] = {}
    for node in graph.nodes:
        needed = _operand_nodes(node)
        needed.sort(key=lambda n: launched[n].end, reverse=True)
        ready = launched[needed[0]].end if needed else 0
        home = launched[needed[0]].queue if needed else 0
        number = min(range(count), key=lambda q: (max(queues[q].ready, ready), q != home, q))
        queue = queues[number]
        waits[node] = []
        for other in needed:
            done = launched[other]
            if queue.clock[done.queue] < done.clock[done.queue]:
                waits[node].append(other)
                done.wanted = True
                queue.clock = list(map(max, queue.clock, done.clock))
        cost = node.impl.data.cost if node.impl is not None else None
        queue.ready = max(queue.ready, ready) + (1 if cost is None else cost)
        queue.clock[number] += 1
        launched[node] = _Launched(number, queue.ready, tuple(queue.clock))
    actions: list[Action] = []
    for node, at in launched.items():
        actions += [Action("wait", other.id.data, at.queue) for other in waits[node]]
        actions.append(Action("launch", node.id.data, at.queue))
        if at.wanted:
            actions.append(Action("record", node.id.data, at.queue))
    return tuple(actions)


def _operand_nodes(node: NodeOp) -> list[NodeOp]:
    """The nodes that write the operands of a node, each once."""
    owners = (root_of(value).owner for value in node.inputs)
    return list(dict.fromkeys(owner for owner in owners if isinstance(owner, NodeOp)))


@dataclass(frozen=True)
class ProgramSchedulePass(GraphPlanPass[Schedule]):
    """Assign each node to a queue."""

    name = "program-schedule"
    STAGES: ClassVar[Stages] = Stages(("planned",), "scheduled")

    queues: int = 1

    @override
    def plan(self, unit: GraphOp) -> Schedule:
        if self.queues < 1:
            raise CompileError(
                f"{self.name}: expected at least one queue, found queues={self.queues}",
                **position_of(unit),
            )
        if self.queues > 1 and unit.queue == "in-order":
            raise CompileError(
                f"{self.name}: the memory of @{unit.sym_name.data} is planned for an in-order "
                f"queue, found queues={self.queues}; expected conflicts of "
                "program-memory-dependencies{queue=out-of-order}",
                **position_of(unit),
            )
        return Schedule(self.queues, _schedule(unit, self.queues))

    def carry_out(self, unit: GraphOp, plan: Schedule) -> None:
        """Insert the schedule before the outputs."""
        block = Block()
        events: dict[str, SSAValue] = {}
        for action in plan.actions:
            match action.kind:
                case "launch":
                    block.add_op(LaunchOp(action.node, action.queue))
                case "record":
                    record = RecordOp(action.queue)
                    block.add_op(record)
                    events[action.node] = record.event
                case "wait":
                    block.add_op(WaitOp(events[action.node], action.queue))
        unit.attributes["queues"] = IntegerAttr(plan.queues, i64)
        unit.block.insert_op_before(ScheduleOp(Region(block)), unit.output)
        unit.set_stage("scheduled")
