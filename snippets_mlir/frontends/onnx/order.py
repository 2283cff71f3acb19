"""Nodes in topological order, which ONNX asks for and onnxruntime does not.

    y = Add(t, x)                t = Relu(x)
    t = Relu(x)          ->      y = Add(t, x)

Converters to float16 put their casts after the nodes that read them. A graph in order keeps its
order, and one with a cycle stays as it is, for ONNX's checker to refuse.
"""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import onnx

WITH_GRAPHS = frozenset({"If", "Loop", "Scan", "SequenceMap"})


def is_in_order(graph: onnx.GraphProto) -> bool:
    """Whether each node comes after the nodes that make what it and its graphs read."""
    return all(j < i for i, makers in enumerate(_reads(graph)) for j in makers)


def put_in_order(graph: onnx.GraphProto) -> None:
    """Sort the nodes of a graph. Those of graphs in nodes stay: onnxruntime refuses them."""
    try:
        order = [*TopologicalSorter(dict(enumerate(_reads(graph)))).static_order()]
    except CycleError:
        return
    nodes = [onnx.NodeProto.FromString(graph.node[i].SerializeToString()) for i in order]
    del graph.node[:]
    graph.node.extend(nodes)


def _reads(graph: onnx.GraphProto) -> list[list[int]]:
    """For each node, the numbers of the nodes that make what it reads."""
    makers = {name: i for i, node in enumerate(graph.node) for name in node.output if name}
    return [[makers[n] for n in _names(node) if n in makers] for node in graph.node]


def _names(node: onnx.NodeProto) -> Iterator[str]:
    """The values that a node reads, with those that its graphs take from outside."""
    yield from node.input
    for graph in _graphs(node):
        own = {v.name for v in (*graph.input, *graph.initializer)}
        own.update(name for inner in graph.node for name in inner.output)
        read = (name for inner in graph.node for name in _names(inner))
        yield from (n for n in (*read, *(o.name for o in graph.output)) if n not in own)


def _graphs(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    if node.op_type not in WITH_GRAPHS:
        return []
    return [a.g for a in node.attribute if a.type == onnx.AttributeProto.GRAPH]
