"""Programs with dynamic dims: compiled once for each mask, right for every shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sampled import ALL, sampled

import snippets_mlir
from snippets_mlir.driver.compiled import Compiled

SWIGLU = """func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = snippets.sigmoid %x : tensor<?x?xf32>
  %1 = snippets.multiply %x, %0 : tensor<?x?xf32>
  %2 = snippets.multiply %1, %y : tensor<?x?xf32>
  func.return %2 : tensor<?x?xf32>
}"""

SOFTMAX = """func.func @main(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = snippets.add %x, %b : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<?x?xf32>
  func.return %1 : tensor<?x?xf32>
}"""

COLUMNS = """func.func @main(%x: tensor<?x?x?xf32>) -> tensor<?x1x?xf32> {
  %0 = snippets.reduce_sum %x {axes = array<i64: 1>, keep_dims} :
    (tensor<?x?x?xf32>) -> tensor<?x1x?xf32>
  func.return %0 : tensor<?x1x?xf32>
}"""

LAYER_NORM = """
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = snippets.layer_norm %x, %w, %c {axis = 1 : i64, epsilon = 1.0e-5 : f64} :
    (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}"""

RMS_NORM = """
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = snippets.rms_norm %x, %w {axis = 1 : i64, epsilon = 1.0e-5 : f64} :
    (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}"""

VARIANCE = """func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = snippets.reduce_mean %x {axes = array<i64: 0>, keep_dims} :
    (tensor<?x?xf32>) -> tensor<1x?xf32>
  %1 = snippets.subtract %x, %0 : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  %2 = snippets.multiply %1, %1 : tensor<?x?xf32>
  %3 = snippets.reduce_mean %2 {axes = array<i64: 0>} : (tensor<?x?xf32>) -> tensor<?xf32>
  func.return %3 : tensor<?xf32>
}"""

INSTANCE_NORM = """
func.func @main(%x: tensor<2x?x?xf32>, %w: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<2x?x?xf32> {
  %0 = snippets.instance_norm %x, %w, %c {epsilon = 1.0e-5 : f64} :
    (tensor<2x?x?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<2x?x?xf32>
  func.return %0 : tensor<2x?x?xf32>
}"""

TRANSPOSED = """func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = snippets.transpose %x {permutation = array<i64: 1, 0>} : tensor<?x?xf32>
  %1 = snippets.add %0, %y : tensor<?x?xf32>
  func.return %1 : tensor<?x?xf32>
}"""


def _softmax(x: Any, b: Any) -> Any:
    t = x.astype(np.float64) + b
    e = np.exp(t - t.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def _rms_norm(x: Any, w: Any) -> Any:
    t = x.astype(np.float64)
    return t / np.sqrt((t * t).mean(-1, keepdims=True) + 1e-5) * w


def _layer_norm(x: Any, w: Any, c: Any) -> Any:
    t = x.astype(np.float64)
    return _rms_norm(t - t.mean(-1, keepdims=True), w) + c


def _variance(x: Any) -> Any:
    return x.astype(np.float64).var(0)


def _instance_norm(x: Any, w: Any, c: Any) -> Any:
    return _layer_norm(x, w[:, None], c[:, None])


def _swiglu(x: Any, y: Any) -> Any:
    return x / (1 + np.exp(-x.astype(np.float64))) * y


def _columns(x: Any) -> Any:
    return x.astype(np.float64).sum(1, keepdims=True)


def _transposed(x: Any, y: Any) -> Any:
    return x.T.astype(np.float64) + y


Shapes = tuple[tuple[int, ...], ...]
CASES: dict[str, tuple[str, Callable[..., Any], Callable[[int, int, int], Shapes]]] = {
    "swiglu": (SWIGLU, _swiglu, lambda a, b, c: ((a, b), (a, b))),
    "softmax": (SOFTMAX, _softmax, lambda a, b, c: ((a, b), (b,))),
    "columns": (COLUMNS, _columns, lambda a, b, c: ((a, b, c),)),
    "layer_norm": (LAYER_NORM, _layer_norm, lambda a, b, c: ((a, b), (b,), (b,))),
    "rms_norm": (RMS_NORM, _rms_norm, lambda a, b, c: ((a, b), (b,))),
    "variance": (VARIANCE, _variance, lambda a, b, c: ((a, b),)),
    "instance_norm": (INSTANCE_NORM, _instance_norm, lambda a, b, c: ((2, b, c), (b,), (b,))),
    "transposed": (TRANSPOSED, _transposed, lambda a, b, c: ((a, b), (b, a))),
}


def _random(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return rng.standard_normal(shape).astype(np.float32)


def _compiled(text: str) -> Compiled:
    return snippets_mlir.compile(text, fallback="error")


@pytest.mark.parametrize("name", CASES)
def test_random_shapes(name: str) -> None:
    """Sizes around the vector's, single ones and long ones; code once for each mask."""
    text, expected, shapes = CASES[name]
    program = _compiled(text)
    rng = np.random.default_rng(7)
    sizes = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 65, 100]
    for step in range(40 if ALL else 14):
        a, b, c = (int(v) for v in rng.choice(sizes, 3))
        if step % 13 == 12:
            b = 5000  # more than a block of a split sum
        arrays = [_random(rng, shape) for shape in shapes(a, b, c)]
        found = program(*arrays)
        want = expected(*arrays)
        assert found.shape == want.shape
        np.testing.assert_allclose(found, want, rtol=2e-5, atol=2e-4)
    assert program.per_shape is None
    dims = (program.inputs[0].shape or ()).count(None)
    assert program.compiled_times <= 2**dims


