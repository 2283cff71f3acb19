"""What no executor runs is an error at compile time, which names the op and its place."""

from __future__ import annotations

import builtins
from importlib import import_module
from typing import Any

import numpy as np
import onnx
import pytest
from executed_regions import function_of

from snippets_mlir.emit.onnx_model import emit_onnx
from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.runtime.engine.executors import make_executor
from snippets_mlir.runtime.engine.opening import open_session
from snippets_mlir.support.errors import CompileError


def test_op_without_an_executor():
    text = """
    func.func @r(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = arith.addf %x, %x : tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }"""
    with pytest.raises(CompileError, match=r"no executor for 'arith.addf'") as raised:
        make_executor(function_of(text))
    assert raised.value.line == 3


def refused(text: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        make_executor(function_of(text))


def region(op: str, attributes: str, *, types: str = "(tensor<2xf32>) -> tensor<2xf32>") -> str:
    return f"""
    func.func @r(%x: tensor<2xf32>) -> tensor<2xf32> {{
      %0 = onnx.node "{op}"(%x) {{{attributes}}} : {types}
      func.return %0 : tensor<2xf32>
    }}"""


def test_node_that_onnxruntime_rejects_is_named():
    unknown = 'domain = "com.example", version = 1 : i64, node_name = "n7"'
    refused(region("Thing", unknown), "does not accept the ONNX node com.example.Thing 'n7'")
    wrong = 'domain = "", version = 13 : i64, attributes = {axis = 5 : i64}'
    refused(
        region("Softmax", wrong), "does not accept the ONNX node Softmax 'Softmax_0' .input 2.: "
    )
    newer = f'domain = "", version = {onnx.defs.onnx_opset_version() + 5} : i64'
    refused(region("Relu", newer), "does not accept the ONNX node Relu")


def test_node_that_onnxruntime_rejects_is_located():
    text = """func.func @r(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = onnx.node "Relu"(%x) {domain = "", version = 13 : i64} : (tensor<2xf32>) -> tensor<2xf32>
      %1 = onnx.node "Softmax"(%0) {domain = "", version = 13 : i64, attributes = {axis = 5 : i64}}
        : (tensor<2xf32>) -> tensor<2xf32>
      func.return %1 : tensor<2xf32>
    }"""
    with pytest.raises(CompileError, match="'Softmax_1'") as raised:
        make_executor(function_of(text))
    assert raised.value.line == 3


@pytest.mark.parametrize(
    ("type_", "says"),
    [("3x4", "has the sizes 3x2, its type says 3x4"), ("6", "has the sizes 3x2, its type says 6")],
)
def test_result_of_other_sizes_than_its_type_says_is_refused_before_a_run(type_: str, says: str):
    text = """func.func @r(%x: tensor<2x3xf32>) -> tensor<TYPExf32> {
      %0 = onnx.node "Transpose"(%x) {domain = "", version = 13 : i64}
        : (tensor<2x3xf32>) -> tensor<TYPExf32>
      func.return %0 : tensor<TYPExf32>
    }"""
    with pytest.raises(CompileError, match=f'onnx.node "Transpose" {says}') as raised:
        make_executor(function_of(text.replace("TYPE", type_)))
    assert raised.value.line == 2
    run = make_executor(function_of(text.replace("TYPE", "3x2")))
    assert run([np.ones((2, 3), np.float32)])[0].shape == (3, 2)
    run = make_executor(function_of(text.replace("TYPE", "?x2")))
    assert run([np.ones((2, 3), np.float32)])[0].shape == (3, 2)


def test_regions_that_onnx_cannot_say():
    refused(
        region("Relu", 'domain = "", version = 13 : i64, attributes = {a = unit}'),
        "the attribute 'a' of an onnx.node has no ONNX form",
    )
    refused(
        region(
            "Relu",
            'domain = "", version = 13 : i64, attributes = {a = ["s", dense<1> : tensor<i64>]}',
        ),
        "mixes kinds",
    )
    two = """
    func.func @r(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = onnx.node "Relu"(%x) {domain = "", version = 13 : i64} : (tensor<2xf32>) -> tensor<2xf32>
      %1 = onnx.node "Relu"(%0) {domain = "", version = 14 : i64} : (tensor<2xf32>) -> tensor<2xf32>
      func.return %1 : tensor<2xf32>
    }"""
    refused(two, "version 14 of domain '', expected 13")
    unknown = """
    func.func @r(%x: !onnx.type<"unknown">) -> tensor<2xf32> {
      %0 = onnx.node "Relu"(%x) {domain = "", version = 13 : i64}
        : (!onnx.type<"unknown">) -> tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }"""
    refused(unknown, "cannot be handed to ONNX nodes")


def test_without_onnxruntime(monkeypatch: pytest.MonkeyPatch):
    text = region("Softmax", 'domain = "", version = 13 : i64')
    data = emit_onnx(function_of(text))

    def missing(name: str, package: str | None = None) -> Any:
        if name == "onnxruntime":
            raise ImportError(name)
        return import_module(name, package)

    monkeypatch.setattr("snippets_mlir.runtime.engine.opening.import_module", missing)
    with pytest.raises(CompileError, match=r"pip install snippets-mlir\[onnx\]"):
        open_session(data)


def test_without_onnx(monkeypatch: pytest.MonkeyPatch):
    real = builtins.__import__

    def missing(name: str, *rest: Any, **named: Any) -> Any:
        if name == "onnx":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(CompileError, match=r"pip install snippets-mlir\[onnx\]"):
        import_model("m.onnx")
