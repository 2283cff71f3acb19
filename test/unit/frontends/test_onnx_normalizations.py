"""Softmax and normalizations of ONNX against onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx_checks import check, execute, ops_of, reasons_of
from onnx_models import EXCEPTIONAL_ROWS, model, run_reference, samples, save, single, value

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
