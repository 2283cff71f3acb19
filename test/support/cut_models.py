"""Models that kernels and onnxruntime share, and calls that are compared with onnxruntime."""

from typing import Any, cast

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper

from snippets_mlir.driver import Compiled

Node = onnx.NodeProto


def model(
    nodes: list[Node], inputs: dict[str, list[Any]], outputs: dict[str, list[Any]], **data: Any
) -> onnx.ModelProto:
    """A model of float32 values; `data` are its initializers."""

    def infos(values: dict[str, list[Any]]) -> list[onnx.ValueInfoProto]:
        return [
            helper.make_tensor_value_info(n, TensorProto.FLOAT, shape)
            for n, shape in values.items()
        ]

    weights = [onnx.numpy_helper.from_array(np.asarray(a), n) for n, a in data.items()]
    graph = helper.make_graph(nodes, "g", infos(inputs), infos(outputs), weights)
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def between_products(rows: str | int = "n", columns: int = 512) -> onnx.ModelProto:
    """Two products, and between them ops for which the engine takes long."""
    rng = np.random.default_rng(0)
    w = rng.standard_normal((64, columns)).astype(np.float32)
    v = rng.standard_normal((columns, 8)).astype(np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], name="first"),
        helper.make_node("Softplus", ["a"], ["b"], name="soft"),
        helper.make_node("Mul", ["a", "b"], ["c"], name="gate"),
        helper.make_node("MatMul", ["c", "v"], ["y"], name="second"),
    ]
    return model(nodes, {"x": [rows, 64]}, {"y": [rows, 8]}, w=w, v=v)


def inputs(*shapes: tuple[int, ...]) -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(1)
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def check(m: Compiled, made: onnx.ModelProto, *shapes: tuple[int, ...]):
    """A call gives what onnxruntime gives for the whole model."""
    arrays = inputs(*shapes)
    session: Any = ort.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [i.name for i in session.get_inputs()]
    expected = session.run(None, dict(zip(names, arrays, strict=True)))
    results = m(*arrays)
    found = cast("tuple[Any, ...]", results if isinstance(results, tuple) else (results,))
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        np.testing.assert_allclose(
            a, b, rtol=1e-5, atol=1e-5 * float(np.abs(np.asarray(b)).max(initial=1))
        )


def kernel_ops(m: Compiled) -> list[tuple[str, ...]]:
    return [kernel.ops for kernel in m.kernels]
