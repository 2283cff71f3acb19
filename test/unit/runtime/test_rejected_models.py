"""Errors for what onnxruntime does not accept as a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from snippets_mlir.runtime.engine.opening import open_session
from snippets_mlir.support.errors import CompileError


def test_bytes_that_are_no_model() -> None:
    with pytest.raises(CompileError, match="onnxruntime does not accept the model: "):
        open_session(b"\xff\xff no model", 1)


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    with pytest.raises(CompileError, match="onnxruntime does not accept the model: "):
        open_session(path, 1)
    path.write_bytes(b"\xff\xff no model")
    with pytest.raises(CompileError, match="onnxruntime does not accept the model: "):
        open_session(path, 1)
