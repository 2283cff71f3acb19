"""Fusions of onnxruntime that end the process on some models, and so are left out for these.

MatmulTransposeFusion moves a Cast before a Transpose that it cannot fuse, and reads a node that it
has removed:

    %t = Transpose<perm = [1, 0, 2]>(%x)
    %c = Cast(%t)                              onnxruntime also makes it, for operands of 16 bits
    %y = MatMul(%c, %w)

Its optimizer moves transposes, so a model with such a Cast and any Transpose goes without it. So
does a model with floats of 16 bits, a MatMul and a Transpose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING

from snippets_mlir.codegen.locks import MAKING
from snippets_mlir.support.protobuf import fields, head

if TYPE_CHECKING:
    import onnx

HALVES = (10, 16)
"""ONNX's element types float16 and bfloat16."""

HALF = re.compile(rb"(?:\x08[\x80-\xff]*[\x00-\x7f])*\x10[\x0a\x10]", re.DOTALL)
"""The begin of a serialised tensor of such elements: its sizes and its type."""

GRAPH, FUNCTION, INITIALIZER = 7, 25, 5
"""Numbers of fields of a model and of its graph."""


def unsafe_fusions(model: bytes | Path) -> Sequence[str]:
    """The fusions to leave out for a model; none for a file that cannot be read.

    Args:
        model: the file or the bytes.
    """
    try:
        if isinstance(model, bytes):
            needs = _may_need(model) and _needs(*_read(model))
        else:
            with open(model, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
                needs = _may_need(data) and _needs(*_read(data))
        return ("MatmulTransposeFusion",) if needs else ()
    except Exception:  # errors of several classes; onnxruntime says what is wrong with the model
        return ()


def _may_need(data: bytes | mmap) -> bool:
    return data.find(b"Transpose") >= 0 and data.find(b"MatMul") >= 0


def _read(data: bytes | mmap) -> tuple[onnx.ModelProto, bool]:
    """A model without its initializers, and whether one of them has 16-bit floats."""
    with MAKING:
        import onnx
    model, is_half = onnx.ModelProto(), False
    for number, _, begin, end in fields(data):
        if number == FUNCTION:
            model.functions.add().ParseFromString(data[begin:end])
        for field, _, at, stop in fields(data, begin, end) if number == GRAPH else ():
            if field == INITIALIZER:
                is_half |= HALF.match(data, at, stop) is not None
            else:
                model.graph.MergeFromString(head(field, stop - at) + data[at:stop])
    return model, is_half


def _needs(model: onnx.ModelProto, is_half: bool) -> bool:
    bodies = [*_bodies(model.graph.node), *(f.node for f in model.functions)]
    nodes = [node for body in (model.graph.node, *bodies) for node in body]
    if not {"Transpose", "MatMul"} <= {node.op_type for node in nodes}:
        return False
    casts = [node for node in nodes if node.op_type == "Cast"]
    made = {name for node in casts for name in node.output}
    if any(node.input[0] in made for node in nodes if node.op_type == "MatMul" and node.input):
        return True
    graph = model.graph
    infos = (*graph.input, *graph.output, *graph.value_info)
    types = {info.type.tensor_type.elem_type for info in infos}
    types |= {attribute.i for node in casts for attribute in node.attribute}
    types |= {a.t.data_type for n in nodes if n.op_type == "Constant" for a in n.attribute}
    return is_half or not types.isdisjoint(HALVES)


def _bodies(nodes: Sequence[onnx.NodeProto]) -> Iterator[Sequence[onnx.NodeProto]]:
    """The nodes of each graph inside of nodes, at any depth."""
    for node in nodes:
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs) if attribute.type in (5, 10) else ():
                yield graph.node
                yield from _bodies(graph.node)
