"""Programs in MLIR need no extra of the package."""

from __future__ import annotations

from warm_process import run_warm

PROGRAM = """
import sys
assert not {"onnx", "onnxruntime"} & sys.modules.keys()
sys.modules["onnx"] = sys.modules["onnxruntime"] = None
import numpy, snippets_mlir
m = snippets_mlir.compile('''func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = snippets.add %x, %x : tensor<8xf32>
  func.return %y : tensor<8xf32>
}''')
print(m(numpy.full(8, 1.5, numpy.float32)).tolist() == [3.0] * 8)
"""


def test_a_program_compiles_without_onnx():
    found = run_warm("-c", PROGRAM, env={"SNIPPETS_CACHE_DIR": "", "PATH": ""})
    assert found.stdout == "True\n", found.stderr
