"""The graphs that `engine_rates.py` measures: generated, on arrays between 1/4 and 3/4."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper

OPSET = 23

Array = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True)
class Operator:
    """An operator of one tensor, or of it and others.

    Attributes:
        attributes: its attributes.
        operands: its other operands: numbers, or `rows` for a tensor of the length of a row, `x`
            for a tensor of the same shape, `ids` for the number of each row, `angles` for a
            number for each pair of columns in each row, `table` for the same without a batch.
        reduces: whether its result has to be added to the operand to have the shape again.
        axes: whether it reduces by an operand with axes.
        places: whether its result has integers.
        batch: whether it reads a tensor of three dims, the first of size 1.
    """

    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    operands: tuple[float | str, ...] = ()
    reduces: bool = False
    axes: bool = False
    places: bool = False
    batch: bool = False


_REDUCE = Operator(reduces=True, axes=True)

OPERATORS: dict[str, Operator] = {
    **{
        name: Operator()
        for name in (
            "Abs Acos Asin Asinh Atan Atanh Ceil Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid "
            "HardSwish LeakyRelu Log LogSoftmax Mish Neg Reciprocal Relu Round Selu Sigmoid Sign "
            "Sin Sinh Softmax Softplus Softsign Sqrt Tan Tanh ThresholdedRelu"
        ).split()
    },
    **{name: Operator(operands=("x",)) for name in "Add Div Max Min Mul PRelu Sub".split()},
    "Mod": Operator({"fmod": 1}, operands=("x",)),
    "Pow": Operator(operands=(2.5,)),
    **{name: Operator({"axis": -1}, reduces=True, places=True) for name in ("ArgMax", "ArgMin")},
    **{name: _REDUCE for name in "ReduceL2 ReduceMax ReduceMean ReduceSum".split()},
    "LayerNormalization": Operator(operands=("rows", "rows")),
    "QuickGelu": Operator(),
    "RotaryEmbedding": Operator({"num_heads": 1}, operands=("angles", "angles"), batch=True),
    "com.microsoft.RotaryEmbedding": Operator(
        {"num_heads": 1}, operands=("ids", "table", "table"), batch=True
    ),
    "SimplifiedLayerNormalization": Operator(operands=("rows",)),
}
DOMAINS = {"QuickGelu": "com.microsoft"}


@dataclass(frozen=True)
class Graph:
    """A model, and the shapes of its inputs."""

    model: onnx.ModelProto
    shapes: dict[str, Sequence[int]]

    def feed(self) -> dict[str, Array]:
        """Random arrays for the inputs of a call, by name."""
        rng = np.random.default_rng(0)
        return {
            name: (rng.random(shape, dtype=np.float32) / 2 + 0.25).astype(np.float32)
            for name, shape in self.shapes.items()
        }


def _graph(
    nodes: Sequence[onnx.NodeProto],
    shapes: dict[str, Sequence[int]],
    output: str,
    data: dict[str, Any],
) -> Graph:
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [*shape])
        for name, shape in shapes.items()
    ]
    result = [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)]
    tensors = [onnx.numpy_helper.from_array(np.asarray(a), name) for name, a in data.items()]
    graph = helper.make_graph([*nodes], "rates", inputs, result, tensors)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    return Graph(helper.make_model(graph, opset_imports=opsets, ir_version=9), shapes)


def chain(name: str, shape: Sequence[int], length: int) -> Graph:
    """A chain of pairs of an operator and a Clip; only the Clip for an empty name.

    After a Relu there is a Min, because the engine fuses Relu and Clip.
    """
    operator = OPERATORS.get(name, Operator())
    data: dict[str, Any] = {"low": np.float32(0.25), "high": np.float32(0.75)}
    reads: list[str] = []
    for i, operand in enumerate(operator.operands):
        reads.append(f"operand{i}")
        data[reads[-1]] = _operand(operand, shape)
    if operator.axes:
        data["axes"] = np.array([-1], np.int64)
        reads.append("axes")
    nodes: list[onnx.NodeProto] = []
    value = "x"
    if operator.batch:
        data["first"] = np.array([0], np.int64)
        nodes.append(helper.make_node("Unsqueeze", [value, "first"], ["batch"]))
        value = "batch"
    for i in range(length):
        before = value
        if name:
            value = f"a{i}"
            domain, _, kind = name.rpartition(".")
            domain = domain or DOMAINS.get(name)
            nodes.append(
                helper.make_node(
                    kind, [before, *reads], [value], domain=domain, **operator.attributes
                )
            )
        if operator.places:
            nodes.append(helper.make_node("Cast", [value], [f"f{i}"], to=TensorProto.FLOAT))
            value = f"f{i}"
        if operator.reduces:
            nodes.append(helper.make_node("Add", [before, value], [f"b{i}"]))
            value = f"b{i}"
        if name == "Relu":
            nodes.append(helper.make_node("Min", [value, "high"], [f"c{i}"]))
        else:
            nodes.append(helper.make_node("Clip", [value, "low", "high"], [f"c{i}"]))
        value = f"c{i}"
    if operator.batch:
        nodes.append(helper.make_node("Squeeze", [value, "first"], ["whole"]))
        value = "whole"
    return _graph(nodes, {"x": shape}, value, data)


def _operand(operand: float | str, shape: Sequence[int]) -> Any:
    """Another operand for a tensor of `shape`: a number, or an array of 1/2."""
    if operand == "ids":
        return np.arange(shape[0], dtype=np.int64)[None]
    pairs = (shape[0], shape[-1] // 2)
    sizes = {"x": shape, "rows": shape[-1:], "angles": (1, *pairs), "table": pairs}
    found = sizes.get(str(operand))
    return np.full(found, 0.5, np.float32) if found else np.float32(operand)


def products(size: int, count: int) -> Graph:
    """A chain of matrix products of [size, size]."""
    data = {"w": np.full((size, size), 1 / size, np.float32)}
    names = ["x", *(f"y{i}" for i in range(count))]
    nodes = [helper.make_node("MatMul", [a, "w"], [b]) for a, b in itertools.pairwise(names)]
    return _graph(nodes, {"x": (size, size)}, names[-1], data)


def convolutions(channels: int, size: int, count: int) -> Graph:
    """A chain of 1x1 convolutions."""
    data = {"w": np.full((channels, channels, 1, 1), 1 / channels, np.float32)}
    names = ["x", *(f"y{i}" for i in range(count))]
    nodes = [
        helper.make_node("Conv", [before, "w"], [after])
        for before, after in itertools.pairwise(names)
    ]
    return _graph(nodes, {"x": (1, channels, size, size)}, names[-1], data)


class Attention(NamedTuple):
    """Attention in one session, and in parts."""

    whole: Graph
    before: Graph
    softmax: Graph
    after: Graph


def attention(heads: int, length: int, width: int) -> Attention:
    """Attention of [length, heads * width] without the products that make queries and keys."""
    shape, scores = (1, length, heads, width), (1, heads, length, length)
    data = {"factor": np.float32(0.125)}
    queries = [
        helper.make_node("Transpose", ["q"], ["queries"], perm=[0, 2, 1, 3]),
        helper.make_node("Transpose", ["k"], ["keys"], perm=[0, 2, 3, 1]),
        helper.make_node("MatMul", ["queries", "keys"], ["product"]),
        helper.make_node("Mul", ["product", "factor"], ["scores"]),
    ]
    softmax = [helper.make_node("Softmax", ["scores"], ["weights"], axis=-1)]
    values = [
        helper.make_node("Transpose", ["v"], ["values"], perm=[0, 2, 1, 3]),
        helper.make_node("MatMul", ["weights", "values"], ["mixed"]),
        helper.make_node("Transpose", ["mixed"], ["y"], perm=[0, 2, 1, 3]),
    ]
    return Attention(
        _graph([*queries, *softmax, *values], {"q": shape, "k": shape, "v": shape}, "y", data),
        _graph(queries, {"q": shape, "k": shape}, "scores", data),
        _graph(softmax, {"scores": scores}, "weights", {}),
        _graph(values, {"weights": scores, "v": shape}, "y", {}),
    )
