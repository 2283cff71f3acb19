"""Read and check an ONNX model: `load` gives a sound one, or one `CompileError`."""

from __future__ import annotations

from pathlib import Path

import onnx
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, EncodeError, Message
from onnx import checker
from onnx.external_data_helper import load_external_data_for_model

from snippets_mlir.errors import CompileError


def load(source: str | Path | onnx.ModelProto) -> onnx.ModelProto:
    """The model of a file (external data stays outside) or `source` itself, checked by ONNX."""
    if isinstance(source, onnx.ModelProto):
        _check(source, source, None)
        return source
    path = str(source)
    model = onnx.ModelProto()
    try:
        model.ParseFromString(Path(path).read_bytes())
    except FileNotFoundError:
        raise CompileError("the file does not exist", file=path) from None
    except (DecodeError, UnicodeDecodeError):
        raise CompileError("not an ONNX model: the file does not decode", file=path) from None
    except (OSError, ValueError) as error:
        raise CompileError(f"cannot read the ONNX model: {error}", file=path) from None
    if not model.ByteSize():
        raise CompileError("not an ONNX model: the file is empty", file=path)
    _check(model, path, path)
    return model


def _check(model: onnx.ModelProto, subject: onnx.ModelProto | str, file: str | None) -> None:
    try:
        _check_text(model)
    except UnicodeDecodeError:
        raise CompileError("not a valid ONNX model: a name is not UTF-8", file=file) from None
    if not model.HasField("graph"):
        raise CompileError("not an ONNX model: it has no graph", file=file)
    try:
        accepted = _without_old_group_norms(model, subject)
        checker.check_model(accepted)  # pyright: ignore[reportUnknownMemberType]
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


def _without_old_group_norms(
    model: onnx.ModelProto, subject: onnx.ModelProto | str
) -> onnx.ModelProto | str:
    """What to check for `subject`: ONNX's checker refuses GroupNormalization of opsets 18 to 20.

    They are known here (their parameters are those of groups); the checker sees an operator of the
    same inputs in their place.
    """
    opset = max((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), default=0)
    old = [i for i, n in enumerate(model.graph.node) if n.op_type == "GroupNormalization"]
    if not old or not 18 <= opset < 21:
        return subject
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    if isinstance(subject, str):
        load_external_data_for_model(copy, str(Path(subject).parent))
    for index in old:
        node = copy.graph.node[index]
        node.op_type = "InstanceNormalization"
        kept = [a for a in node.attribute if a.name != "num_groups"]
        del node.attribute[:]
        node.attribute.extend(kept)
    return copy


def _check_text(message: Message) -> None:
    """UnicodeDecodeError for text that is not UTF-8, which protobuf finds only when it is read."""
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_STRING:
            for text in [value] if isinstance(value, str | bytes) else value:
                if isinstance(text, bytes):
                    text.decode()
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            for part in [value] if isinstance(value, Message) else value:
                _check_text(part)
