"""What `snippets_mlir.compile` takes for a program, and what it says of wrong texts and files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from add_program import ADD, X, Y, Z
from onnx_models import silu, silu_model

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module


@pytest.mark.parametrize("kind", ["text", "path", "str path", "module"])
def test_mlir_sources(kind: str, tmp_path: Path):
    path = tmp_path / "add.mlir"
    path.write_text(ADD)
    sources: dict[str, object] = {
        "text": ADD,
        "path": path,
        "str path": str(path),
        "module": parse_module(ADD, make_context()),
    }
    np.testing.assert_array_equal(snippets_mlir.compile(sources[kind])(X, Y), Z)


@pytest.mark.parametrize("kind", ["path", "proto", "bytes"])
def test_onnx_sources(kind: str, tmp_path: Path):
    path = tmp_path / "silu.onnx"
    path.write_bytes(silu_model([2, 3]).SerializeToString())
    sources: dict[str, object] = {
        "path": path,
        "proto": silu_model([2, 3]),
        "bytes": path.read_bytes(),
    }
    m = snippets_mlir.compile(sources[kind], fallback="error")
    np.testing.assert_allclose(m(X), silu(X), rtol=1e-6)


def test_a_module_is_not_changed():
    module = parse_module(ADD, make_context())
    before = str(module)
    snippets_mlir.compile(module)
    assert str(module) == before


def test_a_source_of_another_kind_is_a_type_error():
    with pytest.raises(TypeError, match=r"expected a path, MLIR text, .* found int"):
        snippets_mlir.compile(3)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.mlir", None, "cannot read it: No such file"),
        ("model.txt", "x", "expected a .mlir or .onnx file or MLIR text"),
        ("broken.mlir", b"\xff\xfe\x00", "expected UTF-8 text"),
        ("empty.mlir", "", "the input is empty"),
        ("empty.onnx", b"", "not an ONNX model"),
        ("random.onnx", bytes(range(256)), "not an ONNX model"),
        ("missing.onnx", None, "does not exist"),
    ],
)
def test_files_that_are_wrong(tmp_path: Path, name: str, content: Any, message: str):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CompileError, match=message):
        snippets_mlir.compile(path)


def test_bytes_that_are_no_model():
    with pytest.raises(CompileError, match="not an ONNX model"):
        snippets_mlir.compile(bytes(range(256)))


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("snippets.relu", "snippets.rely", 5, "unknown op 'snippets.rely'.*'snippets.relu'"),
        ("snippets.relu %0", "snippets.relu %9", 5, "use of value %9"),
        ("-> tensor<2x3xf32>\n  %1", "-> tensor<3x3xf32>\n  %1", 5, "%0|type"),
        ("%x, %y :", "%x, %y, :", 4, "."),
        ("tensor<3xf32>) -> tensor<2x3xf32>\n", "tensor<3xf32>) -> tensor<2x4xf32>\n", 5, "."),
    ],
)
def test_errors_in_the_text_have_a_position(old: str, new: str, line: int, message: str):
    assert old in ADD
    with pytest.raises(CompileError, match=message) as caught:
        snippets_mlir.compile(ADD.replace(old, new))
    assert caught.value.file == "<string>"
    assert caught.value.line in (line - 1, line)
    assert isinstance(caught.value, ValueError)


def test_text_cut_anywhere_is_never_a_traceback():
    for end in range(0, len(ADD) - 3, 7):
        with pytest.raises(CompileError):
            snippets_mlir.compile(ADD[:end] + "\n")
