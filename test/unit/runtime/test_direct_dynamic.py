"""The short way through a call of dynamic programs: one for each shape that was seen twice."""

from __future__ import annotations

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
