"""Tables of a region: large constants, whose rows its nodes gather, as inputs of its model.

    initializer w : 30522x768 f32              input w : 30522x768 f32
    input ids                                  input ids
    y = Gather(w, ids)                         y = Gather(w, ids)

An engine copies an initializer when it opens a model, even if the data comes from outside, while an
input stays in place: `runtime/engine/sessions.py` binds the array of a table to each run. A Gather
reads the rows that a call requests, and its result is the same from either.

A constant stays an initializer

* below `LEAST` bytes: binding it costs more than the copy;
* if its data is in the model;
* if anything but the data operand of a Gather reads it (another node, an inner graph, an output):
  engines convert weights of products into their own form, and fold constants;
* if the indices of a Gather are constant: the engine computes such a node once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx

from snippets_mlir.dialects.onnx.tensors import said
from snippets_mlir.emit.onnx_graphs import names_in_graphs

LEAST = 1 << 20
"""Bytes of a table; onnxruntime copies as many in a quarter of a millisecond."""


def tables_of(graph: onnx.GraphProto, apart: Mapping[str, str]) -> tuple[str, ...]:
    """The initializers that are tables; `apart` has the names of those without data."""
    names = [t.name for t in graph.initializer if t.name in apart and _length(t) >= LEAST]
    if not names:
        return ()
    read = _read_otherwise(graph.node, {t.name for t in graph.initializer})
    read.update(output.name for output in graph.output)
    return tuple(name for name in names if name not in read)


def _length(tensor: onnx.TensorProto) -> int:
    """The bytes of the data of an initializer whose data is outside of the model."""
    return int(said(tensor, "length") or 0)


def _read_otherwise(nodes: Sequence[onnx.NodeProto], constants: set[str]) -> set[str]:
    """The values that nodes read, except the data of Gather nodes whose indices are not
    constant.
    """
    read: set[str] = set()
    for node in nodes:
        gathers = node.op_type == "Gather" and node.domain in ("", "ai.onnx")
        table = gathers and node.input[1] not in constants
        read.update(node.input[1:] if table else node.input)
        for attribute in node.attribute:
            read |= names_in_graphs([attribute.g, *attribute.graphs])
    return read


def make_inputs(graph: onnx.GraphProto, tables: Sequence[str]) -> None:
    """Declare tables as inputs, after all others."""
    found = {t.name: t for t in graph.initializer if t.name in tables}
    kept = [t for t in graph.initializer if t.name not in found]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    for name in tables:
        described = onnx.helper.make_tensor_value_info(
            name, found[name].data_type, [*found[name].dims]
        )
        graph.input.append(described)
