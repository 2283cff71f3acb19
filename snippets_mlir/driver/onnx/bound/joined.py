"""What nodes cost that the engine computes in the node of a product, for `cut_bound.py`.

    MatMul  Add  Relu          of matrices, with a constant bias: one Gemm, whose bias takes no time
    MatMul  Add  Add  Relu     the second sum and the Relu are nodes of their own

A kernel saves such a node only if the product is elsewhere. The tokenizer puts an op that alone
reads a product into its kernel if its other operands are constants (rules T1 to T8 of
`passes/graph/tokenize/plan.py` hold), and all nodes of a group that the plan certainly weighs
together are in kernels, or none is. So the bound of such a node is what it adds to the product, as
in `analysis/engine/time.py`: elements at the rate of its operator, which is 0 for a sum.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from snippets_mlir.dialects.snippets.registry import derived, records
from snippets_mlir.driver.onnx.bound.graph import NodeGraph
from snippets_mlir.driver.onnx.bound.operators import is_single
from snippets_mlir.frontends.onnx.engine_operators import domain_of
from snippets_mlir.frontends.onnx.readers import operator_key


@derived
def _activations() -> frozenset[str]:
    """The operators that may end a Gemm of the engine."""
    ends = (r for r in records() if r.engine is not None and "gemm" in r.engine.joins)
    ours = (r.onnx for r in ends if r.onnx is not None and not r.onnx.domain)
    return frozenset(onnx.operator for onnx in ours if is_single(onnx.operator))


def in_products(
    graph: NodeGraph, groups: Collection[Collection[int]], rates: Mapping[str, float]
) -> dict[int, float]:
    """The nodes that a product before them computes, with nanoseconds that each adds to it.

    Args:
        graph: the nodes of a model.
        groups: the nodes that are all in kernels, or none of them is, by position.
        rates: nanoseconds for each element of operators.
    """
    found: dict[int, float] = {}
    for group in groups:
        for place in _joined(graph, group):
            node = graph.nodes[place]
            rate = rates.get(operator_key(node), 0.0)
            found[place] = rate * graph.elements_of(node.output[0])
    return found


def _joined(graph: NodeGraph, group: Collection[int]) -> Iterator[int]:
    """The biases of products, and the activations of these, if all are in `group`."""
    for product in group:
        node = graph.nodes[product]
        is_matmul = node.op_type == "MatMul" and not domain_of(node)
        if not is_matmul or any(len(graph.shape_of(n)) != 2 for n in node.input):
            continue
        bias = _only_reader(graph, product, group)
        if bias is None or not _adds_constant(graph, bias, node.output[0]):
            continue
        yield bias
        activation = _only_reader(graph, bias, group)
        if activation is not None and graph.nodes[activation].op_type in _activations():
            yield activation


def _adds_constant(graph: NodeGraph, place: int, product: str) -> bool:
    """Whether a node adds a constant to a product, which has the shape of the sum."""
    node = graph.nodes[place]
    others = [name for name in node.input if name != product]
    is_sum = node.op_type == "Add" and not domain_of(node) and len(others) == 1
    known = is_sum and others[0] in graph.constants
    return known and graph.shape_of(node.output[0]) == graph.shape_of(product)


def _only_reader(graph: NodeGraph, place: int, group: Collection[int]) -> int | None:
    """The only node that reads a result, if it is in `group` and the caller does not read it."""
    (name,) = graph.nodes[place].output
    readers = [*dict.fromkeys(graph.readers.get(name, ()))]
    is_only = len(readers) == 1 and name not in graph.outputs and readers[0] in group
    return readers[0] if is_only else None
