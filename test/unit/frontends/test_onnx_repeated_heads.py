"""Keys and values that a model repeats for each head of queries, as PyTorch exports them."""

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
WIDTH = 8
SCALE = np.float32(0.4)


def repeated(
    heads: int,
    group: int,
    mask: bool,
    *,
    last: bool,
    batch: int | str,
    rows: Any,
    keys: Any,
    roots: bool = False,
) -> onnx.ModelProto:
    """Attention of queries [batch, rows, all] and keys by head, or with their heads after rows.

    With `roots` both factors are scaled, the keys after they are transposed between reshapes.
    """
    node, every = helper.make_node, heads * group
    constants: dict[str, Array] = {
        "two": np.array([2]),
        "one": np.array([1]),
        "heads": np.array([heads, group]),
        "width": np.array([WIDTH]),
        "scale": np.array(SCALE),
        "root": np.array(np.sqrt(SCALE)),
        "every": np.array([every]),
        "minus": np.array([-1]),
        "all": np.array([0, 0, every, WIDTH]),
        "merged": np.array([0, every, -1, WIDTH]),
        "joined": np.array([0, 0, every * WIDTH]),
    }
    nodes = [
        node("Reshape", ["q", "all"], ["q0"]),
        node("Transpose", ["q0"], ["q1"], perm=[0, 2, 1, 3]),
    ]
    for x in "kv":
        before = f"{x}0" if last else x
        if last:
            nodes.append(node("Transpose", [x], [before], perm=[0, 2, 1, 3]))
        nodes += [
            node("Shape", [before], [f"{x}b"], start=0, end=1),
            node("Shape", [before], [f"{x}t"], start=2, end=3),
            node("Concat", [f"{x}b", "heads", f"{x}t", "width"], [f"{x}s"], axis=0),
            node("Unsqueeze", [before, "two"], [f"{x}1"]),
            node("Expand", [f"{x}1", f"{x}s"], [f"{x}2"]),
            node("Reshape", [f"{x}2", "merged"], [f"{x}3"]),
        ]
    if roots:
        nodes += [
            node("Concat", ["minus", "kt", "width"], ["flat"], axis=0),
            node("Concat", ["minus", "every", "width", "kt"], ["split"], axis=0),
            node("Reshape", ["k3", "flat"], ["k4"]),
            node("Transpose", ["k4"], ["k5"], perm=[0, 2, 1]),
            node("Reshape", ["k5", "split"], ["k6"]),
            node("Mul", ["q1", "root"], ["q2"]),
            node("Mul", ["k6", "root"], ["k7"]),
            node("MatMul", ["q2", "k7"], ["s1"]),
        ]
    else:
        nodes += [
            node("Transpose", ["k3"], ["k4"], perm=[0, 1, 3, 2]),
            node("MatMul", ["q1", "k4"], ["s"]),
            node("Mul", ["s", "scale"], ["s1"]),
        ]
    nodes += [
        *([node("Add", ["s1", "m"], ["s2"])] if mask else []),
        node("Softmax", ["s2" if mask else "s1"], ["p"], axis=-1),
        node("MatMul", ["p", "v3"], ["o"]),
        node("Transpose", ["o"], ["o1"], perm=[0, 2, 1, 3]),
        node("Reshape", ["o1", "joined"], ["y"]),
    ]
    cached = [batch, keys, heads, WIDTH] if last else [batch, heads, keys, WIDTH]
    inputs = [value("q", [batch, rows, every * WIDTH]), value("k", cached), value("v", cached)]
    if mask:
        inputs.append(value("m", [batch, 1, rows, keys]))
    result = value("y", [batch, rows, every * WIDTH])
    return model(nodes, inputs, [result], constants, opset=18)


def drawn(heads: int, group: int, mask: bool, *, last: bool, sizes: tuple[int, int, int]):
    """Inputs, and the result in float64; a batch has a NaN among the keys of a head."""
    batch, rows, keys = sizes
    rng = np.random.default_rng(sum(sizes))
    q = rng.standard_normal((batch, rows, heads * group * WIDTH)).astype(np.float32)
    k, v = rng.standard_normal((2, batch, heads, keys, WIDTH)).astype(np.float32)
    k[0, 0, keys // 2, 3] = np.nan if batch > 1 else 3
    m = rng.standard_normal((batch, 1, rows, keys)).astype(np.float32)
    left = q.astype(np.float64).reshape(batch, rows, -1, WIDTH).swapaxes(1, 2)
    right, values = (np.repeat(x.astype(np.float64), group, 1) for x in (k, v))
    scores = left @ right.swapaxes(2, 3) * np.float64(SCALE) + (m if mask else 0)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    wanted = (e / e.sum(-1, keepdims=True) @ values).swapaxes(1, 2).reshape(q.shape)
    if last:
        k, v = (np.ascontiguousarray(x.swapaxes(1, 2)) for x in (k, v))
    return [q, k, v, m][: 4 if mask else 3], wanted


SIZES = [(2, 9, 17), (1, 33, 15), (2, 1, 40), (1, 1, 7), (2, 16, 16), (1, 2, 70)]
HEADS = [(2, 3), (1, 4), (4, 2)]


@pytest.mark.parametrize(
    ("sizes", "heads", "mask", "last", "roots"),
    sampled(product(SIZES, HEADS, (True, False), (True, False), (True, False)), 10),
)
def test_keys_are_read_in_place(
    sizes: tuple[int, int, int], heads: tuple[int, int], mask: bool, last: bool, roots: bool
):
    batch, rows, keys = sizes
    made = repeated(*heads, mask, last=last, batch=batch, rows=rows, keys=keys, roots=roots)
    program = snippets_mlir.compile(made, fallback="error")
    assert [kernel.ops.count("snippets.matmul") for kernel in program.kernels] == [2]
    arrays, wanted = drawn(*heads, mask, last=last, sizes=sizes)
    np.testing.assert_allclose(program(*arrays), wanted, 2e-5, 2e-6)


@pytest.mark.parametrize(("mask", "roots"), alternating([True, False], [True, False]))
def test_sizes_of_a_call(mask: bool, roots: bool):
    made = repeated(2, 3, mask, last=False, batch="b", rows="s", keys="t", roots=roots)
    program = snippets_mlir.compile(made, mark_skipped="none")
    for sizes in ((2, 9, 17), (1, 1, 40), (3, 1, 5), (1, 20, 300)):
        arrays, wanted = drawn(2, 3, mask, last=False, sizes=sizes)
        np.testing.assert_allclose(program(*arrays), wanted, 2e-5, 2e-6)
        if sizes[1] > 1:
            counts = [kernel.ops.count("snippets.matmul") for kernel in program.kernels]
            assert counts == [2]
