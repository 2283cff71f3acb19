"""`snippets_mlir.compile` and what it returns."""

import gc
import re
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx_models import silu, silu_model

import snippets_mlir
from snippets_mlir import CompileError, TensorSpec
from snippets_mlir.driver import OpaqueOp, compile_with
from snippets_mlir.driver.settings import Settings
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

ADD = """func.func @main(%x: tensor<2x3xf32> {snippets.name = "x"},
                %y: tensor<3xf32> {snippets.name = "y"})
    -> (tensor<2x3xf32> {snippets.name = "z"}) {
  %0 = snippets.add %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = snippets.relu %0 : tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}
"""
X = np.arange(-3, 3, dtype=np.float32).reshape(2, 3)
Y = np.ones(3, np.float32)
Z = np.maximum(X + Y, 0)

MATMUL = """func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = snippets.exp %x : tensor<2x2xf32>
  %1 = onnx.node "MatMul"(%0, %0) {domain = "", version = 13 : i64, node_name = "product"}
      : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = snippets.tanh %1 : tensor<2x2xf32>
  func.return %2 : tensor<2x2xf32>
}
"""


# --- sources


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


def test_calls():
    m = snippets_mlir.compile(ADD)
    result: Any = m(X, Y)
    assert type(result) is np.ndarray
    np.testing.assert_array_equal(result, Z)
    out = np.zeros_like(X)
    assert m(X, Y, out=out) is out
    np.testing.assert_array_equal(out, Z)
    out[...] = 0
    assert m(X, Y, out=[out]) is out
    np.testing.assert_array_equal(m.run({"y": Y, "x": X})["z"], Z)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (None, r"^inputs: expected arrays by name, found NoneType"),
        ([X, Y], r"^inputs: expected arrays by name, found list"),
        ({"x": X, 1: Y}, r"^inputs: expected names that are strings, found 1"),
    ],
)
def test_runs_without_names(arrays: Any, message: str):
    m = snippets_mlir.compile(ADD)
    with pytest.raises(TypeError, match=message):
        m.run(arrays)
    with (
        snippets_mlir.compile_program(ADD, streams=1) as program,
        pytest.raises(TypeError, match=message),
    ):
        program.request().start(arrays)


def test_an_output_that_is_bytes():
    m = snippets_mlir.compile(ADD)
    with pytest.raises(TypeError, match=r"^out: expected an array or .*, found memoryview"):
        m(X, Y, out=memoryview(m(X, Y)))


def test_calls_that_are_wrong():
    m = snippets_mlir.compile(ADD)
    with pytest.raises(TypeError, match=r"expected 2 input\(s\) \('x', 'y'\), found 1"):
        m(X)
    with pytest.raises(TypeError, match=r"^input 'y': expected float32, found float64"):
        m(X, Y.astype(np.float64))
    with pytest.raises(ValueError, match=r"^input 'x': expected rank 2"):
        m(Y, Y)
    with pytest.raises(ValueError, match=r"^output 'z': overlaps input 'x' in memory"):
        m(x := X.copy(), Y, out=x)
    with pytest.raises(ValueError, match=r"^input 'z': no such input.*inputs are 'x', 'y'"):
        m.run({"x": X, "y": Y, "z": Y})
    with pytest.raises(ValueError, match=r"^input 'y': missing"):
        m.run({"x": X})
    long = snippets_mlir.compile(ADD.replace('"x"', '"hidden_state"'))
    with pytest.raises(ValueError, match="did you mean 'hidden_state'"):
        long.run({"hiden_state": X, "y": Y})


def test_several_outputs_are_a_tuple():
    text = """func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
      %0 = snippets.abs %x : tensor<4xf32>
      %1 = snippets.is_nan %x : (tensor<4xf32>) -> tensor<4xi1>
      func.return %x, %0, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
    }"""
    x = np.array([-1, np.nan, -0.0, np.inf], np.float32)
    same, size, nan = snippets_mlir.compile(text)(x)
    np.testing.assert_array_equal(same, x)
    assert not np.shares_memory(same, x)
    np.testing.assert_array_equal(size, np.abs(x))
    np.testing.assert_array_equal(nan, np.isnan(x))


def test_no_kernel_no_input_no_output():
    constant = """func.func @main() -> tensor<2xf32> {
      %0 = snippets.constant dense<[1.0, -0.0]> : tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }"""
    first = snippets_mlir.compile(constant)()
    first[0] = 7
    np.testing.assert_array_equal(snippets_mlir.compile(constant)(), [1, -0.0])
    assert snippets_mlir.compile("func.func @main() {\n func.return\n}")() == ()


def test_the_code_lives_as_long_as_the_program():
    m = snippets_mlir.compile(ADD)
    gone = weakref.ref(m)
    call = m.__call__
    del m
    gc.collect()
    np.testing.assert_array_equal(call(X, Y), Z)
    del call
    gc.collect()
    assert gone() is None


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


# --- dynamic shapes
