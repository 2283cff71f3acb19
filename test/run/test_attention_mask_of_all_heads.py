"""Attentions after a cache whose causal mask all heads share: threads share the heads."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from snippets_mlir import compile as compile_model

HEADS, WIDTH = 4, 16


def _model() -> bytes:
    def value(name: str, *shape: int | str) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    node = helper.make_node(
        "Attention",
        ["q", "k", "v", "", "pk", "pv"],
        ["y", "nk", "nv"],
        is_causal=1,
        q_num_heads=HEADS,
        kv_num_heads=HEADS,
    )
    inputs = [value(name, 1, "rows", HEADS * WIDTH) for name in "qkv"]
    inputs += [value(name, 1, HEADS, "past", WIDTH) for name in ("pk", "pv")]
    outputs = [value("y", 1, "rows", HEADS * WIDTH)]
    outputs += [value(name, 1, HEADS, "all", WIDTH) for name in ("nk", "nv")]
    graph = helper.make_graph([node], "g", inputs, outputs)
    opset = [helper.make_opsetid("", 23)]
    return helper.make_model(graph, opset_imports=opset, ir_version=10).SerializeToString()


def test_heads_are_shared_and_values_right() -> None:
    """The numbers are those of NumPy for all lengths, with the same bits on one thread."""
    models = [
        compile_model(_model(), num_threads=threads, mark_skipped="none") for threads in (1, 2)
    ]
    rng = np.random.default_rng(0)
    for rows, past in ((1, 0), (1, 70), (5, 0), (9, 33), (40, 7)):
        x = {name: rng.standard_normal((1, rows, HEADS * WIDTH), np.float32) for name in "qkv"}
        x |= {n: rng.standard_normal((1, HEADS, past, WIDTH), np.float32) for n in ("pk", "pv")}
        q, k, v = (x[n].reshape(rows, HEADS, WIDTH).transpose(1, 0, 2) for n in "qkv")
        keys, values = np.concatenate([x["pk"][0], k], 1), np.concatenate([x["pv"][0], v], 1)
        scores = q @ keys.transpose(0, 2, 1) / np.sqrt(WIDTH)
        scores[:, np.arange(past + rows) > past + np.arange(rows)[:, None]] = -np.inf
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        expected = (weights / weights.sum(-1, keepdims=True)) @ values
        first, second = (model.run(x) for model in models)
        got = first["y"].reshape(rows, HEADS, WIDTH).transpose(1, 0, 2)
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)
        for name, array in first.items():
            np.testing.assert_array_equal(array, second[name])
    if len(models[1].kernels) > 1:
        loops = [k.ir("lir-fuse-loops") for k in models[1].kernels]
        assert any(f"work {HEADS}, inc 1, dim 3, parallel" in text for text in loops)
    else:
        pytest.fail("the attention is one session")
