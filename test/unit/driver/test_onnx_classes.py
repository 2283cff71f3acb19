"""ONNX models with an attention: calls of few keys and of many have kernels of their own."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from attentions import Array, expected, numbers
from onnx import ModelProto, TensorProto, helper

import snippets_mlir


def attention_model() -> ModelProto:
    """Four heads of 64 columns; rows and keys are dynamic."""

    def array(name: str, rows: str) -> Any:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4, rows, 64])

    nodes = [
        helper.make_node("Transpose", ["k"], ["turned"], perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["q", "turned"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["weights"], axis=-1),
        helper.make_node("MatMul", ["weights", "v"], ["y"]),
    ]
    inputs = [array("q", "rows"), array("k", "keys"), array("v", "keys")]
    graph = helper.make_graph(nodes, "attention", inputs, [array("y", "rows")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


@cache
def given(rows: int, keys: int) -> tuple[list[Array], Array]:
    """Inputs of the model and what they give: NumPy takes longer for it than kernels."""
    front = (1, 4)
    q, k, v = numbers(keys, (*front, rows, 64), (*front, keys, 64), (*front, keys, 64))
    return [q, k, v], expected(2 * q, k, v, np.zeros((rows, keys)))


def scratch_of(program: snippets_mlir.Compiled) -> int:
    (facts,) = (kernel.entry.facts for kernel in program.kernels)
    assert facts is not None
    return int(facts.scratch)


CALLS = [(64, 300), (64, 8192), (40, 500), (9, 2049), (64, 300), (16, 16411)]


@pytest.mark.usefixtures("programs")
def test_calls_of_few_keys_and_of_many():
    """Also if the cache has the program for few keys."""
    model = attention_model()
    for times in (2, 1):
        program: Any = snippets_mlir.compile(model, num_threads=2, mark_skipped="none")
        for rows, keys in CALLS:
            arrays, wanted = given(rows, keys)
            np.testing.assert_allclose(program(*arrays), wanted, 2e-5, 1e-5)
            if keys > 2048:
                assert scratch_of(program) <= 1 << 20
        assert program.compiled_times == times
        assert "size_ranges" in program.ir("lir-mark-loops")


@pytest.mark.usefixtures("programs")
def test_a_call_of_many_keys_comes_first():
    program: Any = snippets_mlir.compile(attention_model(), num_threads=2, mark_skipped="none")
    for rows, keys in (CALLS[1], CALLS[0], CALLS[1]):
        arrays, wanted = given(rows, keys)
        np.testing.assert_allclose(program(*arrays), wanted, 2e-5, 1e-5)
    assert program.compiled_times == 2
    assert scratch_of(program) <= 1 << 20
