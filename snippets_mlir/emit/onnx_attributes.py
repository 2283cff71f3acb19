"""MLIR attributes and types of the `onnx` dialect back to ONNX's protobuf messages.

This is the inverse of `frontends/onnx/attributes.py`; `dialects/onnx/attributes.py` has the table
of forms.
"""

from __future__ import annotations

from base64 import b64decode
from math import prod
from typing import Any, cast

import onnx
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    UnrankedTensorType,
)
from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.dims import Size
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.onnx.attributes import NamedTensorAttr, ProtoAttr
from snippets_mlir.dialects.onnx.types import ELEMENT_CODES, ELEMENT_TYPES, ValueType
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.support.errors import CompileError

Kind = onnx.AttributeProto


def tensor_proto(value: DenseIntOrFPElementsAttr, name: str = "") -> onnx.TensorProto:
    """A tensor with the bytes of `dense<...>`."""
    code = ELEMENT_CODES.get(cast("Attribute", value.get_element_type()))
    if code is None:
        raise CompileError(f"ONNX has no tensors of {value.get_element_type()}")
    elements, count = value.data.data, prod(value.get_shape())
    if len(value) == 1 and count != 1:
        elements *= count
    return onnx.TensorProto(name=name, data_type=code, dims=value.get_shape(), raw_data=elements)


def attribute_proto(name: str, value: Attribute) -> onnx.AttributeProto:
    """`value` as an ONNX attribute; a CompileError for a form that ONNX lacks."""
    proto = onnx.AttributeProto(name=name)
    if isinstance(value, ProtoAttr):
        proto = onnx.AttributeProto()
        proto.ParseFromString(b64decode(value.data.data))
        proto.name = name
        return proto
    if isinstance(value, ArrayAttr):
        _set_list(proto, name, cast("ArrayAttr[Attribute]", value))
        return proto
    if isinstance(value, DenseArrayBase):
        array = cast("DenseArrayBase[Any]", value)
        numbers: list[Any] = list(array.get_values())
        if isinstance(array.elt_type, IntegerType):
            proto.type = Kind.INTS
            proto.ints.extend(numbers)
        else:
            proto.type = Kind.FLOATS
            proto.floats.extend(numbers)
        return proto
    match value:
        case FloatAttr():
            proto.type, proto.f = Kind.FLOAT, value.value.data
        case IntegerAttr():
            proto.type, proto.i = Kind.INT, value.value.data
        case StringAttr():
            proto.type, proto.s = Kind.STRING, value.data.encode()
        case NamedTensorAttr() | DenseIntOrFPElementsAttr():
            proto.type = Kind.TENSOR
            proto.t.CopyFrom(_tensor(value))
        case _:
            raise CompileError(f"the attribute '{name}' of an onnx.node has no ONNX form: {value}")
    return proto


def _tensor(value: Attribute) -> onnx.TensorProto:
    if isinstance(value, NamedTensorAttr):
        return tensor_proto(value.value, value.tensor_name.data)
    return tensor_proto(cast("DenseIntOrFPElementsAttr", value))


def _set_list(proto: onnx.AttributeProto, name: str, values: ArrayAttr[Attribute]) -> None:
    """Fill a list attribute: strings, tensors, or serialised messages of one kind."""
    for value in values:
        single = attribute_proto(name, value)
        plural = {
            Kind.STRING: (Kind.STRINGS, proto.strings, single.s),
            Kind.TENSOR: (Kind.TENSORS, proto.tensors, single.t),
            Kind.GRAPH: (Kind.GRAPHS, proto.graphs, single.g),
            Kind.SPARSE_TENSOR: (Kind.SPARSE_TENSORS, proto.sparse_tensors, single.sparse_tensor),
            Kind.TYPE_PROTO: (Kind.TYPE_PROTOS, proto.type_protos, single.tp),
        }.get(single.type)
        if plural is None or (proto.type and proto.type != plural[0]):
            raise CompileError(f"the list attribute '{name}' of an onnx.node mixes kinds: {values}")
        proto.type = plural[0]
        cast("Any", plural[1]).append(plural[2])
    if not values.data:
        proto.type = Kind.STRINGS


_CODE_OF_WORD = {
    onnx.TensorProto.DataType.Name(code).lower(): code
    for code in ELEMENT_TYPES
    if code in onnx.TensorProto.DataType.values()
}


def type_proto(type_: Attribute, *, with_shape: bool = True) -> onnx.TypeProto | None:
    """The ONNX type of a value, or None when it is unknown or ONNX has no such type."""
    proto = onnx.TypeProto()
    if isinstance(type_, TensorType | UnrankedTensorType):
        element = cast("TensorType[Attribute] | UnrankedTensorType", type_).element_type
        if element not in ELEMENT_CODES:
            return None
        proto.tensor_type.elem_type = ELEMENT_CODES[element]
        if with_shape and isinstance(type_, TensorType):
            proto.tensor_type.shape.SetInParent()
            for size in shape_of(cast("Attribute", type_)):
                dim = proto.tensor_type.shape.dim.add()
                if isinstance(size, Size):
                    dim.dim_param = str(size)
                elif size != DYNAMIC:
                    dim.dim_value = size
        return proto
    if isinstance(type_, ValueType):
        return _parsed_type(type_.text.data)
    return None


def named_type(text: str) -> Attribute:
    """The type with this name in ONNX, such as `tensor(float)`, which has no shape."""
    proto = _parsed_type(text)
    if proto is not None and proto.HasField("tensor_type"):
        return UnrankedTensorType(ELEMENT_TYPES[proto.tensor_type.elem_type])
    return ValueType(text)


def _parsed_type(text: str) -> onnx.TypeProto | None:
    """The type with this name in ONNX: `seq(tensor(float))`, `optional(...)`, `map(int64, ...)`."""
    word, _, rest = text.partition("(")
    inner, proto = rest.removesuffix(")").strip(), onnx.TypeProto()
    if word in ("tensor", "sparse_tensor"):
        code = _CODE_OF_WORD.get(inner)
        if code is None:
            return None
        (proto.tensor_type if word == "tensor" else proto.sparse_tensor_type).elem_type = code
        return proto
    if word == "map":
        key, _, inner = (part.strip() for part in inner.partition(","))
        proto.map_type.key_type = _CODE_OF_WORD.get(key, 0)
    element = _parsed_type(inner) if word in ("seq", "optional", "map") else None
    if element is None:
        return None
    match word:
        case "seq":
            proto.sequence_type.elem_type.CopyFrom(element)
        case "optional":
            proto.optional_type.elem_type.CopyFrom(element)
        case _:
            proto.map_type.value_type.CopyFrom(element)
    return proto
