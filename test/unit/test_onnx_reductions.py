"""Reductions, softmax, normalizations and layout operators of ONNX against onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx_checks import check, execute
from onnx_models import model, run_reference, samples, save, single, value

from snippets_mlir.errors import CompileError
from snippets_mlir.frontend.onnx import import_model

Array = NDArray[Any]
F32, F64, I32, I64 = np.float32, np.float64, np.int32, np.int64
INF, NAN = np.inf, np.nan

FLOAT_REDUCTIONS = (
    *("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean"),
    *("ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"),
)
INTEGER_REDUCTIONS = ("ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")
AXES: tuple[tuple[int, ...] | None, ...] = (None, (0,), (1,), (-1,), (0, 2), (2, 0), (0, 1, 2))
ROWS = np.array(
    [
        [1.0, 2.0, 3.0],
        [-INF, -INF, -INF],
        [INF, 1.0, -INF],
        [NAN, 1.0, 2.0],
        [1e30, 1e30, -1e30],
        [-0.0, -0.0, -0.0],
    ],
    F32,
)


def ops_of(made: onnx.ModelProto | str) -> list[str]:
    """The names of the ops of the imported function."""
    return [
        op.name
        for op in import_model(made).walk()
        if not op.name.startswith(("func.", "builtin.")) and "constant" not in op.name
    ]


def reasons_of(made: onnx.ModelProto) -> list[str]:
    """Why nodes of the imported function are opaque."""
    return [
        str(op.attributes["snippets.reason"])
        for op in import_model(made).walk()
        if op.name == "onnx.node"
    ]


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
    for dtype in (F32, F64):
        x = samples(dtype, 24).reshape(2, 3, 4)
        x = abs(x) + F32(0.5) if op in ("ReduceLogSum", "ReduceProd") else x
        for axes in AXES:
            for keep in (0, 1):
                check_reduction(op, x, axes, keepdims=keep)


@pytest.mark.parametrize("op", INTEGER_REDUCTIONS)
@pytest.mark.parametrize("dtype", [I32, I64])
def test_reduction_of_integers(op: str, dtype: Any):
    x = samples(dtype, 24).reshape(2, 3, 4)
    for axes in AXES:
        check_reduction(op, x, axes, keepdims=0)


def test_sums_of_integers_wrap_and_means_are_cut():
    limits = np.iinfo(I32)
    x = np.array([[limits.max, 1, 0], [-7, 0, 0]], I32)
    (total,) = execute(single("ReduceSum", [x], keepdims=0), [x])
    assert total.item() == limits.min - 7 + 2**32
    (mean,) = execute(single("ReduceMean", [x], axes=[1], keepdims=0, opset=13), [x])
    assert mean.tolist() == [limits.min // 3 + 1, -2]
    (norm,) = execute(single("ReduceL1", [x], axes=[1], keepdims=0, opset=13), [x])
    assert norm.tolist() == [limits.min, 7]


@pytest.mark.parametrize("op", FLOAT_REDUCTIONS)
def test_reduction_of_exceptional_values(op: str):
    made = single(op, [ROWS, np.array([1])], constants=[1], keepdims=0)
    with np.errstate(all="ignore"):
        expected = {
            "ReduceL1": np.abs(ROWS).sum(1),
            "ReduceL2": np.sqrt((ROWS * ROWS).sum(1)),
            "ReduceLogSum": np.log(ROWS.sum(1)),
            "ReduceLogSumExp": np.array(
                [np.logaddexp.reduce(r.astype(F64)) for r in ROWS], F64
            ).astype(F32),
            "ReduceMax": ROWS.max(1),
            "ReduceMean": ROWS.mean(1),
            "ReduceMin": ROWS.min(1),
            "ReduceProd": ROWS.prod(1),
            "ReduceSum": ROWS.sum(1),
            "ReduceSumSquare": (ROWS * ROWS).sum(1),
        }[op]
    (found,) = execute(made, [ROWS])
    np.testing.assert_allclose(found, expected, 2e-6)


@pytest.mark.parametrize("op", FLOAT_REDUCTIONS)
def test_reduction_of_nothing(op: str):
    x = np.zeros((2, 0, 3), F32)
    neutral = {"ReduceProd": 1.0, "ReduceMax": -INF, "ReduceMin": INF, "ReduceMean": NAN}
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


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize("opset", [9, 11, 12, 13, 22])
def test_softmax(op: str, opset: int):
    for dtype in (F32, F64):
        x = samples(dtype, 24).reshape(2, 3, 4)
        check(op, [x], opset=opset, rtol=1e-5)
        for axis in (0, 1, 2) if opset < 11 else (0, 1, 2, -1, -2, -3):
            check(op, [x], opset=opset, rtol=1e-5, axis=axis)


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax"])
def test_softmax_of_exceptional_values(op: str):
    made = single(op, [ROWS], axis=1)
    (found,) = execute(made, [ROWS])
    wide = ROWS.astype(F64)
    with np.errstate(all="ignore"):
        distance = wide - wide.max(1, keepdims=True)
        powers = np.exp(distance)
        total = powers.sum(1, keepdims=True)
        expected = powers / total if op == "Softmax" else distance - np.log(total)
    np.testing.assert_allclose(found, expected, 1e-6)
    (found,) = execute(single(op, [np.zeros((2, 0), F32)]), [np.zeros((2, 0), F32)])
    assert found.shape == (2, 0)


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax"])
def test_softmax_over_dims_of_unknown_size(op: str):
    """The dims behind the axis cannot be made one before their sizes are known."""
    x = samples(F32, 24).reshape(2, 3, 4)
    node = helper.make_node(op, ["x"], ["y"], axis=1)
    made = model([node], [value("x", ["a", "b", "c"])], ["y"], opset=11)
    assert "snippets.reduce_max" in ops_of(made)
    expected = run_reference(made, [x])[0]
    np.testing.assert_allclose(execute(made, [x])[0], expected, 1e-5)
    made = model([node], [value("x", ["a", 3, 4])], ["y"], opset=11)
    assert ops_of(made) == ["snippets.reshape", f"snippets.{SNAKE[op]}", "snippets.reshape"]
    np.testing.assert_allclose(execute(made, [x])[0], expected, 1e-5)


SNAKE = {"Softmax": "softmax", "LogSoftmax": "log_softmax"}


@pytest.mark.parametrize("dtype", [F32, F64])
@pytest.mark.parametrize("outputs", [1, 2, 3])
def test_layer_normalization(dtype: Any, outputs: int):
    x = samples(dtype, 24).reshape(2, 3, 4)
    stash = 11 if dtype is F64 else 1
    for axis, shape in ((-1, (4,)), (1, (3, 4)), (2, (1,)), (0, (2, 3, 4))):
        scale, bias = (samples(dtype, int(np.prod(shape)), s).reshape(shape) for s in (1, 2))
        for inputs in ([x, scale], [x, scale, bias]):
            made = single(
                "LayerNormalization",
                inputs,
                outputs=outputs,
                axis=axis,
                epsilon=0.1,
                stash_type=stash,
            )
            wide = x.astype(F64)
            dims = tuple(range(axis % 3, 3))
            mean = wide.mean(dims, keepdims=True)
            inverse = 1 / np.sqrt(wide.var(dims, keepdims=True) + float(F32(0.1)))
            result = (wide - mean) * inverse * scale + (bias if len(inputs) == 3 else 0)
            found = execute(made, inputs)
            for array, wanted in zip(found, (result, mean, inverse), strict=False):
                assert array.dtype == dtype
                np.testing.assert_allclose(array, wanted, 1e-5, 1e-6)


def test_statistics_of_more_bits_stay_opaque():
    x = samples(F32, 12).reshape(3, 4)
    made = single("LayerNormalization", [x, x[0]], stash_type=11)
    assert "LayerNormalization of f32 with statistics in f64 is not compiled" in reasons_of(made)[0]


@pytest.mark.parametrize("dtype", [F32, F64])
def test_rms_normalization(dtype: Any):
    x = samples(dtype, 24).reshape(2, 3, 4)
    for axis, shape in ((-1, (4,)), (1, (3, 1)), (0, (1,))):
        scale = samples(dtype, int(np.prod(shape)), 1).reshape(shape)
        made = single("RMSNormalization", [x, scale], opset=23, axis=axis)
        dims = tuple(range(axis % 3, 3))
        square = (x.astype(F64) ** 2).mean(dims, keepdims=True)
        expected = x / np.sqrt(square + float(F32(1e-5))) * scale
        np.testing.assert_allclose(execute(made, [x, scale])[0], expected, 1e-5, 1e-6)


def group_norm(x: Array, groups: int, epsilon: float) -> Array:
    """Group normalization without parameters, in float64."""
    grouped = x.astype(F64).reshape(x.shape[0], groups, -1)
    mean, variance = grouped.mean(2, keepdims=True), grouped.var(2, keepdims=True)
    return ((grouped - mean) / np.sqrt(variance + epsilon)).reshape(x.shape)


@pytest.mark.parametrize("opset", [18, 21])
@pytest.mark.parametrize("constants", [[], [1, 2]])
def test_group_normalization(opset: int, constants: list[int]):
    x = samples(F32, 2 * 6 * 4).reshape(2, 6, 4, 1)
    for groups in (1, 2, 3, 6):
        count = groups if opset == 18 else 6
        scale, bias = samples(F32, count, 1), samples(F32, count, 2)
        inputs = [x, scale, bias]
        made = single(
            "GroupNormalization",
            inputs,
            opset=opset,
            constants=constants,
            result=value("y0", x.shape),
            num_groups=groups,
            epsilon=0.01,
        )
        factors = [np.repeat(p, 6 // count).reshape(6, 1, 1) for p in (scale, bias)]
        expected = group_norm(x, groups, float(F32(0.01))) * factors[0] + factors[1]
        fed = [a for i, a in enumerate(inputs) if i not in constants]
        np.testing.assert_allclose(execute(made, fed)[0], expected, 1e-5, 1e-5)


def test_group_normalization_of_a_file_with_external_data(tmp_path: Path):
    x = samples(F32, 2 * 512 * 2).reshape(2, 512, 2)
    inputs = [x, np.ones(256, F32), np.ones(256, F32)]
    declared = value("y0", x.shape)
    made = single("GroupNormalization", inputs, constants=[1, 2], result=declared, num_groups=256)
    save(made, tmp_path / "m.onnx", external="m.data")
    assert "snippets.group_norm" in ops_of(str(tmp_path / "m.onnx"))


def test_instance_normalization():
    for shape in ((2, 3, 4), (1, 3, 4, 5), (2, 3, 1)):
        x = samples(F32, int(np.prod(shape))).reshape(shape)
        scale = samples(F32, 3, 1)
        check("InstanceNormalization", [x, scale, scale + F32(1)], rtol=1e-4)


def test_mean_variance_normalization():
    x = samples(F32, 48).reshape(2, 3, 4, 2)
    declared = value("y0", x.shape)
    check("MeanVarianceNormalization", [x], rtol=1e-4, result=declared)
    check("MeanVarianceNormalization", [x], axes=[1, -1], rtol=1e-4, result=declared)


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


@pytest.mark.parametrize("dtype", [F32, I64, np.bool_])
def test_transpose(dtype: Any):
    x = samples(dtype, 24).reshape(2, 3, 4)
    check("Transpose", [x])
    for perm in ([0, 1, 2], [2, 0, 1], [1, 0, 2]):
        check("Transpose", [x], perm=perm)
    check("Transpose", [samples(dtype, 1).reshape(())])


def test_squeeze_and_unsqueeze():
    x = samples(F32, 6).reshape(1, 2, 1, 3)
    for axes in (None, [0], [-2], [0, 2]):
        if axes is not None:
            check("Squeeze", [x], opset=11, axes=axes)
        inputs = [x] if axes is None else [x, np.array(axes)]
        check("Squeeze", inputs, opset=13, constants=[1])
    for axes in ([0], [1, -1], [4, 0]):
        check("Unsqueeze", [x], opset=11, axes=axes)
        check("Unsqueeze", [x, np.array(axes)], opset=13, constants=[1])


def test_reshape_and_flatten():
    x = samples(F32, 24).reshape(2, 3, 4)
    for shape in ([4, 6], [-1], [0, -1], [2, 0, 2, 2], [1, 24, 1]):
        check("Reshape", [x, np.array(shape)], constants=[1])
    empty = np.zeros((0, 3), F32)
    check("Reshape", [empty, np.array([3, 0])], constants=[1], allowzero=1)
    for axis in (0, 1, 2, 3, -1):
        check("Flatten", [x], axis=axis)


def test_shapes_at_run_time_are_taken_from_the_model():
    x = samples(F32, 6).reshape(1, 6)
    for op, operand, shape in (
        ("Reshape", np.array([2, 3]), (2, 3)),
        ("Squeeze", np.array([0]), (6,)),
        ("Unsqueeze", np.array([1]), (1, 1, 6)),
    ):
        node = helper.make_node(op, ["x", "s"], ["y"])
        inputs = [value("x", x.shape), value("s", operand.shape, I64)]
        made = model([node], inputs, [value("y", shape)])
        assert ops_of(made) == ["snippets.reshape"]
        assert execute(made, [x, operand])[0].shape == shape
        made = model([node], inputs, [value("y", [None] * len(shape))])
        assert reasons_of(made)


def test_dynamic_shapes():
    """One unknown size is known at run time; of two it is not."""
    x = samples(F32, 24).reshape(2, 3, 4)
    inputs = [value("x", ["n", 3, 4])]
    for node, expected in (
        (helper.make_node("Transpose", ["x"], ["y"], perm=[2, 0, 1]), x.transpose(2, 0, 1)),
        (helper.make_node("Flatten", ["x"], ["y"], axis=2), x.reshape(6, 4)),
        (helper.make_node("Unsqueeze", ["x"], ["y"], axes=[0]), x[None]),
    ):
        made = model([node], inputs, ["y"], opset=11)
        np.testing.assert_array_equal(execute(made, [x])[0], expected)
    shape = {"s": np.array([0, -1])}
    made = model([helper.make_node("Reshape", ["x", "s"], ["y"])], inputs, ["y"], shape)
    np.testing.assert_array_equal(execute(made, [x])[0], x.reshape(2, 12))
    inputs = [value("x", ["n", "m", 4])]
    shape = {"s": np.array([0, 0, 2, 2])}
    made = model([helper.make_node("Reshape", ["x", "s"], ["y"])], inputs, ["y"], shape)
    assert "Reshape to ?x?x2x2 is not known before run time" in reasons_of(made)[0]
    made = model([helper.make_node("Squeeze", ["x"], ["y"])], inputs, [value("y", ["n", "m"])])
    assert "Squeeze of all dims of size 1" in reasons_of(made)[0]


def chain(*operators: str, last: str = "y") -> onnx.ModelProto:
    """A model of operators of one input each, on 4x4 matrices."""
    names = ["x", *(f"t{i}" for i in range(len(operators) - 1)), last]
    nodes = [
        helper.make_node(op, [a, a] if op == "MatMul" else [a], [b])
        for op, a, b in zip(operators, names[:-1], names[1:], strict=True)
    ]
    return model(nodes, [value("x", [4, 4])], [last])


@pytest.mark.parametrize(
    ("operators", "mapped"),
    [
        (("Transpose",), 1),
        (("MatMul", "Transpose", "MatMul"), 0),
        (("MatMul", "Transpose", "Transpose", "MatMul"), 0),
        (("MatMul", "Transpose", "Transpose", "Relu"), 2),
        (("MatMul", "Transpose"), 0),
        (("Transpose", "MatMul"), 0),
        (("Relu", "Transpose", "MatMul"), 0),
        (("Relu", "Transpose"), 1),
    ],
)
def test_what_moves_elements_between_opaque_nodes_stays_with_them(
    operators: Sequence[str], mapped: int
):
    made = chain(*operators)
    assert ops_of(made).count("snippets.transpose") == mapped
