"""A scheduled node reads its operands after they are written.

Claim checked, on graphs with a schedule:

* R1: the node that writes an operand, also through views, has ended when its reader begins: it
  comes earlier on the same queue, or a chain of records and waits ensures it.

The checker recomputes from the launches, records and waits when nodes have ended
(`program_order.py`). Claim M1 of `program_memory.py` covers memory that is overwritten too early.
"""

from __future__ import annotations

from snippets_mlir.checkers.program_order import ended_before
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.ids import root_of
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.program.schedule import LaunchOp
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def verify_program_races(graph: GraphOp) -> None:
    """Check the claim.

    Raises:
        CompileError: at the launch of a node that may begin too early.
    """
    if graph.schedule is None:
        return
    launches = {
        op.node.data: op for op in graph.schedule.body.block.ops if isinstance(op, LaunchOp)
    }
    nodes = graph.nodes
    numbers = {node: number for number, node in enumerate(nodes)}
    ended = ended_before(graph)
    for number, node in enumerate(nodes):
        for value in node.inputs:
            writer = root_of(value).owner
            if isinstance(writer, NodeOp) and not ended[number] >> numbers[writer] & 1:
                launch, other = launches[node.id.data], launches[writer.id.data]
                raise CompileError(
                    f'R1: "{node.id.data}" on queue {launch.queue.value.data} reads '
                    f'"{graph.id_of(root_of(value))}", which "{writer.id.data}" on queue '
                    f"{other.queue.value.data} may not have written: a wait is missing",
                    **position_of(launch),
                )
