"""Inputs of ONNX models that have a value, which a call may override."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import Array, model, save, value
from sampled import sampled

import snippets_mlir
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key

X = np.arange(24, dtype=np.float32).reshape(4, 6) / 8 - 1
W = np.arange(6, dtype=np.float32) / 4
ADD = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.add %x, %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}"""
OPTIONS: tuple[dict[str, Any], ...] = ({}, {"mark_skipped": "none"}, {"fallback": "error"})


def _engine(made: onnx.ModelProto, arrays: dict[str, Array]) -> Array:
    """What onnxruntime gives for the first output."""
    ort: Any = import_module("onnxruntime")
    options = ort.SessionOptions()
    options.log_severity_level = 4
    return ort.InferenceSession(made.SerializeToString(), options).run(None, arrays)[0]


def _weighted(*, dynamic: bool, ir: int = 10) -> onnx.ModelProto:
    """reshape(exp(x + w * c)), where `w * c` is folded unless `w` is given, and `s` has a value."""
    made = model(
        [
            helper.make_node("Mul", ["w", "c"], ["wc"]),
            helper.make_node("Add", ["x", "wc"], ["a"]),
            helper.make_node("Exp", ["a"], ["e"]),
            helper.make_node("Reshape", ["e", "s"], ["y"]),
        ],
        [
            value("x", ["n" if dynamic else 4, 6]),
            value("w", [6]),
            value("c", [6]),
            value("s", [2], np.int64),
        ],
        ["y"],
        {"w": np.ones(6, np.float32), "c": np.full(6, 2, np.float32), "s": np.array([-1, 6])},
        opset=13,
    )
    made.ir_version = ir
    return made


def _expected(w: Array, rows: int) -> Array:
    return np.exp(X + 2 * w).reshape(rows, -1)


@pytest.mark.parametrize(
    ("options", "ir", "dynamic"),
    sampled([(o, ir, dynamic) for ir in (3, 10) for dynamic in (False, True) for o in OPTIONS], 4),
)
def test_an_initializer_that_is_an_input_can_be_overridden(
    options: dict[str, Any],
    ir: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    *,
    dynamic: bool,
) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(stored, "program_key", program_key)
    source = _weighted(dynamic=dynamic, ir=ir)
    for _ in ("compiled", "from the cache"):
        m = snippets_mlir.compile(source, **options)
        assert [spec.name for spec in m.inputs] == ["x"]
        assert [str(spec) for spec in m.overridable][:2] == ["w: 6xfloat32", "c: 6xfloat32"]
        for given, w, rows in (
            ({}, np.ones(6, np.float32), 4),
            ({"w": W}, W, 4),
            ({"s": np.array([6, -1])}, np.ones(6, np.float32), 6),
            ({"s": np.array([6, 4]), "w": W}, W, 6),
            ({}, np.ones(6, np.float32), 4),
        ):
            found = m.run({"x": X, **given})
            assert list(found) == ["y"]
            np.testing.assert_allclose(found["y"], _expected(w, rows), rtol=2e-6)
        np.testing.assert_allclose(m(X), _expected(np.ones(6, np.float32), 4), rtol=2e-6)


def test_overriding_agrees_with_onnxruntime_and_is_checked(tmp_path: Path) -> None:
    path, source = tmp_path / "m.onnx", _weighted(dynamic=True)
    save(source, path)
    m = snippets_mlir.compile(path)
    expected = _engine(source, {"x": X, "w": W})
    np.testing.assert_allclose(m.run({"w": W, "x": X})["y"], expected, rtol=2e-6)
    with pytest.raises(ValueError, match=r"input 'v': no such input.*'x', 'w', 'c', 's'"):
        m.run({"x": X, "v": W})
    with pytest.raises(TypeError, match="input 'w': expected float32"):
        m.run({"x": X, "w": W.astype(np.float64)})
    with pytest.raises(ValueError, match="input 'w'"):
        m.run({"x": X, "w": W[:5]})
    with pytest.raises(ValueError, match="input 'x': missing"):
        m.run({"w": W})
    with pytest.raises(TypeError, match=r"expected 1 input\(s\)"):
        m(X, W)


def test_an_initializer_that_is_no_input_is_a_constant() -> None:
    source = model(
        [helper.make_node("Add", ["x", "w"], ["y"])], [value("x", [4, 6])], ["y"], {"w": W}
    )
    m = snippets_mlir.compile(source)
    assert m.overridable == ()
    with pytest.raises(ValueError, match="input 'w': no such input"):
        m.run({"x": X, "w": W})
    assert snippets_mlir.compile(ADD).overridable == ()


def test_shapes_that_followed_from_a_value_are_forgotten() -> None:
    source = _weighted(dynamic=False)
    source.graph.output[0].CopyFrom(value("y", [4, 6]))
    source.graph.value_info.append(value("e", [4, 6]))
    for options in OPTIONS:
        m = snippets_mlir.compile(source, **options)
        assert m.run({"x": X, "s": np.array([3, 8])})["y"].shape == (3, 8)
