"""Sizes that onnxruntime refuses when a node runs are refused by `compile`, those that it runs not.

A line is an operator with its attributes, the shapes of its inputs, and the shape that one of them
gets: of float32 or, before a colon, of other types. A text after "=" is the elements, "-" is no
input.
"""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import snippets_mlir
from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT
from snippets_mlir.frontends.onnx.prepare import prepare
from snippets_mlir.support.errors import CompileError

TYPES = {"": np.float32, "u": np.uint8, "i": np.int64, "j": np.int32}
LSTM = "LSTM hidden_size=5 | 4x2x3, 1x20x3, 1x20x5, 1x40, -, 1x2x5, 1x2x5, 1x15"
GRU = "GRU hidden_size=5 direction='bidirectional' | 4x2x3, 2x15x3, 2x15x5, 2x30, -, 2x2x5"
QUANTISED = "QLinearConv | u:1x4x7x7, , u:, u:6x4x3x3, , u:, , u:, j:6"
NBITS = "ms.MatMulNBits K=32 N=6 bits=4 block_size=16 | 2x3x32, u:6x2x8, 12, u:6"
HEADS = "ms.MultiHeadAttention num_heads=2 | 2x5x8, 2x6x8, 2x6x8, 24, -, 1x2x5x6"
NORM = "ms.SkipLayerNormalization | 2x5x8, 2x5x8, 8, 8, 8"
GROUPS = "GroupNormalization num_groups=2 opset=21 | 2x6x4x4, 6, 6"
EMBEDDING = "ms.EmbedLayerNormalization | j:2x5, j:2x5, 9x8, 64x8, 3x8, 8, 8"
DEFORMED = "DeformConv opset=19 | 1x4x5x5, 6x4x3x3, 1x18x3x3, 6"
NAMED = "Attention q_num_heads=2 kv_num_heads=2 opset=23 | 2x5x8, 2x6x8, 2x6x8"

MISFITS = [
    f"{LSTM} | 1 is 1x20x4", f"{LSTM} | 2 is 1x20x6", f"{LSTM} | 3 is 1x39", f"{LSTM} | 7 is 1x14",
    f"{GRU} | 1 is 1x15x3", f"{GRU} | 5 is 2x3x5",
    "RNN hidden_size=5 | 4x2x3, 1x5x3, 1x5x5 | 2 is 1x5x4",
    "Einsum equation='bij,bjk->bik' | 2x3x4, 2x4x5 | 1 is 2x3x5",
    "Einsum equation='...ij,jk->...ik' | 2x3x4, 4x5 | 1 is 3x5",
    f"{GROUPS} | 1 is 4", f"{GROUPS} | 0 is 2x5x4x4",
    f"{QUANTISED} | 3 is u:6x3x3x3", f"{QUANTISED} | 8 is j:5", f"{QUANTISED} | 1 is 2",
    "ConvInteger | u:1x4x7x7, u:6x4x3x3 | 1 is u:6x3x3x3",
    f"{DEFORMED} | 2 is 1x17x3x3", f"{DEFORMED} | 3 is 5",
    "MaxPool kernel_shape=[3,3] | 1x2x6x6 | 0 is 1x2x6x1", "Conv | 1x2x6x6, 3x2x3x3 | 0 is 1x2x6x1",
    "Conv kernel_shape=[3,3] | 1x2x6x6, 3x2x3x3 | 1 is 3x2x2x3",
    "SpaceToDepth blocksize=2 | 1x2x4x4 | 0 is 1x2x4x3", "Transpose perm=[1,0] | 2x3 | 0 is 2x3x4",
    "ScatterElements | 3x4, i:2x4, 2x4 | 2 is 2x3", "ScatterElements | 3x4, i:2x4, 2x4 | 0 is 3x3",
    "GatherElements | 3x4, i:2x4 | 1 is i:2x5", "ScatterND | 3x4, i:2x1, 2x4 | 2 is 2x3",
    "GatherND | 3x4, i:=[[0,1]] | 1 is i:=[[0,4]]", "Reshape | 3x4, i:=[6,-1] | 1 is i:=[5,-1]",
    "Resize | 1x2x4x4, -, =[1,1,2,2] | 2 is =[2,2]", "Pad | 3x4, i:=[0,0,1,1] | 0 is 3x4x2",
    "QuantizeLinear axis=1 | 2x3, 3, u:3 | 1 is 2", "DequantizeLinear axis=1 | u:2x3, 3 | 1 is 2",
    "MaxUnpool kernel_shape=[2,2] | 1x1x2x2, i:1x1x2x2 | 1 is i:1x1x2x1",
    "NonMaxSuppression | 1x6x4, 1x2x6 | 1 is 1x2x5", "CumProd opset=26 | 3x4, i:=1 | 1 is i:=2",
    "RMSNormalization opset=23 | 2x5x8, 8 | 1 is 7",
    "LayerNormalization axis=1 | 2x5x8, 5x8 | 1 is 4x8",
    f"{NAMED} | 1 is 2x6x9", f"{NAMED} | 2 is 3x6x8",
    f"{NBITS} | 1 is u:6x3x8", f"{NBITS} | 2 is 11", f"{NBITS} | 3 is u:7",
    f"{NBITS} | 0 is 2x3x16",
    f"{HEADS} | 1 is 2x6x6", f"{HEADS} | 5 is 1x2x4x6", f"{NORM} | 1 is 2x4x8", f"{NORM} | 2 is 7",
    f"{EMBEDDING} | 1 is j:2x4", "ms.BiasGelu | 2x5x8, 8 | 1 is 7",
    "ms.FusedConv activation='Relu' | 1x4x7x7, 6x4x3x3, 6 | 1 is 6x3x3x3",
    "ms.FusedGemm activation='Relu' | 3x4, 4x5, 5 | 1 is 6x5",
    "ms.FusedGemm activation='Relu' | 3x4, 4x5, 5 | 2 is 4",
    "ms.QGemm | u:3x4, , u:, u:4x5, , u:, j:5, , u: | 3 is u:3x5",
    "ms.Attention num_heads=2 | 2x5x8, 8x24, 24 | 1 is 7x24",
    "ms.RotaryEmbedding | 2x2x5x4, i:1, 64x2, 64x2 | 3 is 63x2",
]  # fmt: skip

