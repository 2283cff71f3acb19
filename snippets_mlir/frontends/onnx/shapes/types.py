"""The known facts about one value of a graph: its type, and its elements if it is small."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeAlias

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from snippets_mlir.frontends.onnx.shapes.dims import LARGEST, Size

Shape: TypeAlias = tuple[Size | None, ...]
"""The sizes of a tensor; None for an unknown size."""

Elements: TypeAlias = NDArray[np.object_]
"""The elements of a small tensor of whole numbers, each a `Size` or None; truth values are 0, 1."""

MOST_ELEMENTS = 1024
"""Elements of larger tensors are not tracked."""

_WHOLE = frozenset(
    onnx.TensorProto.DataType.Value(name)
    for name in ("BOOL", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64")
)
FLOATS = frozenset(onnx.TensorProto.DataType.Value(n) for n in ("FLOAT", "DOUBLE", "FLOAT16"))
"""The element types of floats that are followed."""


MOST_FLOATS = 16
"""Constants with more floats are not read: they are not sizes."""

RANGES: dict[int, tuple[int, int]] = {
    code: (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    for code, dtype in (
        (onnx.TensorProto.INT8, np.int8),
        (onnx.TensorProto.INT16, np.int16),
        (onnx.TensorProto.INT32, np.int32),
        (onnx.TensorProto.UINT8, np.uint8),
        (onnx.TensorProto.UINT16, np.uint16),
        (onnx.TensorProto.UINT32, np.uint32),
    )
}
"""The numbers that element types of fewer than 64 bits can hold."""


class UnknownShape(Exception):
    """A rule cannot determine the results of a node."""


@dataclass(frozen=True, slots=True)
class ValueType:
    """The type of a value.

    Attributes:
        element: ONNX's number of the element type of a tensor; 0 if unknown or no tensor.
        shape: the sizes; None when the rank is unknown, or the value is no dense tensor.
        other: the type of a value that is no dense tensor, as the model has it.
    """

    element: int
    shape: Shape | None
    other: onnx.TypeProto | None = None

    @property
    def is_known(self) -> bool:
        """Whether all sizes are known, as numbers or expressions; also True without dims."""
        return self.other is not None or (self.shape is not None and None not in self.shape)


UNKNOWN = ValueType(0, None)


class Value:
    """A value: its type, and its elements if they are known.

    Elements of a constant are read on demand.
    """

    __slots__ = ("_elements", "_is_read", "tensor", "type")

    def __init__(
        self,
        type_: ValueType,
        elements: Elements | None = None,
        tensor: onnx.TensorProto | None = None,
    ) -> None:
        self.type, self.tensor, self._elements = type_, tensor, elements
        self._is_read = tensor is None

    @property
    def elements(self) -> Elements | None:
        """The elements, in the shape of the value."""
        if not self._is_read:
            self._is_read = True
            array = self.numbers
            self.tensor = None if array is None else self.tensor
            if array is not None and (
                self.type.element in _WHOLE or bool(np.all(array == np.floor(array)))
            ):
                self._elements = as_elements(array)
        return self._elements

    @property
    def numbers(self) -> NDArray[Any] | None:
        """The elements of a small constant, including floats."""
        if self.tensor is None:
            return None
        if self.type.element not in _WHOLE and self.type.element not in FLOATS:
            return None
        try:
            array = numpy_helper.to_array(self.tensor)
        except (TypeError, ValueError):  # fewer elements than the shape says, or of another type
            return None
        finite = self.type.element in _WHOLE or bool(np.all(np.isfinite(array)))
        return array if finite else None


def constant(tensor: onnx.TensorProto) -> Value:
    """The value of a constant tensor, large ones and those in other files by their type alone."""
    dims = tuple(tensor.dims)
    count = 1
    for dim in dims:
        count *= dim
    inside = tensor.data_location != onnx.TensorProto.EXTERNAL
    most = MOST_ELEMENTS if tensor.data_type in _WHOLE else MOST_FLOATS
    kept = tensor if inside and count <= most else None
    return Value(ValueType(tensor.data_type, dims), None, kept)


def as_elements(array: NDArray[Any]) -> Elements:
    """The elements of an array of whole numbers."""
    result = np.empty(array.shape, np.object_)
    result.reshape(-1)[:] = [int(x) for x in array.reshape(-1).tolist()]
    return result


def elements_of(sizes: Iterable[Size | None]) -> Elements:
    """A rank-1 array of elements; None is an unknown one."""
    listed = list(sizes)
    result = np.empty(len(listed), np.object_)
    result[:] = listed
    return result


def scalar(size: Size | None) -> Elements:
    """A rank-0 array of one element; None is an unknown one."""
    result = np.empty((), np.object_)
    result[()] = size
    return result


def mapped(function: Callable[[Size], Size | None], array: Elements) -> Elements | None:
    """`function` of each element; None of one that is unknown, or when there are too many."""
    if array.size > MOST_ELEMENTS:
        return None
    sizes: list[Size | None] = array.reshape(-1).tolist()
    return elements_of(None if a is None else _tried(function, a) for a in sizes).reshape(
        array.shape
    )


def combined(
    function: Callable[[Size, Size], Size | None], left: Elements, right: Elements
) -> Elements | None:
    """Like `mapped`, of pairs of elements of two arrays that are broadcast to each other."""
    a, b = (left, right) if left.shape == right.shape else np.broadcast_arrays(left, right)
    if a.size > MOST_ELEMENTS:
        return None
    pairs: Iterable[tuple[Size | None, Size | None]] = zip(
        a.reshape(-1).tolist(), b.reshape(-1).tolist(), strict=True
    )
    return elements_of(
        None if x is None or y is None else _tried(function, x, y) for x, y in pairs
    ).reshape(a.shape)


_Args = ParamSpec("_Args")


def _tried(
    function: Callable[_Args, Size | None], *args: _Args.args, **kwargs: _Args.kwargs
) -> Size | None:
    try:
        found = function(*args, **kwargs)
    except (ArithmeticError, UnknownShape):
        return None
    return found if not isinstance(found, int) or abs(found) <= LARGEST else None


def type_from(proto: onnx.TypeProto) -> ValueType:
    """A declared type, with numbers alone: names of sizes are left out."""
    if not proto.HasField("tensor_type"):
        return ValueType(0, None, proto if proto.WhichOneof("value") is not None else None)
    tensor = proto.tensor_type
    if not tensor.HasField("shape"):
        return ValueType(tensor.elem_type, None)
    sizes = (d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim)
    return ValueType(tensor.elem_type, tuple(None if s is None or s < 0 else s for s in sizes))
