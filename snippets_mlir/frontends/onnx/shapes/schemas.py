"""Facts from ONNX about an operator: element types by its schema, shapes by its inference.

The inference of one node is the last resort, for operators without a rule. Expressions for sizes
pass through it as names.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import onnx
from onnx import checker, defs, shape_inference

from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT
from snippets_mlir.frontends.onnx.shapes.dims import Dim, Size
from snippets_mlir.frontends.onnx.shapes.element_types import (
    DOMAINS,
    Source,
    is_stated,
    source_of,
)
from snippets_mlir.frontends.onnx.shapes.types import UNKNOWN, Shape, ValueType, type_from
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out

_CODES = {
    f"tensor({'float' if name == 'FLOAT' else name.lower()})": code
    for name, code in onnx.TensorProto.DataType.items()
}

_FAILURES = (
    shape_inference.InferenceError,
    checker.ValidationError,
    RuntimeError,
    ValueError,
    TypeError,
    KeyError,
)
"""The errors that ONNX's inference raises on invalid nodes."""


@lru_cache(maxsize=1024)
def schema_of(op_type: str, version: int, domain: str) -> defs.OpSchema | None:
    """The schema of an operator, or None.

    ONNX has none of onnxruntime's operators, and makes tables of its own before it says so.
    """
    if domain == MICROSOFT:
        return None
    try:
        return defs.get_schema(op_type, version, domain)
    except (defs.SchemaError, TypeError):  # the latter for a version beyond 32 bits
        return None


@lru_cache(maxsize=1024)
def element_sources(op_type: str, version: int, domain: str) -> tuple[Source | None, ...]:
    """For each output of the schema: where its element type comes from, None if it does not say.

    The last one covers all outputs of a variadic operator.
    """
    schema = schema_of(op_type, version, domain)
    if schema is None:
        return ()
    inputs = [i.type_str for i in schema.inputs]
    single = {
        c.type_param_str: c.allowed_type_strs[0]
        for c in schema.type_constraints
        if len(c.allowed_type_strs) == 1
    }
    result: list[Source | None] = []
    for output in schema.outputs:
        text = single.get(output.type_str, output.type_str)
        if text in _CODES:
            result.append(("type", _CODES[text]))
        else:
            result.append(("input", inputs.index(text)) if text in inputs else None)
    return tuple(result)


def element_of(node: NodeView, output: int, *, has_rule: bool) -> int:
    """The element type of an output of an operator, 0 if only its attributes say it."""
    if has_rule and node.domain in DOMAINS and is_stated(node.op_type, output):
        source = source_of(node.op_type, output)
    else:
        sources = element_sources(node.op_type, node.version, node.domain)
        source = sources[min(output, len(sources) - 1)] if sources else None
    if source is None:
        return 0
    return source[1] if source[0] == "type" else node.type(source[1]).element


def onnx_inference(
    node: NodeView, refused: Callable[[NodeView], None] = lambda _: None
) -> list[Out]:
    """The result of ONNX's own inference for one node; unknown outputs if it fails.

    `refused` is called with a node whose input types contradict each other or its attributes.
    """
    schema = schema_of(node.op_type, node.version, node.domain)
    types = {n: node.type(i) for i, n in enumerate(node.inputs) if n}
    if schema is None or any(t == UNKNOWN for t in types.values()):
        return [Out(None) for _ in node.outputs]
    names: dict[str, Dim] = {}
    data: dict[str, onnx.TensorProto] = {}
    for index, name in enumerate(node.inputs):
        tensor = node.value(index).tensor if name else None
        if tensor is not None:
            data[name] = tensor
    try:
        found: dict[str, onnx.TypeProto] = shape_inference.infer_node_outputs(
            schema,
            node.proto,
            {n: proto_of(t, names) for n, t in types.items()},
            data,
            opset_imports=[onnx.helper.make_opsetid(d, v) for d, v in node.scope.opsets.items()],
        )
    except _FAILURES as error:
        if isinstance(error, shape_inference.InferenceError):
            refused(node)
        return [Out(None) for _ in node.outputs]
    return [_out(found.get(name), names) for name in node.outputs]


def proto_of(type_: ValueType, names: dict[str, Dim] | None) -> onnx.TypeProto:
    """A type as ONNX's; expressions become names, which are put down in `names`."""
    if type_.other is not None:
        return type_.other
    proto = onnx.TypeProto()
    proto.tensor_type.elem_type = type_.element
    if type_.shape is not None:
        proto.tensor_type.shape.SetInParent()
        for size in type_.shape:
            dim = proto.tensor_type.shape.dim.add()
            if isinstance(size, int):
                dim.dim_value = size
            elif size is not None:
                dim.dim_param = str(size)
                if names is not None:
                    names[dim.dim_param] = size
    return proto


def _out(proto: onnx.TypeProto | None, names: dict[str, Dim]) -> Out:
    if proto is None:
        return Out(None)
    type_ = type_from(proto)
    if type_.shape is None:
        return Out(None, None, type_.element, type_.other)
    dims: Any = proto.tensor_type.shape.dim
    shape: Shape = tuple(_size(s, d, names) for s, d in zip(type_.shape, dims, strict=True))
    return Out(shape, None, type_.element)


def _size(known: Size | None, dim: Any, names: dict[str, Dim]) -> Size | None:
    return known if known is not None else names.get(dim.dim_param)
