"""Inferred shapes of onnxruntime's own operators and of `ai.onnx.ml`, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from shape_models import feeds_of
from shape_truth import mistakes, unknown

from snippets_mlir.frontends.onnx.shapes import infer_shapes

FLOAT, UINT8, INT32, INT64 = (
    TensorProto.FLOAT,
    TensorProto.UINT8,
    TensorProto.INT32,
    TensorProto.INT64,
)
MICROSOFT, ML = "com.microsoft", "ai.onnx.ml"


def floats(*shape: int) -> Any:
    return np.ones(shape, np.float32)


def bytes_(*shape: int) -> Any:
    return np.ones(shape, np.uint8)


X, Q = (FLOAT, "b", "s", 8), (UINT8, "b", "s", 8)
ONE, ZERO = floats(), np.array(0, np.uint8)
QUANTISED = (Q, ONE, ZERO)
LABELS = {"classlabels_ints": [1, 2, 3], "coefficients": [0.5] * 24, "intercepts": [0.0] * 3}

# Operator, inputs (a type and dims, or a constant, or none), outputs that are wanted, attributes.
CASES: list[tuple[str, list[Any], int, dict[str, Any]]] = [
    ("FusedMatMul", [(FLOAT, "b", 8, "s"), (FLOAT, "b", 8, 4)], 1, {"transA": 1}),
    ("FusedMatMul", [X, floats(4, 8)], 1, {"transB": 1, "alpha": 2.0}),
    (
        "FusedGemm",
        [(FLOAT, "b", 8), floats(4, 8), floats(4)],
        1,
        {"transB": 1, "activation": "Relu"},
    ),
    ("FusedConv", [(FLOAT, "b", 3, "s", "t"), floats(5, 3, 3, 3)], 1, {"pads": [1] * 4}),
    ("SkipLayerNormalization", [X, X, floats(8), floats(8), floats(8)], -4, {}),
    ("SkipSimplifiedLayerNormalization", [X, X, floats(8)], -4, {}),
    (
        "EmbedLayerNormalization",
        [
            (INT32, "b", "s"),
            (INT32, "b", "s"),
            floats(5, 8),
            floats(64, 8),
            floats(5, 8),
            floats(8),
            floats(8),
            (INT32, "b", "s"),
        ],
        3,
        {},
    ),
    ("BiasGelu", [X, floats(8)], 1, {}),
    ("FastGelu", [X, floats(8)], 1, {}),
    ("QuickGelu", [X], 1, {}),
    ("Gelu", [X], 1, {}),
    ("Attention", [X, floats(8, 24), floats(24)], 2, {"num_heads": 2}),
    (
        "Attention",
        [X, floats(8, 24), floats(24), None, (FLOAT, 2, "b", 2, "p", 4)],
        2,
        {"num_heads": 2},
    ),
    (
        "Attention",
        [X, floats(8, 20), floats(20)],
        1,
        {"num_heads": 2, "qkv_hidden_sizes": [8, 8, 4]},
    ),
    ("MultiHeadAttention", [X, (FLOAT, "b", "t", 8), (FLOAT, "b", "t", 12)], 1, {"num_heads": 2}),
    (
        "MultiHeadAttention",
        [X, (FLOAT, "b", 2, "t", 4), (FLOAT, "b", 2, "t", 4)],
        1,
        {"num_heads": 2},
    ),
    (
        "MultiHeadAttention",
        [X, X, X, None, None, None, (FLOAT, "b", 2, "p", 4), (FLOAT, "b", 2, "p", 4)],
        3,
        {"num_heads": 2},
    ),
    (
        "RotaryEmbedding",
        [X, np.zeros(1, np.int64), floats(64, 2), floats(64, 2)],
        1,
        {"num_heads": 2},
    ),
    (
        "MatMulNBits",
        [(FLOAT, "b", "s", 32), bytes_(6, 2, 8), floats(12)],
        1,
        {"K": 32, "N": 6, "bits": 4, "block_size": 16},
    ),
    ("DynamicQuantizeMatMul", [X, bytes_(8, 4), ONE, ZERO], 1, {}),
    ("MatMulIntegerToFloat", [Q, bytes_(8, 4), ONE, ONE], 1, {}),
    ("QAttention", [Q, bytes_(8, 24), floats(24), ONE, ONE, None, ZERO, ZERO], 1, {"num_heads": 2}),
    ("QLinearAdd", [*QUANTISED, (UINT8, 1, 8), ONE, ZERO, ONE, ZERO], 1, {}),
    ("QLinearMul", [*QUANTISED, (UINT8, "s", 8), ONE, ZERO, ONE, ZERO], 1, {}),
    ("QLinearConcat", [ONE, ZERO, *QUANTISED, (UINT8, "b", "t", 8), ONE, ZERO], 1, {"axis": 1}),
    ("QLinearSigmoid", [*QUANTISED, ONE, ZERO], 1, {}),
    ("QLinearSoftmax", [*QUANTISED, ONE, ZERO], 1, {"opset": 13}),
    (
        "QLinearAveragePool",
        [(UINT8, "b", 3, "s", "t"), ONE, ZERO, ONE, ZERO],
        1,
        {"kernel_shape": [2, 2], "strides": [2, 1]},
    ),
    (
        "QLinearAveragePool",
        [(UINT8, "b", "s", "t", 3), ONE, ZERO, ONE, ZERO],
        1,
        {"kernel_shape": [2, 2], "channels_last": 1},
    ),
    (
        "QLinearGlobalAveragePool",
        [(UINT8, "b", "s", "t", 3), ONE, ZERO, ONE, ZERO],
        1,
        {"channels_last": 1},
    ),
    (
        "QGemm",
        [(UINT8, "b", 8), ONE, ZERO, bytes_(4, 8), ONE, ZERO, None, ONE, ZERO],
        1,
        {"transB": 1},
    ),
    ("QGemm", [(UINT8, "b", 8), ONE, ZERO, bytes_(8, 4), ONE, ZERO], 1, {}),
    ("NhwcMaxPool", [(UINT8, "b", "s", "t", 3)], 1, {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ("QuantizeLinear", [X, ONE, np.array(0, np.uint16)], 1, {}),
    ("DequantizeLinear", [(TensorProto.UINT16, "b", 3), ONE, np.array(0, np.uint16)], 1, {}),
    ("Scaler", [(FLOAT, "b", 8)], 1, {"scale": [2.0], "offset": [1.0]}),
    ("Normalizer", [(FLOAT, "b", 8)], 1, {"norm": "L2"}),
    ("Binarizer", [(FLOAT, "b", 8)], 1, {}),
    ("ArrayFeatureExtractor", [(FLOAT, "b", 8), (INT64, "s")], 1, {}),
    ("LabelEncoder", [(INT64, "b", "s")], 1, {"keys_int64s": [1], "values_strings": ["one"]}),
    ("LinearRegressor", [(FLOAT, "b", 8)], 1, {"coefficients": [0.5] * 16, "targets": 2}),
    ("LinearClassifier", [(FLOAT, "b", 8)], 2, LABELS),
]


def made(
    op_type: str, inputs: list[Any], outputs: int, attributes: dict[str, Any]
) -> onnx.ModelProto:
    """A model of one node; of -4 outputs the first and the last are wanted."""
    names, infos, constants = list[str](), list[Any](), list[Any]()
    for index, given in enumerate(inputs):
        names.append("" if given is None else f"x{index}")
        if type(given) is tuple:
            type_: list[Any] = [*given]
            infos.append(helper.make_tensor_value_info(names[-1], type_[0], type_[1:]))
        elif given is not None:
            constants.append(numpy_helper.from_array(given, names[-1]))
    results = [f"y{i}" for i in range(abs(outputs))]
    if outputs < 0:
        results[1:-1] = [""] * (len(results) - 2)
    domain = ML if "coefficients" in attributes or op_type in ML_OPERATORS else MICROSOFT
    node = helper.make_node(op_type, names, results, domain=domain, **attributes)
    graph = helper.make_graph(
        [node], "g", infos, [onnx.ValueInfoProto(name=r) for r in results if r], constants
    )
    versions = [("", 17), (MICROSOFT, 1), (ML, 3)]
    return helper.make_model(
        graph, ir_version=8, opset_imports=[helper.make_opsetid(*v) for v in versions]
    )


ML_OPERATORS = ("ArrayFeatureExtractor", "Binarizer", "LabelEncoder", "Normalizer", "Scaler")


@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{c[0]}" for i, c in enumerate(CASES)])
def test_shapes_of_other_domains(case: tuple[str, list[Any], int, dict[str, Any]]):
    model = made(*case)
    inferred = infer_shapes(model)
    assert unknown(model, inferred) == []
    for sizes in ({"b": 2, "s": 3, "t": 5, "p": 4}, {"b": 1, "s": 4, "t": 7, "p": 2}):
        feeds = feeds_of(model, sizes)
        assert mistakes(model, feeds, inferred) == []
        assert mistakes(model, feeds, infer_shapes(model, assume=False)) == []


def test_element_types_are_not_guessed():
    """Of an operator of another domain that has no rule, nothing is known."""
    model = made("Unique", [(FLOAT, "b")], 3, {})
    assert [infer_shapes(model).types[f"y{i}"].element for i in range(3)] == [0, 0, 0]
