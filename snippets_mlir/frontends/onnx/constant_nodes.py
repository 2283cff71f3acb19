"""Nodes that compute only from constants: onnxruntime runs them once, for all imports.

    mask = ScatterND(zeros, places, -100)
    bias = Transpose(Reshape(Gather(table, index)))
    y = Add(Add(x, bias), mask)                        Add(Add(x, <constant>), <constant>)

Exporters leave position embeddings, window masks and tables of relative positions in models.
onnxruntime folds them when it loads a session, so a kernel that computes them in each call would
only cost time.

`constant_plan.py` selects the nodes, and `constant_nodes` lets onnxruntime compute their values
that other nodes read. If onnxruntime refuses the nodes, none is taken. Source: `ConstantFolding` of
onnxruntime.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import onnx
from onnx import helper

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.frontends.onnx.constant_plan import plan
from snippets_mlir.frontends.onnx.shapes import InferredShapes


@dataclass(frozen=True)
class ConstantNodes:
    """The values that onnxruntime has computed from constants.

    Attributes:
        gone: positions of the nodes that nothing has to import.
        values: their values that other nodes or the caller read.
        stay: positions of nodes that onnxruntime computes when it loads a session.
    """

    gone: frozenset[int] = frozenset()
    values: Mapping[str, Array] = field(default_factory=dict[str, Array])
    stay: frozenset[int] = frozenset()


def constant_nodes(
    model: onnx.ModelProto,
    known: InferredShapes,
    weight: Callable[[str], onnx.TensorProto],
) -> ConstantNodes:
    """The nodes of `model` that become constants, and their values.

    `weight` gives an initializer with its data. There are none if onnxruntime is not installed or
    refuses the nodes.
    """
    decided = plan(model.graph, known)
    if not decided.results:
        return ConstantNodes(stay=decided.stay)
    nodes = [model.graph.node[i] for i in decided.runs]
    made = {name for node in nodes for name in node.output}
    read = dict.fromkeys(n for node in nodes for n in node.input if n and n not in made)
    outputs = [onnx.ValueInfoProto(name=name) for name in decided.results]
    graph = helper.make_graph(nodes, "constants", [], outputs, [weight(name) for name in read])
    part = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    if (arrays := _run(part)) is None:
        return ConstantNodes(stay=decided.stay)
    values = dict(zip(decided.results, arrays, strict=True))
    return ConstantNodes(decided.gone, values, decided.stay)


def _run(model: onnx.ModelProto) -> list[Array] | None:
    """The outputs of a model without inputs, None if onnxruntime does not compute them."""
    try:
        engine: Any = import_module("onnxruntime")  # it has no type information
    except ImportError:
        return None
    options = engine.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = engine.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = engine.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return session.run(None, {})
    except Exception:  # whatever it is, the model's own session meets it again, and says it
        return None
