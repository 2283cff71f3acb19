"""Writes `mlp.onnx`, a small network of two layers, and `image.onnx`, a block of convolutions.

    python docs/examples/make_onnx.py

Both are as frameworks export such models. The weights are drawn from a fixed seed, so the files are
the same each time.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FEATURES, HIDDEN, CLASSES = 32, 64, 10
CHANNELS = 24


def build() -> onnx.ModelProto:
    """The model: `softmax(gelu(x @ w1 + b1) * gate @ w2 + b2)`, with GELU as exporters spell it."""
    rng = np.random.default_rng(0)

    def weight(name: str, *shape: int) -> onnx.TensorProto:
        values = rng.normal(0.0, shape[0] ** -0.5, shape).astype(np.float32)
        return numpy_helper.from_array(values, name)

    def number(name: str, value: float) -> onnx.TensorProto:
        return numpy_helper.from_array(np.array(value, np.float32), name)

    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["h0"], "layer1"),
        helper.make_node("Add", ["h0", "b1"], ["h1"], "bias1"),
        helper.make_node("Div", ["h1", "sqrt2"], ["h2"], "gelu_scale"),
        helper.make_node("Erf", ["h2"], ["h3"], "gelu_erf"),
        helper.make_node("Add", ["h3", "one"], ["h4"], "gelu_shift"),
        helper.make_node("Mul", ["h1", "h4"], ["h5"], "gelu_product"),
        helper.make_node("Mul", ["h5", "half"], ["h6"], "gelu_half"),
        helper.make_node("Sigmoid", ["gate"], ["g0"], "gate_sigmoid"),
        helper.make_node("Mul", ["h6", "g0"], ["h7"], "gated"),
        helper.make_node("MatMul", ["h7", "w2"], ["l0"], "layer2"),
        helper.make_node("Add", ["l0", "b2"], ["logits"], "bias2"),
        helper.make_node("Softmax", ["logits"], ["probabilities"], "classes", axis=-1),
    ]
    graph = helper.make_graph(
        nodes,
        "mlp",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", FEATURES]),
            helper.make_tensor_value_info("gate", TensorProto.FLOAT, [HIDDEN]),
        ],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["batch", CLASSES])],
        [
            weight("w1", FEATURES, HIDDEN),
            weight("b1", HIDDEN),
            weight("w2", HIDDEN, CLASSES),
            weight("b2", CLASSES),
            number("sqrt2", 2**0.5),
            number("one", 1.0),
            number("half", 0.5),
        ],
    )
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, producer_name="examples"
    )


def build_image() -> onnx.ModelProto:
    """Convolution, hard swish, squeeze and excitation, convolution; hard swish before opset 14."""
    rng = np.random.default_rng(0)

    def weight(name: str, *shape: int) -> onnx.TensorProto:
        values = rng.normal(0.0, np.prod(shape[1:]) ** -0.5, shape).astype(np.float32)
        return numpy_helper.from_array(values, name)

    def number(name: str, value: float) -> onnx.TensorProto:
        return numpy_helper.from_array(np.array(value, np.float32), name)

    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["c"], "first", pads=[1, 1, 1, 1]),
        helper.make_node("Add", ["c", "three"], ["h0"], "swish_shift"),
        helper.make_node("Clip", ["h0", "zero", "six"], ["h1"], "swish_clip"),
        helper.make_node("Mul", ["c", "h1"], ["h2"], "swish_product"),
        helper.make_node("Div", ["h2", "six"], ["h3"], "swish"),
        helper.make_node("GlobalAveragePool", ["h3"], ["s0"], "squeeze"),
        helper.make_node("Conv", ["s0", "w2"], ["s1"], "excite"),
        helper.make_node("HardSigmoid", ["s1"], ["s2"], "gate"),
        helper.make_node("Mul", ["h3", "s2"], ["g"], "gated"),
        helper.make_node("Conv", ["g", "w3"], ["y"], "last", pads=[1, 1, 1, 1]),
    ]
    graph = helper.make_graph(
        nodes,
        "image",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, 64, 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 8, 64, 64])],
        [
            weight("w1", CHANNELS, 3, 3, 3),
            weight("w2", CHANNELS, CHANNELS, 1, 1),
            weight("w3", 8, CHANNELS, 3, 3),
            number("three", 3.0),
            number("six", 6.0),
            number("zero", 0.0),
        ],
    )
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, producer_name="examples"
    )


if __name__ == "__main__":
    for name, model in (("mlp", build()), ("image", build_image())):
        Path(__file__).with_name(f"{name}.onnx").write_bytes(model.SerializeToString())
