"""Reads and checks an ONNX model: the result is a valid model, or one `CompileError`.

`load` makes the cheap checks. `check` runs ONNX's checker, whose first call costs 10 ms. A model
that onnxruntime has loaded needs it only for the message, because onnxruntime checks its nodes. The
checker gets the model without the data of its large constants, because it would copy and read them
again. The size of a constant is checked when it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path

import onnx
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, EncodeError, Message
from onnx import checker

from snippets_mlir.frontends.onnx.engine_operators import (
    domain_of,
    has_operators_of_engine,
    move_operators_of_engine,
    opsets_of,
)
from snippets_mlir.frontends.onnx.order import is_in_order, put_in_order
from snippets_mlir.support.errors import CompileError

MANY = 4096
"""The checker does not see the data of constants with more elements."""


def load(source: str | Path | onnx.ModelProto) -> onnx.ModelProto:
    """The model of a file (external data stays outside) or `source` itself, for `check`."""
    if isinstance(source, onnx.ModelProto):
        if any(_foreign_opsets(source)) or not is_in_order(source.graph):
            copy = onnx.ModelProto()
            copy.CopyFrom(source)
            _take_opsets(source := copy)
            put_in_order(source.graph)
        _look(source, None)
        return source
    path = str(source)
    model = onnx.ModelProto()
    try:
        data = Path(path).read_bytes()
        model.ParseFromString(data)
    except FileNotFoundError:
        raise CompileError("the file does not exist", file=path) from None
    except (DecodeError, UnicodeDecodeError):
        raise CompileError("not an ONNX model: the file does not decode", file=path) from None
    except (OSError, ValueError) as error:
        raise CompileError(f"cannot read the ONNX model: {error}", file=path) from None
    if not data:
        raise CompileError("not an ONNX model: the file is empty", file=path)
    _take_opsets(model)
    if not is_in_order(model.graph):
        put_in_order(model.graph)
    _look(model, path)
    return model


def _foreign_opsets(model: onnx.ModelProto) -> Iterator[onnx.OperatorSetIdProto]:
    """The opsets of functions that differ from the model's."""
    versions = opsets_of(model.opset_import)
    for function in model.functions:
        for opset in function.opset_import:
            if versions.get(domain_of(opset), opset.version) != opset.version:
                yield opset


def _take_opsets(model: onnx.ModelProto) -> None:
    """Read the bodies of functions by the opsets of the model, as onnxruntime does (edits it)."""
    versions = opsets_of(model.opset_import)
    for opset in _foreign_opsets(model):
        opset.version = versions[domain_of(opset)]


def _look(model: onnx.ModelProto, file: str | None) -> None:
    """The checks of every model."""
    try:
        _check_text(model)
    except UnicodeDecodeError:
        raise CompileError("not a valid ONNX model: a name is not UTF-8", file=file) from None
    if not model.HasField("graph"):
        raise CompileError("not an ONNX model: it has no graph", file=file)


def check(model: onnx.ModelProto, file: str | None) -> None:
    """Let ONNX check a model that `load` gave; CompileError when it is not valid."""
    try:
        checker.check_model(_subject(model, file))  # pyright: ignore[reportUnknownMemberType]
    except (checker.ValidationError, RuntimeError, ValueError, EncodeError, OSError) as error:
        text = " ".join(str(error).split())
        raise CompileError(f"not a valid ONNX model: {text}", file=file) from None
    known = {v.name for v in (*model.graph.input, *model.graph.initializer)}
    known |= {t.values.name for t in model.graph.sparse_initializer}
    known.update(name for node in model.graph.node for name in node.output)
    for output in model.graph.output:
        if output.name not in known:
            raise CompileError(
                f"not a valid ONNX model: no node computes the output '{output.name}'", file=file
            )


def _subject(model: onnx.ModelProto, file: str | None) -> onnx.ModelProto | str:
    """The checker's view of a model: a skeleton, or the file if data is beside it."""
    old, foreign = _old_group_norms(model), has_operators_of_engine(model)
    outside = any(_is_external(t) for t in model.graph.initializer)
    infos = [*model.graph.input, *model.graph.output]
    if (
        outside
        and file is not None
        and not old
        and not foreign
        and all(_is_complete(i.type) for i in infos)
    ):
        return file
    skeleton = _skeleton(model, old)
    if foreign:
        move_operators_of_engine(skeleton)
    return skeleton


