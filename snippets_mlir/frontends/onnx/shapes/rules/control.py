"""If, Loop and Scan: facts that hold for every way in which their graphs may run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx

from snippets_mlir.frontends.onnx.shapes.bounds import at_least
from snippets_mlir.frontends.onnx.shapes.dims import Size
from snippets_mlir.frontends.onnx.shapes.types import (
    Elements,
    Shape,
    UnknownShape,
    Value,
    ValueType,
)
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out, Rule, normalized

ROUNDS = 4
"""After so many rounds, a carried value whose shape still changes has an unknown shape."""


def _graph(node: NodeView, name: str) -> onnx.GraphProto:
    return node.attributes[name].g


def _out(value: Value) -> Out:
    type_ = value.type
    return Out(type_.shape, value.elements, type_.element, type_.other)


def _if(node: NodeView) -> list[Out]:
    condition = node.sizes(0)
    branches = [_graph(node, "then_branch"), _graph(node, "else_branch")]
    if condition is not None and isinstance(condition[0], int):
        chosen = branches[0 if condition[0] else 1]
        return [_out(v) for v in node.scope.inner(chosen, (), assumes=True)]
    yes, no = (node.scope.inner(g, (), assumes=False) for g in branches)
    return [_out(either(a, b)) for a, b in zip(yes, no, strict=True)]


def either(a: Value, b: Value) -> Value:
    """The common facts of two values, for a value that is one of them."""
    if a.type.other is not None or b.type.other is not None:
        same = a.type.other == b.type.other
        return a if same else Value(ValueType(0, None))
    element = a.type.element if a.type.element == b.type.element else 0
    shape = _either_shape(a.type.shape, b.type.shape)
    return Value(ValueType(element, shape), _either_elements(a.elements, b.elements))


def _either_shape(a: Shape | None, b: Shape | None) -> Shape | None:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x == y else None for x, y in zip(a, b, strict=True))


def _either_elements(a: Elements | None, b: Elements | None) -> Elements | None:
    if a is None or b is None or a.shape != b.shape:
        return None
    return a if a.reshape(-1).tolist() == b.reshape(-1).tolist() else None


def _is_same(a: Value, b: Value) -> bool:
    return a.type == b.type and (a.elements is None) == (b.elements is None)


def _settled(
    node: NodeView, graph: onnx.GraphProto, first: Sequence[Value], carried: slice, results: slice
) -> list[Value]:
    """The outputs of a body, for inputs of which `carried` become its `results`, round by round."""
    inputs = list(first)
    for round_ in range(ROUNDS + 1):
        outputs = node.scope.inner(graph, inputs, assumes=False)
        before = inputs[carried]
        after = [either(a, b) for a, b in zip(before, outputs[results], strict=True)]
        if all(_is_same(a, b) for a, b in zip(before, after, strict=True)):
            outputs[results] = after
            return outputs
        if round_ == ROUNDS - 1:
            after = [Value(ValueType(v.type.element, None, v.type.other)) for v in after]
        inputs[carried] = after
    raise UnknownShape


def _loop(node: NodeView) -> list[Out]:
    graph = _graph(node, "body")
    count = len(node.inputs) - 2
    counter = Value(ValueType(onnx.TensorProto.INT64, ()))
    # What follows from true in each round holds in all rounds, if the first one has it.
    holds = np.array(1, np.object_) if _starts(node) else None
    condition = Value(ValueType(onnx.TensorProto.BOOL, ()), holds)
    state = [node.value(i + 2) for i in range(count)]
    outputs = _settled(
        node, graph, [counter, condition, *state], slice(2, None), slice(1, 1 + count)
    )
    trips = _trips(node, outputs[0])
    infos = graph.output[1 + count :]
    # Where nothing is stacked, onnxruntime's result has the shape that the body declares.
    runs = trips is not None and at_least(trips, 1)
    scanned = [
        Out(
            _stacked(v.type.shape, trips, 0) if runs or _is_declared(i) else None,
            element=v.type.element,
        )
        for v, i in zip(outputs[1 + count :], infos, strict=True)
    ]
    return [*(_out(v) for v in outputs[1 : 1 + count]), *scanned]


def _starts(node: NodeView) -> bool:
    """Whether the condition of a Loop is true, or not there, before the first round."""
    return not node.has(1) or node.sizes(1) == [1]


def _is_declared(info: onnx.ValueInfoProto) -> bool:
    """Whether a graph declares all sizes of an output."""
    shape = info.type.tensor_type.shape
    return info.type.tensor_type.HasField("shape") and all(
        d.HasField("dim_value") for d in shape.dim
    )


def _trips(node: NodeView, again: Value) -> Size | None:
    """How often a Loop runs, when no condition ends it before its number of trips is reached."""
    number = node.sizes(0) if node.has(0) else None
    last = None if again.elements is None else again.elements.reshape(-1).tolist()
    if number is None or number[0] is None or not _starts(node) or last != [1]:
        return None
    return node.assumptions.not_negative(number[0])


def _stacked(shape: Shape | None, count: Size | None, axis: int) -> Shape | None:
    if shape is None:
        return None
    axis = normalized(axis, len(shape) + 1)
    return (*shape[:axis], count, *shape[axis:])


def _scan(node: NodeView) -> list[Out]:
    if node.version < 9:
        raise UnknownShape
    graph, scanned = _graph(node, "body"), node.integer("num_scan_inputs")
    states = len(node.inputs) - scanned
    axes = node.integers("scan_input_axes") or [0] * scanned
    count: Size | None = None
    slices: list[Value] = []
    for index, axis in zip(range(states, len(node.inputs)), axes, strict=True):
        shape = node.shape(index)
        axis = normalized(axis, len(shape))
        count = node.same(count, shape[axis])
        type_ = ValueType(node.type(index).element, (*shape[:axis], *shape[axis + 1 :]))
        slices.append(Value(type_))
    first = [*(node.value(i) for i in range(states)), *slices]
    outputs = _settled(node, graph, first, slice(0, states), slice(0, states))
    results = outputs[states:]
    places = node.integers("scan_output_axes") or [0] * len(results)
    stacked = [
        Out(_stacked(v.type.shape, count, axis), None, v.type.element)
        for v, axis in zip(results, places, strict=True)
    ]
    return [*(_out(v) for v in outputs[:states]), *stacked]


def surely_runs(node: NodeView) -> bool:
    """Whether the first graph that a rule walked over runs in each call, for the same types."""
    if node.op_type == "If":
        condition = node.sizes(0)
        return condition is not None and isinstance(condition[0], int)
    if node.op_type == "Loop":
        number = node.sizes(0) if node.has(0) else [1]
        return _starts(node) and number is not None and _is_positive(number[0])
    scanned = node.integer("num_scan_inputs")
    axis = (node.integers("scan_input_axes") or [0])[0]
    shape = node.type(len(node.inputs) - scanned).shape if scanned else None
    return shape is not None and -len(shape) <= axis < len(shape) and _is_positive(shape[axis])


def _is_positive(size: Size | None) -> bool:
    return size is not None and bool(at_least(size, 1))


RULES: dict[str, Rule] = {"If": _if, "Loop": _loop, "Scan": _scan}
