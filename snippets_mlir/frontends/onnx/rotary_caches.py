"""RotaryEmbedding nodes of a whole model in onnxruntime's form: `dialects/onnx/rotary_batches.py`.

Beside kernels, `emit/onnx_nodes.py` adds the same nodes. Unchanged are nodes in the bodies of other
nodes.
"""

from __future__ import annotations

from itertools import count

import onnx

from snippets_mlir.dialects.onnx.rotary_batches import add_batches, shared_inputs
from snippets_mlir.frontends.onnx.engine_operators import domain_of
from snippets_mlir.frontends.onnx.shapes import InferredShapes


def _shared(model: onnx.ModelProto, known: InferredShapes) -> dict[int, list[int]]:
    """Inputs with one batch, by the places of the nodes of the main graph."""
    found: dict[int, list[int]] = {}
    for place, node in enumerate(model.graph.node):
        if node.op_type == "RotaryEmbedding":
            types = [known.types.get(name) for name in node.input]
            shapes = [None if type_ is None else type_.shape for type_ in types]
            found[place] = shared_inputs((domain_of(node), node.op_type), shapes)
    return {place: inputs for place, inputs in found.items() if inputs}


def has_shared_caches(model: onnx.ModelProto, known: InferredShapes) -> bool:
    """Whether several batches share the caches or ids of a RotaryEmbedding."""
    return bool(_shared(model, known))


def with_own_caches(model: onnx.ModelProto, known: InferredShapes) -> onnx.ModelProto:
    """The model with caches and ids for each batch; itself if every node has them.

    Args:
        model: is not changed.
        known: the types of its values.
    """
    shared = _shared(model, known)
    if not shared:
        return model
    (edited := onnx.ModelProto()).CopyFrom(model)
    graph = edited.graph
    taken = {name for node in graph.node for name in (*node.input, *node.output)}
    taken |= {value.name for value in (*graph.input, *graph.initializer)}

    def free(name: str) -> str:
        found = next(n for i in count() if (n := f"{name}_{i}") not in taken)
        taken.add(found)
        return found

    del graph.node[:]
    for place, node in enumerate(model.graph.node):
        (copy := onnx.NodeProto()).CopyFrom(node)
        if place in shared:
            add_batches(copy, shared[place], graph, free)
        graph.node.append(copy)
    return edited
