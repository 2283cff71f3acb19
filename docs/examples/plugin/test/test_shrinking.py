"""Results of the plug-in's parts, compared with NumPy."""

import numpy as np
import pytest
from onnx import TensorProto, helper

import snippets_mlir

X = np.linspace(-3, 3, 64, dtype=np.float32)
GRAPH = """
func.func @main(%x: tensor<64x{element}>) -> tensor<64x{element}> {{
  %0 = {op} %x : tensor<64x{element}>
  func.return %0 : tensor<64x{element}>
}}
"""


def compiled(op, element="f32", **options):
    text = GRAPH.format(op=op, element=element)
    return snippets_mlir.compile(text, plugins=["@shrinking"], **options)


def shrunk(x):
    return np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)


def test_the_op():
    program = compiled("mine.softshrink", fallback="error")
    assert program.kernels[0].ops == ("mine.softshrink",)
    np.testing.assert_allclose(program(X), shrunk(X), rtol=1e-6)


def test_the_operator_of_onnx():
    node = helper.make_node("Softshrink", ["x"], ["y"], domain="mine")
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n"]) for n in "xy")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("mine", 1)]
    model = helper.make_model(helper.make_graph([node], "g", [x], [y]), opset_imports=opsets)
    program = snippets_mlir.compile(model, plugins=["@shrinking"])
    for size in (64, 0, 5):
        np.testing.assert_allclose(program(X[:size]), shrunk(X[:size]), rtol=1e-6)


def test_the_pass_at_its_position():
    program = compiled("snippets.relu")
    assert "relu-to-maximum,snippets-tokenize" in program.passes
    assert "snippets.maximum" in program.ir("relu-to-maximum")
    np.testing.assert_array_equal(program(X), np.maximum(X, 0))


def test_types_without_a_meaning_are_refused():
    with pytest.raises(snippets_mlir.CompileError, match=r"mine\.softshrink expects float"):
        compiled("mine.softshrink", element="i32")


def test_the_implementation():
    text = """
    program.graph @main "topology" (%x: tensor<4xf32>) {
      %0 = program.node "relu" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
        %v = snippets.relu %a : tensor<4xf32>
        program.yield %v : tensor<4xf32>
      }
      program.output %0 as "y" : tensor<4xf32>
    }
    """
    program = snippets_mlir.compile(text, plugins=["@shrinking"])
    assert not program.kernels
    np.testing.assert_array_equal(program(X[:4]), np.maximum(X[:4], 0))
