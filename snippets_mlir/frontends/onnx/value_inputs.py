"""The inputs of an ONNX model whose elements determine shapes: axes, new shapes, repetitions.

    y = ReduceSum(x, axes)                     axes
    y = Reshape(x, Concat(Shape(x)[0:1], n))   n

A program without onnxruntime is compiled for their elements in a call (`driver/onnx/by_value.py`),
as for the sizes of dynamic dims. Inputs are excluded if they are reached through an operator that
the import does not fold, or if they have rank 2 or more: the elements of a shape are in one row.
"""

from __future__ import annotations

from collections.abc import Mapping

import onnx

from snippets_mlir.dialects.onnx.types import DENSE_CODES
from snippets_mlir.frontends.onnx.engine_operators import domain_of
from snippets_mlir.frontends.onnx.folding import MOVING
from snippets_mlir.frontends.onnx.mapping import reduction, row_of
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.frontends.onnx.readers import graphs_of

SHAPING: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys(reduction.ROWS, (1,)),
    "ConstantOfShape": (0,),
    "Expand": (1,),
    "Range": (0, 1, 2),
    "Reshape": (1,),
    "Squeeze": (1,),
    "Unsqueeze": (1,),
}
"""The inputs, by position, that the shape of a result follows from."""

_OF_TYPES = ("Shape", "Size")


def value_inputs(prepared: PreparedModel) -> tuple[str, ...]:
    """The names of these inputs, in the order of the model."""
    graph = prepared.model.graph
    given = {t.name for t in graph.initializer} | {t.values.name for t in graph.sparse_initializer}
    inputs = {i.name: i for i in graph.input if i.name not in given}
    makers = {name: node for node in graph.node for name in node.output if name}
    found: set[str] = set()
    for node in graph.node:
        places = () if domain_of(node) else SHAPING.get(node.op_type, ())
        for place in places:
            if place < len(node.input) and node.input[place]:
                found |= _sources(node.input[place], inputs, makers)
    return tuple(name for name in inputs if name in found)


def _sources(
    name: str, inputs: Mapping[str, onnx.ValueInfoProto], makers: Mapping[str, onnx.NodeProto]
) -> set[str]:
    """The inputs that a value is folded from once they are known; none where it would not be."""
    found: set[str] = set()
    seen, names = {name}, [name]
    while names:
        name = names.pop()
        if name in inputs:
            if not _is_row(inputs[name]):
                return set()
            found.add(name)
        elif (node := makers.get(name)) is not None:
            if domain_of(node) or graphs_of(node):
                return set()
            if node.op_type in _OF_TYPES:
                continue
            if node.op_type not in MOVING and row_of("", node.op_type) is None:
                return set()
            names += [n for n in node.input if n and n not in seen]
            seen.update(node.input)
    return found


def _is_row(info: onnx.ValueInfoProto) -> bool:
    """Whether an input is a tensor of at most one dim, of a type that constants can have."""
    if info.type.WhichOneof("value") != "tensor_type":
        return False
    tensor = info.type.tensor_type
    rank = len(tensor.shape.dim) if tensor.HasField("shape") else 0
    return tensor.elem_type in DENSE_CODES and rank < 2
