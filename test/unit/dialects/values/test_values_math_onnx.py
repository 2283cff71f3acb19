"""The functions of one and of two floats, against onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper
from value_types import Array, ValueOf

mp: Any = mpmath.mp


def softplus(x: Any) -> Any:
    return mp.log1p(mp.exp(x))


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def gelu(x: Any) -> Any:
    # mpmath's erfc fails on huge arguments; it is 2 or below every subnormal long before.
    return max(x, mp.mpf(0)) if abs(x) > 100 else x * mp.erfc(-x / mp.sqrt(2)) / 2


ONNX: dict[str, tuple[str, dict[str, int]]] = {
    # snippets op: (ONNX op, attributes)
    "abs": ("Abs", {}),
    "acosh": ("Acosh", {}),
    "asinh": ("Asinh", {}),
    "atan": ("Atan", {}),
    "ceiling": ("Ceil", {}),
    "cosh": ("Cosh", {}),
    "erf": ("Erf", {}),
    "exp": ("Exp", {}),
    "floor": ("Floor", {}),
    "gelu": ("Gelu", {}),
    "hswish": ("HardSwish", {}),
    "is_nan": ("IsNaN", {}),
    "log": ("Log", {}),
    "mish": ("Mish", {}),
    "negative": ("Neg", {}),
    "relu": ("Relu", {}),
    "round": ("Round", {}),
    "sigmoid": ("Sigmoid", {}),
    "sign": ("Sign", {}),
    "sin": ("Sin", {}),
    "softplus": ("Softplus", {}),
    "softsign": ("Softsign", {}),
    "sqrt": ("Sqrt", {}),
    "tan": ("Tan", {}),
    "tanh": ("Tanh", {}),
}


def run_onnx(op_type: str, inputs: Sequence[Array], attributes: dict[str, Any]) -> Array:
    names = [f"x{i}" for i in range(len(inputs))]
    kinds = {
        "float32": TensorProto.FLOAT,
        "float64": TensorProto.DOUBLE,
        "int32": TensorProto.INT32,
        "int64": TensorProto.INT64,
        "bool": TensorProto.BOOL,
    }
    values = [
        helper.make_tensor_value_info(n, kinds[a.dtype.name], a.shape)
        for n, a in zip(names, inputs, strict=True)
    ]
    node = helper.make_node(op_type, names, ["y"], **attributes)
    result = helper.make_empty_tensor_value_info("y")
    graph = helper.make_graph([node], "g", values, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    runtime: Any = onnxruntime
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = runtime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, dict(zip(names, inputs, strict=True)))[0]


@pytest.mark.parametrize("name", ONNX)
def test_onnxruntime_agrees(name: str, value_of: ValueOf) -> None:
    op_type, attributes = ONNX[name]
    x = np.linspace(-9, 9, 1001, dtype=np.float32)
    expected = run_onnx(op_type, [x], attributes)
    found = value_of(name, x)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize(
    ("name", "op_type", "dtype", "attributes"),
    [
        ("add", "Add", "float32", {}),
        ("subtract", "Sub", "int64", {}),
        ("multiply", "Mul", "int32", {}),
        ("divide", "Div", "float64", {}),
        ("maximum", "Max", "float32", {}),
        ("minimum", "Min", "float64", {}),
        ("power", "Pow", "float32", {}),
        ("floor_mod", "Mod", "int64", {}),
        ("mod", "Mod", "float32", {"fmod": 1}),
        ("prelu", "PRelu", "float32", {}),
        ("less", "Less", "float32", {}),
        ("greater_equal", "GreaterOrEqual", "int64", {}),
        ("equal", "Equal", "float32", {}),
        ("bitwise_and", "BitwiseAnd", "int32", {}),
        ("bitwise_xor", "BitwiseXor", "int64", {}),
    ],
)
def test_onnxruntime_agrees_on_two_operands(
    name: str, op_type: str, dtype: str, attributes: dict[str, int], value_of: ValueOf
) -> None:
    rng = np.random.default_rng(9)
    x = rng.uniform(-20, 20, (5, 1, 7)).astype(dtype)
    y = rng.uniform(1, 9, (6, 1)).astype(dtype)
    expected = run_onnx(op_type, [x, y], attributes)
    found = value_of(name, x, y)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=2e-7)
