"""Programs whose elementwise nodes are fused, beside the same without."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir.dialects.program.graph import find_graph
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PROGRAM_TO_LLVM
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.forcing import FUSES
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.passmanager.verification import check_module
from snippets_mlir.support.parsing import parse_module

BEFORE = "snippets-set-target,convert-host-to-program"
AFTER = ",".join(name for name in PROGRAM_TO_LLVM if name not in FUSES)

TREE = """
func.func @main(%x: tensor<4x3xf32> {snippets.name = "x"}, %b: tensor<3xf32> {snippets.name = "b"})
    -> (tensor<4x3xf32> {snippets.name = "y"}, tensor<4xf32> {snippets.name = "s"}) {
  %0 = snippets.add %x, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = snippets.negative %x : tensor<4x3xf32>
  %2 = snippets.multiply %1, %1 : tensor<4x3xf32>
  %3 = snippets.maximum %0, %2 : tensor<4x3xf32>
  %4 = snippets.reduce_max %3 {axes = array<i64: 1>} : (tensor<4x3xf32>) -> tensor<4xf32>
  %5 = snippets.negative %4 : tensor<4xf32>
  func.return %3, %5 : tensor<4x3xf32>, tensor<4xf32>
}
"""


@pytest.mark.parametrize(
    ("fusing", "steps"),
    [
        ("", 6),
        ("program-fuse-primitives,", 3),
        ("program-fuse-primitives{max-ops=0},", 6),
        ("program-fuse-primitives{max-ops=2},", 5),
    ],
)
def test_the_same_results_in_fewer_steps(fusing: str, steps: int) -> None:
    """The four nodes of `y` are one kernel; the reduction, and what follows it, stay."""
    program = snippets_mlir.compile(TREE, pipeline=f"{BEFORE},{fusing}{AFTER}")
    assert [s["kind"] for s in program.manifest["steps"]] == ["kernel"] * steps
    rng = np.random.default_rng(1)
    x = rng.standard_normal((4, 3)).astype(np.float32)
    x[0] = [np.inf, -0.0, 1e30]
    b = rng.standard_normal(3).astype(np.float32)
    found = program.run({"x": x, "b": b})
    with np.errstate(over="ignore"):
        y = np.maximum(x + b, x * x)
    np.testing.assert_array_equal(found["y"].view(np.int32), y.view(np.int32))
    np.testing.assert_array_equal(found["s"], -y.max(axis=1))


VIEWS = """
func.func @main(%x: tensor<4x6xf32> {snippets.name = "x"})
    -> (tensor<2x12xf32> {snippets.name = "y"}, tensor<6x4xf32> {snippets.name = "z"}) {
  %0 = snippets.multiply %x, %x : tensor<4x6xf32>
  %1 = snippets.reshape %0 : (tensor<4x6xf32>) -> tensor<24xf32>
  %2 = snippets.sqrt %1 : tensor<24xf32>
  %3 = snippets.reshape %2 : (tensor<24xf32>) -> tensor<2x12xf32>
  %4 = snippets.negative %3 : tensor<2x12xf32>
  %5 = snippets.reduce_sum %x {axes = array<i64: 1>} : (tensor<4x6xf32>) -> tensor<4xf32>
  %6 = snippets.reshape %5 : (tensor<4xf32>) -> tensor<1x4xf32>
  %7 = snippets.exp %6 : tensor<1x4xf32>
  %8 = snippets.negative %x : tensor<4x6xf32>
  %9 = snippets.reshape %8 : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %10 = snippets.add %9, %7 : (tensor<6x4xf32>, tensor<1x4xf32>) -> tensor<6x4xf32>
  func.return %4, %10 : tensor<2x12xf32>, tensor<6x4xf32>
}
"""


@pytest.mark.parametrize(
    ("fusing", "kernels"),
    [
        ("", 7),
        ("program-fuse-primitives,", 7),
        ("program-prepare-fusing,", 7),
        ("program-prepare-fusing,program-fuse-primitives,", 5),
        ('program-prepare-fusing{force="sqrt:reference"},program-fuse-primitives,', 7),
    ],
)
def test_nodes_with_views_between_them(fusing: str, kernels: int) -> None:
    """Those of `y` are one kernel; `z` needs its shapes. The names and shapes of outputs stay."""
    program = snippets_mlir.compile(VIEWS, pipeline=f"{BEFORE},{fusing}{AFTER}")
    steps = [s["kind"] for s in program.manifest["steps"]]
    assert steps.count("kernel") == kernels
    x = np.random.default_rng(3).standard_normal((4, 6)).astype(np.float32)
    found = program.run({"x": x})
    y = -np.sqrt(x * x).reshape(2, 12)
    np.testing.assert_array_equal(found["y"].view(np.int32), y.view(np.int32))
    z = -x.reshape(6, 4) + np.exp(x.sum(axis=1).reshape(1, 4))
    np.testing.assert_allclose(found["z"], z, rtol=1e-5)


def _random_text(rng: random.Random) -> tuple[str, int]:
    """A graph of nodes of one shape that read earlier values, and how many inputs it has."""
    lines: list[str] = []
    values = ["x", "y"]
    for number in range(rng.randrange(2, 14)):
        op, count = rng.choice((("negative", 1), ("add", 2), ("maximum", 2), ("multiply", 2)))
        read = [rng.choice(values[-4:]) for _ in range(count)]
        bound = ", ".join(f"%a{i} = %{value}" for i, value in enumerate(read))
        args = ", ".join(f"%a{i}" for i in range(count))
        types = ", ".join(["tensor<5xi32>"] * count)
        lines.append(f'  %n{number} = program.node "n{number}" ({bound}) : ({types})')
        lines.append(f"      -> tensor<5xi32> {{ %r = snippets.{op} {args} : tensor<5xi32>")
        lines.append("    program.yield %r : tensor<5xi32> }")
        values.append(f"n{number}")
    outputs = list(dict.fromkeys([values[-1], *rng.sample(values, 2)]))
    named = ", ".join(f'%{value} as "{value}"' for value in outputs)
    types = ", ".join(["tensor<5xi32>"] * len(outputs))
    head = 'program.graph @main "topology" (%x: tensor<5xi32>, %y: tensor<5xi32>) {'
    return "\n".join([head, *lines, f"  program.output {named} : {types}", "}"]), len(outputs)


@pytest.mark.parametrize("seed", sampled(range(40), 2))
def test_random_graphs(seed: int) -> None:
    """Results stay; no node is left that only one other reads."""
    text, outputs = _random_text(random.Random(seed))
    ctx = make_context()
    module = parse_module(text, ctx, "<text>")
    arrays = [np.random.default_rng(seed).integers(-(2**31), 2**31, 5, np.int32) for _ in "xy"]

    def results() -> tuple[Any, ...]:
        return Interpreter(module).run("main", arrays)

    expected = results()
    passes = "program-trim-to-outputs,program-fuse-primitives{max-ops=99}"
    run_passes(module, ctx, parse_pipeline(passes, ctx))
    check_module(module)
    assert len(expected) == outputs
    for found, array in zip(results(), expected, strict=True):
        np.testing.assert_array_equal(found, array)
    graph = find_graph(module)
    assert graph is not None
    for node in graph.nodes:
        readers = {use.operation for use in node.outputs[0].uses}
        assert graph.output in readers or len(readers) > 1
