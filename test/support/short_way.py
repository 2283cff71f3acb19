"""A program of two inputs and two outputs, its arrays, and the short way through its calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.runtime.calls.direct import direct_call

TEXT = """
func.func @main(%x: tensor<4x5xf32>, %y: tensor<5xf32>) -> (tensor<4x5xf32>, tensor<4x5xi1>) {
  %0 = snippets.add %x, %y : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %1 = snippets.greater %0, %x : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
  func.return %0, %1 : tensor<4x5xf32>, tensor<4x5xi1>
}
"""

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def compiled() -> Any:
    return snippets_mlir.compile(TEXT, fallback="error")


def short_way_of(compiled: Any) -> Any:
    built = compiled.built()
    return direct_call(built.program, compiled.outputs)


def arrays_of_call() -> tuple[Array, Array, Array, Array]:
    x = np.arange(20, dtype=np.float32).reshape(4, 5)
    y = np.array([-1, 0, 1, np.nan, np.inf], np.float32)
    return x, y, np.zeros((4, 5), np.float32), np.zeros((4, 5), np.bool_)


def frozen(array: Array) -> Array:
    array.flags.writeable = False
    return array