RUN = [
    "GroupNormalization num_groups=2 opset=21 | 2x6x4x4, 1, 1x6",
    "Einsum equation='bij,bjk->bik' | 2x3x4, 1x4x5",
    "ms.SkipLayerNormalization | 3x5x8, 2x5x8, 8",
    "LayerNormalization axis=1 | 2x5x8, 8",
    "BatchNormalization | 2x3, 3, 3, 3, 3",
    "Reshape | 3x4, i:=[0,-1]",
    "MaxPool kernel_shape=[3] ceil_mode=1 | 1x2x3",
    "Attention opset=25 | 2x3x5x8, 1x3x6x8, 2x3x6x8",
    "MatMulInteger | u:2x3, u:3x4, u:1, u:4",
]


def array(text: str) -> Any:
    kind, _, rest = text.rpartition(":")
    if rest.startswith("="):
        return np.array(ast.literal_eval(rest[1:]), TYPES[kind])
    return np.zeros([int(size) for size in rest.split("x") if size], TYPES[kind])


def made(head: str, inputs: list[str]) -> tuple[onnx.ModelProto, dict[str, Any]]:
    """A model of one node, and what to call it with: whole numbers of 64 bits are constants."""
    operator, *options = head.split(" ")
    given = {name: ast.literal_eval(v) for name, v in (option.split("=", 1) for option in options)}
    opset = given.pop("opset", 18)
    is_microsoft = operator.startswith("ms.")
    arrays = {f"x{i}": array(text) for i, text in enumerate(inputs) if text != "-"}
    names = [f"x{i}" if f"x{i}" in arrays else "" for i in range(len(inputs))]
    domain = MICROSOFT if is_microsoft else ""
    outputs = ["y", "z"] if "EmbedLayer" in operator else ["y"]
    node = helper.make_node(operator.removeprefix("ms."), names, outputs, domain=domain, **given)
    infos = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for n, a in arrays.items()
        if a.dtype != np.int64
    ]
    constants = [numpy_helper.from_array(a, n) for n, a in arrays.items() if a.dtype == np.int64]
    graph = helper.make_graph([node], "g", infos, [onnx.ValueInfoProto(name="y")], constants)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    return model, {n: a for n, a in arrays.items() if a.dtype != np.int64}


def run(head: str, inputs: list[str]) -> None:
    model, feeds = made(head, inputs)
    engine: Any = onnxruntime
    options = engine.SessionOptions()
    options.log_severity_level = 4
    engine.InferenceSession(model.SerializeToString(), options).run(None, feeds)


def parts(line: str) -> tuple[str, list[str], str]:
    """The operator, the texts of inputs, and the change; `,` in lists separates no inputs."""
    head, inputs, *change = line.split(" | ")
    return head, [text.strip() for text in re.split(r",(?![^\[]*\])", inputs)], "".join(change)


@pytest.mark.parametrize("line", MISFITS)
def test_misfits(line: str) -> None:
    head, inputs, change = parts(line)
    run(head, inputs)
    assert prepare(made(head, inputs)[0], None, None).misfit is None
    index, _, changed = change.partition(" is ")
    inputs[int(index)] = changed
    with pytest.raises(Exception, match=r"onnxruntime|ONNXRuntimeError"):
        run(head, inputs)
    model, _ = made(head, inputs)
    with pytest.raises(CompileError, match=model.graph.node[0].op_type):
        snippets_mlir.compile(model)


@pytest.mark.parametrize("line", RUN)
def test_what_runs(line: str) -> None:
    head, inputs, _ = parts(line)
    run(head, inputs)
    assert prepare(made(head, inputs)[0], None, None).misfit is None
