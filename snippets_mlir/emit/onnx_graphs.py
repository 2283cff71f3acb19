"""Graph attributes of ONNX nodes (If, Loop, Scan): their names and dependencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import onnx
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.onnx.attributes import ProtoAttr
from snippets_mlir.dialects.onnx.ops import NodeOp


def names_in_graphs(graphs: Sequence[onnx.GraphProto]) -> set[str]:
    """Every value name that graph attributes use."""
    names: set[str] = set()
    for graph in graphs:
        for node in graph.node:
            names.update(node.input, node.output)
            names |= names_in_graphs(_graphs_of(node))
        names.update(v.name for v in (*graph.input, *graph.output, *graph.initializer))
    return names


def _graphs_of(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    return [g for a in node.attribute for g in ([a.g] if a.HasField("g") else a.graphs)]


def rename_captures(graph: onnx.GraphProto, names: dict[str, str]) -> None:
    """Rename the values of the outer graph that a graph attribute reads (edits `graph`).

    Names that the graph defines itself, such as its inputs, are not renamed.
    """
    own = {v.name for v in (*graph.input, *graph.initializer)}
    own |= {t.values.name for t in graph.sparse_initializer}
    own.update(name for node in graph.node for name in node.output)
    names = {name: other for name, other in names.items() if name not in own}
    for node in graph.node:
        for i, name in enumerate(node.input):
            node.input[i] = names.get(name, name)
        for inner in _graphs_of(node):
            rename_captures(inner, names)
    for output in graph.output:
        output.name = names.get(output.name, output.name)


def has_graphs(op: Operation) -> bool:
    """Whether `op` is a node with a graph attribute."""
    if not isinstance(op, NodeOp) or op.node_attributes is None:
        return False
    return any(_holds_graph(value) for value in op.node_attributes.data.values())


def _holds_graph(value: Attribute) -> bool:
    if isinstance(value, ArrayAttr):
        return any(map(_holds_graph, cast("ArrayAttr[Attribute]", value)))
    return isinstance(value, ProtoAttr) and value.kind.data in ("GRAPH", "GRAPHS")


def seen_by_graphs(ops: Sequence[Operation]) -> set[SSAValue]:
    """The values that nodes with graph attributes depend on; `ops` are those of a block."""
    seen: set[SSAValue] = set()
    for op in reversed(ops):
        if has_graphs(op) or any(result in seen for result in op.results):
            seen.update(op.operands)
    return seen
