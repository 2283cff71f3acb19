"""The short way through a call of dynamic programs: one for each shape that was seen twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest

import snippets_mlir

DYNAMIC = """
func.func @main(%x: tensor<?x5xf32>, %y: tensor<5xf32>) -> tensor<?x5xf32> {
  %0 = snippets.add %x, %y : (tensor<?x5xf32>, tensor<5xf32>) -> tensor<?x5xf32>
  func.return %0 : tensor<?x5xf32>
}
"""


def test_shapes_of_dynamic_programs_take_turns() -> None:
    compiled: Any = snippets_mlir.compile(DYNAMIC, fallback="error")
    y = np.arange(5, dtype=np.float32)
    arrays = [np.full((rows, 5), rows, np.float32) for rows in (3, 4, 7, 0, 1)]
    for _ in range(3):
        for x in arrays:
            np.testing.assert_array_equal(compiled(x, y), x + y)
            assert compiled.manifest["inputs"][0]["shape"] == list(x.shape)
    compiled.execute = None  # every shape was seen twice
    for x in arrays[:3]:
        np.testing.assert_array_equal(compiled(x, y), x + y)
        assert compiled.manifest["inputs"][0]["shape"] == list(x.shape)


def test_dynamic_programs_keep_their_messages() -> None:
    compiled: Any = snippets_mlir.compile(DYNAMIC, fallback="error")
    x, y = np.ones((3, 5), np.float32), np.ones(5, np.float32)
    for _ in range(3):
        compiled(x, y)
    with pytest.raises(ValueError, match=r"input 'arg0': expected shape \(\?, 5\), found \(3, 4\)"):
        compiled(x[:, :4], y)
    with pytest.raises(TypeError, match="input 'arg1': expected float32, found float64"):
        compiled(x, y.astype(np.float64))
    np.testing.assert_array_equal(compiled(x.tolist() and x, y, out=np.zeros_like(x)), x + y)


def test_more_shapes_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("snippets_mlir.driver.programs.dynamic.MAX_SPECIALIZATIONS", 2)
    compiled: Any = snippets_mlir.compile(DYNAMIC, fallback="error")
    y = np.arange(5, dtype=np.float32)
    for _ in range(2):
        for rows in (2, 3, 4, 5):
            x = np.full((rows, 5), rows, np.float32)
            for _ in range(3):
                np.testing.assert_array_equal(compiled(x, y), x + y)
    assert len(compiled._builds) == len(compiled._directs) == 2


def _called(compiled: Any, rows: int) -> None:
    """Call it with arrays of so many rows, and check the result."""
    x, y = np.full((rows, 5), rows, np.float32), np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(compiled(x, y), x + y)


def test_shapes_that_come_once_need_no_program_of_their_own() -> None:
    compiled: Any = snippets_mlir.compile(DYNAMIC, fallback="error")
    for rows in (3, 4):
        _called(compiled, rows)
    builds, compiled.execute = len(compiled._builds), None
    for rows in range(5, 60):
        _called(compiled, rows)
    assert len(compiled._builds) == builds
    assert compiled.manifest["inputs"][0]["shape"] == [59, 5]
    assert compiled.kernels[0].ops == ("snippets.add",)
    assert compiled.compiled_times == 1


def test_a_shape_that_comes_again_has_a_direct_call() -> None:
    compiled: Any = snippets_mlir.compile(DYNAMIC, fallback="error")
    for rows in (3, 4, 5, 6, 5):
        _called(compiled, rows)
    assert (5, 5) in [shapes[0] for shapes in compiled._directs]
    assert (6, 5) not in [shapes[0] for shapes in compiled._builds]


def test_what_a_new_shape_does_not_allow_is_said() -> None:
    compiled: Any = snippets_mlir.compile(DYNAMIC, fallback="error")
    for rows in (3, 4):
        _called(compiled, rows)
    y = np.arange(5, dtype=np.float32)
    strided, out = np.ones((14, 5), np.float32)[::2], np.zeros((8, 5), np.float32)
    np.testing.assert_array_equal(compiled(strided, y), strided + y)
    np.testing.assert_array_equal(compiled(np.ones((8, 5), np.float32), y, out=[out]), out)
    assert compiled(np.ones((0, 5), np.float32), y).shape == (0, 5)
    with pytest.raises(ValueError, match=r"expected shape \(\?, 5\), found \(10, 4\)"):
        compiled(np.ones((10, 4), np.float32), y)
    with pytest.raises(ValueError, match="expected rank 2"):
        compiled(np.ones(11, np.float32), y)
    with pytest.raises(TypeError, match="expected float32, found float64"):
        compiled(np.ones((12, 5)), y)
    with pytest.raises(ValueError, match="output 'out0'"):
        compiled(np.ones((13, 5), np.float32), y, out=np.zeros((8, 5), np.float32))
    with pytest.raises(TypeError, match="expected 2 input"):
        compiled(np.ones((14, 5), np.float32))


def test_threads_that_call_with_new_shapes_at_once() -> None:
    compiled: Any = snippets_mlir.compile(DYNAMIC, fallback="error")
    for rows in (3, 4):
        _called(compiled, rows)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(partial(_called, compiled), range(5, 400)))
