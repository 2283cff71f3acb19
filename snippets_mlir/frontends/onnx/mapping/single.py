"""Operators that are one op: their rows come from the ops' records.

A node's inputs are the op's operands, and its attributes the op's properties; see `Onnx` in
`dialects/snippets/record.py`. Operators of other domains are ops of plug-ins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import cast

from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.base import (
    ComputeOp,
)
from snippets_mlir.dialects.snippets.counterparts import NodeAttribute, Onnx
from snippets_mlir.dialects.snippets.record import OpRecord
from snippets_mlir.dialects.snippets.registry import DerivedTable, records
from snippets_mlir.frontends.onnx.node import Build, NodeBuilder, Opaque, Row


def _property(b: NodeBuilder, name: str, attribute: NodeAttribute) -> float | str:
    """The op's property for an attribute of the node."""
    if not isinstance(attribute.default, str):
        return b.number(name, attribute.default)
    word = b.text(name, attribute.default)
    if attribute.words is None:
        return word
    if word not in attribute.words:
        raise Opaque(f"{b.node.op_type} knows no {attribute.property} '{word}'")
    return attribute.words[word]


def build_of(record: OpRecord, onnx: Onnx) -> Build:
    """The builder for nodes that are the op of `record`, or a chain of it."""
    make = cast("Callable[..., ComputeOp]", record.op)
    count = len(record.op.get_irdl_definition().operands)

    def chain(b: NodeBuilder) -> SSAValue:
        return reduce(lambda a, x: b.emit(make(a, x)), b.values())

    def build(b: NodeBuilder) -> SSAValue:
        properties = {a.property: _property(b, n, a) for n, a in onnx.attributes.items()}
        op = make(*map(b.value, range(count)), **properties)
        if onnx.keeps_shape:
            shapes = (tensor_of(v).get_shape() for v in (op.operands[0], op.results[0]))
            if len(set(shapes)) > 1:
                raise Opaque(onnx.keeps_shape)
        return b.emit(op)

    return chain if onnx.variadic else build


SINGLE: Mapping[tuple[str, str], Row] = DerivedTable(
    lambda: {
        (r.onnx.domain, r.onnx.operator): Row(
            r.onnx.since, build_of(r, r.onnx), tuple(r.onnx.attributes), narrow=True
        )
        for r in records()
        if r.onnx is not None and not r.onnx.own_importer
    }
)
"""Domain and operator -> its row."""
