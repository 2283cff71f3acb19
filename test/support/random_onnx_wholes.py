"""Nodes for random ONNX models that read whole tensors: einsums, scatters, quantization, images."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx

if TYPE_CHECKING:
    from random_onnx_values import Values

Nodes = list[onnx.NodeProto] | None


def einsum(g: Values) -> Nodes:
    x = g.pick(floats=True)
    array = g.arrays[x]
    if array.ndim not in (2, 3):
        return None
    equation = g.random.choice(
        ["ij,jk->ik", "ij,jk->ki", "ij,ij->i", "ij,kj->ik", "ij->ji", "ij->", "ij,ij->ij"]
        if array.ndim == 2
        else ["bij,bjk->bik", "bij,bkj->bik", "bij->bji", "bij,bij->b", "...ij,...jk->...ik"]
    )
    left, _, right = equation.partition("->")[0].partition(",")
    if not right:
        return [g.node("Einsum", [x], equation=equation)]
    names = left.replace("...", "b")
    sizes = dict(zip(names, array.shape, strict=True))
    shape = [sizes.get(letter, 3) for letter in right.replace("...", "b")]
    return [g.node("Einsum", [x, g.weight(g.random_array(shape, array.dtype))], equation=equation)]


def scattering(g: Values) -> Nodes:
    x = g.pick()
    array = g.arrays[x]
    if array.ndim == 0:
        return None
    axis = g.axis(x)
    size = max(1, array.shape[axis])
    shape = [*array.shape]
    shape[axis] = 1
    found = [g.random.randint(-size, size - 1) for _ in range(math.prod(shape))]
    index = g.weight(np.array(found, np.int64).reshape(shape))
    updates = g.weight(g.random_array(shape, array.dtype))
    if g.random.random() < 0.5:
        return [g.node("ScatterElements", [x, index, updates], **g.some({"axis": axis}))]
    place = g.weight(np.array([[g.random.randint(0, max(0, array.shape[0] - 1))]], np.int64))
    rows = g.weight(g.random_array((1, *array.shape[1:]), array.dtype))
    return [g.node("ScatterND", [x, place, rows])]


def quantization(g: Values) -> Nodes:
    x = g.pick(floats=True)
    array = g.arrays[x]
    if array.dtype != np.float32:
        return None
    kind = g.random.choice([np.uint8, np.int8])
    per_axis = array.ndim > 0 and g.random.random() < 0.4
    axis = g.axis(x)
    shape = (array.shape[axis],) if per_axis else ()
    scale = g.weight(np.full(shape, 0.25, np.float32))
    zero = g.weight(np.full(shape, g.random.choice([0, 1, 5]), kind))
    given: dict[str, Any] = {"axis": axis} if per_axis and g.opset >= 13 else {}
    made = g.node("QuantizeLinear", [x, scale, zero], **given)
    if g.random.random() < 0.3:
        return [made]
    return [made, g.node("DequantizeLinear", [made.output[0], scale, zero], **given)]


def triangles(g: Values) -> Nodes:
    x = g.pick()
    if g.arrays[x].ndim < 2:
        return None
    k = [g.weight(np.array(g.random.choice([0, 1, -1, 5]), np.int64))]
    return [g.node("Trilu", [x, *(k if g.random.random() < 0.5 else [])], **g.some({"upper": 0}))]


def ranges(g: Values) -> Nodes:
    """Places along a dim, as masks and positions have them."""
    x = g.pick()
    array = g.arrays[x]
    if array.ndim == 0:
        return None
    axis = g.random.randrange(array.ndim)
    shape = g.node("Shape", [x])
    size = g.node("Gather", [shape.output[0], g.weight(np.array(axis, np.int64))], axis=0)
    zero, one = (g.weight(np.array(n, np.int64)) for n in (0, 1))
    places = g.node("Range", [zero, size.output[0], one])
    made = [shape, size, places]
    if g.random.random() < 0.5:
        made.append(g.node("Cast", [places.output[0]], to=onnx.TensorProto.FLOAT))
    return made


def images(g: Values) -> Nodes:
    x = g.pick(floats=True)
    array = g.arrays[x]
    if array.ndim != 4:
        return None
    match g.random.randrange(4):
        case 0:
            return [g.node("SpaceToDepth", [x], blocksize=1)]
        case 1:
            scales = g.weight(np.array([1, 1, 2, 2], np.float32))
            return [g.node("Resize", [x, "", scales], **g.some({"mode": "nearest"}))]
        case 2 if g.opset >= 21:
            pair = [g.weight(g.random_array(array.shape[1:2], array.dtype)) for _ in range(2)]
            return [g.node("GroupNormalization", [x, *pair], num_groups=1)]
        case _:
            return [g.node("LRN", [x], size=3)]


def modern(g: Values) -> Nodes:
    """Operators of opset 22 and later, and gates as exporters write them."""
    x = g.pick(floats=True)
    array = g.arrays[x]
    if array.ndim == 0:
        return None
    if g.opset >= 23 and g.random.random() < 0.5:
        scale = g.weight(g.random_array(array.shape[-1:], array.dtype))
        return [g.node("RMSNormalization", [x, scale], axis=-1)]
    gate = g.node("Sigmoid", [x])
    made = [gate, g.node("Mul", [x, gate.output[0]])]
    if g.random.random() < 0.5:
        mean = (
            g.node("ReduceMean", [x, g.weight(np.array([-1], np.int64))])
            if g.opset >= 18
            else g.node("ReduceMean", [x], axes=[-1])
        )
        made += [mean, g.node("Sub", [made[-1].output[0], mean.output[0]])]
    return made


WHOLES: list[Callable[[Values], Nodes]] = [
    einsum,
    scattering,
    *[quantization] * 2,
    triangles,
    *[ranges] * 2,
    images,
    *[modern] * 2,
]
