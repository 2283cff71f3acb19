"""Places of extremes, and Hardmax, of ONNX against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper
from onnx_checks import check, execute
from onnx_models import model, run_reference, samples, single, value

import snippets_mlir

F32, F64, I32, I64 = np.float32, np.float64, np.int32, np.int64


@pytest.mark.parametrize("opset", [11, 17])
def test_hardmax(opset: int):
    """The first of equal elements; before opset 13 all dims from the axis on are one."""
    x = samples(F32, 48).reshape(2, 3, 4, 2).round()
    for axis in range(-1 if opset > 12 else 0, 4):
        check("Hardmax", [x], opset=opset, axis=axis)
    rows = np.array([[-0.0, 0, 0], [-np.inf] * 3, [1, np.inf, np.inf], [2, 2, 1]], F32)
    check("Hardmax", [rows], opset=opset)
    check("Hardmax", [rows[:, :1]], opset=opset)
    made = single("Hardmax", [rows], opset=opset)
    (found,) = execute(made, [np.array([[np.nan, 1, 2], [1, np.nan, 3]] * 2, F32)])
    assert not found.any(), "a row with a NaN has no largest element"


@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("dtype", [F32, F64, np.int32])
def test_places_of_extremes(op: str, dtype: Any):
    """The first or the last of equal elements, infinities and zeros of both signs included."""
    x = samples(dtype, 48).reshape(2, 3, 8).round().astype(dtype)
    if dtype is not np.int32:
        x[0, :, :2] = np.inf, -np.inf
        x[1, 2] = np.array([0.0, -0.0] * 4)
    for axis, keep in ((-1, 1), (0, 0), (1, 0)):
        for opset in (11, 13):
            check(op, [x], opset=opset, axis=axis, keepdims=keep, rtol=0)
        check(op, [x], opset=13, axis=axis, keepdims=keep, select_last_index=1, rtol=0)
    check(op, [x], opset=13, rtol=0)
    check(op, [x[:, :1]], opset=13, axis=1, rtol=0)


def test_places_of_nan_are_numpys():
    rows = np.array([[1, np.nan, 3, np.nan], [np.nan, 5, 1, 2], [2, 1, 2, 1]], F32)
    for last, places in ((0, [1, 0, 0]), (1, [3, 0, 2])):
        made = single("ArgMax", [rows], opset=13, axis=1, keepdims=0, select_last_index=last)
        (found,) = execute(made, [rows])
        assert found.tolist() == places


@pytest.mark.parametrize(("shape", "kernels"), [(["n", 4], 1), ([4, "n"], 0)])
def test_places_of_sizes_that_a_call_brings(shape: list[int | str], kernels: int):
    """An axis of unknown size stays with onnxruntime, another dim may be of any size."""
    node = helper.make_node("ArgMin", ["x"], ["y"], axis=1, keepdims=0)
    made = model([node], [value("x", shape)], [value("y", [shape[0]], np.int64)])
    m = snippets_mlir.compile(made, mark_skipped="none")
    for size in (3, 1, 5):
        x = samples(F32, 4 * size).reshape([size if isinstance(d, str) else d for d in shape])
        np.testing.assert_array_equal(m(x), x.argmin(1))
    assert len(m.kernels) == kernels


def test_hardmax_of_sizes_that_a_call_brings():
    node = helper.make_node("Hardmax", ["x"], ["y"], axis=1)
    made = model([node], [value("x", ["n", "m"])], [value("y", ["n", "m"])])
    m = snippets_mlir.compile(made, fallback="error")
    assert m(np.zeros((3, 0), F32)).shape == (3, 0)
    for shape in ((3, 4), (2, 1), (5, 4)):
        x = samples(F32, int(np.prod(shape))).reshape(shape)
        np.testing.assert_array_equal(m(x), run_reference(made, [x])[0])
