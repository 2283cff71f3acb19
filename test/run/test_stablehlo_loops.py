"""Loops of StableHLO whose counts are known, and those that stay; the tangent of CHLO."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module


def test_tan_of_chlo() -> None:
    """CHLO and StableHLO each have one; jaxlib prints the second, older texts the first."""
    texts = [
        "func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {"
        f"%0 = {op}\n func.return %0 : tensor<64xf32> }}"
        for op in (
            "chlo.tan %x : tensor<64xf32> -> tensor<64xf32>",
            "stablehlo.tan %x : tensor<64xf32>",
        )
    ]
    x = np.linspace(-4, 4, 64, dtype=np.float32)
    one, other = (snippets_mlir.compile(text, fallback="error")(x) for text in texts)
    assert one.tobytes() == other.tobytes()
    (interpreted,) = Interpreter(parse_module(texts[0], make_context(), "text")).run("main", [x])
    assert interpreted.dtype == np.float32
    np.testing.assert_allclose(one, interpreted, 5e-7)


LOOP = """
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %limit = stablehlo.constant dense<LIMIT> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %p = stablehlo.compare NE, %i, BOUND : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %step = stablehlo.constant dense<-3> : tensor<i32>
    %m = stablehlo.add %i, %step : tensor<i32>
    %c = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %w = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %s = stablehlo.add %v, %w : tensor<4xf32>
    stablehlo.return %m, %s : tensor<i32>, tensor<4xf32>
  }
  func.return %0#1 : tensor<4xf32>
}
"""
"""A loop that counts down; integers wrap."""


@pytest.mark.parametrize("steps", [0, 1, 2, 37])
def test_loops_of_known_counts(steps: int) -> None:
    text = LOOP.replace("BOUND", "%limit").replace("LIMIT", str(-3 * steps))
    x = np.arange(4, dtype=np.float32)
    program = snippets_mlir.compile(text, num_threads=1)
    found: Any = program(x, np.asarray(0, np.int32))
    np.testing.assert_array_equal(found, x - 3 * sum(range(steps)))
    assert not program.opaque


@pytest.mark.parametrize(("bound", "limit"), [("%n", 0), ("%limit", -30000), ("%limit", 1)])
def test_loops_that_are_left(bound: str, limit: int) -> None:
    """A bound of the call, too many iterations, and a counter that passes its limit."""
    text = LOOP.replace("BOUND", bound).replace("LIMIT", str(limit))
    with pytest.raises(CompileError, match=r"no executor for 'stablehlo\.while'"):
        snippets_mlir.compile(text)