def test_empty_and_special_values() -> None:
    """No rows, no columns; NaN and infinities go where they go in a static program."""
    program = _compiled(SOFTMAX)
    assert program(np.zeros((0, 5), np.float32), np.zeros(5, np.float32)).shape == (0, 5)
    row = np.array([[np.nan, 1.0, 2.0], [-np.inf, 0.0, 0.0], [1.0, 1.0, 1.0]], np.float32)
    found = program(row, np.zeros(3, np.float32))
    assert np.isnan(found[0]).all()
    np.testing.assert_allclose(found[1:], [[0, 0.5, 0.5], [1 / 3] * 3], rtol=1e-6)


def test_shapes_that_do_not_fit() -> None:
    """The error is that of the same program with these static shapes, at every call."""
    program = _compiled(SWIGLU)
    for _ in range(2):
        with pytest.raises(ValueError, match="does not follow from operands of shape 3x4, 2x5"):
            program(np.zeros((3, 4), np.float32), np.zeros((2, 5), np.float32))
        program(np.ones((3, 4), np.float32), np.ones((3, 4), np.float32))
    with pytest.raises(ValueError, match="input 'arg1': expected rank 2"):
        program(np.zeros((3, 4), np.float32), np.zeros(4, np.float32))


NUMBERS = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}


@pytest.mark.parametrize("element", sampled(NUMBERS, 2))
def test_means_of_every_type(element: str) -> None:
    """A mean divides by a dynamic size, in static programs by a constant: the same bits."""
    dtype = NUMBERS[element]

    def text(rows: str, columns: str) -> str:
        return f"""func.func @main(%x: tensor<{rows}x{columns}x{element}>) ->
            tensor<{rows}x1x{element}> {{
          %0 = snippets.reduce_mean %x {{axes = array<i64: 1>, keep_dims}} :
            (tensor<{rows}x{columns}x{element}>) -> tensor<{rows}x1x{element}>
          func.return %0 : tensor<{rows}x1x{element}>
        }}"""

    program = _compiled(text("?", "?"))
    rng = np.random.default_rng(1)
    every = [(3, 5), (4, 0), (4, 300), (3, 1), (2, 256), (0, 3), (1, 1)]
    for rows, columns in every:
        x = (rng.standard_normal((rows, columns)) * 20).astype(np.int64).astype(dtype)
        found, expected = program(x), _compiled(text(str(rows), str(columns)))(x)
        np.testing.assert_array_equal(found, expected, strict=True)
        if columns == 0:
            assert np.isnan(found).all() if element in ("f32", "f64") else (found == 0).all()
    assert program.per_shape is None


def test_mean_over_everything() -> None:
    """Three sizes make one loop, whose split does not go beyond what arrays can hold."""
    program = _compiled(
        """func.func @main(%x: tensor<?x?x?xf32>) -> tensor<f32> {
          %0 = snippets.reduce_mean %x {axes = array<i64: 0, 1, 2>} :
            (tensor<?x?x?xf32>) -> tensor<f32>
          func.return %0 : tensor<f32>
        }"""
    )
    rng = np.random.default_rng(2)
    for shape in [(3, 5, 7), (20, 64, 65), (2, 2, 2), (100, 3, 33)]:
        x = _random(rng, shape)
        np.testing.assert_allclose(program(x), x.mean(dtype=np.float64), rtol=1e-5, atol=1e-6)
    assert program.compiled_times <= 1
    assert program.per_shape is None


def test_a_reshape_to_a_known_size_needs_code_for_each_shape() -> None:
    """Groups of channels whose number is not known; the program says why, and is right."""
    text = """func.func @main(%x: tensor<2x?x3xf32>, %w: tensor<?xf32>, %c: tensor<?xf32>)
        -> tensor<2x?x3xf32> {
      %0 = snippets.group_norm %x, %w, %c {num_groups = 2 : i64, epsilon = 1.0e-5 : f64} :
        (tensor<2x?x3xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<2x?x3xf32>
      func.return %0 : tensor<2x?x3xf32>
    }"""
    program = _compiled(text)
    rng = np.random.default_rng(3)
    for channels in (4, 6, 4):
        x = _random(rng, (2, channels, 3))
        one, zero = np.ones(channels, np.float32), np.zeros(channels, np.float32)
        groups = x.reshape(2, 2, -1).astype(np.float64)
        expected = _layer_norm(groups, 1, 0).reshape(x.shape)
        np.testing.assert_allclose(program(x, one, zero), expected, rtol=1e-5, atol=1e-5)
    assert program.per_shape is not None
    assert "num_groups" in program.per_shape
    assert program.compiled_times == 2


def test_parameters_that_do_not_fit() -> None:
    """The error of the static program, at the op."""
    with pytest.raises(ValueError, match=r"snippets\.rms_norm expects parameters"):
        _compiled(RMS_NORM)(np.zeros((3, 4), np.float32), np.zeros(5, np.float32))


def test_ir_of_a_template() -> None:
    """What is shown is what was compiled: symbols in loops and ports, `rt` in the code."""
    program = _compiled(SOFTMAX)
    program(np.zeros((3, 5), np.float32), np.zeros(5, np.float32))
    text = program.ir("lir-allocate-buffers")
    assert "work ?1, inc" in text
    assert "lir.clusters" in text
    assert "%rt: !llvm.ptr" in program.kernels[0].ir("vector")


def test_outputs_that_are_given() -> None:
    """Results go into `out`, also from several threads' worth of work."""
    program = _compiled(SWIGLU)
    for shape in [(3, 5), (300, 500)]:
        x, y = np.ones(shape, np.float32), np.full(shape, 2.0, np.float32)
        out = np.empty(shape, np.float32)
        assert program(x, y, out=out) is out
        np.testing.assert_allclose(out, 2 / (1 + np.exp(-1.0)), rtol=1e-6)
