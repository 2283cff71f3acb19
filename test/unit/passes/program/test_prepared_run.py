"""Random programs with views, whose nodes are prepared for fusing, beside the same without."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sampled import sampled

from snippets_mlir.dialects.program.graph import GraphOp, find_graph
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.passmanager.verification import check_module
from snippets_mlir.support.parsing import parse_module

SHAPES = ("12", "3x4", "2x6", "2x3x2")
ONE = {"12": "1", "3x4": "1x1", "2x6": "1", "2x3x2": "1x1x1"}


def random_text(rng: random.Random) -> str:
    """A graph of views and of nodes that read one value, two, or one and a single element."""
    lines = [f'  %c{s} = program.data "c{s}" dense<3> : tensor<{ONE[s]}xi32>' for s in SHAPES]
    values = [("x", "12"), ("y", "3x4")]
    for number in range(rng.randrange(3, 16)):
        value, shape = rng.choice(values[-3:])
        kind = rng.choice(("view", "view", "negative", "abs", "single", "pair"))
        if kind == "view":
            to = rng.choice(SHAPES)
            lines.append(f'  %n{number} = program.view "n{number}" (%{value})')
            lines.append(f"      : tensor<{shape}xi32> -> tensor<{to}xi32>")
            values.append((f"n{number}", to))
            continue
        inputs = [(value, shape)]
        if kind == "single":
            inputs.append((f"c{shape}", ONE[shape]))
        elif kind == "pair":
            inputs.append(rng.choice([other for other in values if other[1] == shape]))
        op = kind if kind in ("negative", "abs") else rng.choice(("subtract", "maximum"))
        bound = ", ".join(f"%a{i} = %{name}" for i, (name, _) in enumerate(inputs))
        read = ", ".join(f"%a{i}" for i in range(len(inputs)))
        types = ", ".join(f"tensor<{size}xi32>" for _, size in inputs)
        result = f"tensor<{shape}xi32>"
        lines.append(
            f'  %n{number} = program.node "n{number}" ({bound}) : ({types}) -> {result} {{'
        )
        lines.append(f"    %r = snippets.{op} {read} : ({types}) -> {result}")
        lines.append(f"    program.yield %r : {result}\n  }}")
        values.append((f"n{number}", shape))
    outputs = list(dict.fromkeys([values[-1], *rng.sample(values, 2)]))
    named = ", ".join(f'%{name} as "{name}"' for name, _ in outputs)
    types = ", ".join(f"tensor<{shape}xi32>" for _, shape in outputs)
    head = 'program.graph @main "topology" (%x: tensor<12xi32>, %y: tensor<3x4xi32>) {'
    return "\n".join([head, *lines, f"  program.output {named} : {types}", "}"])


def graph_after(text: str, passes: str) -> tuple[GraphOp, list[np.ndarray]]:
    """The graph after passes, which verifies, and its outputs."""
    ctx = make_context()
    module = parse_module(text, ctx, "<text>")
    run_passes(module, ctx, parse_pipeline(passes, ctx))
    check_module(module)
    graph = find_graph(module)
    assert graph is not None
    x = np.random.default_rng(0).integers(-(2**31), 2**31, 12, np.int32)
    return graph, list(Interpreter(module).run("main", [x, x[::-1].reshape(3, 4).copy()]))


@pytest.mark.parametrize("seed", sampled(range(30), 3))
def test_random_views(seed: int) -> None:
    """Results, names of outputs and ids of nodes stay, and there are never more nodes."""
    text = random_text(random.Random(seed))
    before, expected = graph_after(text, "program-trim-to-outputs")
    moved, found = graph_after(text, "program-trim-to-outputs,program-prepare-fusing")
    assert {n.id.data for n in moved.nodes} == {n.id.data for n in before.nodes}
    assert moved.output.output_names == before.output.output_names
    for array, value in zip(found, expected, strict=True):
        np.testing.assert_array_equal(array, value)
    fused, _ = graph_after(text, "program-trim-to-outputs,program-fuse-primitives")
    both, found = graph_after(
        text, "program-trim-to-outputs,program-prepare-fusing,program-fuse-primitives"
    )
    for array, value in zip(found, expected, strict=True):
        np.testing.assert_array_equal(array, value)
    assert len(both.nodes) <= len(fused.nodes)
