"""What `snippets_mlir.compile` can be told, and what its programs tell of themselves."""

import re

import numpy as np
import pytest
from add_program import ADD, X, Y, Z

import snippets_mlir
from snippets_mlir import CompileError, TensorSpec
from snippets_mlir.driver import OpaqueOp, compile_with
from snippets_mlir.driver.settings import Settings
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

MATMUL = """func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = snippets.exp %x : tensor<2x2xf32>
  %1 = onnx.node "MatMul"(%0, %0) {domain = "", version = 13 : i64, node_name = "product"}
      : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = snippets.tanh %1 : tensor<2x2xf32>
  func.return %2 : tensor<2x2xf32>
}
"""


def test_the_entry():
    text = ADD + ADD.replace("@main", "@other").replace("relu", "negative")
    np.testing.assert_array_equal(snippets_mlir.compile(text)(X, Y), Z)
    np.testing.assert_array_equal(snippets_mlir.compile(text, entry="other")(X, Y), -(X + Y))
    two = text.replace("@main", "@first")
    with pytest.raises(CompileError, match="found @first, @other"):
        snippets_mlir.compile(two)
    with pytest.raises(CompileError, match=r"expected a function @gone, found @main$"):
        snippets_mlir.compile(ADD, entry="gone")
    with pytest.raises(CompileError, match="found @main; did you mean 'main'"):
        snippets_mlir.compile(ADD, entry="mian")


# --- options


def test_options_that_are_wrong():
    with pytest.raises(CompileError, match="unknown target 'generik'; did you mean 'generic'"):
        snippets_mlir.compile(ADD, target="generik")
    with pytest.raises(ValueError, match="num_threads: expected 1 or more"):
        snippets_mlir.compile(ADD, num_threads=0)
    with pytest.raises(ValueError, match="fallback: expected one of"):
        snippets_mlir.compile(ADD, fallback="none")  # pyright: ignore[reportArgumentType]
    with pytest.raises(CompileError, match="unknown pass 'snippets-tokenise'"):
        snippets_mlir.compile(ADD, pipeline="snippets-tokenise")


def test_a_pipeline_that_stops_early_is_refused():
    with pytest.raises(CompileError, match="above the level of LLVM"):
        snippets_mlir.compile(ADD, pipeline="snippets-to-lir")


@pytest.mark.parametrize("target", ["generic", "host"])
def test_targets(target: str):
    np.testing.assert_array_equal(snippets_mlir.compile(ADD, target=target)(X, Y), Z)


def test_code_of_another_machine_is_not_run():
    with pytest.raises(CompileError, match="cannot run kernels for aarch64-neon"):
        snippets_mlir.compile(ADD, target="aarch64-neon")


# --- the compiled program


def test_what_a_program_says_of_itself():
    m = snippets_mlir.compile(ADD, num_threads=2)
    assert m.inputs == (
        TensorSpec("x", (2, 3), np.dtype(np.float32)),
        TensorSpec("y", (3,), np.dtype(np.float32)),
    )
    assert m.outputs == (TensorSpec("z", (2, 3), np.dtype(np.float32)),)
    (kernel,) = m.kernels
    assert kernel.ops == ("snippets.add", "snippets.relu")
    assert m.opaque == ()
    assert m.num_threads == 2
    assert m.manifest["steps"][0]["symbol"] == kernel.name
    assert "passes" in m.seconds


# --- stages


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        ("graph", ["func.func @main", "snippets.add"]),
        ("subgraph", ["snippets.subgraph", "snippets.relu"]),
        ("lir", ["lir.kernel @", "lir.load", "lir.loop_begin"]),
        ("vector", ["func.func @", "vector<", "snippets.kernel"]),
        ("llvm", ["llvm.func @", "llvm.fadd"]),
        ("llvm-ir", ["define void @", "fadd"]),
        ("asm", [".text", "ret"]),
        ("lir-mark-loops", ['"marked"']),
        ("convert-snippets-to-lir", ['"linear"']),
    ],
)
def test_the_ir_at_a_stage(stage: str, words: list[str]):
    m = snippets_mlir.compile(ADD)
    for text in (m.kernels[0].ir(stage), m.ir(stage)):
        for word in words:
            assert word in text
    if stage not in ("graph", "llvm-ir", "asm"):
        parse_module(m.kernels[0].ir(stage), make_context())


def test_an_unknown_stage():
    with pytest.raises(ValueError, match="unknown stage 'subgrap'; did you mean 'subgraph'"):
        snippets_mlir.compile(ADD).kernels[0].ir("subgrap")


def test_a_kernel_is_shown_alone():
    m = snippets_mlir.compile(MATMUL)
    first, second = m.kernels
    assert "snippets.exp" in first.ir("subgraph")
    assert "snippets.tanh" not in first.ir("subgraph")
    assert "snippets.tanh" in second.ir("subgraph")
    assert re.findall(r"define \w+ @(\w+)\(", second.ir("llvm-ir"))[0] == second.name
    assert first.name not in second.ir("llvm-ir")


# --- opaque ops


def test_opaque_ops_run_beside_the_kernels():
    m = snippets_mlir.compile(MATMUL)
    x = np.array([[0.1, 0.2], [-0.3, 0.4]], np.float32)
    np.testing.assert_allclose(m(x), np.tanh(np.exp(x) @ np.exp(x)), rtol=1e-5)
    ((op, name, reason),) = m.opaque
    assert (op, name) == ("onnx.MatMul", "product")
    assert reason
    assert isinstance(m.opaque[0], OpaqueOp)


def test_fallback_error_names_the_ops():
    with pytest.raises(CompileError, match=r"onnx\.MatMul 'product'") as caught:
        snippets_mlir.compile(MATMUL, fallback="error")
    assert caught.value.line == 3


def test_an_op_nobody_can_run():
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = snippets.exp %x : tensor<2xf32>
      %1 = func.call @f(%0) : (tensor<2xf32>) -> tensor<2xf32>
      func.return %1 : tensor<2xf32>
    }
    func.func private @f(tensor<2xf32>) -> tensor<2xf32>"""
    with pytest.raises(CompileError, match=r"no executor for 'func\.call'"):
        snippets_mlir.compile(text)


def test_the_profile_of_skipped_ops():
    relu = MATMUL.replace("snippets.tanh", "snippets.relu")

    def kernels(profile: str) -> int:
        settings = Settings.filled(mark_skipped=profile)
        return len(compile_with(relu, None, settings).kernels)

    assert kernels("none") == 2
    assert kernels("auto") == kernels("onnxruntime")
    assert len(snippets_mlir.compile(relu, mark_skipped="none").kernels) == 2
    assert len(snippets_mlir.compile(relu, mark_skipped="auto").kernels) == kernels("auto")
    with pytest.raises(ValueError, match="mark_skipped"):
        Settings.filled(mark_skipped="other")
