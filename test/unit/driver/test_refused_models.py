"""Errors about ONNX models of files name the file, and are found when the model is compiled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import helper
from onnx_models import model, save, value

import snippets_mlir
from snippets_mlir.support.errors import CompileError


@pytest.mark.parametrize("rows", [4, "n"])
def test_data_in_another_file_that_is_missing(tmp_path: Path, rows: int | str):
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    inputs = [value("x", [rows, 64])]
    made = model(nodes, inputs, ["y"], {"w": np.ones((64, 64), np.float32)})
    path = tmp_path / "m.onnx"
    save(made, path, external="w.bin")
    data = (tmp_path / "w.bin").read_bytes()
    assert snippets_mlir.compile(path)(np.ones((4, 64), np.float32))[0, 0] == 64
    for damage, message in ((data[:-4], "found"), (None, "w.bin")):
        (tmp_path / "w.bin").unlink()
        if damage is not None:
            (tmp_path / "w.bin").write_bytes(damage)
        with pytest.raises(CompileError, match=f"initializer 'w': .*{message}") as raised:
            snippets_mlir.compile(path)
        assert raised.value.file == str(path)


@pytest.mark.parametrize("rows", [4, "n"])
def test_products_that_do_not_fit_name_their_shapes(tmp_path: Path, rows: int | str):
    nodes = [
        helper.make_node("Relu", ["x"], ["a"]),
        helper.make_node("MatMul", ["a", "w"], ["y"], name="proj"),
    ]
    path = tmp_path / "m.onnx"
    save(model(nodes, [value("x", [rows, 5]), value("w", [6, 7])], ["y"]), path)
    message = rf"the ONNX node MatMul 'proj' \(inputs {rows}x5, 6x7\): .*Incompatible"
    arrays = np.ones((4, 5), np.float32), np.ones((6, 7), np.float32)
    with pytest.raises(CompileError, match=message) as raised:
        snippets_mlir.compile(path)(*arrays)
    assert raised.value.file == str(path)
    assert str(raised.value).startswith(f"{path}: onnxruntime does not accept")


def test_calls_that_do_not_fit_name_their_shapes():
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], name="proj")]
    program = snippets_mlir.compile(
        model(nodes, [value("x", [4, "k"]), value("w", ["n", 7])], ["y"])
    )
    arrays = np.ones((4, 5), np.float32), np.ones((6, 7), np.float32)
    with pytest.raises(ValueError, match=r"onnxruntime: .*proj.* \(inputs x 4x5, w 6x7\)$"):
        program(*arrays)
