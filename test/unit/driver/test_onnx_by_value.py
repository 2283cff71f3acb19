"""Inputs of ONNX models from whose values shapes follow: programs by value."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import Array, model, value
from sampled import alternating, sampled

import snippets_mlir
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.support.errors import CompileError

X = np.arange(24, dtype=np.float32).reshape(4, 6) / 8 - 1


def _engine(made: onnx.ModelProto, arrays: dict[str, Array]) -> Array:
    """What onnxruntime gives for the first output."""
    ort: Any = import_module("onnxruntime")
    options = ort.SessionOptions()
    options.log_severity_level = 4
    return ort.InferenceSession(made.SerializeToString(), options).run(None, arrays)[0]


def _reduction(operator: str, *, dynamic: bool) -> onnx.ModelProto:
    rows = "n" if dynamic else 4
    return model(
        [
            helper.make_node("Exp", ["x"], ["e"]),
            helper.make_node(operator, ["e", "axes"], ["y"], keepdims=0),
        ],
        [value("x", [rows, 6]), value("axes", ["k"], np.int64)],
        [value("y", None)],
    )


REDUCTIONS = (
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
    "ReduceSum ReduceSumSquare"
).split()


@pytest.mark.parametrize(
    ("operator", "dynamic", "fallback"),
    [
        *sampled(((o, place % 2 == 0, "error") for place, o in enumerate(REDUCTIONS)), 4),
        *(("ReduceSum", dynamic, "onnxruntime") for dynamic in (False, True)),
        ("ReduceSum", False, "error"),
    ],
)
def test_axes_of_a_call(operator: str, fallback: Any, *, dynamic: bool) -> None:
    source = _reduction(operator, dynamic=dynamic)
    m = snippets_mlir.compile(source, fallback=fallback)
    assert [spec.name for spec in m.inputs] == ["x", "axes"]
    for axes in ([0], [1], [-1], [0, 1], [], [0]):
        for x in (X, X[:3]) if dynamic else (X,):
            arrays = {"x": x, "axes": np.array(axes, np.int64)}
            expected = _engine(source, arrays)
            found = m(*arrays.values())
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=1e-5)


SHAPES: dict[str, tuple[onnx.NodeProto, list[Array], Array]] = {
    "Reshape": (
        helper.make_node("Reshape", ["e", "s"], ["r"]),
        [np.array([6, 4]), np.array([2, -1, 3]), np.array([24])],
        X,
    ),
    "Expand": (
        helper.make_node("Expand", ["e", "s"], ["r"]),
        [np.array([4, 6]), np.array([2, 4, 6]), np.array([1])],
        X,
    ),
    "Unsqueeze": (
        helper.make_node("Unsqueeze", ["e", "s"], ["r"]),
        [np.array([0]), np.array([1, -1]), np.array([-1])],
        X,
    ),
    "Squeeze": (
        helper.make_node("Squeeze", ["e", "s"], ["r"]),
        [np.array([0]), np.array([-1]), np.array([0, 2])],
        X[None, :, :1],
    ),
}


@pytest.mark.parametrize(("name", "fallback"), alternating(SHAPES, ["error", "onnxruntime"]))
def test_shapes_of_a_call(name: str, fallback: Any) -> None:
    node, values, x = SHAPES[name]
    source = model(
        [
            helper.make_node("Exp", ["x"], ["e"]),
            node,
            helper.make_node("Neg", ["r"], ["y"]),
        ],
        [value("x", x.shape), value("s", ["k"], np.int64)],
        [value("y", None)],
    )
    m = snippets_mlir.compile(source, fallback=fallback)
    for elements in values:
        expected = _engine(source, {"x": x, "s": elements})
        found = m(x, elements)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_elements_are_found_through_the_arithmetic_of_shapes() -> None:
    """Reshape(x, [rows of x, 2 * k, rest])."""
    source = model(
        [
            helper.make_node("Shape", ["x"], ["all"]),
            helper.make_node("Gather", ["all", "zero"], ["rows"]),
            helper.make_node("Mul", ["k", "two"], ["wide"]),
            helper.make_node("Concat", ["rows", "wide", "rest"], ["s"], axis=0),
            helper.make_node("Exp", ["x"], ["e"]),
            helper.make_node("Reshape", ["e", "s"], ["r"]),
            helper.make_node("ReduceSum", ["r", "axes"], ["y"], keepdims=1),
        ],
        [value("x", ["n", 6]), value("k", [1], np.int64), value("axes", [1], np.int64)],
        [value("y", None)],
        {"zero": np.array([0]), "two": np.array([2]), "rest": np.array([-1])},
    )
    m = snippets_mlir.compile(source, fallback="error")
    for k, axis in ((1, 1), (3, 2), (1, 0)):
        for x in (X, X[:2]):
            arrays = {"x": x, "k": np.array([k]), "axes": np.array([axis])}
            expected = _engine(source, arrays)
            np.testing.assert_allclose(m.run(arrays)["y"], expected, rtol=1e-5)
    assert len(m.kernels) == 1
    assert m.per_shape == "shapes follow from the elements of 'k', 'axes'"
    assert "lir.kernel" in m.kernels[0].ir("lir")
    with pytest.raises(ValueError, match="call the program"):
        m.specialize({"x": (4, 6)})


def test_a_program_by_value_keeps_a_bounded_number_and_compiles_each_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("snippets_mlir.driver.programs.variants.MAX_VARIANTS", most := 4)
    source = model(
        [helper.make_node("Expand", ["x", "s"], ["r"]), helper.make_node("Exp", ["r"], ["y"])],
        [value("x", [1, 2]), value("s", [2], np.int64)],
        [value("y", None)],
    )
    m = snippets_mlir.compile(source, fallback="error")
    x = np.ones((1, 2), np.float32)
    for rows in (1, 2, 1, 2):
        assert m(x, np.array([rows, 2])).shape == (rows, 2)
    assert isinstance(m, TensorProgram)
    assert len(m._variants) == 2  # pyright: ignore[reportPrivateUsage]
    for rows in range(1, most + 3):
        out = np.empty((rows, 2), np.float32)
        m(x, np.array([rows, 2]), out=out)
        np.testing.assert_allclose(out, np.exp(1), rtol=1e-6)
    assert len(m._variants) == most  # pyright: ignore[reportPrivateUsage]


def test_a_wrong_value_and_what_no_value_helps_are_one_error() -> None:
    m = snippets_mlir.compile(_reduction("ReduceSum", dynamic=False), fallback="error")
    with pytest.raises(CompileError, match=r"axis|axes|dim"):
        m(X, np.array([7]))
    with pytest.raises(TypeError, match="input 'axes': expected int64"):
        m(X, np.array([1], np.int32))
    ranked = model(
        [helper.make_node("TopK", ["x", "k"], ["y", "i"])],
        [value("x", [4, 6]), value("k", [1], np.int64)],
        [value("y", None)],
    )
    with pytest.raises(CompileError, match="TopK"):
        snippets_mlir.compile(ranked, fallback="error")
    expected = _engine(ranked, {"x": X, "k": np.array([2])})
    np.testing.assert_array_equal(snippets_mlir.compile(ranked)(X, np.array([2])), expected)
