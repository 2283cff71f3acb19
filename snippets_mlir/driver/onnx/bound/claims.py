"""Nodes that the plan leaves to onnxruntime at any cost, found before the import.

LSTM -> Transpose -> Reshape -> Gemm     the engine's: LSTM is no op of a kernel, and no kernel
                                         reads the Transpose (`is_lone_transpose`)
LSTM -> Transpose -> Relu                both may be in one kernel
"""

from __future__ import annotations

import onnx

from snippets_mlir.driver.onnx.bound.graph import NodeGraph
from snippets_mlir.driver.onnx.bound.values import COUNTING, VIEWS
from snippets_mlir.frontends.onnx.engine_operators import domain_of
from snippets_mlir.frontends.onnx.readers import graphs_of

FIRST_OPSET = 7
"""The first version for which the plan leaves them, as in `onnxruntime_plan.py`; a model that is
not imported need not load that module.
"""


def is_left(graph: NodeGraph, place: int) -> bool:
    """Whether the engine certainly runs a transpose of its own result, because no kernel would."""
    node = graph.nodes[place]
    if node.op_type != "Transpose" or domain_of(node) or graph.opset < FIRST_OPSET:
        return False
    type_, maker = graph.types.get(node.output[0]), graph.makers.get(node.input[0])
    if type_ is None or type_.element != onnx.TensorProto.FLOAT or not _stays(graph, maker):
        return False
    readers = graph.readers.get(node.output[0], ())
    return all(_stays(graph, i) or _counts_or_renames(graph, i) for i in readers)


def _stays(graph: NodeGraph, place: int | None) -> bool:
    """Whether a node certainly is a node of the engine after the import."""
    return place in graph.engine and not graphs_of(graph.nodes[place])


def _counts_or_renames(graph: NodeGraph, place: int) -> bool:
    """Whether a node reads no elements, or certainly becomes a view because it changes the rank."""
    node = graph.nodes[place]
    if domain_of(node):
        return False
    if node.op_type in COUNTING:
        return True
    types = [graph.types.get(name) for name in (node.input[0], node.output[0])]
    shapes = [None if type_ is None else type_.shape for type_ in types]
    ranks = {-1 if shape is None else len(shape) for shape in shapes}
    return node.op_type in VIEWS and len(ranks) == 2 and -1 not in ranks
