"""Causal masks that a model makes by Range, for sizes that a call decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx_models import model, value
from sampled import alternating

import snippets_mlir

Array = NDArray[Any]
N = helper.make_node
CONSTANTS: dict[str, Any] = {
    "zero": np.int64(0),
    "one": np.int64(1),
    "two": np.int64(2),
    "last": np.array([-1]),
    "dims": np.array([1, 1]),
    "none": np.float32(0),
    "low": np.float32(-np.inf),
    "least": np.float32(-3.0e38),
}
ROWS = [N("Shape", ["q"], ["sq"]), N("Gather", ["sq", "two"], ["n"])]
AFTER = [
    N("Shape", ["past"], ["sp"]),
    N("Gather", ["sp", "two"], ["p"]),
    N("Add", ["p", "n"], ["t"]),
    N("Concat", ["past", "k"], ["keys"], axis=2),
    N("Concat", ["values", "v"], ["vals"], axis=2),
    N("Range", ["p", "t", "one"], ["rows"]),
    N("Range", ["zero", "t", "one"], ["cols"]),
]
PLAIN = [
    N("Identity", ["k"], ["keys"]),
    N("Identity", ["v"], ["vals"]),
    N("Range", ["zero", "n", "one"], ["rows"]),
    N("Range", ["zero", "n", "one"], ["cols"]),
]
COLUMN = [N("Unsqueeze", ["rows", "last"], ["row"])]
FORMS: dict[str, tuple[bool, list[onnx.NodeProto]]] = {
    "an added mask": (
        True,
        [
            N("LessOrEqual", ["cols", "row"], ["c"]),
            N("Where", ["c", "none", "low"], ["m"]),
            N("Add", ["s", "m"], ["x"]),
        ],
    ),
    "a finite number for later keys": (
        True,
        [N("Greater", ["cols", "row"], ["c"]), N("Where", ["c", "least", "s"], ["x"])],
    ),
    "rows below the next one": (
        True,
        [
            N("Add", ["row", "one"], ["next"]),
            N("Less", ["cols", "next"], ["c"]),
            N("Where", ["c", "s", "low"], ["x"]),
        ],
    ),
    "beside padding": (
        True,
        [
            N("GreaterOrEqual", ["row", "cols"], ["c"]),
            N("And", ["c", "w"], ["a"]),
            N("Where", ["a", "s", "low"], ["x"]),
        ],
    ),
    "a finite number beside padding": (
        False,
        [
            N("GreaterOrEqual", ["row", "cols"], ["c"]),
            N("And", ["c", "w"], ["a"]),
            N("Where", ["a", "s", "least"], ["x"]),
        ],
    ),
}
"""Whether blocks of rows end at the diagonal, and the scores under the mask."""


def made(form: str, *, cached: bool) -> onnx.ModelProto:
    nodes = [
        *ROWS,
        *(AFTER if cached else PLAIN),
        *COLUMN,
        N("Transpose", ["keys"], ["kt"], perm=[0, 1, 3, 2]),
        N("MatMul", ["q", "kt"], ["s"]),
        *FORMS[form][1],
        N("Softmax", ["x"], ["weights"], axis=-1),
        N("MatMul", ["weights", "vals"], ["y"]),
    ]
    infos = [value(n, ("b", 2, "s", 16), np.float32) for n in "qkv"]
    if cached:
        infos += [value(n, ("b", 2, "p", 16), np.float32) for n in ("past", "values")]
    if "padding" in form:
        infos.append(value("w", ("b", 1, 1, "t" if cached else "s"), np.bool_))
    given = [numpy_helper.from_array(np.asarray(a), n) for n, a in CONSTANTS.items()]
    found = model(nodes, infos, [value("y", None)], opset=17)
    read = {name for node in nodes for name in node.input}
    found.graph.initializer.extend(tensor for tensor in given if tensor.name in read)
    return found


def drawn(form: str, rows: int, past: int, *, cached: bool) -> dict[str, Array]:
    rng = np.random.default_rng(rows + past)
    shapes = dict.fromkeys("qkv", (2, 2, rows, 16))
    if cached:
        shapes |= dict.fromkeys(("past", "values"), (2, 2, past, 16))
    feed: dict[str, Array] = {
        name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()
    }
    if "padding" in form:
        feed["w"] = rng.random((2, 1, 1, rows + past if cached else rows)) > 0.3
        feed["w"][0, ..., : rows // 3] = False
        feed["w"][1, ..., 0] = True
    return feed


def expected(form: str, feed: Mapping[str, Array]) -> Array:
    q, k, v = (feed[name].astype(np.float64) for name in "qkv")
    past = 0
    if "past" in feed:
        past = feed["past"].shape[2]
        k, v = np.concatenate((feed["past"], k), 2), np.concatenate((feed["values"], v), 2)
    count = int(q.shape[2])
    kept: Array = np.tri(count, int(k.shape[2]), past, np.bool_)
    if "w" in feed:
        kept = kept & feed["w"]
    s: Array = q @ k.swapaxes(-1, -2)
    s = np.where(kept, s, -3.0e38 if "finite" in form else -np.inf)
    with np.errstate(invalid="ignore"):
        e = np.exp(s - s.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True) @ v


@pytest.mark.parametrize(("form", "cached"), alternating(FORMS, [False, True]))
def test_against_numpy(form: str, cached: bool):
    """Rows without a key are NaN, or average all keys; blocks of rows end at the diagonal."""
    program = snippets_mlir.compile(made(form, cached=cached), mark_skipped="none")
    for rows, past in ((300, 64), (7, 3), (1, 17), (130, 1), (2, 0)):
        feed = drawn(form, rows, past, cached=cached)
        y = program.run(dict(feed))["y"]
        np.testing.assert_allclose(y, expected(form, feed), 3e-5, 3e-6)
        if rows == 300:
            (whole,) = (k for k in program.kernels if k.ops.count("snippets.matmul") == 2)
            assert ("diagonal" in whole.ir("lir-brgemm-row-blocks")) == FORMS[form][0]
            assert not any("Range" in op.op for op in program.opaque)


def test_numbers_that_nodes_read_stay_with_onnxruntime():
    """Twins: another step, floats, and a Gather from a table of numbers that a call gives."""
    nodes = [
        N("Shape", ["x"], ["sx"]),
        N("Gather", ["sx", "zero"], ["n"]),
        N("Range", ["zero", "n", "two"], ["even"]),
        N("Range", ["zero", "n", "one"], ["rows"]),
        N("Gather", ["table", "rows"], ["taken"]),
        N("Cast", ["even"], ["f"], to=TensorProto.FLOAT),
        N("ReduceSum", ["f"], ["total"], keepdims=0),
        N("Add", ["x", "taken"], ["z"]),
        N("Add", ["z", "total"], ["y"]),
    ]
    infos = [value("x", ("s",), np.float32), value("table", ("m",), np.float32)]
    of = model(nodes, infos, [value("y", None)], opset=17)
    for name in ("zero", "one", "two"):
        of.graph.initializer.append(numpy_helper.from_array(np.asarray(CONSTANTS[name]), name))
    program = snippets_mlir.compile(of, mark_skipped="none")
    for n in (5, 1, 40):
        x, table = np.ones(n, np.float32), np.arange(50, dtype=np.float32)
        y = program.run({"x": x, "table": table})["y"]
        np.testing.assert_allclose(y, x + table[:n] + np.arange(0, n, 2).sum(), 1e-6)
