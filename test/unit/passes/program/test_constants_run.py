"""Programs with their constant nodes computed at compile time, beside the same without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.passes.evaluator import evaluate
from snippets_mlir.passes.pipelines import PROGRAM_TO_LLVM
from snippets_mlir.passes.program.program_propagate_constants import (
    ProgramPropagateConstantsPass,
)
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.forcing import FUSES
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

WITH = ",".join(
    (
        "snippets-set-target",
        "convert-host-to-program",
        *(name for name in PROGRAM_TO_LLVM if name not in FUSES),
    )
)
WITHOUT = WITH.replace("program-propagate-constants,", "")

WEIGHTS = """
func.func @main(%x: tensor<4x3xf32> {snippets.name = "x"})
    -> (tensor<4x3xf32> {snippets.name = "y"}, tensor<3x1xi32> {snippets.name = "i"}) {
  %w = snippets.constant dense<[1.0, 0.5, -0.0]> : tensor<3xf32>
  %n = snippets.constant dense<[[1], [-2], [2147483647]]> : tensor<3x1xi32>
  %0 = snippets.negative %w : tensor<3xf32>
  %1 = snippets.multiply %0, %0 : tensor<3xf32>
  %2 = snippets.add %1, %w : tensor<3xf32>
  %3 = snippets.reshape %2 : (tensor<3xf32>) -> tensor<1x3xf32>
  %4 = snippets.sqrt %3 : tensor<1x3xf32>
  %5 = snippets.multiply %x, %4 : (tensor<4x3xf32>, tensor<1x3xf32>) -> tensor<4x3xf32>
  %6 = snippets.add %n, %n : tensor<3x1xi32>
  func.return %5, %6 : tensor<4x3xf32>, tensor<3x1xi32>
}
"""


def _ran(pipeline: str, x: Any) -> tuple[list[str], dict[str, Any]]:
    """What each step of the program is, and its results."""
    program = snippets_mlir.compile(WEIGHTS, pipeline=pipeline)
    return [step["kind"] for step in program.manifest["steps"]], program.run({"x": x})


def test_the_same_results_in_fewer_steps() -> None:
    """One kernel is left; floats have the same bits, integers wrap around."""
    x = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    x[0] = [np.inf, -0.0, np.nan]
    steps, found = _ran(WITH, x)
    assert steps == ["kernel"]
    steps, expected = _ran(WITHOUT, x)
    assert steps.count("kernel") == 6
    w = np.array([1.0, 0.5, -0.0], np.float32)
    y = x * np.sqrt(w * w + w)
    for y_found in (found["y"], expected["y"]):
        np.testing.assert_array_equal(y_found.view(np.int32), y.view(np.int32))
    for i in (found["i"], expected["i"]):
        np.testing.assert_array_equal(i, np.array([[2], [-4], [-2]], np.int32))


@pytest.mark.parametrize(("limit", "steps"), [(0, 6), (11, 6), (12, 1)])
def test_the_limit(limit: int, steps: int) -> None:
    """Results of 12 bytes are computed if the limit is not below."""
    passes = WITH.replace("propagate-constants", f"propagate-constants{{max-bytes={limit}}}")
    found, _ = _ran(passes, np.ones((4, 3), np.float32))
    assert found.count("kernel") == steps


def test_a_graph_of_constants_alone() -> None:
    """Nothing runs: the output is a constant, which a caller may change."""
    program = snippets_mlir.compile(
        """program.graph @main "topology" () {
          %w = program.data "w" dense<[-1, -2]> : tensor<2xi32>
          %0 = program.node "n" (%a = %w) : (tensor<2xi32>) -> tensor<2xi32> {
            %1 = snippets.negative %a : tensor<2xi32>
            program.yield %1 : tensor<2xi32>
          }
          %2 = program.node "dead" (%a = %0) : (tensor<2xi32>) -> tensor<2xi32> {
            %1 = snippets.negative %a : tensor<2xi32>
            program.yield %1 : tensor<2xi32>
          }
          program.output %0 as "y" : tensor<2xi32>
        }"""
    )
    assert program.manifest["steps"] == []
    program()[:] = 7
    np.testing.assert_array_equal(program(), [1, 2])


def test_what_evaluates_is_given() -> None:
    """Without a pass manager it is an error that says so; afterwards there is none again."""
    ctx = make_context()
    text = WEIGHTS.replace("@main", "@f")
    module = parse_module(text, ctx, "<text>")
    run_passes(module, ctx, parse_pipeline("convert-host-to-program", ctx))
    with pytest.raises(CompileError, match="nothing computes values for the pass"):
        ProgramPropagateConstantsPass().apply(ctx, module)
    run_passes(module, ctx, [ProgramPropagateConstantsPass()])
    with pytest.raises(CompileError, match="nothing computes values for the pass"):
        evaluate(module, "f")
