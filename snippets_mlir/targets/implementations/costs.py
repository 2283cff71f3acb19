"""Cost-model times of implementations for a node: nanoseconds of one run on one thread.

The time of a kernel includes the start of a node and its work. A node of onnxruntime is inside a
session, whose start and end count for the session, not for the node. The numbers are for the
machine of `targets/engine.py` and the vectors of the module's target. There is no time without a
target, for symbolic sizes, and for nodes of ONNX, whose rates are not in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from snippets_mlir.analysis.cost import Model
from snippets_mlir.analysis.engine.graph_facts import GraphFacts
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.targets.attributes import TARGET, TUNE, machine_of
from snippets_mlir.targets.engine import engine_of, operator_of
from snippets_mlir.targets.instructions import instructions_of


def node_time(
    node: NodeOp,
    ops: Sequence[Operation],
    estimate: Callable[[Model, Sequence[Operation]], float],
) -> int | None:
    """Nanoseconds of the ops of a node by `estimate`; None if unknown."""
    graph = node.parent_op()
    module = None if graph is None else graph.parent_op()
    if not isinstance(module, ModuleOp) or TARGET not in module.attributes:
        return None
    if not all(isinstance(op, ComputeOp) for op in ops):
        return None
    if any(has_symbols(shape_of(v)) for op in ops for v in (*op.operands, *op.results)):
        return None
    target, tune = machine_of(module), module.attributes.get(TUNE)
    return round(
        estimate(
            Model(
                costs=engine_of(target.name, tune.data if isinstance(tune, StringAttr) else ""),
                threads=1,
                hints=(),
                operator=lambda op: (operator_of(op), op),
                instructions=lambda op: instructions_of(op) / target.lanes,
                unknown=1,  # the sizes of a graph are known
                graph=GraphFacts(node.block),
            ),
            ops,
        )
    )
