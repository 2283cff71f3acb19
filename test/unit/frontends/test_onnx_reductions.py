"""Reductions, softmax, normalizations and layout operators of ONNX against onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx_checks import check, execute, reasons_of
from onnx_models import EXCEPTIONAL_ROWS, samples, single, value
from sampled import ALL, sampled

from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.support.errors import CompileError

Array = NDArray[Any]
F32, F64, I32, I64 = np.float32, np.float64, np.int32, np.int64
INF = np.inf

FLOAT_REDUCTIONS = (
    *("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean"),
    *("ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"),
)
INTEGER_REDUCTIONS = ("ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")
AXES: tuple[tuple[int, ...] | None, ...] = (None, (0,), (1,), (-1,), (0, 2), (2, 0), (0, 1, 2))


def check_reduction(op: str, x: Array, axes: Sequence[int] | None, **attributes: Any) -> None:
    """Axes as an attribute (opset 11 of all, 13 of most) and as a constant input."""
    rtol = 1e-5 if x.dtype.kind == "f" else 0.0
    given = {} if axes is None else {"axes": list(axes)}
    check(op, [x], opset=11, rtol=rtol, **given, **attributes)
    if op != "ReduceSum":
        check(op, [x], opset=13, rtol=rtol, **given, **attributes)
    inputs = [x] if axes is None else [x, np.array(axes, I64)]
    newest = 20 if op in ("ReduceMax", "ReduceMin") else 18
    check(op, inputs, opset=newest, constants=[1], rtol=rtol, **attributes)


@pytest.mark.parametrize("op", FLOAT_REDUCTIONS)
def test_reduction_of_floats(op: str):
    for axes, dtype, keep in sampled(product(AXES, (F32, F64), (0, 1)), 3):
        x = samples(dtype, 24).reshape(2, 3, 4)
        x = abs(x) + F32(0.5) if op in ("ReduceLogSum", "ReduceProd") else x
        check_reduction(op, x, axes, keepdims=keep)


@pytest.mark.parametrize("op", INTEGER_REDUCTIONS)
@pytest.mark.parametrize("dtype", [I32, I64])
def test_reduction_of_integers(op: str, dtype: Any):
    x = samples(dtype, 24).reshape(2, 3, 4)
    for axes in AXES if ALL else AXES[dtype is I64 :: 2]:
        check_reduction(op, x, axes, keepdims=0)


def test_sums_of_integers_wrap_and_means_are_cut():
    """As in onnxruntime, where the sum of a mean does not wrap."""
    limits = np.iinfo(I32)
    x = np.array([[limits.max, 1, 0], [-7, 0, 0]], I32)
    (total,) = execute(single("ReduceSum", [x], keepdims=0), [x])
    assert total.item() == limits.min - 7 + 2**32
    (mean,) = execute(single("ReduceMean", [x], axes=[1], keepdims=0, opset=13), [x])
    assert mean.tolist() == [(limits.max + 1) // 3, -2]
    (norm,) = execute(single("ReduceL1", [x], axes=[1], keepdims=0, opset=13), [x])
    assert norm.tolist() == [limits.min, 7]


@pytest.mark.parametrize("op", FLOAT_REDUCTIONS)
def test_reduction_of_exceptional_values(op: str):
    made = single(op, [EXCEPTIONAL_ROWS, np.array([1])], constants=[1], keepdims=0)
    with np.errstate(all="ignore"):
        expected = {
            "ReduceL1": np.abs(EXCEPTIONAL_ROWS).sum(1),
            "ReduceL2": np.sqrt((EXCEPTIONAL_ROWS * EXCEPTIONAL_ROWS).sum(1)),
            "ReduceLogSum": np.log(EXCEPTIONAL_ROWS.sum(1)),
            "ReduceLogSumExp": np.array(
                [np.logaddexp.reduce(r.astype(F64)) for r in EXCEPTIONAL_ROWS], F64
            ).astype(F32),
            "ReduceMax": EXCEPTIONAL_ROWS.max(1),
            "ReduceMean": EXCEPTIONAL_ROWS.mean(1),
            "ReduceMin": EXCEPTIONAL_ROWS.min(1),
            "ReduceProd": EXCEPTIONAL_ROWS.prod(1),
            "ReduceSum": EXCEPTIONAL_ROWS.sum(1),
            "ReduceSumSquare": (EXCEPTIONAL_ROWS * EXCEPTIONAL_ROWS).sum(1),
        }[op]
    (found,) = execute(made, [EXCEPTIONAL_ROWS])
    np.testing.assert_allclose(found, expected, 2e-6)


@pytest.mark.parametrize("op", FLOAT_REDUCTIONS)
def test_reduction_of_nothing(op: str):
    x = np.zeros((2, 0, 3), F32)
    neutral = {"ReduceProd": 1.0, "ReduceMax": -INF, "ReduceMin": INF}
    expected = neutral.get(op, -INF if "Log" in op else 0.0)
    (found,) = execute(single(op, [x, np.array([1])], constants=[1], keepdims=0), [x])
    np.testing.assert_array_equal(found, np.full((2, 3), expected, F32))


def test_reduction_of_rank_0():
    x = np.array(-3.0, F32)
    for op, expected in (("ReduceSum", -3.0), ("ReduceL1", 3.0), ("ReduceLogSumExp", -3.0)):
        for axes in ([], [np.array([], I64)]):
            (found,) = execute(single(op, [x, *axes], constants=[1]), [x])
            assert found.shape == ()
            assert found == expected


@pytest.mark.parametrize("axes", [None, "constant", "input"])
def test_no_axes_with_noop_still_compute_what_is_around(axes: str | None):
    x = samples(F32, 6).reshape(2, 3)
    empty = np.zeros(0, I64)
    inputs = [x] if axes is None else [x, empty]
    constants = [1] if axes == "constant" else []
    fed = [x, empty] if axes == "input" else [x]
    declared = value("y0", x.shape)
    for op, expected in (("ReduceSum", x), ("ReduceSumSquare", x * x), ("ReduceMax", x)):
        made = single(op, inputs, constants=constants, result=declared, noop_with_empty_axes=1)
        np.testing.assert_array_equal(execute(made, fed)[0], expected)
    made = single("ReduceSum", inputs, constants=constants, result=value("y0", (1, 1)))
    np.testing.assert_allclose(execute(made, fed)[0], x.sum(keepdims=True), 1e-6)


@pytest.mark.parametrize("op", ["ReduceMax", "ReduceMin"])
def test_extrema_of_truth_values(op: str):
    x = np.array([[True, True], [True, False], [False, False]])
    check(op, [x, np.array([1])], opset=20, constants=[1])
    nothing = np.zeros((2, 0), np.bool_)
    made = single(op, [nothing, np.array([1])], opset=20, constants=[1], keepdims=0)
    assert execute(made, [nothing])[0].tolist() == [op == "ReduceMin"] * 2


def test_axes_at_run_time_stay_opaque():
    x, axes = samples(F32, 6).reshape(2, 3), np.array([1])
    made = single("ReduceSum", [x, axes], result=value("y0", (2, 1)))
    assert "the axes of ReduceSum are no constant" in reasons_of(made)[0]


def test_logarithms_of_integers_stay_opaque():
    x = np.ones((2, 3), I32)
    assert "integers" in reasons_of(single("ReduceLogSumExp", [x]))[0]
    assert "snippets.log is not defined" in reasons_of(single("ReduceLogSum", [x]))[0]


X = np.zeros((2, 3, 4), F32)
FLAT = value("y0", [None, None])


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (single("LayerNormalization", [X, X[0, 0, :3]]), "LayerNormalization: C8.*found 3"),
        (
            single("ReduceSum", [X, np.array([1, 1])], constants=[1], result=FLAT),
            "ReduceSum: C7.*rising axes, each once, found 1, 1",
        ),
        (single("ReduceMax", [X], opset=11, axes=[-4], result=FLAT), "ReduceMax: C7.*found -4"),
        (single("Transpose", [X], perm=[0, 1], result=FLAT), "Transpose: C7.*found 0, 1"),
        (
            single("Reshape", [X, np.array([-1, 7])], constants=[1], result=FLAT),
            "Reshape: C5.*24 elements, found 3x7",
        ),
        (
            single("Squeeze", [X, np.array([0])], constants=[1], result=FLAT),
            "Squeeze: C5.*found 3x4",
        ),
    ],
    ids=lambda v: v.graph.node[0].op_type if isinstance(v, onnx.ModelProto) else "",
)
def test_operands_that_do_not_fit_are_errors(made: onnx.ModelProto, message: str):
    with pytest.raises(CompileError, match=message):
        import_model(made)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (single("Flatten", [X], axis=7, result=FLAT), "axis 7 of Flatten is beyond the rank 3"),
        (
            single("Softmax", [X], axis=5, result=value("y0", X.shape)),
            "axis 5 of Softmax is no dim of a tensor of rank 3",
        ),
        (
            single("GroupNormalization", [X, *[X[0, 0, :2]] * 2], num_groups=2, result=FLAT),
            "cannot make 2 groups of 3 channels",
        ),
        (
            single("Reshape", [X, np.zeros(4, I64)], constants=[1], result=value("y0", [None] * 4)),
            "Reshape copies a dim that its input does not have",
        ),
    ],
    ids=lambda v: v.graph.node[0].op_type if isinstance(v, onnx.ModelProto) else "",
)
def test_what_the_engine_may_judge_stays_opaque(made: onnx.ModelProto, reason: str):
    assert reason in reasons_of(made)[0]
