"""Normalizations that onnxruntime has in its own way, and before ONNX had them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx_checks import execute, ops_of, reasons_of
from onnx_models import model, run_reference, samples, value
from sampled import ALL, alternating

import snippets_mlir
from snippets_mlir.support.errors import CompileError

Array = NDArray[Any]
F32, F64, I32, I64 = np.float32, np.float64, np.int32, np.int64


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


@pytest.mark.parametrize(("dtype", "outputs"), alternating([F32, F64], [1, 2]))
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
        for options in every if ALL or axis is None else every[-1:]:
            results = snippets_mlir.compile(made, **options)(x, scale)
            results = results if outputs == 2 else (results,)
            for got, wanted in zip(results, engine, strict=True):
                np.testing.assert_allclose(got, wanted, 1e-6, 1e-6)


def test_simplified_layer_normalization_in_other_types_is_left_to_the_engine():
    x = samples(F32, 12).reshape(3, 4)
    half, ones = x.astype(np.float16), np.ones(4, np.float16)
    made = of_engine("SimplifiedLayerNormalization", [half, ones], 17)
    assert not reasons_of(made)
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