def _is_external(tensor: onnx.TensorProto) -> bool:
    return tensor.data_location == onnx.TensorProto.EXTERNAL


def _skeleton(model: onnx.ModelProto, old_group_norms: Sequence[int]) -> onnx.ModelProto:
    """A copy in which large constants have no elements."""
    skeleton = onnx.ModelProto()
    _copy_fields(model, skeleton, "graph")
    _copy_fields(model.graph, skeleton.graph, "initializer")
    for tensor in model.graph.initializer:
        if _is_external(tensor) or prod(tensor.dims) > MANY:
            empty = onnx.TensorProto(name=tensor.name, data_type=tensor.data_type, dims=[0])
            skeleton.graph.initializer.append(empty)
        else:
            skeleton.graph.initializer.append(tensor)
    for index in old_group_norms:
        _replace_group_norm(skeleton.graph.node[index])
    for info in skeleton.graph.input:
        if info.HasField("type"):
            _complete(info.type)
    for info in skeleton.graph.output:
        _complete(info.type)
    return skeleton


def _is_complete(type_: onnx.TypeProto) -> bool:
    copy = onnx.TypeProto()
    copy.CopyFrom(type_)
    _complete(copy)
    return copy == type_


def _complete(type_: onnx.TypeProto) -> None:
    """Add the shape that the checker requires to a type, or any type if it is missing (edits it).

    An input may have any rank, and what the nodes compute is known without the output's type.
    """
    match type_.WhichOneof("value"):
        case None:
            type_.tensor_type.elem_type = onnx.TensorProto.FLOAT
            type_.tensor_type.shape.SetInParent()
        case "tensor_type":
            type_.tensor_type.shape.SetInParent()
        case "sparse_tensor_type":
            type_.sparse_tensor_type.shape.SetInParent()
        case "sequence_type":
            _complete(type_.sequence_type.elem_type)
        case "optional_type":
            _complete(type_.optional_type.elem_type)
        case "map_type":
            _complete(type_.map_type.value_type)
        case _:
            pass


def _copy_fields(source: Message, target: Message, besides: str) -> None:
    """Copy all fields except one from `source` to `target`."""
    for field in source.DESCRIPTOR.fields:
        if field.name == besides:
            continue
        value = getattr(source, field.name)
        if hasattr(value, "extend"):
            getattr(target, field.name).extend(value)
        elif source.HasField(field.name):
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                getattr(target, field.name).CopyFrom(value)
            else:
                setattr(target, field.name, value)


def _old_group_norms(model: onnx.ModelProto) -> list[int]:
    """The nodes that ONNX's checker refuses: GroupNormalization of opsets 18 to 20."""
    opset = max((o.version for o in model.opset_import if not domain_of(o)), default=0)
    if not 18 <= opset < 21:
        return []
    return [i for i, n in enumerate(model.graph.node) if n.op_type == "GroupNormalization"]


def _replace_group_norm(node: onnx.NodeProto) -> None:
    """Make it an operator of the same inputs that the checker knows (edits `node`).

    GroupNormalization is known here: the parameters of those versions are those of groups.
    """
    node.op_type = "InstanceNormalization"
    kept = [a for a in node.attribute if a.name != "num_groups"]
    del node.attribute[:]
    node.attribute.extend(kept)


def _check_text(message: Message) -> None:
    """UnicodeDecodeError for text that is not UTF-8, which protobuf finds only when it is read.

    The data of constants is not read: reading a field copies it.
    """
    if isinstance(message, onnx.TensorProto):
        for text in (message.name, message.doc_string):
            _check_utf8(text)
        for entry in message.external_data:
            _check_text(entry)
        return
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_STRING:
            for text in [value] if isinstance(value, str | bytes) else value:
                _check_utf8(text)
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            for part in [value] if isinstance(value, Message) else value:
                _check_text(part)


def _check_utf8(text: str | bytes) -> None:
    if isinstance(text, bytes):
        text.decode()
