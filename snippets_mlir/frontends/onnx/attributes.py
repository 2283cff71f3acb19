"""ONNX's attributes and types as MLIR's; `emit/onnx_attributes.py` is the inverse.

`dialects/onnx/attributes.py` lists the forms. An attribute without a readable form keeps its
serialised message, so only documentation strings are lost.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import onnx
from onnx import numpy_helper
from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnrankedTensorType,
    f32,
    i64,
)
from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import tensor_type
from snippets_mlir.dialects.onnx.attributes import NamedTensorAttr, ProtoAttr
from snippets_mlir.dialects.onnx.types import (
    DENSE_CODES,
    ELEMENT_TYPES,
    UNKNOWN,
    ValueType,
)
from snippets_mlir.dialects.snippets.resources import little_endian
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.frontends.onnx import shapes

Kind = onnx.AttributeProto

SHARED = 1 << 10
"""Bytes of constants whose attributes are shared by modules: making one takes 50 us."""

Sizes = Callable[[shapes.Dim], Dim | None]
"""The number that replaces an expression; None for no replacement."""


def dense_of(array: Array, element: Attribute) -> DenseIntOrFPElementsAttr:
    """`array` as `dense<...>` of `element`s, whose bytes the array has."""
    type_, data = tensor_type(element, array.shape), little_endian(array).tobytes()
    return (_shared if len(data) <= SHARED else _dense)(type_, data)


def _dense(type_: TensorType[Any], data: bytes) -> DenseIntOrFPElementsAttr:
    return DenseIntOrFPElementsAttr(type_, BytesAttr(data))


_shared = lru_cache(1024)(_dense)
"""Models repeat small constants, and a model that gets kernels is imported twice."""


def _tensor(tensor: onnx.TensorProto) -> Attribute | None:
    """The readable form of an attribute's tensor, or None."""
    if tensor.data_type not in DENSE_CODES or tensor.data_location == onnx.TensorProto.EXTERNAL:
        return None
    dense = dense_of(numpy_helper.to_array(tensor), ELEMENT_TYPES[tensor.data_type])
    return NamedTensorAttr(StringAttr(tensor.name), dense) if tensor.name else dense


def _string(data: bytes) -> StringAttr | None:
    try:
        return StringAttr(data.decode())
    except UnicodeDecodeError:
        return None


def _serialised(kind: str, proto: onnx.AttributeProto) -> ProtoAttr:
    copy = onnx.AttributeProto()
    copy.CopyFrom(proto)
    copy.ClearField("name")
    copy.ClearField("doc_string")
    return ProtoAttr(kind, b64encode(copy.SerializeToString(deterministic=True)).decode())


def import_attribute(proto: onnx.AttributeProto) -> Attribute:
    """The MLIR attribute of one ONNX attribute of any kind."""
    match proto.type:
        case Kind.FLOAT:
            return FloatAttr(proto.f, f32)
        case Kind.INT:
            return IntegerAttr(proto.i, i64)
        case Kind.FLOATS:
            return DenseArrayBase.from_list(f32, list(proto.floats))
        case Kind.INTS:
            return DenseArrayBase.from_list(i64, list(proto.ints))
        case Kind.STRING:
            readable = _string(proto.s)
        case Kind.TENSOR:
            readable = _tensor(proto.t)
        case Kind.STRINGS:
            readable = _list([_string(s) for s in proto.strings])
        case Kind.TENSORS if proto.tensors:
            readable = _list([_tensor(t) for t in proto.tensors])
        case _:
            readable = None
    return readable or _serialised(onnx.AttributeProto.AttributeType.Name(proto.type), proto)


def _list(values: list[Attribute | None] | list[StringAttr | None]) -> ArrayAttr[Attribute] | None:
    known = [v for v in values if v is not None]
    return ArrayAttr(known) if len(known) == len(values) else None


def import_type(type_: shapes.ValueType | None, sizes: Sizes | None = None) -> Attribute:
    """The MLIR type of an inferred one; `!onnx.type<"unknown">` for None.

    Expressions become the numbers that `sizes` gives them, else `?`.
    """
    if type_ is None:
        return UNKNOWN
    if type_.other is not None:
        return ValueType(_words(type_.other))
    element = ELEMENT_TYPES.get(type_.element)
    if element is None:
        return UNKNOWN
    if type_.shape is None:
        return UnrankedTensorType(element)
    return tensor_type(element, [_import_size(s, sizes) for s in type_.shape])


def _import_size(size: shapes.Size | None, sizes: Sizes | None) -> Dim:
    found = size if not isinstance(size, shapes.Dim) else None if sizes is None else sizes(size)
    return DYNAMIC if found is None else found


def _element_word(code: int) -> str:
    """ONNX's name of an element type in lower case."""
    names = {number: name for name, number in onnx.TensorProto.DataType.items()}
    return names.get(code, "undefined").lower()


def _words(proto: onnx.TypeProto) -> str:
    """An ONNX type in ONNX's own words, without shapes: `seq(tensor(float))`."""
    kind = proto.WhichOneof("value")
    if kind in ("tensor_type", "sparse_tensor_type"):
        code = getattr(proto, kind).elem_type
        return f"{kind.removesuffix('_type')}({_element_word(code)})"
    if kind == "sequence_type":
        return f"seq({_words(proto.sequence_type.elem_type)})"
    if kind == "optional_type":
        return f"optional({_words(proto.optional_type.elem_type)})"
    if kind == "map_type":
        key = _element_word(proto.map_type.key_type)
        return f"map({key}, {_words(proto.map_type.value_type)})"
    return UNKNOWN.text.data
