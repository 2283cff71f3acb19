"""Attentions whose queries, keys and values are parts of one product, as GPT-2 has them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx_models import model, value
from sampled import alternating, sampled

import snippets_mlir

Array = NDArray[Any]
HEADS, WIDTH, INNER = 3, 8, 24
EVERY = HEADS * WIDTH
RNG = np.random.default_rng(0)
WEIGHTS = RNG.standard_normal((INNER, 3 * EVERY)).astype(np.float32) / 5


def parts_of(form: str) -> list[onnx.NodeProto]:
    """Nodes from `qkv` to queries, keys (transposed) and values by head."""
    node = helper.make_node
    if form == "split":
        nodes = [node("Split", ["qkv", "parts"], ["q0", "k0", "v0"], axis=-1)]
        for x, order in zip("qkv", ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True):
            nodes += [
                node("Reshape", [f"{x}0", "heads"], [f"{x}1"]),
                node("Transpose", [f"{x}1"], [x], perm=order),
            ]
        return nodes
    nodes = [
        node("Reshape", ["qkv", "by_part"], ["a"]),
        node("Transpose", ["a"], ["t"], perm=[2, 0, 3, 1, 4]),
    ]
    if form == "gather":
        nodes += [node("Gather", ["t", f"at{i}"], [f"{x}1"], axis=0) for i, x in enumerate("qkv")]
    else:
        nodes.append(node("Split", ["t", "single"], ["q0", "k0", "v0"], axis=0))
        nodes += [node("Squeeze", [f"{x}0", "first"], [f"{x}1"]) for x in "qkv"]
    return [
        *nodes,
        node("Identity", ["q1"], ["q"]),
        node("Transpose", ["k1"], ["k"], perm=[0, 1, 3, 2]),
        node("Identity", ["v1"], ["v"]),
    ]


def packed(
    batch: int | str, rows: int | str, *, mask: bool, form: str = "split"
) -> onnx.ModelProto:
    node = helper.make_node
    constants: dict[str, Array] = {
        "w": WEIGHTS,
        "parts": np.array([EVERY] * 3),
        "single": np.array([1, 1, 1]),
        "first": np.array([0]),
        "heads": np.array([0, 0, HEADS, WIDTH]),
        "by_part": np.array([0, 0, 3, HEADS, WIDTH]),
        **{f"at{i}": np.array(i) for i in range(3)},
        "joined": np.array([0, 0, EVERY]),
        "scale": np.array(np.float32(0.3)),
    }
    nodes = [node("MatMul", ["x", "w"], ["qkv"]), *parts_of(form)]
    nodes += [
        node("MatMul", ["q", "k"], ["s"]),
        node("Mul", ["s", "scale"], ["s1"]),
        *([node("Add", ["s1", "m"], ["s2"])] if mask else []),
        node("Softmax", ["s2" if mask else "s1"], ["p"], axis=-1),
        node("MatMul", ["p", "v"], ["o"]),
        node("Transpose", ["o"], ["o1"], perm=[0, 2, 1, 3]),
        node("Reshape", ["o1", "joined"], ["y"]),
    ]
    inputs = [value("x", [batch, rows, INNER])]
    if mask:
        inputs.append(value("m", [batch, 1, rows, rows]))
    return model(nodes, inputs, [value("y", [batch, rows, EVERY])], constants)


def drawn(batch: int, rows: int, *, mask: bool) -> tuple[list[Array], Array]:
    """Inputs, and the result in float64."""
    x = RNG.standard_normal((batch, rows, INNER)).astype(np.float32)
    m = RNG.standard_normal((batch, 1, rows, rows)).astype(np.float32)
    qkv = x.astype(np.float64) @ WEIGHTS
    q, k, v = qkv.reshape(batch, rows, 3, HEADS, WIDTH).transpose(2, 0, 3, 1, 4)
    scores = q @ k.swapaxes(-1, -2) * np.float64(np.float32(0.3)) + (m if mask else 0)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    result = (e / e.sum(-1, keepdims=True) @ v).swapaxes(1, 2).reshape(batch, rows, EVERY)
    return [x, m][: 2 if mask else 1], result


@pytest.mark.parametrize(
    ("mask", "sizes", "form"),
    sampled(product((False, True), ((2, 20), (1, 17)), ("split", "gather", "squeeze")), 3),
)
def test_two_kernels(sizes: tuple[int, int], mask: bool, form: str):
    """The product, and the attention, which reads the parts in place."""
    batch, rows = sizes
    made = packed(batch, rows, mask=mask, form=form)
    program = snippets_mlir.compile(made, fallback="error")
    assert [kernel.ops.count("snippets.matmul") for kernel in program.kernels] == [1, 2]
    arrays, wanted = drawn(batch, rows, mask=mask)
    np.testing.assert_allclose(program(*arrays), wanted, 2e-5, 2e-6)


@pytest.mark.parametrize("mask", [False, True])
def test_sizes_of_a_call(mask: bool):
    program = snippets_mlir.compile(packed("b", "s", mask=mask), mark_skipped="none")
    for batch, rows in ((2, 9), (1, 33), (3, 1), (1, 130)):
        arrays, wanted = drawn(batch, rows, mask=mask)
        np.testing.assert_allclose(program(*arrays), wanted, 2e-5, 2e-6)
    assert [kernel.ops.count("snippets.matmul") for kernel in program.kernels] == [1, 2]


ONE_HEAD = [(2, 17), ("b", "s"), (1, 1)]


@pytest.mark.parametrize(("form", "sizes"), alternating(["split", "gather", "squeeze"], ONE_HEAD))
def test_one_head(form: str, sizes: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch):
    """The parts have a dim of 1, which a reshape moves; they are read in place."""
    for name, number in (("HEADS", 1), ("EVERY", WIDTH), ("WEIGHTS", WEIGHTS[:, : 3 * WIDTH])):
        monkeypatch.setitem(globals(), name, number)
    batch, rows = sizes
    program = snippets_mlir.compile(packed(batch, rows, mask=True, form=form), mark_skipped="none")
    for count, length in [sizes] if isinstance(batch, int) else [(2, 64), (1, 1), (1, 65)]:
        arrays, wanted = drawn(count, length, mask=True)
        np.testing.assert_allclose(program(*arrays), wanted, 2e-5, 2e-6)
    if rows != 1:
        assert [kernel.ops.count("snippets.matmul") for kernel in program.kernels] == [1, 2]
