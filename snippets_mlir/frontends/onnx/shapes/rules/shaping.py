"""Operators that read shapes, or make tensors of computed shapes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import onnx
from onnx import numpy_helper

from snippets_mlir.frontends.onnx.shapes.dims import Dim, Size, ceildiv, product
from snippets_mlir.frontends.onnx.shapes.types import (
    MOST_ELEMENTS,
    Elements,
    Shape,
    UnknownShape,
    as_elements,
    constant,
    elements_of,
    scalar,
)
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out, Rule, normalized

INT64 = onnx.TensorProto.INT64


def known(shape: Sequence[Size | None]) -> list[Size] | None:
    """The sizes when all of them are known."""
    sizes = [s for s in shape if s is not None]
    return sizes if len(sizes) == len(shape) else None


def viewed(elements: Elements | None, shape: Shape) -> Elements | None:
    """Elements in another shape; None where the shape is no numbers."""
    numbers = [s for s in shape if isinstance(s, int)]
    if elements is None or len(numbers) != len(shape) or prod(numbers) != elements.size:
        return None
    return elements.reshape(numbers)


def _shape(node: NodeView) -> list[Out]:
    shape = node.shape(0)
    end = node.integer("end") if "end" in node.attributes else None
    part = shape[slice(node.integer("start"), end)]
    return [Out((len(part),), elements_of(part))]


def _size(node: NodeView) -> list[Out]:
    sizes = known(node.shape(0))
    return [Out((), scalar(None if sizes is None else product(sizes)))]


def _constant(node: NodeView) -> list[Out]:
    if "value" in node.attributes:
        tensor = node.attributes["value"].t
    elif "sparse_value" in node.attributes:
        sparse = node.attributes["sparse_value"].sparse_tensor
        return [Out(tuple(sparse.dims), None, sparse.values.data_type)]
    else:
        (attribute,) = node.attributes.values()
        value = onnx.helper.get_attribute_value(attribute)
        dtype = {"f": np.float32, "i": np.int64}.get(attribute.name[6:7])
        if dtype is None:
            count = len(attribute.strings)
            shape = () if attribute.name == "value_string" else (count,)
            return [Out(shape, None, onnx.TensorProto.STRING)]
        tensor = numpy_helper.from_array(np.array(value, dtype))
    found = constant(tensor)
    return [Out(found.type.shape, None, found.type.element, None, found.tensor)]


def _expand(node: NodeView) -> list[Out]:
    wanted = node.given_sizes("shape", 1)
    result = node.broadcast(node.shape(0), tuple(wanted or ()))
    return [Out(result, repeated(node.elements(0), result))]


def repeated(elements: Elements | None, shape: Shape) -> Elements | None:
    """Elements broadcast to a shape of a few numbers, else None."""
    numbers = [s for s in shape if isinstance(s, int)]
    if elements is None or len(numbers) != len(shape) or prod(numbers) > MOST_ELEMENTS:
        return None
    return np.broadcast_to(elements, numbers)


def _constant_of_shape(node: NodeView) -> list[Out]:
    wanted = node.given_sizes("", 0)
    tensor = node.attributes["value"].t if "value" in node.attributes else None
    element = onnx.TensorProto.FLOAT if tensor is None else tensor.data_type
    fill = as_elements(np.zeros(())) if tensor is None else constant(tensor).elements
    shape = tuple(wanted or ())
    if fill is not None:
        fill = repeated(fill.reshape(()), shape)
    return [Out(shape, fill, element)]


def _range(node: NodeView) -> list[Out]:
    start, limit, delta = (single(node, i) for i in range(3))
    if start is None or limit is None or delta is None:
        return [Out((_real_count(node),))]
    if isinstance(delta, Dim) or delta == 0:
        return [Out((None,))]
    distance = limit - start if delta > 0 else start - limit
    count = node.assumptions.not_negative(ceildiv(distance, abs(delta)))
    if not isinstance(count, int) or count > MOST_ELEMENTS:
        return [Out((count,))]
    return [Out((count,), elements_of(start + delta * i for i in range(count)))]


def single(node: NodeView, index: int) -> Size | None:
    """The one element of an input; None if it is not known, or not one."""
    found = node.sizes(index)
    return found[0] if found is not None and len(found) == 1 else None


def _real_count(node: NodeView) -> Size | None:
    """The length of a Range of constant floats."""
    numbers = [node.numbers(i) for i in range(3)]
    given = [n for n in numbers if n is not None]
    if len(given) < 3 or given[2].item() == 0:
        return None
    return max(int(np.ceil((given[1].item() - given[0].item()) / given[2].item())), 0)


def _transpose(node: NodeView) -> list[Out]:
    shape = node.shape(0)
    order = node.integers("perm") or list(range(len(shape)))[::-1]
    if sorted(order) != list(range(len(shape))):
        raise UnknownShape
    found = node.elements(0)
    return [Out(tuple(shape[i] for i in order), None if found is None else found.transpose(order))]


def _concat(node: NodeView) -> list[Out]:
    shapes = [node.shape(i) for i in range(len(node.inputs))]
    axis = normalized(node.integer("axis", 1), len(shapes[0]))
    if any(len(s) != len(shapes[0]) for s in shapes):
        raise UnknownShape
    result = [
        None if i == axis else node.same(*sizes)
        for i, sizes in enumerate(zip(*shapes, strict=True))
    ]
    along = known([s[axis] for s in shapes])
    total: Size | None = None
    if along is not None:
        total = 0
        for size in along:
            total = total + size
    result[axis] = total
    return [Out(tuple(result), _joined(node, axis, total))]


def _joined(node: NodeView, axis: int, total: Size | None) -> Elements | None:
    if not isinstance(total, int) or total > MOST_ELEMENTS:
        return None
    parts: list[Elements] = []
    for index in range(len(node.inputs)):
        found, shape = node.elements(index), node.shape(index)
        if found is None:
            numbers = [s for s in shape if isinstance(s, int)]
            if len(numbers) < len(shape) or prod(numbers) > MOST_ELEMENTS:
                return None
            found = np.full(numbers, None, np.object_)
        parts.append(found)
    return np.concatenate(parts, axis)


RULES: dict[str, Rule] = {
    "Concat": _concat,
    "Constant": _constant,
    "ConstantOfShape": _constant_of_shape,
    "Expand": _expand,
    "Range": _range,
    "Shape": _shape,
    "Size": _size,
    "Transpose": _transpose,
}
