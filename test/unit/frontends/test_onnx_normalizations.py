"""Softmax and normalizations of ONNX against onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx_checks import check, execute, ops_of, reasons_of
from onnx_models import EXCEPTIONAL_ROWS, model, run_reference, samples, save, single, value

import snippets_mlir
from snippets_mlir.support.errors import CompileError

Array = NDArray[Any]
F32, F64, I32, I64 = np.float32, np.float64, np.int32, np.int64


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
    made = single(op, [EXCEPTIONAL_ROWS], axis=1)
    (found,) = execute(made, [EXCEPTIONAL_ROWS])
    wide = EXCEPTIONAL_ROWS.astype(F64)
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
    """The dims after the axis cannot be made one before their sizes are known."""
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


def of_engine(
    op: str, arrays: list[Array], opset: int, outputs: int = 1, **attributes: Any
) -> onnx.ModelProto:
    """A node of ONNX's domain that onnxruntime alone knows; outputs have the type it infers."""
    names = [f"x{i}" for i in range(len(arrays))]
    made = model(
        [helper.make_node("Abs", ["x0"], ["a"])],
        [value(n, a.shape, a.dtype) for n, a in zip(names, arrays, strict=True)],
        [f"y{i}" for i in range(outputs)],
        opset=opset,
    )
    results = [f"y{i}" for i in range(outputs)]
    made.graph.node[0].CopyFrom(helper.make_node(op, names, results, **attributes))
    return made


@pytest.mark.parametrize("dtype", [F32, F64])
@pytest.mark.parametrize("outputs", [1, 2])
def test_simplified_layer_normalization(dtype: Any, outputs: int):
    x = samples(dtype, 24).reshape(2, 3, 4)
    epsilon = {"epsilon": 1e-3}
    for axis, shape in ((None, (4,)), (-1, (4,)), (1, (3, 4)), (-2, (4,)), (0, (2, 3, 4))):
        scale = samples(dtype, int(np.prod(shape)), 1).reshape(shape)
        attributes = epsilon if axis is None else {"axis": axis, **epsilon}
        made = of_engine("SimplifiedLayerNormalization", [x, scale], 17, outputs, **attributes)
        dims = tuple(range((-1 if axis is None else axis) % 3, 3))
        square = (x.astype(F64) ** 2).mean(dims, keepdims=True)
        inverse = 1 / np.sqrt(square + float(F32(1e-3)))
        found, engine = execute(made, [x, scale]), run_reference(made, [x, scale])
        assert [a.dtype for a in found] == [dtype, F32][:outputs]
        for got, by_engine, wanted in zip(found, engine, (x * inverse * scale, inverse)):
            assert (got.shape, got.dtype) == (by_engine.shape, by_engine.dtype)
            np.testing.assert_allclose(got, wanted, 1e-6, 1e-6)
            np.testing.assert_allclose(by_engine, wanted, 1e-6, 1e-6)
        every: list[dict[str, Any]] = [{}, {"mark_skipped": "none"}, {"fallback": "error"}]
        for options in every:
            results = snippets_mlir.compile(made, **options)(x, scale)
            results = results if outputs == 2 else (results,)
            for got, wanted in zip(results, engine, strict=True):
                np.testing.assert_allclose(got, wanted, 1e-6, 1e-6)


def test_simplified_layer_normalization_in_other_types_is_left_to_the_engine():
    x = samples(F32, 12).reshape(3, 4)
    half, ones = x.astype(np.float16), np.ones(4, np.float16)
    made = of_engine("SimplifiedLayerNormalization", [half, ones], 17)
    assert "f16 are not compiled" in reasons_of(made)[0]
    np.testing.assert_array_equal(
        snippets_mlir.compile(made)(half, ones), run_reference(made, [half, ones])[0]
    )
    made = of_engine("SimplifiedLayerNormalization", [x, x[0]], 17, stash_type=11)
    assert "with statistics in f64 is not compiled" in reasons_of(made)[0]
    np.testing.assert_array_equal(
        snippets_mlir.compile(made)(x, x[0]), run_reference(made, [x, x[0]])[0]
    )
    made = of_engine("SimplifiedLayerNormalization", [x, x[0].astype(F64)], 17)
    assert "without a scale of the type of its input" in reasons_of(made)[0]


def test_layer_normalization_before_onnx_had_it():
    """onnxruntime has it in ONNX's domain for opsets before 17; so has what it saves."""
    x = samples(F32, 24).reshape(2, 3, 4)
    arrays = [x, x[0, 0], x[0, 1]]
    made = of_engine("LayerNormalization", arrays, 12, axis=-1)
    assert ops_of(made) == ["snippets.layer_norm"]
    wanted = run_reference(made, arrays)[0]
    np.testing.assert_allclose(execute(made, arrays)[0], wanted, 1e-5, 1e-6)
    np.testing.assert_allclose(snippets_mlir.compile(made)(*arrays), wanted, 1e-5, 1e-6)


def test_an_operator_that_nobody_has_is_refused():
    made = of_engine("SimplifiedLayerNorm", [samples(F32, 4)], 17)
    with pytest.raises(CompileError, match="No Op registered for SimplifiedLayerNorm "):
        snippets_mlir.compile(made)
