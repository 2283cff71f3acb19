"""GroupQueryAttention of onnxruntime: the length of its caches, and models of it beside kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from shape_truth import mistakes, unknown

import snippets_mlir
from snippets_mlir.frontends.onnx.shapes import infer_shapes

HEADS, GROUPS, SIZE = 4, 2, 8
FLOAT, INT32, INT64 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64


def cached_model(*, cached: bool = True, packed: bool = False) -> onnx.ModelProto:
    """Queries, keys and values of `s` tokens; the length of `mask` is that of all tokens."""
    node, info = helper.make_node, helper.make_tensor_value_info
    widths = {"q": HEADS * SIZE, "k": GROUPS * SIZE, "v": GROUPS * SIZE}
    widths = {"q": sum(widths.values())} if packed else widths
    inputs = [info(name, FLOAT, ["b", "s", width]) for name, width in widths.items()]
    inputs.append(info("mask", INT64, ["b", "t"]))
    if cached:
        inputs += [info(name, FLOAT, ["b", GROUPS, "p", SIZE]) for name in ("keys", "values")]
    given = [
        "q",
        *(["", ""] if packed else ["k", "v"]),
        *(["keys", "values"] if cached else [""] * 2),
    ]
    nodes = [
        node("ReduceSum", ["mask", "one"], ["tokens"], keepdims=1),
        node("Sub", ["tokens", "one"], ["before"]),
        node("Cast", ["before"], ["lengths"], to=INT32),
        node("Shape", ["mask"], ["shape"], start=1, end=2),
        node("Cast", ["shape"], ["total"], to=INT32),
        node(
            "GroupQueryAttention",
            [*given, "lengths", "total"],
            ["a", "new_keys", "new_values"],
            domain="com.microsoft",
            num_heads=HEADS,
            kv_num_heads=GROUPS,
        ),
        node("Tanh", ["a"], ["y"]),
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in ("y", "new_keys", "new_values")]
    one = numpy_helper.from_array(np.array([1], np.int64), "one")
    graph = helper.make_graph(nodes, "g", inputs, outputs, [one])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, ir_version=8, opset_imports=opsets)


def feeds(model: onnx.ModelProto, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Random inputs; all tokens count."""
    rng = np.random.default_rng(1)
    found: dict[str, Any] = {}
    for value in model.graph.input:
        dims = value.type.tensor_type.shape.dim
        shape = [sizes[d.dim_param] if d.dim_param else d.dim_value for d in dims]
        is_mask = value.name == "mask"
        found[value.name] = (
            np.ones(shape, np.int64) if is_mask else rng.standard_normal(shape).astype(np.float32)
        )
    return found


SIZES = [
    {"b": 1, "s": 1, "p": 6, "t": 7},
    {"b": 1, "s": 3, "p": 4, "t": 7},
    {"b": 2, "s": 1, "p": 16, "t": 5},  # the caches are as long as they may become
]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("cached", [False, True])
def test_the_caches_are_as_long_as_all_tokens_or_as_before(packed: bool, cached: bool):
    model = cached_model(cached=cached, packed=packed)
    inferred = infer_shapes(model)
    assert unknown(model, inferred) == []
    for sizes in SIZES if cached else [{"b": 2, "s": 5, "t": 5}]:
        given = feeds(model, sizes)
        assert mistakes(model, given, inferred) == []
        assert mistakes(model, given, infer_shapes(model, assume=False)) == []


def test_a_length_that_is_given_is_not_known():
    model = cached_model()
    (shape,) = [n for n in model.graph.node if n.op_type == "Shape"]
    model.graph.node.remove(shape)
    model.graph.input.append(helper.make_tensor_value_info("shape", INT64, [1]))
    assert unknown(model, infer_shapes(model)) == ["new_keys", "new_values"]


@pytest.mark.parametrize("sizes", SIZES)
def test_kernels_beside_it(sizes: Mapping[str, int]):
    """All that can be is a kernel; the caches are outputs whose sizes a call knows."""
    model = cached_model()
    given = feeds(model, sizes)
    program = snippets_mlir.compile(model, mark_skipped="none")
    expected = snippets_mlir.compile(model, force_impl=["*:onnxruntime"]).run(given)
    for _ in range(2):
        found = program.run(given)
        assert program.kernels
        for name, array in expected.items():
            np.testing.assert_allclose(found[name], array, 1e-6, 1e-6)
