"""Nodes of ONNX that the interpreter leaves to onnxruntime, with odd operands and results."""

from __future__ import annotations

from pathlib import Path

import pytest

from snippets_mlir.tools.snippets_opt import main as snippets_opt
from snippets_mlir.tools.snippets_run import main as snippets_run

PROGRAMS = {
    "a value twice": """
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = onnx.node "MatMul"(%x, %x) {domain = "", version = 13 : i64}
    : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = snippets.exp %0 : tensor<4x4xf32>
  func.return %1 : tensor<4x4xf32>
}
""",
    "an unused result": """
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x2xf32> {
  %k = snippets.constant dense<2> : tensor<1xi64>
  %0, %1 = onnx.node "TopK"(%x, %k) {domain = "", version = 11 : i64}
    : (tensor<4x4xf32>, tensor<1xi64>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
  %2 = snippets.exp %0 : tensor<4x2xf32>
  func.return %2 : tensor<4x2xf32>
}
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_tools_check_it(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.mlir"
    file.write_text(PROGRAMS[name])
    assert snippets_run([str(file), "--verify"]) == 0, capsys.readouterr().err
    passes = ["-p", "snippets-to-llvm", "--check-each", "-o", str(tmp_path / "out.mlir")]
    assert snippets_opt([str(file), *passes]) == 0, capsys.readouterr().err
