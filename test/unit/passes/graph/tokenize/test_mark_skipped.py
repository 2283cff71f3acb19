"""Marked ops run inside of the engine's session, which fuses them; results stay the same."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import Array, model, value
from xdsl.dialects.func import FuncOp

from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.engine_forms import FORMS
from snippets_mlir.driver import compile_with
from snippets_mlir.driver.settings import Settings
from snippets_mlir.emit.host import body_of
from snippets_mlir.emit.onnx_model import emit_onnx
from snippets_mlir.passes.building.sessions import sessions_of
from snippets_mlir.passes.program.host_plan import is_engine_op
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.targets.implementations.onnxruntime_islands import PASSES, plan_islands

node = helper.make_node
RANDOM = np.random.default_rng(20)
IMAGE = (1, 16, 6, 6)


def array(*shape: int) -> Array:
    return RANDOM.standard_normal(shape).astype(np.float32)


WEIGHTS: dict[str, Array] = {
    "w1": array(16, 16, 3, 3),
    "w2": array(16, 16, 1, 1),
    "scale": array(16),
    "bias": array(16),
    "mean": array(16),
    "variance": np.abs(array(16)) + 1,
    "low": np.array(-0.25, np.float32),
    "high": np.array(1.5, np.float32),
}


def residual_block(opset: int) -> onnx.ModelProto:
    """Relu(BatchNormalization(Conv(x)) + Conv(x)), then Clip after a Conv, then Exp."""
    clip = (
        node("Clip", ["c4"], ["y4"], min=-0.25, max=1.5)
        if opset < 11
        else node("Clip", ["c4", "low", "high"], ["y4"])
    )
    nodes = [
        node("Conv", ["x", "w1"], ["c1"], pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c1", "scale", "bias", "mean", "variance"], ["b1"]),
        node("Conv", ["x", "w2"], ["c2"]),
        node("Add", ["b1", "c2"], ["s"]),
        node("Relu", ["s"], ["y3"]),
        node("Conv", ["y3", "w2"], ["c4"]),
        clip,
        node("Exp", ["y4"], ["y"]),
    ]
    used = {name for n in nodes for name in n.input}
    known = {name: a for name, a in WEIGHTS.items() if name in used}
    return model(nodes, [value("x", IMAGE)], ["y"], known, opset=opset)


@pytest.mark.parametrize("opset", [7, 10, 11, 18])
def test_equal_results_with_and_without_marks(opset: int):
    x, source = array(*IMAGE), residual_block(opset)
    marked = compile_with(source, None, Settings.filled(mark_skipped="onnxruntime"))
    unmarked = compile_with(source, None, Settings.filled(mark_skipped="none"))
    np.testing.assert_allclose(marked(x), unmarked(x), rtol=1e-4, atol=1e-4)
    assert [k.ops for k in marked.kernels] == [("snippets.exp",)]
    assert sorted(o for k in unmarked.kernels for o in k.ops) == [
        "snippets.add",
        "snippets.add",
        "snippets.clamp",
        "snippets.exp",
        "snippets.multiply",
        "snippets.relu",
    ]
    kinds = [step["kind"] for step in marked.manifest["steps"]]
    assert kinds == ["execute", "kernel"], "all marked ops run in one session with their neighbours"
    assert any("ConvMulFusion" in str(entry) for entry in marked.opaque)


CONV_TEXT = """func.func @main(%x: tensor<1x16x6x6xf32>) -> tensor<1x16x6x6xf32> {
  %w = snippets.constant dense<0.01> : tensor<16x16x1x1xf32>
  %c = snippets.constant dense<0.75> : tensor<16x1x1xf32>
  %n = snippets.scalar 1.25 : f32
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = VERSION : i64}
    : (tensor<1x16x6x6xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x6x6xf32>
BODY
  func.return %y : tensor<1x16x6x6xf32>
}"""
T, C, M = "tensor<1x16x6x6xf32>", "tensor<16x1x1xf32>", "tensor<6x4xf32>"


def test_what_makes_an_island_runs_in_the_engine():
    assert set(PASSES) == set(FORMS) - {"snippets.transpose"}


def test_an_island_stays_in_the_engine_while_it_saves_less_than_it_costs():
    """Twelve functions on an image of 8 MiB are worth a cut, eleven are not; a small one never."""

    def islands(functions: int, width: int) -> int:
        image = f"tensor<1x64x128x{width}xf32>"
        node = f'{{domain = "", version = 13 : i64}} : ({image}) -> {image}'
        lines = [f'%0 = onnx.node "MaxPool"(%x) {node}']
        lines += [f"%{i + 1} = snippets.relu %{i} : {image}" for i in range(functions)]
        lines.append(f'%r = onnx.node "MaxPool"(%{functions}) {node}')
        text = f"func.func @main(%x: {image}) -> {image} {{\n" + "\n".join(lines)
        module = parse_module(text + f"\nfunc.return %r : {image}\n}}", make_context())
        (function,) = [op for op in module.ops if isinstance(op, FuncOp)]
        found = plan_islands(list(function.body.block.ops), set())
        assert all(len(island.ops) == functions for island in found)
        return len(found)

    assert [islands(n, 256) for n in (1, 5, 11, 12)] == [1, 1, 1, 0]
    assert islands(12, 1) == 1


ATTENTION = """func.func @main(%q: tensor<2x4x3x5xf32>, %k: tensor<2x4x3x5xf32>)
    -> (tensor<2x4x3x3xf32>, tensor<2x4x5x3xf32>) {
  %0 = snippets.relu %q : tensor<2x4x3x5xf32>
  %1 = snippets.transpose %k {permutation = array<i64: 0, 1, 3, 2>}
      : (tensor<2x4x3x5xf32>) -> tensor<2x4x5x3xf32>
  %2 = onnx.node "MatMul"(%0, %1) {domain = "", version = VERSION : i64}
      : (tensor<2x4x3x5xf32>, tensor<2x4x5x3xf32>) -> tensor<2x4x3x3xf32>
  func.return %2, %1 : tensor<2x4x3x3xf32>, tensor<2x4x5x3xf32>
}"""


@pytest.mark.parametrize(("version", "kernels"), [("13", 1), ("7", 1), ("6", 2)])
def test_onnxruntime_moves_a_lone_transpose(version: str, kernels: int):
    made = compile_with(ATTENTION.replace("VERSION", version), None, Settings.filled())
    assert len(made.kernels) == kernels
    assert len(made.opaque) == 3 - kernels
    random = np.random.default_rng(3)
    q, k = (random.standard_normal((2, 4, 3, 5), np.float32) for _ in range(2))
    product, moved = made(q, k)
    np.testing.assert_array_equal(moved, k.swapaxes(2, 3))
    np.testing.assert_allclose(product, np.maximum(q, 0) @ k.swapaxes(2, 3), rtol=1e-5, atol=1e-6)


def test_a_region_of_an_old_opset_takes_no_marked_op():
    """It runs in a session of its own."""
    text = CONV_TEXT.replace("VERSION", "6").replace(
        "BODY", f'%y = snippets.relu %0 {{snippets.skipped = "by hand"}} : {T}'
    )
    (function,) = parse_module(text, make_context()).ops
    assert isinstance(function, FuncOp)
    with pytest.raises(CompileError, match=r"'snippets.relu' cannot run among .* of opset 6"):
        emit_onnx(function)
    made = compile_with(text, None, Settings.filled())
    assert [step["ops"][0] for step in made.manifest["steps"]] == ["Conv", "y"]
    unmarked = text.replace(' {snippets.skipped = "by hand"}', "")
    plain = compile_with(unmarked, None, Settings.filled(pipeline="snippets-to-llvm"))
    assert [kernel.ops for kernel in plain.kernels] == [("snippets.relu",)]
    x = array(*IMAGE)
    np.testing.assert_allclose(made(x), plain(x), 1e-5, 1e-5)


def test_a_marked_op_without_a_form_runs_by_itself():
    text = CONV_TEXT.replace("VERSION", "13").replace(
        "BODY", f'%y = snippets.floor %0 {{snippets.skipped = "by hand"}} : {T}'
    )
    made = compile_with(text, None, Settings.filled())
    assert not made.kernels
    assert [step["kind"] for step in made.manifest["steps"]] == ["execute", "execute"]
    x = np.full(IMAGE, 11.0, np.float32)
    np.testing.assert_array_equal(made(x), np.ones(IMAGE, np.float32))


def test_weights_made_by_a_node_are_constants_of_their_session():
    """Two convolutions with a kernel between: the second one's weights are in its region."""
    text = f"""func.func @main(%x: {T}) -> {T} {{
      %w = snippets.constant dense<0.01> : tensor<16x16x1x1xf32>
      %s = snippets.constant dense<[16, 16, 1, 1]> : tensor<4xi64>
      %v = onnx.node "ConstantOfShape"(%s) {{domain = "", version = 13 : i64}}
        : (tensor<4xi64>) -> tensor<16x16x1x1xf32>
      %0 = onnx.node "Conv"(%x, %w) {{domain = "", version = 13 : i64}}
        : ({T}, tensor<16x16x1x1xf32>) -> {T}
      %1 = snippets.exp %0 : {T}
      %2 = onnx.node "Conv"(%1, %v) {{domain = "", version = 13 : i64}}
        : ({T}, tensor<16x16x1x1xf32>) -> {T}
      func.return %2 : {T}
    }}"""
    (function,) = parse_module(text, make_context()).ops
    assert isinstance(function, FuncOp)
    found = [
        [op.op_type.data for op in members if isinstance(op, NodeOp)]
        for members in sessions_of(body_of(function).ops, is_engine_op)
    ]
    assert found == [["Conv"], ["ConstantOfShape", "Conv"]]
    made = compile_with(text, None, Settings.filled())
    np.testing.assert_array_equal(made(array(*IMAGE)), np.zeros(IMAGE, np.float32))
