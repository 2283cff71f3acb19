"""Bounds for nodes that are matrix products, and for kernels beside them, for `cut_bound.py`.

    MatMul  Add  MatMul  Softmax       all are kernels: no cut, any gain pays
    Gather  MatMul  Add                one cut for both: what both gain together has to be more
    Conv  Gemm                         2 million multiplications gain 2 us, a cut costs 36 us: no

The plan weighs connected kernels together if one has a product (`cuts/engine_cuts.py`), so a bound
on a single kernel is not enough. `gains.py` bounds their joint savings.
"""

from __future__ import annotations

from math import prod

import onnx

from snippets_mlir.analysis.engine.costs import EngineCosts
from snippets_mlir.driver.onnx.bound.graph import NodeGraph
from snippets_mlir.driver.onnx.bound.values import UnknownSize
from snippets_mlir.frontends.onnx.engine_operators import domain_of
from snippets_mlir.frontends.onnx.mapping import is_product
from snippets_mlir.frontends.onnx.mapping.einsum import parsed
from snippets_mlir.frontends.onnx.node import Opaque

TRANSPOSED = {"FusedGemm": "transA", "FusedMatMul": "transA", "Gemm": "transA"}
"""The attribute for a left operand whose columns hold the terms of a row."""

SEVERAL = ("Attention", "MultiHeadAttention")
"""Operators that may be several products."""

EINSUM_NODES = 4
"""The largest number of kernels of an Einsum of two operands: reordering and summing each operand,
the product, and reordering its result.
"""


def is_product_node(node: onnx.NodeProto) -> bool:
    """Whether kernels may compute a node as a matrix product."""
    return is_product(domain_of(node), node.op_type)


def multiplications(graph: NodeGraph, node: onnx.NodeProto) -> int:
    """The multiplications of a matrix product.

    Raises:
        UnknownSize: the sizes are not known, or the node may be several products.
    """
    if node.op_type in SEVERAL:
        raise UnknownSize
    if node.op_type == "Einsum":
        return _of_einsum(graph, node)
    turned = TRANSPOSED.get(node.op_type)
    last = not any(a.name == turned and a.i for a in node.attribute)
    type_ = graph.types.get(node.input[0])
    if type_ is None or not type_.shape:
        raise UnknownSize
    place = -1 if last or len(type_.shape) == 1 else -2
    return graph.elements_of(node.output[0]) * graph.size(type_.shape[place])


def _of_einsum(graph: NodeGraph, node: onnx.NodeProto) -> int:
    """At most the multiplications of an Einsum: one for each choice of an index for each letter."""
    shapes = [graph.shape_of(name) for name in node.input]
    if len(shapes) > 2:
        raise UnknownSize
    equation = next((a.s.decode() for a in node.attribute if a.name == "equation"), "")
    try:
        operands, _ = parsed(equation, [len(shape) for shape in shapes])
    except Opaque as error:
        raise UnknownSize from error
    sizes: dict[str, int] = {}
    for labels, shape in zip(operands, shapes, strict=True):
        for label, size in zip(labels, shape, strict=True):
            sizes[label] = max(size, sizes.get(label, 1))
    return prod(sizes.values())


def engine_product(
    graph: NodeGraph, costs: EngineCosts, node: onnx.NodeProto
) -> tuple[float, int, float]:
    """Upper bound on a product's time in the engine, for the bytes that it touches and `more`
    bytes.

    A bias may be counted separately. `more` are the bytes that it takes longer for.
    """
    names = [n for n in (*node.input, *node.output[:1], *node.output[:1]) if n]
    compute = costs.product * multiplications(graph, node)
    if "Gemm" in node.op_type:
        compute += costs.arithmetic * graph.elements_of(node.output[0])
    weights = [n for n in node.input if n in graph.constants]
    more = (costs.reading - 1) * sum(map(graph.bytes_of, weights))
    touched = sum(map(graph.bytes_of, names))
    if node.op_type == "Einsum":
        largest = max(map(graph.elements_of, names))
        return compute + EINSUM_NODES * costs.arithmetic * largest, EINSUM_NODES * touched, more
    return compute, touched, more


def kernel_product(graph: NodeGraph, costs: EngineCosts, node: onnx.NodeProto) -> float:
    """Lower bound on a kernel's computation for a product, or for any part of an Einsum."""
    if node.op_type == "Einsum":
        return 0.0
    right = graph.types[node.input[1]].shape or ()
    sized = any(not isinstance(size, int) for size in right[-2:])
    return multiplications(graph, node) * costs.product_in_kernel(sized=sized)
