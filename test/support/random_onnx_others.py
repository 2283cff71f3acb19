"""Nodes for random ONNX models that are no elementwise ops: subgraphs, sequences, texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper

if TYPE_CHECKING:
    from random_onnx_nodes import Nodes
    from random_onnx_values import Values


def choosing(g: Values) -> Nodes:
    x = g.pick()
    y = g.partner(x)
    if g.random.random() < 0.4:
        mask = g.weight(
            np.random.default_rng(g.random.getrandbits(32)).random(
                g.random.choice([g.arrays[x].shape, g.arrays[x].shape[-1:], ()])
            )
            < 0.5
        )
        return [g.node("Where", [mask, x, y])]
    test = g.node("Greater", [x, y])
    return [test, g.node("Where", [test.output[0], *g.random.sample([x, y], 2)])]


def clipping(g: Values) -> Nodes:
    x = g.pick()
    array = g.arrays[x]
    low, high = g.random.choice([(-1, 1), (0, 6), (2, -2), (0, 0)])
    if g.opset < 11:
        return [g.node("Clip", [x], **g.some({"min": float(low)}), **g.some({"max": float(high)}))]
    if array.dtype.kind not in "fiu" or array.dtype.kind == "u":
        return None
    bounds = [
        g.weight(np.array(b, array.dtype)) if g.random.random() < 0.7 else "" for b in (low, high)
    ]
    while bounds and not bounds[-1] and g.random.random() < 0.5:
        bounds.pop()
    return [g.node("Clip", [x, *bounds])]


def growing(g: Values) -> Nodes:
    x = g.pick()
    array = g.arrays[x]
    rank = array.ndim
    match g.random.randrange(5):
        case 0:
            size = [g.random.choice([d, 1]) for d in array.shape]
            size = [*([2] if g.random.random() < 0.3 else []), *size]
            size = [3 if d == 1 and g.random.random() < 0.2 else d for d in size]
            return [g.node("Expand", [x, g.weight(np.array(size, np.int64))])]
        case 1:
            times = [g.random.choice([1, 1, 2, 0]) for _ in range(rank)]
            return [g.node("Tile", [x, g.weight(np.array(times, np.int64))])]
        case 2:
            pads = [g.random.choice([0, 0, 1, 2, -1]) for _ in range(2 * rank)]
            mode = g.random.choice(["constant", "constant", "edge", "reflect"])
            if g.opset < 11:
                return [g.node("Pad", [x], pads=pads, **g.some({"mode": mode}))]
            more = [g.weight(np.array(1, array.dtype))] if g.random.random() < 0.5 else []
            names = [x, g.weight(np.array(pads, np.int64)), *more]
            return [g.node("Pad", names, **g.some({"mode": mode}))]
        case 3:
            axis = g.weight(np.array(g.axis(x), g.random.choice([np.int32, np.int64])))
            given = g.some({"exclusive": 1}) | g.some({"reverse": 1})
            return [g.node("CumSum", [x, axis], **given)]
        case _:
            size = g.node("Shape", [x])
            value = helper.make_tensor("value", TensorProto.FLOAT, [1], [0.5])
            return [size, g.node("ConstantOfShape", [size.output[0]], **g.some({"value": value}))]


def ordering(g: Values) -> Nodes:
    x = g.pick()
    array = g.arrays[x]
    if array.ndim == 0:
        return None
    axis = g.axis(x)
    match g.random.randrange(3):
        case 0:
            k = g.random.randint(0, array.shape[axis])
            given = g.some({"axis": axis})
            if g.opset < 10:
                return [g.node("TopK", [x], 2, k=k, **given)]
            return [g.node("TopK", [x, g.weight(np.array([k]))], 2, **given)]
        case 1:
            return [g.node("NonZero", [x])]
        case _:
            index = g.weight(np.array([0, 2, -1]))
            values = g.weight(np.array([0, 1], array.dtype))
            return [g.node("OneHot", [index, g.weight(np.array(4)), values], **g.some({"axis": 0}))]


def branching(g: Values) -> Nodes:
    """An `If` whose branches read values of the graph around it."""
    x, y = g.pick(), g.pick()
    name = g.fresh()
    branches: dict[str, Any] = {}
    for key, kinds in (("then_branch", ["Neg", "Relu"]), ("else_branch", ["Abs", "Identity"])):
        kind = g.random.choice(kinds)
        inner = [helper.make_node(kind, [g.random.choice([x, x, y])], [f"{name}_{key}_0"])]
        if g.random.random() < 0.5:
            inner.append(helper.make_node("Add", [inner[0].output[0], x], [f"{name}_{key}_1"]))
        result = onnx.ValueInfoProto(name=inner[-1].output[0])
        kind_of = helper.np_dtype_to_tensor_dtype(g.arrays[x].dtype)
        result.type.tensor_type.elem_type = kind_of
        branches[key] = helper.make_graph(inner, key, [], [result])
    condition = g.weight(np.array(g.random.random() < 0.5))
    made: list[onnx.NodeProto] = []
    if g.random.random() < 0.6:
        size = g.node("Size", [x])
        made = [size, g.node("Greater", [size.output[0], g.weight(np.array(6))])]
        condition = made[-1].output[0]
    return [*made, g.node("If", [condition], **branches)]


def looping(g: Values) -> Nodes:
    """A `Loop` that carries a value, reads another, and may stack its results."""
    x, y = g.pick(), g.pick()
    name = g.fresh()
    kind = helper.np_dtype_to_tensor_dtype(g.arrays[x].dtype)
    infos = [
        helper.make_tensor_value_info(f"{name}_i", TensorProto.INT64, []),
        helper.make_tensor_value_info(f"{name}_c", TensorProto.BOOL, []),
        helper.make_tensor_value_info(f"{name}_v", kind, None),
    ]
    inner = [
        helper.make_node("Identity", [f"{name}_c"], [f"{name}_d"]),
        helper.make_node("Add", [f"{name}_v", g.random.choice([x, y])], [f"{name}_w"]),
    ]
    results = [
        helper.make_tensor_value_info(f"{name}_d", TensorProto.BOOL, []),
        helper.make_tensor_value_info(f"{name}_w", kind, None),
    ]
    stacked = g.random.random() < 0.4
    if stacked:
        inner.append(helper.make_node("Neg", [f"{name}_w"], [f"{name}_z"]))
        results.append(helper.make_tensor_value_info(f"{name}_z", kind, None))
    body = helper.make_graph(inner, "body", infos, results)
    trips = g.weight(np.array(g.random.randint(0, 3)))
    names = [trips, g.weight(np.array(True)) if g.random.random() < 0.5 else "", x]
    return [g.node("Loop", names, 1 + stacked, body=body)]


def sequences(g: Values) -> Nodes:
    x = g.pick()
    axis = g.axis(x)
    place = g.weight(np.array(g.random.choice([0, -1])))
    match g.random.randrange(3):
        case 0:
            made = g.node("SequenceConstruct", [x, g.like(x)], hidden=True)
            return [made, g.node("ConcatFromSequence", [made.output[0]], axis=axis)]
        case 1:
            made = g.node("SplitToSequence", [x], hidden=True, **g.some({"axis": axis}))
            return [made, g.node("SequenceAt", [made.output[0], place])]
        case _:
            made = g.node("SequenceConstruct", [x], hidden=True)
            other = g.node("SequenceInsert", [made.output[0], g.like(x), place], hidden=True)
            return [
                made,
                other,
                g.node("SequenceLength", [other.output[0]]),
                g.node("SequenceAt", [other.output[0], place]),
            ]


def texts(g: Values) -> Nodes:
    names = [n for n, a in g.arrays.items() if a.dtype.kind in "OUS"]
    if not names:
        return None
    x = g.random.choice(names)
    match g.random.randrange(3):
        case 0:
            return [g.node("Identity", [x])]
        case 1:
            return [g.node("Equal", [x, x])]
        case _:
            return [g.node("Concat", [x, x], axis=0)]


def nothing(g: Values) -> Nodes:
    """Dropout, with its mask or without, and constants of each kind."""
    match g.random.randrange(3):
        case 0:
            return [g.node("Dropout", [g.pick()], g.random.choice([1, 2]))]
        case kind if kind == 1 or g.opset < 12:
            tensor = onnx.numpy_helper.from_array(g.random_array((2, 1), np.dtype(np.float32)))
            return [g.node("Constant", [], value=tensor)]
        case _:
            given: Any = g.random.choice(
                [{"value_float": 2.0}, {"value_ints": [1, 2]}, {"value_int": 3}]
            )
            return [g.node("Constant", [], **given)]


OTHERS: list[Callable[[Values], Nodes]] = [
    choosing,
    clipping,
    clipping,
    growing,
    growing,
    ordering,
    branching,
    looping,
    sequences,
    texts,
    nothing,
]
