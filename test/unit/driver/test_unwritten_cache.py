"""A cache that takes no files: programs run, and say why they are compiled each time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import parser

import snippets_mlir
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.cache.storing import finish
from snippets_mlir.driver.reports.notebooks import report_of

TEXT = """
func.func @main(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = snippets.relu %x : tensor<4x5xf32>
  func.return %0 : tensor<4x5xf32>
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of programs of its own."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored, "program_key", program_key)
    return tmp_path / "cache"


def large_model() -> onnx.ModelProto:
    """A product whose weights are in a file of constants."""
    text = "g (float[8, 640] x, float[640, 640] w) => (float[8, 640] y) { y = MatMul (x, w) }"
    model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> {text}')
    del model.graph.input[1]
    w = np.eye(640, dtype=np.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
    return model


def test_a_cache_that_cannot_be_written_is_why_a_program_is_compiled_again(folder: Path) -> None:
    folder.write_text("no folder")
    found = [snippets_mlir.compile(TEXT) for _ in range(2)]
    for program in found:
        assert program.from_cache is None
        assert program.uncached_reason is not None
        assert program.uncached_reason.startswith(f"cannot write to {folder / 'programs'}: ")
        assert f"not kept in the cache: {program.uncached_reason}" in report_of(program)
    x = np.linspace(-1, 1, 20, dtype=np.float32).reshape(4, 5)
    np.testing.assert_array_equal(found[0](x), np.maximum(x, 0))
    folder.unlink()
    assert snippets_mlir.compile(TEXT).uncached_reason is None
    assert snippets_mlir.compile(TEXT).from_cache == "program"


def test_so_are_large_constants_that_cannot_be_written(folder: Path) -> None:
    folder.mkdir()
    constants = folder / "constants"
    constants.write_text("no folder")
    program = snippets_mlir.compile(large_model(), fallback="error")
    assert str(program.uncached_reason).startswith(f"cannot write to {constants}: ")
    constants.unlink()
    snippets_mlir.compile(large_model(), fallback="error")
    finish()
    assert program.uncached_reason is None
    assert snippets_mlir.compile(large_model(), fallback="error").from_cache == "program"
