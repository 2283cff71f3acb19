"""Bounds for nodes that are matrix products, and for kernels beside them, for `cut_bound.py`.

    MatMul  Add  MatMul  Softmax       all are kernels: no cut, any gain pays
    Gather  MatMul  Add                one cut for both: what both gain together has to be more
    Conv  Gemm                         2 million multiplications gain 2 us, a cut costs 36 us: no

The plan weighs connected kernels together if one has a product (`engine_cuts.py`), so a bound on
one kernel says nothing. Together they gain at most what all connected nodes do that gain anything.
That has to be more than half a change of sessions where each node is connected to the engine's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import onnx

from snippets_mlir.analysis.engine_costs import EngineCosts
from snippets_mlir.driver.onnx.cut_graph import NodeGraph, UnknownSize, components
from snippets_mlir.frontends.onnx.mapping import is_product
from snippets_mlir.frontends.onnx.readers import domain_of

TRANSPOSED = {"FusedGemm": "transA", "FusedMatMul": "transA", "Gemm": "transA"}
"""The attribute that says that the terms of a row are in a column of the left operand."""

SEVERAL = ("Attention", "Einsum", "MultiHeadAttention")
"""Operators that may be several products."""


def is_product_node(node: onnx.NodeProto) -> bool:
    """Whether kernels may hold a node as a matrix product."""
    return is_product(domain_of(node), node.op_type)


def multiplications(graph: NodeGraph, node: onnx.NodeProto) -> int:
    """The multiplications of a matrix product.

    Raises:
        UnknownSize: the sizes are not known, or the node may be several products.
    """
    if node.op_type in SEVERAL:
        raise UnknownSize
    turned = TRANSPOSED.get(node.op_type)
    last = not any(a.name == turned and a.i for a in node.attribute)
    type_ = graph.types.get(node.input[0])
    if type_ is None or not type_.shape:
        raise UnknownSize
    place = -1 if last or len(type_.shape) == 1 else -2
    return graph.elements_of(node.output[0]) * graph.size(type_.shape[place])


def engine_product(graph: NodeGraph, costs: EngineCosts, node: onnx.NodeProto) -> tuple[float, int]:
    """At most what a product computes in the engine, and the bytes that it touches.

    A bias may be counted apart.
    """
    names = [n for n in (*node.input, *node.output[:1], *node.output[:1]) if n]
    compute = costs.product * multiplications(graph, node)
    if "Gemm" in node.op_type:
        compute += costs.arithmetic * graph.elements_of(node.output[0])
    return compute, sum(map(graph.bytes_of, names))


def kernel_product(graph: NodeGraph, costs: EngineCosts, node: onnx.NodeProto) -> float:
    """At least what a kernel computes for a product."""
    right = graph.types[node.input[1]].shape or ()
    sized = any(not isinstance(size, int) for size in right[-2:])
    return multiplications(graph, node) * costs.product_in_kernel(sized=sized)


def products_may_pay(
    graph: NodeGraph, weights: Mapping[int, float], change: float, least: float
) -> bool:
    """Whether connected kernels, one of which has a product, may gain more than their cut costs.

    Args:
        graph: the nodes.
        weights: for each mapped node at most what a kernel gains.
        change: what it takes from one session to the next.
        least: what the call of a kernel costs.
    """
    beside: dict[int, set[int]] = {i: set() for i in weights}
    for i in weights:
        for name in graph.reads[i]:
            if (maker := graph.makers.get(name)) in beside:
                beside[i].add(maker)
                beside[maker].add(i)
    return any(
        _pays(graph, nodes, weights, change, least)
        for nodes in components(beside, beside)
        if any(is_product_node(graph.nodes[i]) for i in nodes)
    )


def _pays(
    graph: NodeGraph,
    nodes: Collection[int],
    weights: Mapping[int, float],
    change: float,
    least: float,
) -> bool:
    def gain(some: Collection[int]) -> float:
        return sum(max(0.0, weights[i]) for i in some)

    free = set(nodes) - graph.nodes_that_cut
    return gain(free) > least or gain(nodes) > least + change / 2
