"""Reading of text files and ONNX models, with errors that name the file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.frontends.onnx.edits import ModelEdit
    from snippets_mlir.frontends.onnx.prepare import PreparedModel


def read_file(path: Path) -> str:
    """The UTF-8 text of a file; a CompileError that names the file if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CompileError(f"cannot read it: {error.strerror}", file=str(path)) from None
    except UnicodeDecodeError as error:
        raise CompileError(f"expected UTF-8 text: {error.reason}", file=str(path)) from None
    except ValueError as error:
        raise CompileError(f"cannot read it: {error}", file=ascii(str(path))) from None


def prepared_model(
    model: object, shapes: Mapping[str, tuple[int, ...]] | None, edit: ModelEdit | None
) -> PreparedModel:
    """An ONNX model, read and checked.

    Args:
        model: a path, a `ModelProto`, or its bytes.
        shapes: of its inputs, by name; None for the model as it is.
        edit: which inputs it has; None for its own inputs.

    Raises:
        CompileError: the model is invalid, or `onnx` is not installed.
    """
    try:
        from snippets_mlir.frontends.onnx import prepare_model
    except ImportError as error:
        raise CompileError(
            f"ONNX models need the extra: pip install 'snippets-mlir[onnx]' ({error})"
        ) from error
    if isinstance(model, bytes | bytearray):
        model = _decoded(bytes(model))
    return prepare_model(
        cast("Any", model), input_shapes=shapes or None, edit=edit, checked=shapes is not None
    )


def _decoded(data: bytes) -> object:
    import onnx
    from google.protobuf.message import DecodeError

    try:
        return onnx.ModelProto.FromString(data)
    except DecodeError:
        raise CompileError("not an ONNX model: the bytes do not decode") from None
