"""Programs of dynamic dims: what a call's sizes build, and how many builds are kept."""

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx_models import silu, silu_model

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.driver.programs.dynamic import MAX_SPECIALIZATIONS, DynamicProgram

DYNAMIC = """func.func @main(%x: tensor<?x3xf32> {snippets.name = "x"},
                %y: tensor<?x3xf32> {snippets.name = "y"}) -> tensor<?x3xf32> {
  %0 = snippets.add %x, %y : tensor<?x3xf32>
  func.return %0 : tensor<?x3xf32>
}
"""


def test_dynamic_mlir():
    m = snippets_mlir.compile(DYNAMIC)
    assert m.inputs[0].shape == (None, 3)
    assert m.outputs[0].shape == (None, 3)
    for rows in (1, 4, 0, 4):
        x = np.full((rows, 3), 2, np.float32)
        np.testing.assert_array_equal(m(x, x), x + x, strict=True)
        out = np.empty_like(x)
        assert m(x, x, out=out) is out
    assert m.kernels[0].ops == ("snippets.add",)
    assert "tensor<?x3xf32, #lir.sizes<?0>>" in m.kernels[0].ir("subgraph")
    with pytest.raises(ValueError, match=r"^input 'x': expected shape \(\?, 3\), found \(2, 4\)"):
        m(np.zeros((2, 4), np.float32), np.zeros((2, 4), np.float32))
    with pytest.raises(ValueError, match=r"^output 'out0': expected shape \(2, 3\)"):
        m(x := np.zeros((2, 3), np.float32), x, out=np.zeros((3, 3), np.float32))
    with pytest.raises(CompileError, match="does not follow from operands of shape 2x3, 4x3"):
        m(np.zeros((2, 3), np.float32), np.zeros((4, 3), np.float32))


def test_dynamic_onnx():
    m = snippets_mlir.compile(silu_model(["batch", 3]), fallback="error")
    assert m.inputs[0].shape == (None, 3)
    for rows in (2, 5):
        x = np.linspace(-3, 3, rows * 3, dtype=np.float32).reshape(rows, 3)
        np.testing.assert_allclose(m(x), silu(x), rtol=1e-6)


def test_strings_pass_through():
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["y"])],
        "strings",
        [value("x", TensorProto.STRING, [2])],
        [value("y", TensorProto.STRING, [2])],
    )
    m = snippets_mlir.compile(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    )
    x = np.array(["a", "bc"], object)
    np.testing.assert_array_equal(m(x), x)
    with pytest.raises(TypeError, match=r"^input 'x': expected object, found <U2"):
        m(np.array(["a", "bc"]))


def test_sizes_that_follow_from_data():
    graph = helper.make_graph(
        [
            helper.make_node("Abs", ["x"], ["a"]),
            helper.make_node("NonZero", ["a"], ["i"]),
            helper.make_node("Mul", ["i", "i"], ["y"]),
        ],
        "squares",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
        [helper.make_tensor_value_info("y", TensorProto.INT64, [1, "count"])],
    )
    m = snippets_mlir.compile(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8),
        mark_skipped="none",
    )
    assert m.outputs[0].shape == (1, None)
    for values in ([0, 1, 2, 0], [0, 0, 0, 0], [1, 0, 0, 3]):
        x = np.array(values, np.float32)
        np.testing.assert_array_equal(m(x), np.nonzero(x)[0][None] ** 2)
    reasons = {op.op: op.reason for op in m.opaque}
    assert reasons["onnx.Mul"] == "its shape follows from data"


def test_the_builds_of_a_dynamic_program_are_bounded():
    m = snippets_mlir.compile(DYNAMIC, num_threads=1)
    for rows in range(MAX_SPECIALIZATIONS + 2):
        m.specialize({"x": (rows, 3), "y": (rows, 3)})
    assert isinstance(m, DynamicProgram)
    builds = m._builds  # pyright: ignore[reportPrivateUsage]
    assert len(builds) == MAX_SPECIALIZATIONS
    assert ((0, 3), (0, 3)) not in builds
    before = next(reversed(builds.values()))
    m(x := np.zeros((MAX_SPECIALIZATIONS + 1, 3), np.float32), x)
    assert next(reversed(builds.values())) is before


def test_before_it_is_built_a_dynamic_program_tells_what_it_can():
    m = snippets_mlir.compile(DYNAMIC)
    assert isinstance(m.kernels, tuple)
    assert isinstance(m.opaque, tuple)
    with pytest.raises(CompileError, match="has not been built"):
        m.ir("lir")


@pytest.mark.parametrize("target", ["generic", "x86-64-avx2"])
def test_values_in_slots_of_a_dynamic_scratchpad(target: str) -> None:
    """The slots lie after memory of dynamic size."""
    text = """func.func @main(%x: tensor<3x?xf64>) -> tensor<3x?xf64> {
      %0 = snippets.softmax %x {axis = 1 : i64} : tensor<3x?xf64>
      func.return %0 : tensor<3x?xf64>
    }"""
    softmax = snippets_mlir.compile(text, target=target, num_threads=1, fallback="error")
    for columns in (0, 1, 3, 65):
        x = np.random.default_rng(columns).standard_normal((3, columns))
        e = np.exp(x)
        np.testing.assert_allclose(softmax(x), e / e.sum(1, keepdims=True), rtol=1e-13)
