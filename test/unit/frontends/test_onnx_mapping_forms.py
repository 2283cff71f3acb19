"""Operators of ONNX whose rows depend on attributes, types or constants, in each form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx_checks import check, execute
from onnx_models import samples, single

from snippets_mlir.frontends.onnx import import_model

Array = NDArray[Any]
F32, F64, I32, I64, BOOL = np.float32, np.float64, np.int32, np.int64, np.bool_
FLOATS, INTS = (F32, F64), (I32, I64)
NUMBERS = FLOATS + INTS


@pytest.mark.parametrize(
    ("low", "high"), [(-1.0, 2.0), (None, 2.0), (-1.0, None), (None, None), (3.0, -3.0)]
)
@pytest.mark.parametrize("constants", [(), (1, 2)], ids=["values", "constants"])
def test_clip(low: float | None, high: float | None, constants: Sequence[int]):
    for dtype in NUMBERS:
        bounds = [None if b is None else np.array(b, dtype) for b in (low, high)]
        x = samples(dtype)
        made = single("Clip", [x, *bounds], opset=13, constants=constants)
        given = [a for i, a in enumerate([x, *bounds]) if a is not None and i not in constants]
        (found,) = execute(made, given)
        limits: Any = np.finfo if np.dtype(dtype).kind == "f" else np.iinfo
        ends = limits(dtype)
        least, most = (
            end if bound is None else bound
            for bound, end in zip(bounds, (ends.min, ends.max), strict=True)
        )
        np.testing.assert_array_equal(found, np.minimum(np.maximum(x, least), most))


@pytest.mark.parametrize("dtype", [F32, F64])
@pytest.mark.parametrize("bounds", [(), (None, 2.0), (-1.0, None)], ids=["none", "max", "min"])
@pytest.mark.parametrize("constants", [(), (1, 2)], ids=["values", "constants"])
def test_clip_without_a_bound_ends_at_the_largest_finite_numbers(
    dtype: type[np.floating[Any]], bounds: Sequence[float | None], constants: Sequence[int]
):
    x = np.array([-np.inf, -5, -0.0, 5, np.inf, np.nan], dtype)
    arrays = [x, *(None if b is None else np.array(b, dtype) for b in bounds)]
    check("Clip", arrays, opset=13, constants=constants)


def test_clip_with_attributes_clips_infinities_to_the_default_bounds():
    x = np.array([-np.inf, -5, 0.5, 5, np.inf, np.nan], np.float32)
    (found,) = execute(single("Clip", [x], opset=6, min=-1.0), [x])
    np.testing.assert_array_equal(found, np.array([-1, -1, 0.5, 5, 3.4028235e38, np.nan], F32))


@pytest.mark.parametrize("source", [F32, F64, I32, I64, BOOL])
@pytest.mark.parametrize("target", [F32, F64, I32, I64, BOOL])
def test_cast(source: Any, target: Any):
    code = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(target))
    check("Cast", [samples(source)], to=code)
    x, like = samples(source), np.zeros(1, target)
    made = single("CastLike", [x, like], opset=19)
    np.testing.assert_array_equal(execute(made, [x, like])[0], x.astype(target))


def test_bit_cast():
    x = np.array([1.0, -0.0, np.nan], F32)
    made = single("BitCast", [x], opset=26, to=onnx.TensorProto.INT32)
    np.testing.assert_array_equal(execute(made, [x])[0], x.view(np.int32))


def test_expand():
    x = samples(F32, 4).reshape(4, 1)
    for shape in ([4, 3], [2, 1, 1], [1], []):
        wanted = np.array(shape, np.int64)
        made = single("Expand", [x, wanted], constants=[1])
        expected = np.broadcast_to(x, np.broadcast_shapes(tuple(shape), x.shape))
        np.testing.assert_array_equal(execute(made, [x])[0], expected)


def test_constant_of_shape_small_and_large():
    for shape in ([2, 3], [0, 3], [], [200, 200]):
        attribute = onnx.numpy_helper.from_array(np.array([7], np.int32))
        made = single("ConstantOfShape", [np.array(shape, I64)], constants=[0], value=attribute)
        np.testing.assert_array_equal(execute(made, [])[0], np.full(shape, 7, np.int32))


def test_constant_in_every_form():
    sparse = onnx.helper.make_sparse_tensor(
        onnx.numpy_helper.from_array(np.array([3.0, 4.0], F32), "v"),
        onnx.numpy_helper.from_array(np.array([[0, 1], [1, 0]], I64), "i"),
        [2, 2],
    )
    dense = onnx.numpy_helper.from_array(np.array([1, 2], I64))
    forms: list[tuple[dict[str, Any], Array]] = [
        ({"value": dense}, np.array([1, 2], I64)),
        ({"value_float": 1.5}, np.array(1.5, F32)),
        ({"value_floats": [1.5, 2.5]}, np.array([1.5, 2.5], F32)),
        ({"value_int": -3}, np.array(-3, I64)),
        ({"value_ints": [1, 2]}, np.array([1, 2], I64)),
        ({"sparse_value": sparse}, np.array([[0, 3], [4, 0]], F32)),
    ]
    for attributes, expected in forms:
        (found,) = execute(single("Constant", [], **attributes), [])
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("opset", [7, 9, 14, 15])
@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (2, 3, 4, 5), (0, 3, 2)])
@pytest.mark.parametrize("constants", [(), (1, 2, 3, 4)], ids=["values", "constants"])
def test_batch_normalization(opset: int, shape: tuple[int, ...], constants: Sequence[int]):
    x = np.random.default_rng(1).normal(size=shape).astype(F32)
    scale, bias, mean = (samples(F32, 3, seed) for seed in (2, 3, 4))
    variance = np.array([0.5, 2.0, 0.0], F32)
    arrays = [x, scale, bias, mean, variance]
    made = single("BatchNormalization", arrays, opset=opset, constants=constants, epsilon=1e-3)
    given = [a for i, a in enumerate(arrays) if i not in constants]
    module = import_model(made)
    names = [op.name for op in module.walk() if op.name.startswith("snippets.")]
    if constants:
        assert sorted(names) == ["snippets.add", *["snippets.constant"] * 2, "snippets.multiply"]
    (found,) = execute(made, given)
    tail = (3, *(1,) * (len(shape) - 2))
    wide = [a.astype(F64).reshape(tail) for a in arrays[1:]]
    expected = (x - wide[2]) / np.sqrt(wide[3] + 1e-3) * wide[0] + wide[1]
    np.testing.assert_allclose(found, expected, 1e-4, 1e-4)


def test_batch_normalization_in_training_mode_stays_opaque():
    arrays = [samples(F32, 6).reshape(2, 3), *(np.ones(3, F32) for _ in range(4))]
    made = single("BatchNormalization", arrays, opset=15, outputs=3, training_mode=1)
    (node,) = [op for op in import_model(made).walk() if op.name == "onnx.node"]
    assert "training mode" in str(node.attributes["snippets.reason"])


@pytest.mark.parametrize("opset", [12, 13, 22])
def test_dropout_in_inference_form(opset: int):
    x = samples(F32)
    y, mask = execute(single("Dropout", [x], opset=opset, outputs=2), [x])
    np.testing.assert_array_equal(y, x)
    assert mask.dtype == BOOL
    assert mask.all()


def test_dropout_in_training_mode_stays_opaque():
    x, ratio, training = samples(F32), np.array(0.5, F32), np.array(True)
    made = single("Dropout", [x, ratio, training], opset=13, constants=[1, 2])
    (node,) = [op for op in import_model(made).walk() if op.name == "onnx.node"]
    assert "training mode" in str(node.attributes["snippets.reason"])
