"""onnxruntime makes one node of what `snippets-mark-skipped` marks: each case, of each form."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import onnx
import pytest
from xdsl.dialects.func import FuncOp

from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.engine_forms import FORMS
from snippets_mlir.emit.host import body_of, function_of, unit_of
from snippets_mlir.emit.onnx_model import emit_onnx
from snippets_mlir.passes.building.sessions import sessions_of
from snippets_mlir.passes.graph.tokenize.snippets_mark_skipped import SnippetsMarkSkippedPass
from snippets_mlir.passes.program.host_plan import is_engine_op
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.targets.implementations.onnxruntime_rules import (
    activations,
)

CONV_TEXT = """func.func @main(%x: tensor<1x16x6x6xf32>) -> tensor<1x16x6x6xf32> {
  %w = snippets.constant dense<0.01> : tensor<16x16x1x1xf32>
  %c = snippets.constant dense<0.75> : tensor<16x1x1xf32>
  %n = snippets.scalar 1.25 : f32
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = VERSION : i64}
    : (tensor<1x16x6x6xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x6x6xf32>
BODY
  func.return %y : tensor<1x16x6x6xf32>
}"""
GEMM_TEXT = """func.func @main(%x: tensor<6x16xf32>, %b: tensor<4xf32>) -> tensor<6x4xf32> {
  %w = snippets.constant dense<0.01> : tensor<16x4xf32>
  %0 = onnx.node START -> tensor<6x4xf32>
BODY
  func.return %y : tensor<6x4xf32>
}"""
T, C, M = "tensor<1x16x6x6xf32>", "tensor<16x1x1xf32>", "tensor<6x4xf32>"
PROPERTIES = {
    "clamp": " {min = -1.0 : f32, max = 6.0 : f32}",
    "elu": " {alpha = 0.5 : f64}",
    "leaky_relu": " {alpha = 0.1 : f64}",
}
CONV_BODIES = {
    "multiply": f"%y = snippets.multiply %c, %0 : ({C}, {T}) -> {T}",
    "multiply by a number": f"%y = snippets.multiply %n, %0 : (tensor<f32>, {T}) -> {T}",
    "add": f"%y = snippets.add %c, %0 : ({C}, {T}) -> {T}",
    "residual": f"""  %v = snippets.constant dense<0.5> : tensor<16x16x1x1xf32>
  %1 = onnx.node "Conv"(%x, %v) {{domain = "", version = VERSION : i64}}
      : ({T}, tensor<16x16x1x1xf32>) -> {T}
  %y = snippets.add %0, %1 : {T}""",
}
WORDS = {
    kind: sorted(name.removeprefix("snippets.") for name in activations(kind))
    for kind in ("conv", "sum", "gemm")
}
SUMS = {
    f"sum, {a}": f"""{CONV_BODIES["residual"].replace("%y", "%s")}
  %y = snippets.{a} %s{PROPERTIES.get(a, "")} : {T}"""
    for a in WORDS["sum"]
}
ACTIVATIONS = {a: f"%y = snippets.{a} %0{PROPERTIES.get(a, '')} : {T}" for a in WORDS["conv"]}
GEMM_BODIES = {a: f"%y = snippets.{a} %0{PROPERTIES.get(a, '')} : {M}" for a in WORDS["gemm"]}
ATTRIBUTES = '{domain = "", version = VERSION : i64}'
GEMM = f'"Gemm"(%x, %w, %b) {ATTRIBUTES} : (tensor<6x16xf32>, tensor<16x4xf32>, tensor<4xf32>)'
MATMUL = f'"MatMul"(%x, %w) {ATTRIBUTES} : (tensor<6x16xf32>, tensor<16x4xf32>)'
MATMUL_BODY = f"""  %1 = snippets.add %b, %0 : (tensor<4xf32>, {M}) -> {M}
  %y = snippets.relu %1 : {M}"""
CASES = [
    *((CONV_TEXT.replace("BODY", b), n) for n, b in {**CONV_BODIES, **SUMS, **ACTIVATIONS}.items()),
    *(
        (GEMM_TEXT.replace("BODY", body).replace("START", GEMM), f"gemm {name}")
        for name, body in GEMM_BODIES.items()
    ),
    (GEMM_TEXT.replace("BODY", MATMUL_BODY).replace("START", MATMUL), "matmul"),
]
VERSIONS = (7, 13, 22)


def region(text: str) -> FuncOp:
    """The function of the one region of a marked program."""
    ctx = make_context()
    module = parse_module(text, ctx)
    SnippetsMarkSkippedPass().apply(ctx, module)
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    ops = list(body_of(function).ops)[:-1]
    (members,) = sessions_of(ops, is_engine_op)
    constants = ("snippets.constant", "snippets.scalar")
    assert all(o.name in constants for o in ops if o not in members)
    read = {value.owner for op in members for value in op.operands}
    held = [op for op in ops if op in members or op in read]
    return function_of("region", unit_of(held))


def optimized(model: bytes, file: Path) -> list[str]:
    """The operators of the graph that onnxruntime makes of a model."""
    ort: Any = import_module("onnxruntime")  # it has no type information
    options = ort.SessionOptions()
    options.optimized_model_filepath = str(file)
    options.log_severity_level = 4
    ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return [n.op_type for n in onnx.ModelProto.FromString(file.read_bytes()).graph.node]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("text", "name"), CASES, ids=[name for _, name in CASES])
def test_onnxruntime_fuses_what_is_marked(text: str, name: str, version: int, tmp_path: Path):
    function = region(text.replace("VERSION", str(version)))
    found = optimized(emit_onnx(function), tmp_path / "optimized.onnx")
    products = ["Conv", "FusedConv", "FusedGemm", "Gemm", "ReorderInput", "ReorderOutput"]
    assert set(found) <= set(products), f"{name}: {found}"
    nodes = sum(isinstance(op, NodeOp) for op in function.walk())
    assert sum(f not in ("ReorderInput", "ReorderOutput") for f in found) == nodes


def test_every_marked_op_has_an_onnx_form():
    names = {*WORDS["conv"], *WORDS["gemm"], "add", "multiply", "transpose"}
    assert {f"snippets.{name}" for name in names} == set(FORMS)
