"""ONNX models with random mistakes in names, attributes, types and dims."""

from __future__ import annotations

from random import Random

import onnx
from onnx import TensorProto, helper

_NUMBERS = (-(1 << 63), -1, 0, 1, 2, 3, 7, 1 << 20, 1 << 40, (1 << 63) - 1)


def mutated(model: onnx.ModelProto, random: Random, count: int = 3) -> onnx.ModelProto:
    """A copy of `model` with `count` mistakes."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    for _ in range(count):
        random.choice((_name, _attribute, _input, _constant, _operator))(result.graph, random)
    return result


def _name(graph: onnx.GraphProto, random: Random) -> None:
    """A node reads another value, one that comes later, its own, or none."""
    node = random.choice(graph.node)
    names = [n for other in graph.node for n in (*other.input, *other.output)]
    if node.input:
        node.input[random.randrange(len(node.input))] = random.choice([*names, "", "nobody"])
    else:
        node.input.append(random.choice(names))


def _attribute(graph: onnx.GraphProto, random: Random) -> None:
    attributes = [a for node in graph.node for a in node.attribute]
    if not attributes:
        return
    attribute = random.choice(attributes)
    if attribute.type == onnx.AttributeProto.INTS and attribute.ints:
        attribute.ints[random.randrange(len(attribute.ints))] = random.choice(_NUMBERS)
    elif random.random() < 0.5:
        attribute.i = random.choice(_NUMBERS)
    else:
        name = attribute.name
        attribute.CopyFrom(helper.make_attribute(name, random.choice([[5], [1, 2], 3, 0.5, "x"])))


def _input(graph: onnx.GraphProto, random: Random) -> None:
    tensor = random.choice(graph.input).type.tensor_type
    if random.random() < 0.3:
        tensor.elem_type = random.choice((0, TensorProto.INT64, TensorProto.BOOL, 99))
    elif tensor.shape.dim and random.random() < 0.7:
        dim = random.choice(tensor.shape.dim)
        dim.dim_value = random.choice(_NUMBERS)
    elif random.random() < 0.5:
        tensor.shape.dim.add()
    else:
        tensor.ClearField("shape")


def _constant(graph: onnx.GraphProto, random: Random) -> None:
    tensors = [a.t for node in graph.node for a in node.attribute if a.HasField("t")]
    tensors += graph.initializer
    if not tensors:
        return
    tensor = random.choice(tensors)
    if random.random() < 0.5 and tensor.dims:
        tensor.dims[random.randrange(len(tensor.dims))] = random.choice(_NUMBERS)
    elif random.random() < 0.5:
        tensor.data_type = random.choice((0, TensorProto.FLOAT, TensorProto.STRING, 99))
    else:
        tensor.ClearField("raw_data")


def _operator(graph: onnx.GraphProto, random: Random) -> None:
    node, other = random.choice(graph.node), random.choice(graph.node)
    node.op_type = other.op_type
