"""Operators that compute with shapes, or give their input another one."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import onnx
from onnx import numpy_helper

from snippets_mlir.frontend.onnx.shapes.dims import Dim, Size, ceildiv, floordiv, product
from snippets_mlir.frontend.onnx.shapes.types import (
    MOST_ELEMENTS,
    Elements,
    Shape,
    UnknownShape,
    as_elements,
    constant,
    elements_of,
    scalar,
)
from snippets_mlir.frontend.onnx.shapes.view import NodeView, Out, Rule, normalized

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


def reshaped(node: NodeView, source: Shape, wanted: Sequence[Size | None]) -> Shape:
    """`source` under the shape `wanted`, where 0 copies a size and -1 is what is left."""
    copies = not node.integer("allowzero")
    result: list[Size | None] = []
    left: int | None = None
    open_ = False
    for dim, size in enumerate(wanted):
        if size == -1:
            left = dim
        if size == 0 and copies:
            size = source[dim]
        elif isinstance(size, Dim) and not _is_positive(node, size):
            # An expression that may be -1 or 0 says something else then.
            size, open_ = None, True
        open_ = open_ or size is None
        result.append(size)
    if left is not None:
        result[left] = None if open_ else _what_is_left(source, result, left)
    elif result.count(None) == 1:
        # The one size that is open is what is left; -1 comes to the same.
        at = result.index(None)
        result[at] = _what_is_left(source, result, at)
    return tuple(result)


def _is_positive(node: NodeView, size: Size) -> bool:
    try:
        node.assumptions.positive(size)
    except UnknownShape:
        return False
    return True


def _what_is_left(source: Shape, result: Sequence[Size | None], at: int) -> Size | None:
    """The size of dim `at`, such that the number of elements stays what it is."""
    above, below = list(source), [s for i, s in enumerate(result) if i != at]
    for size in list(below):
        # Sizes that are on both sides cancel, known or not; unknown ones are not the same.
        if size is not None and size in above:
            above.remove(size)
            below.remove(size)
    up, down = known(above), known(below)
    if up is None or down is None or 0 in down:
        return None
    total, part = product(up), product(down)
    return floordiv(total, part)


def _reshape(node: NodeView) -> list[Out]:
    wanted = node.given_sizes("shape", 1)
    if wanted is None:
        raise UnknownShape
    if None in wanted and node.type(0).shape is None:
        return [Out(tuple(None if s in (0, -1) else s for s in wanted))]
    if node.type(0).shape is None:
        plain = [s if isinstance(s, int) and s > 0 else None for s in wanted]
        return [Out(tuple(plain))]
    shape = reshaped(node, node.shape(0), wanted)
    return [Out(shape, viewed(node.elements(0), shape))]


def _flatten(node: NodeView) -> list[Out]:
    shape = node.shape(0)
    axis = node.integer("axis", 1)
    axis = normalized(axis, len(shape) + 1) if axis >= 0 else normalized(axis, len(shape))
    sides = [known(side) for side in (shape[:axis], shape[axis:])]
    result = tuple(None if side is None else product(side) for side in sides)
    return [Out(result, viewed(node.elements(0), result))]


def _squeeze(node: NodeView) -> list[Out]:
    shape, axes = node.shape(0), node.given_integers("axes", 1)
    if axes is None:
        axes = [i for i, s in enumerate(shape) if _is_one(node, s)]
    dropped = {normalized(a, len(shape)) for a in axes}
    result = tuple(s for i, s in enumerate(shape) if i not in dropped)
    return [Out(result, viewed(node.elements(0), result))]


def _is_one(node: NodeView, size: Size | None) -> bool:
    if size is None:
        raise UnknownShape
    return node.assumptions.is_equal(size, 1)


def _unsqueeze(node: NodeView) -> list[Out]:
    axes = node.given_integers("axes", 1)
    if axes is None:
        raise UnknownShape
    rank = node.rank(0) + len(axes)
    ones = {normalized(a, rank) for a in axes}
    if len(ones) < len(axes):
        raise UnknownShape
    rest = iter(node.shape(0))
    result = tuple(1 if i in ones else next(rest) for i in range(rank))
    return [Out(result, viewed(node.elements(0), result))]


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
    start, limit, delta = (_single(node, i) for i in range(3))
    if start is None or limit is None or delta is None:
        return [Out((_real_count(node),))]
    if isinstance(delta, Dim) or delta == 0:
        return [Out((None,))]
    distance = limit - start if delta > 0 else start - limit
    count = node.assumptions.not_negative(ceildiv(distance, abs(delta)))
    if not isinstance(count, int) or count > MOST_ELEMENTS:
        return [Out((count,))]
    return [Out((count,), elements_of(start + delta * i for i in range(count)))]


def _single(node: NodeView, index: int) -> Size | None:
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
    "Flatten": _flatten,
    "Range": _range,
    "Reshape": _reshape,
    "Shape": _shape,
    "Size": _size,
    "Squeeze": _squeeze,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}
