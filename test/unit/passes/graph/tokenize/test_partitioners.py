"""Programs of both partitioners: equal results, names of kernels, the report, the comparison."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from sampled import ALL

import snippets_mlir
from snippets_mlir.dialects.snippets.engine_forms import FORMS
from snippets_mlir.driver import Compiled, compile_with
from snippets_mlir.driver.settings import Settings
from snippets_mlir.passes.graph.tokenize.unwrapping import engine_ops
from snippets_mlir.support.errors import CompileError
from snippets_mlir.tools import compare_partitioners, snippets_run

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"

EXAMPLE = """
func.func @main(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32> {
  %one = snippets.scalar 1.0 : f32
  %half = snippets.scalar 0.5 : f32
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 11 : i64}
    : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = snippets.add %0, %one : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x8x8xf32>
  %2 = snippets.relu %1 : tensor<1x4x8x8xf32>
  %3 = snippets.multiply %2, %half : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x8x8xf32>
  %4 = snippets.add %2, %3 : tensor<1x4x8x8xf32>
  func.return %4 : tensor<1x4x8x8xf32>
}
"""

GROUP = "@fused_conv_add_relu_multiply_add"

TWICE = """
func.func @main(%x: tensor<5x3xf32>, %y: tensor<3xf32>) -> (tensor<5x3xf32>, tensor<15xf32>) {
  %c = snippets.scalar 2.0 : f32
  %d = snippets.scalar 2.0 : f32
  %0 = snippets.add %x, %y : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  %1 = snippets.multiply %0, %c : (tensor<5x3xf32>, tensor<f32>) -> tensor<5x3xf32>
  %2 = snippets.stop_fusion %1 : tensor<5x3xf32>
  %3 = snippets.add %2, %y : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  %4 = snippets.multiply %3, %d : (tensor<5x3xf32>, tensor<f32>) -> tensor<5x3xf32>
  %5 = snippets.tuple %4 : (tensor<5x3xf32>) -> tuple<tensor<5x3xf32>>
  %6 = snippets.tuple_get %5 {index = 0 : i64} : (tuple<tensor<5x3xf32>>) -> tensor<5x3xf32>
  %7 = snippets.relu %6 : tensor<5x3xf32>
  %8 = snippets.reshape %7 : (tensor<5x3xf32>) -> tensor<15xf32>
  func.return %4, %8 : tensor<5x3xf32>, tensor<15xf32>
}
"""


def compiled(source: object, partitioner: str) -> Compiled:
    """A program by one of the partitioners, on one thread."""
    return compile_with(source, None, Settings.filled(partitioner=partitioner, num_threads=1))


def test_the_example_is_one_group() -> None:
    """Its ops run as a group in onnxruntime, and the report says so."""
    program = compiled(EXAMPLE, "fuse-ops")
    assert program.kernels == ()
    assert {o.reason for o in program.opaque} == {f"group {GROUP}: as a whole in onnxruntime"}
    random = np.random.default_rng(0)
    x, w = (random.standard_normal(s, np.float32) for s in ((1, 3, 8, 8), (4, 3, 1, 1)))
    expected = compiled(EXAMPLE, "tokenize")(x, w)
    np.testing.assert_allclose(program(x, w), expected, rtol=1e-5, atol=1e-5)


def test_equal_groups_share_a_kernel() -> None:
    """The kernel is named by its group; values are those of the other partitioner."""
    program = compiled(TWICE, "fuse-ops")
    names = [kernel.name for kernel in program.kernels]
    assert names[:2] == ["fused_add_multiply", "fused_add_multiply"]
    x = np.array([[1, -0.0, np.inf]] * 5, np.float32)
    y = np.array([-1, 0.0, np.nan], np.float32)
    expected = compiled(TWICE, "tokenize")(x, y)
    assert [a.tobytes() for a in program(x, y)] == [a.tobytes() for a in expected]


@pytest.mark.parametrize("name", ["squeezenet", "shufflenet"] if ALL else ["squeezenet"])
def test_light_models(name: str) -> None:
    """A whole model has the results of the other partitioner."""
    path = LIGHT / f"light_{name}.onnx"
    programs = [compiled(path, p) for p in ("tokenize", "fuse-ops")]
    shape = [d or 1 for d in programs[0].inputs[0].shape or ()]
    x = np.random.default_rng(0).standard_normal(shape, np.float32)
    expected, found = (program(x) for program in programs)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`snippets-run --partitioner` says which group each kernel and each other op is of."""
    path = tmp_path / "example.mlir"
    path.write_text(EXAMPLE)
    assert snippets_run.main([str(path), "--partitioner=fuse-ops", "--report"]) == 0
    assert "opaque snippets.relu (group @fused_conv_add_relu" in capsys.readouterr().out
    path.write_text(TWICE)
    assert snippets_run.main([str(path), "--partitioner=fuse-ops", "--report", "--verify"]) == 0
    assert "kernel fused_add_multiply: snippets.add, snippets" in capsys.readouterr().out
    assert snippets_run.main([str(path), "--partitioner=fuse"]) == 1
    assert "error: partitioner: expected one of" in capsys.readouterr().err


