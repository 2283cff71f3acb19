"""A decoder whose cache grows from call to call, and what it computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper

import snippets_mlir
from snippets_mlir.driver import Compiled

Array = np.ndarray[Any, Any]
WIDTH = 24


def decoder(*, counts: bool = False) -> onnx.ModelProto:
    """Kernels and sessions in turn on a cache that grows by the rows of `x` in each call.

    With `counts` a session between two kernels has a size that only it knows.
    """
    rng = np.random.default_rng(0)
    weights = {
        "w": rng.standard_normal((WIDTH, WIDTH)).astype(np.float32),
        "table": rng.standard_normal((7, WIDTH)).astype(np.float32),
    }
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["row"]),  # fails where ids are too large
        helper.make_node("Add", ["x", "row"], ["a"]),
        helper.make_node("Tanh", ["a"], ["b"]),
        helper.make_node("Concat", ["cache", "b"], ["cache_new"], axis=1),
        helper.make_node("Exp", ["cache_new"], ["e"]),
        helper.make_node("MatMul", ["e", "w"], ["p"]),
        helper.make_node("Sigmoid", ["p"], ["s"]),
        helper.make_node("Mul", ["s", "e"], ["g"]),
        helper.make_node("ReduceSum", ["g", "last"], ["y"], keepdims=0),
    ]
    outputs: dict[str, tuple[int, list[Any]]] = {
        "y": (TensorProto.FLOAT, ["batch", "total"]),
        "cache_new": (TensorProto.FLOAT, ["batch", "total", WIDTH]),
    }
    if counts:
        nodes += [
            helper.make_node("NonZero", ["y"], ["places"]),
            helper.make_node("Cast", ["places"], ["found"], to=TensorProto.FLOAT),
            helper.make_node("Exp", ["found"], ["exps"]),
            helper.make_node("Neg", ["exps"], ["z"]),
        ]
        outputs["z"] = TensorProto.FLOAT, [2, "many"]
    inputs: dict[str, tuple[int, list[Any]]] = {
        "x": (TensorProto.FLOAT, ["batch", "new", WIDTH]),
        "ids": (TensorProto.INT64, ["batch", "new"]),
        "cache": (TensorProto.FLOAT, ["batch", "past", WIDTH]),
    }
    given, made = (
        [helper.make_tensor_value_info(n, t, s) for n, (t, s) in side.items()]
        for side in (inputs, outputs)
    )
    data = [onnx.numpy_helper.from_array(a, n) for n, a in weights.items()]
    data.append(onnx.numpy_helper.from_array(np.array([-1]), "last"))
    graph = helper.make_graph(nodes, "g", given, made, data)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def feed(batch: int, new: int, past: int, seed: int = 0) -> dict[str, Array]:
    rng = np.random.default_rng((batch, new, past, seed))
    x = rng.standard_normal((batch, new, WIDTH)).astype(np.float32)
    if x.size:
        x.flat[: 2 + 3 * (seed % 2)] = [-0.0, np.nan, np.inf, -np.inf, 1e-40][: 2 + 3 * (seed % 2)]
    cache = rng.standard_normal((batch, past, WIDTH)).astype(np.float32)
    return {"x": x, "ids": rng.integers(0, 7, (batch, new)), "cache": cache}


class Reference:
    """onnxruntime on the model."""

    def __init__(self, model: onnx.ModelProto) -> None:
        providers = ["CPUExecutionProvider"]
        self._session: Any = ort.InferenceSession(model.SerializeToString(), providers=providers)
        self._names = [output.name for output in self._session.get_outputs()]

    def check(self, found: dict[str, Array], given: dict[str, Array]) -> None:
        """AssertionError unless outputs are those of the model."""
        wanted = dict(zip(self._names, self._session.run(None, given), strict=True))
        for name, array in wanted.items():
            assert found[name].shape == array.shape
            assert found[name].dtype == array.dtype
            np.testing.assert_allclose(found[name], array, rtol=1e-4, atol=1e-4)


def compiled(model: onnx.ModelProto, threads: int = 2) -> Compiled:
    return snippets_mlir.compile(model, num_threads=threads, mark_skipped="none")
