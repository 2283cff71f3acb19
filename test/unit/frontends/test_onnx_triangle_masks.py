"""Causal masks that a model makes by Trilu, and other triangles, for sizes that a call decides."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from onnx_models import model, value

import snippets_mlir

Array = NDArray[Any]
N = helper.make_node
LOW = np.float32(-np.inf)
ROWS = [
    N("Shape", ["q"], ["n"], start=2, end=3),
    N("Concat", ["n", "n"], ["square"], axis=0),
]


def filled(number: Any) -> onnx.NodeProto:
    return N("ConstantOfShape", ["square"], ["full"], value=numpy_helper.from_array(number))


FORMS: dict[str, tuple[bool, int, list[onnx.NodeProto]]] = {
    "upper": (
        True,
        0,
        [
            N("Expand", ["low", "square"], ["full"]),
            N("Trilu", ["full", "one"], ["m"], upper=1),
            N("Add", ["s", "m"], ["x"]),
        ],
    ),
    "truth": (
        True,
        1,
        [
            filled(np.array([True])),
            N("Trilu", ["full", "one"], ["t"], upper=0),
            N("Where", ["t", "s", "low"], ["x"]),
        ],
    ),
    "ones": (
        True,
        0,
        [
            filled(np.ones(1, np.float32)),
            N("Trilu", ["full"], ["t"], upper=0),
            N("Equal", ["t", "none"], ["e"]),
            N("Where", ["e", "low", "none"], ["m"]),
            N("Add", ["s", "m"], ["x"]),
        ],
    ),
    "bias": (
        False,
        0,
        [
            N("Trilu", ["b", "one"], ["m"], upper=1),
            N("Add", ["s", "m"], ["x"]),
        ],
    ),
    "no row of zeros": (
        False,
        -1,
        [
            filled(np.array([True])),
            N("Trilu", ["full", "less"], ["t"], upper=0),
            N("Where", ["t", "s", "low"], ["x"]),
        ],
    ),
}
"""Whether blocks of rows end at a diagonal, which one, and the scores under the mask."""


def made(form: str) -> onnx.ModelProto:
    nodes = [
        *ROWS,
        N("Transpose", ["k"], ["kt"], perm=[0, 1, 3, 2]),
        N("MatMul", ["q", "kt"], ["s"]),
        *FORMS[form][2],
        N("Softmax", ["x"], ["p"], axis=-1),
        N("MatMul", ["p", "v"], ["y"]),
    ]
    infos = [value(n, (2, 2, "s", 16), np.float32) for n in "qkv"]
    infos += [value("b", ("s", "s"), np.float32)] if form == "bias" else []
    read = {name for node in nodes for name in node.input}
    constants: dict[str, Any] = {"one": np.int64(1), "less": np.int64(-1), "low": LOW}
    constants["none"] = np.float32(0)
    given = {name: array for name, array in constants.items() if name in read}
    found = model(nodes, infos, [value("y", None)], opset=18)
    found.graph.initializer.extend(numpy_helper.from_array(a, n) for n, a in given.items())
    return found


@pytest.mark.parametrize("form", FORMS)
def test_causal_masks(form: str):
    """Blocks of rows end at the diagonal of masks of -inf; a row without a key is NaN."""
    ends, diagonal, _ = FORMS[form]
    program = snippets_mlir.compile(made(form), mark_skipped="none", num_threads=2)
    for rows in (300, 7, 1, 8, 130):
        rng = np.random.default_rng(rows)
        feed = {n: rng.standard_normal((2, 2, rows, 16)).astype(np.float32) for n in "qkv"}
        q, k, v = (array.astype(np.float64) for array in feed.values())
        mask = np.where(np.tri(rows, rows, diagonal, np.bool_), 0.0, LOW)
        if form == "bias":
            feed["b"] = rng.standard_normal((rows, rows)).astype(np.float32)
            mask = np.triu(feed["b"], 1)
        scores = q @ k.swapaxes(-1, -2) + mask
        with np.errstate(invalid="ignore"):
            e = np.exp(scores - scores.max(-1, keepdims=True))
            wanted = e / e.sum(-1, keepdims=True) @ v
        np.testing.assert_allclose(program.run(dict(feed))["y"], wanted, 3e-5, 3e-6)
        if rows == 300:
            assert not any("Trilu" in op.op for op in program.opaque)
            (whole,) = (k for k in program.kernels if k.ops.count("snippets.matmul") == 2)
            assert ("diagonal" in whole.ir("lir-brgemm-row-blocks")) == ends


TYPES = (np.float32, np.float64, np.float16, np.int64, np.int32, np.bool_)


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("element", [*TYPES, ml_dtypes.bfloat16])
def test_triangles_of_other_values(element: Any, upper: int):
    """NaN and infinities outside of the triangle do not count; sizes and diagonals of all kinds."""
    shape = ("b", "r", "c")
    for diagonal in (0, -2, 3, 100, -(2**40)):
        nodes = [N("Trilu", ["x", "k"], ["t"], upper=upper), N("Cast", ["t"], ["f"], to=1)]
        nodes.append(N("Add", ["f", "z"], ["y"]))
        infos = [value("x", shape, element), value("z", shape, np.float32)]
        of = model(nodes, infos, [value("y", None)], {"k": np.array(diagonal)}, opset=18)
        program = snippets_mlir.compile(of, mark_skipped="none", num_threads=2)
        for sizes in ((2, 3, 5), (1, 17, 8), (3, 1, 1), (2, 0, 4)):
            x = np.random.default_rng(1).integers(0, 2, sizes).astype(element)
            if np.dtype(element).kind == "f":
                x[..., -1:, :] = np.nan
                x[..., -1:] = -np.inf
            z = np.ones(sizes, np.float32)
            k = int(np.clip(diagonal, -99, 999))
            wanted = (np.triu if upper else np.tril)(x, k).astype(np.float32) + z
            np.testing.assert_array_equal(program.run({"x": x, "z": z})["y"], wanted)


def test_triangles_that_nodes_read_stay_with_onnxruntime():
    """Twins: a node that no kernel holds reads the triangle; a call gives the diagonal."""
    x = np.random.default_rng(0).standard_normal((9, 9)).astype(np.float32)
    nodes = [N("Trilu", ["x"], ["t"]), N("Det", ["t"], ["d"]), N("Add", ["x", "d"], ["y"])]
    of = model(nodes, [value("x", ("n", "n"), np.float32)], [value("y", None)], opset=18)
    program = snippets_mlir.compile(of, mark_skipped="none")
    wanted = x + np.linalg.det(np.triu(x))
    np.testing.assert_allclose(program.run({"x": x})["y"], wanted, 1e-5, 1e-5)
    nodes = [N("Trilu", ["x", "k"], ["t"]), N("Add", ["x", "t"], ["y"])]
    infos = [value("x", ("n", "n"), np.float32), value("k", (), np.int64)]
    of = model(nodes, infos, [value("y", None)], opset=18)
    program = snippets_mlir.compile(of, mark_skipped="none")
    session: Any = ort.InferenceSession(of.SerializeToString())
    for k in (-3, 0, 2):
        feed = {"x": x, "k": np.array(k)}
        np.testing.assert_array_equal(program.run(dict(feed))["y"], session.run(None, feed)[0])