def test_unknown_partitioner() -> None:
    """The message names the one that may be meant."""
    with pytest.raises(
        ValueError, match=r"partitioner: expected one of .* did you mean 'fuse-ops'"
    ):
        Settings.filled(partitioner="fuseops")


def test_tuples_of_the_interface_are_refused() -> None:
    """A program takes and gives tensors."""
    text = """func.func @main(%t: tuple<tensor<4xf32>>) -> tensor<4xf32> {
      %0 = snippets.tuple_get %t {index = 0 : i64} : (tuple<tensor<4xf32>>) -> tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }"""
    with pytest.raises(CompileError, match="input 'arg0': expected a tensor, found tuple"):
        compiled(text, "fuse-ops")


def test_the_engine_has_a_form_for_what_runs_in_it() -> None:
    """`snippets-unwrap-uncompilable` marks only what the emitter can say in ONNX."""
    assert set(FORMS) >= engine_ops()


def test_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table has a row for each partitioner: its parts, the bytes between, agreement."""
    path = tmp_path / "twice.mlir"
    path.write_text(TWICE)
    assert compare_partitioners.main([str(path)]) == 0
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[1] for row in rows] == ["tokenize", "tokenize, nothing skipped", "fuse-ops"]
    assert all(row[-1] == "yes |" for row in rows)
    assert rows[2][2:4] == ["3", "3"]


def test_comparison_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is not there is one line on standard error."""
    assert compare_partitioners.main(["missing.onnx"]) == 1
    assert "missing.onnx" in capsys.readouterr().err


def test_from_python() -> None:
    """`compile` takes the words of the command line."""
    program = snippets_mlir.compile(EXAMPLE, partitioner="fuse-ops")
    assert "snippets-fuse-ops" in program.passes
    assert program.kernels == ()


@pytest.mark.parametrize("anchor", ["start", "before:snippets-tokenize"])
@pytest.mark.parametrize("source", [EXAMPLE, TWICE], ids=["example", "twice"])
def test_inserted_before_the_tokenizer(source: str, anchor: str) -> None:
    """Groups that no kernel can compute once came to `convert-snippets-to-lir`: K1."""
    program = snippets_mlir.compile(source, insert_passes=[f"{anchor}:snippets-fuse-ops"])
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(spec.static_shape, np.float32) for spec in program.inputs]
    expected, found = snippets_mlir.compile(source)(*arrays), program(*arrays)
    pairs = [(found, expected)] if source is EXAMPLE else zip(found, expected, strict=True)
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
    reasons = {op.reason for op in program.opaque}
    assert reasons == (
        {f"group {GROUP}: as a whole in onnxruntime"} if source is EXAMPLE else set()
    )
