"""Elementwise operators, except operators that compute sizes (`arithmetic.py`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx

from snippets_mlir.dialects.snippets.base import UnaryOp
from snippets_mlir.dialects.snippets.record import OpRecord
from snippets_mlir.frontends.onnx.shapes.dims import Size
from snippets_mlir.frontends.onnx.shapes.types import (
    FLOATS,
    MOST_ELEMENTS,
    UnknownShape,
    as_elements,
    elements_of,
    mapped,
)
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out, Rule

_NO_NUMBERS = (onnx.TensorProto.UNDEFINED, onnx.TensorProto.STRING)


def like_first(node: NodeView) -> list[Out]:
    """One output of the shape of input 0."""
    return [Out(node.shape(0))]


def broadcast(node: NodeView) -> list[Out]:
    """One output of the shape that all inputs are broadcast to."""
    if node.version < 7 and not node.domain and "broadcast" in node.attributes:
        return like_first(node)
    return [Out(node.broadcast(*(node.shape(i) for i in range(len(node.inputs)))))]


def _identity(node: NodeView) -> list[Out]:
    value = node.value(0)
    type_ = value.type
    return [Out(type_.shape, node.elements(0), type_.element, type_.other, value.tensor)]


def _cast(node: NodeView) -> list[Out]:
    to, shape = node.integer("to"), node.shape(0)
    found = node.elements(0)
    if found is None and node.type(0).element in FLOATS and to not in FLOATS:
        numbers = node.numbers(0)
        is_bool = to == onnx.TensorProto.BOOL  # then 0.5 and NaN are true
        found = (
            None if numbers is None else as_elements(numbers != 0 if is_bool else np.trunc(numbers))
        )
    if found is None or to in _NO_NUMBERS:
        return [Out(shape, None, to)]
    if to == onnx.TensorProto.BOOL:
        found = mapped(lambda a: int(not node.assumptions.is_equal(a, 0)), found)
    return [Out(shape, found, to)]


def _cast_like(node: NodeView) -> list[Out]:
    element = node.type(1).element
    if not element:
        raise UnknownShape
    return [Out(node.shape(0), None, element)]


def _bit_cast(node: NodeView) -> list[Out]:
    return [Out(node.shape(0), None, node.integer("to"))]


def _where(node: NodeView) -> list[Out]:
    (out,) = broadcast(node)
    known = [e for e in (node.elements(i) for i in range(3)) if e is not None]
    if (
        len(known) < 3
        or out.shape is None
        or out.shape != np.broadcast_shapes(*(e.shape for e in known))
    ):
        return [out]
    numbers = [s for s in out.shape if isinstance(s, int)]
    if np.prod(numbers) > MOST_ELEMENTS:
        return [out]
    flat: list[list[Size | None]] = [
        np.broadcast_to(e, numbers).reshape(-1).tolist() for e in known
    ]
    chosen = [_chosen(*triple) for triple in zip(*flat, strict=True)]
    return [Out(out.shape, elements_of(chosen).reshape(numbers))]


def _chosen(condition: Size | None, x: Size | None, y: Size | None) -> Size | None:
    if isinstance(condition, int):
        return x if condition else y
    return x if x == y else None


_UNARY = "Bernoulli Celu Reciprocal Selu Shrink ThresholdedRelu"
_BINARY: Sequence[str] = ("BitShift", "Mean", "SwiGLU")


def of_record(record: OpRecord) -> Rule:
    """The rule of an operator that is one elementwise op."""
    return like_first if UnaryOp in record.op.__mro__ else broadcast


RULES: dict[str, Rule] = {
    **dict.fromkeys(_UNARY.split(), like_first),
    **dict.fromkeys(_BINARY, broadcast),
    "BitCast": _bit_cast,
    "Cast": _cast,
    "CastLike": _cast_like,
    "Identity": _identity,
    "Where": _where,
}
