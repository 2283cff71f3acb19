"""The nodes of a `program.graph` that have certainly ended when each node begins.

The checker recomputes them from the text with clocks: each queue knows a set of nodes that have
ended. A launch adds its node for later ops on its queue. An event stores the set of its queue when
it is recorded, and a queue that waits for the event knows that set, too. Without a schedule an
in-order graph is one queue, and a node of an out-of-order graph waits for the nodes that write its
operands. Sets are integers: bit i is node i in text order.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.ids import root_of
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.program.schedule import LaunchOp, RecordOp, ScheduleOp, WaitOp


def ended_before(graph: GraphOp) -> list[int]:
    """For each node the set of nodes that have ended when it begins; last, all at the end."""
    nodes = graph.nodes
    if graph.schedule is not None:
        ended = _by_schedule(graph.schedule, {n.id.data: i for i, n in enumerate(nodes)})
    elif graph.queue == "in-order":
        ended = [(1 << index) - 1 for index in range(len(nodes))]
    else:
        ended = _by_operands(nodes)
    return [*ended, (1 << len(nodes)) - 1]


def launch_order(graph: GraphOp) -> list[int]:
    """For each node its place among the launches, without a schedule in the graph.

    A node that has certainly ended when another one begins comes before it.
    """
    ids = [node.id.data for node in graph.nodes]
    if graph.schedule is None:
        return list(range(len(ids)))
    launches = [op for op in graph.schedule.body.block.ops if isinstance(op, LaunchOp)]
    places = {op.node.data: place for place, op in enumerate(launches)}
    return [places[id_] for id_ in ids]


def _by_schedule(schedule: ScheduleOp, numbers: dict[str, int]) -> list[int]:
    known: dict[int, int] = {}
    events: dict[SSAValue, int] = {}
    ended = [0] * len(numbers)
    for op in schedule.body.block.ops:
        assert isinstance(op, LaunchOp | RecordOp | WaitOp)
        queue = op.queue.value.data
        knows = known.get(queue, 0)
        match op:
            case LaunchOp():
                ended[numbers[op.node.data]] = knows
                known[queue] = knows | 1 << numbers[op.node.data]
            case RecordOp():
                events[op.event] = knows
            case WaitOp():
                known[queue] = knows | events[op.event]
    return ended


def _by_operands(nodes: list[NodeOp]) -> list[int]:
    ended: list[int] = []
    numbers: dict[NodeOp, int] = {}
    for node in nodes:
        knows = 0
        for value in node.inputs:
            writer = root_of(value).owner
            if isinstance(writer, NodeOp):
                knows |= ended[numbers[writer]] | 1 << numbers[writer]
        numbers[node] = len(ended)
        ended.append(knows)
    return ended
