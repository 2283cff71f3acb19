"""The result of onnxruntime's optimizer for a model, with all of its data inside.

    m.onnx, m.onnx.data  ->  optimized.onnx, which names m.onnx.data where a tensor has not changed

PyTorch writes models in two files. The optimized model is opened from memory and has no file beside
it, so the data is inside.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import onnx
from onnx.external_data_helper import load_external_data_for_model

from snippets_mlir.driver.onnx.weight_places import locations_of
from snippets_mlir.driver.onnx.whole_model import model_session
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.runtime.engine.opening import Configure
from snippets_mlir.support.errors import CompileError


def optimized(source: object, prepared: PreparedModel) -> bytes:
    """The bytes of the optimized model.

    Args:
        source: the model as a session takes it.
        prepared: the same model.

    Raises:
        CompileError: onnxruntime rejects the model, or its data cannot be read.
    """
    with TemporaryDirectory(prefix="snippets-") as folder:
        file = Path(folder, "optimized.onnx")
        model_session(source, 1, configure=_writes_to(file))
        raw = file.read_bytes()
    return _with_data(raw, prepared.folder) if locations_of(prepared) else raw


def _with_data(raw: bytes, folder: str) -> bytes:
    """The bytes of a model with its data from files of a folder."""
    model = onnx.ModelProto()
    model.ParseFromString(raw)
    try:
        load_external_data_for_model(model, folder)
    except (OSError, ValueError, onnx.checker.ValidationError) as error:
        raise CompileError(f"cannot read the data of the model: {error}") from None
    return model.SerializeToString()


def _writes_to(file: Path) -> Configure:
    """Let onnxruntime write the optimized model to a file."""

    def configure(_: Any, options: Any) -> None:
        options.optimized_model_filepath = str(file)

    return configure
