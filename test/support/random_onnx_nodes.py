"""Nodes for random ONNX models, on values whose arrays are known.

A maker gets the graph and returns nodes, or None when no value suits it. It need not be careful:
onnxruntime runs each group of nodes once, and what it refuses is dropped (`random_onnx_models.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto

if TYPE_CHECKING:
    from random_onnx_values import Values

Nodes = list[onnx.NodeProto] | None

EXACT_UNARY = "Relu Abs Neg Sign Identity Floor Ceil Round Not IsNaN BitwiseNot Shape Size".split()
ROUNDED_UNARY = (
    "Sigmoid Tanh Exp Erf Softplus Elu Selu Softsign HardSigmoid LeakyRelu ThresholdedRelu Sqrt "
    "Log Reciprocal Sin Cos Atan Asinh Gelu HardSwish Mish Celu Cosh Sinh"
).split()
EXACT_BINARY = (
    "Add Sub Mul Max Min Equal Less Greater LessOrEqual GreaterOrEqual And Or Xor Mod".split()
)
ROUNDED_BINARY = "Div Pow PRelu".split()
REDUCTIONS = (
    "ReduceSum ReduceMax ReduceMin ReduceMean ReduceProd ReduceL1 ReduceL2 ReduceSumSquare "
    "ReduceLogSum ReduceLogSumExp"
).split()
BROKEN = {"Div", "Pow", "Log", "Sqrt", "Reciprocal", "ReduceLogSum", "Mod"}
"""Operators that make a small error of an operand a large one."""
STEPS = set(
    "Floor Ceil Round Sign Cast ArgMax ArgMin TopK Equal Less Greater NonZero Mod Where "
    "LessOrEqual GreaterOrEqual IsNaN Not Unique And Or Xor HardSigmoid Loop If "
    "ThresholdedRelu OneHot CastLike IsInf ReduceProd Hardmax "
    "QuantizeLinear".split()
)
"""Operators that make a small error of an operand another result."""
TYPES = [
    TensorProto.FLOAT,
    TensorProto.DOUBLE,
    TensorProto.FLOAT16,
    TensorProto.BFLOAT16,
    TensorProto.INT8,
    TensorProto.INT16,
    TensorProto.INT32,
    TensorProto.INT64,
    TensorProto.UINT8,
    TensorProto.UINT16,
    TensorProto.UINT32,
    TensorProto.UINT64,
    TensorProto.BOOL,
]


def unary(g: Values) -> Nodes:
    kind = g.random.choice(EXACT_UNARY + 2 * ROUNDED_UNARY)
    given: dict[str, Any] = {}
    if kind in ("LeakyRelu", "Elu", "ThresholdedRelu", "HardSigmoid", "Celu"):
        given = g.some({"alpha": g.random.choice([0.0, 0.25, 1.0, -0.5, 2.0])})
    if kind == "Gelu":
        given = g.some({"approximate": g.random.choice(["none", "tanh"])})
    if g.opset < 10 and kind in ("ThresholdedRelu", "Mod", "IsInf"):
        return None  # ONNX's checker does not know it yet
    if kind == "Shape":
        given = g.some({"start": g.random.randint(-2, 2), "end": g.random.randint(-2, 2)})
    return [g.node(kind, [g.pick()], **given)]


def binary(g: Values) -> Nodes:
    kind = g.random.choice(EXACT_BINARY + ROUNDED_BINARY)
    a = g.pick()
    b = g.partner(a)
    pair = [a, b] if g.random.random() < 0.7 else [b, a]
    given: dict[str, Any] = {"fmod": 1} if kind == "Mod" and g.arrays[a].dtype.kind == "f" else {}
    return [g.node(kind, pair, **given)]


def several(g: Values) -> Nodes:
    a = g.pick()
    names = [a, *(g.partner(a) for _ in range(g.random.randint(0, 3)))]
    return [g.node(g.random.choice(["Sum", "Mean", "Max", "Min"]), names)]


def reduction(g: Values) -> Nodes:
    kind, x = g.random.choice(REDUCTIONS), g.pick()
    axes = g.axes(x)
    given: dict[str, Any] = g.some({"keepdims": g.random.randint(0, 1)})
    as_input = g.opset >= 18 or (kind == "ReduceSum" and g.opset >= 13)
    more: dict[str, Any] = {"axes": axes} if axes else {}
    if not as_input:
        return [g.node(kind, [x], **given, **more)]
    if g.random.random() < 0.3:
        given |= {"noop_with_empty_axes": g.random.randint(0, 1)}
    choice = g.random.random()
    if choice < 0.2:
        return [g.node(kind, [x, *([""] if g.random.random() < 0.5 else [])], **given)]
    axes = [] if choice < 0.3 else axes
    return [g.node(kind, [x, g.weight(np.array(axes, np.int64))], **given)]


def places(g: Values) -> Nodes:
    kind, x = g.random.choice(["ArgMax", "ArgMin", "Softmax", "LogSoftmax", "Hardmax"]), g.pick()
    given = g.some({"axis": g.axis(x)})
    if kind.startswith("Arg"):
        given |= g.some({"keepdims": g.random.randint(0, 1)})
        given |= g.some({"select_last_index": g.random.randint(0, 1)})
    return [g.node(kind, [x], **given)]


def conversion(g: Values) -> Nodes:
    x = g.pick()
    if g.random.random() < 0.2:
        return [g.node("CastLike", [x, g.pick()])]
    return [g.node("Cast", [x], to=g.random.choice(TYPES))]


def reshaping(g: Values) -> Nodes:
    x = g.pick()
    shape = [*g.arrays[x].shape]
    rank = len(shape)
    match g.random.randrange(6):
        case 0:
            perm = g.random.sample(range(rank), rank)
            return [g.node("Transpose", [x], **g.some({"perm": perm}))]
        case 1:
            return [g.node("Flatten", [x], **g.some({"axis": g.random.randint(-rank, rank)}))]
        case 2:
            wanted = g.random.choice([[-1], [0, -1], [*shape[:1], -1], [1, -1], shape[::-1], shape])
            return [g.node("Reshape", [x, g.weight(np.array(wanted, np.int64))])]
        case 3:
            axes = [g.random.randint(-rank - 1, rank) for _ in range(g.random.randint(1, 2))]
            return [g.with_axes("Unsqueeze", x, axes)]
        case 4:
            ones = [i - g.random.choice([0, rank]) for i, d in enumerate(shape) if d == 1]
            if not ones and g.random.random() < 0.8:
                return None
            return [g.with_axes("Squeeze", x, g.random.choice([ones, ones[:1], None]))]
        case _:
            size = g.node("Shape", [x])
            return [size, g.node("Reshape", [g.like(x), size.output[0]])]


def joining(g: Values) -> Nodes:
    x = g.pick()
    names = [x, *(g.like(x) for _ in range(g.random.randint(0, 2)))]
    return [g.node("Concat", names, axis=g.axis(x))]


def splitting(g: Values) -> Nodes:
    x = g.pick()
    axis, array = g.axis(x), g.arrays[x]
    if array.ndim == 0:
        return None
    size = array.shape[axis]
    first = g.random.randint(0, size)
    if g.opset < 13:
        return [g.node("Split", [x], 2, axis=axis, split=[first, size - first])]
    parts = g.weight(np.array([first, size - first]))
    return [g.node("Split", [x, parts], 2, axis=axis)]


def slicing(g: Values) -> Nodes:
    x = g.pick()
    rank = g.arrays[x].ndim
    if rank == 0:
        return None
    axes = g.random.sample(range(rank), g.random.randint(1, rank))
    axes = [a - g.random.choice([0, rank]) for a in axes]
    starts = [g.random.choice([0, 1, -1, -2, 5]) for _ in axes]
    ends = [g.random.choice([1, 2, -1, 100, -100, (1 << 63) - 1, -(1 << 63)]) for _ in axes]
    if g.opset < 10:
        return [g.node("Slice", [x], axes=axes, starts=starts, ends=ends)]
    steps = [g.random.choice([1, 1, 2, -1, -2]) for _ in axes]
    lists = [starts, ends, axes, steps]
    names = [g.weight(np.array(n, np.int64)) for n in lists]
    if g.random.random() < 0.2 and len(axes) == rank:
        names[2] = ""
        names[3] = g.random.choice(["", names[3]])
    return [g.node("Slice", [x, *names])]


def gathering(g: Values) -> Nodes:
    x = g.pick()
    shape = g.arrays[x].shape
    if not shape:
        return None
    axis = g.axis(x)
    size = max(1, shape[axis])
    kind = g.random.choice(["Gather", "Gather", "GatherElements", "GatherND"])
    if kind == "Gather":
        wanted: Any = g.random.choice([(), (1,), (3,), (0,), (2, 2)])
    else:
        wanted = shape if kind == "GatherElements" else (2, 1)
    found = np.array([g.random.randint(-size, size - 1) for _ in range(math.prod(wanted))])
    dtype = g.random.choice([np.int64, np.int32]) if kind != "GatherND" else np.int64
    index = g.weight(found.reshape(wanted).astype(dtype))
    given = {} if kind == "GatherND" else g.some({"axis": axis})
    return [g.node(kind, [x, index], **given)]


def products(g: Values) -> Nodes:
    x = g.pick(floats=True)
    array = g.arrays[x]
    if array.ndim == 0:
        return None
    inner, columns = array.shape[-1], g.random.choice([1, 3, 16, 17])
    match g.random.randrange(4):
        case 0 if array.ndim == 2:
            turned = g.random.randint(0, 1)
            w = g.weight(
                g.random_array((columns, inner) if turned else (inner, columns), array.dtype)
            )
            bias = g.random.choice([(columns,), (1,), (), (1, columns), (array.shape[0], 1), None])
            more = [] if bias is None else [g.weight(g.random_array(bias, array.dtype))]
            given = g.some({"alpha": 0.5}) | g.some({"beta": 2.0})
            return [g.node("Gemm", [x, w, *more], transB=turned, **given)]
        case 1:
            size = g.random.choice([(inner,), (inner, columns), (2, inner, columns), (1, inner, 1)])
            return [g.node("MatMul", [x, g.weight(g.random_array(size, array.dtype))])]
        case 2:
            turned = g.node("Transpose", [x])
            return [turned, g.node("MatMul", [x, turned.output[0]])]
        case _:
            w = g.weight(g.random_array((columns, array.shape[0]), array.dtype))
            return [g.node("MatMul", [w, x])]


def norms(g: Values) -> Nodes:
    x = g.pick(floats=True)
    array = g.arrays[x]
    if array.ndim == 0:
        return None
    dtype, axis = array.dtype, g.axis(x)
    size = array.shape[axis:]
    match g.random.randrange(4):
        case 0:
            more = [g.weight(g.random_array(size, dtype))] if g.random.random() < 0.7 else []
            scale = g.weight(g.random_array(size, dtype))
            outputs = g.random.choice([1, 1, 3])
            return [
                g.node("LayerNormalization", [x, scale, *more], outputs, **g.some({"axis": axis}))
            ]
        case 1:
            stats = [np.abs(g.random_array(array.shape[1:2], dtype)) + 1 for _ in range(4)]
            return [g.node("BatchNormalization", [x, *map(g.weight, stats)])]
        case 2:
            pair = [g.weight(g.random_array(array.shape[1:2], dtype)) for _ in range(2)]
            return [g.node("InstanceNormalization", [x, *pair])]
        case _:
            return [g.node("LpNormalization", [x], **g.some({"axis": axis}), **g.some({"p": 1}))]


def windows(g: Values) -> Nodes:
    x = g.pick(floats=True)
    array = g.arrays[x]
    if array.ndim not in (3, 4):
        return None
    spatial = array.ndim - 2
    match g.random.randrange(3):
        case 0:
            w = g.random_array((4, array.shape[1], *[1] * spatial), array.dtype)
            more = [g.weight(g.random_array((4,), array.dtype))] if g.random.random() < 0.5 else []
            return [g.node("Conv", [x, g.weight(w), *more])]
        case 1:
            return [g.node(g.random.choice(["GlobalAveragePool", "GlobalMaxPool"]), [x])]
        case _:
            kind = g.random.choice(["MaxPool", "AveragePool"])
            return [
                g.node(kind, [x], kernel_shape=[2] * spatial, **g.some({"pads": [1, 0] * spatial}))
            ]


MAKERS: list[Callable[[Values], Nodes]] = [
    *[unary, binary] * 4,
    *[reduction, reshaping] * 2,
    several,
    places,
    conversion,
    joining,
    splitting,
    slicing,
    gathering,
    products,
    norms,
    windows,
]
