"""Random graphs over the whole op set, at every level; the long run is the tool's own command."""

from __future__ import annotations

import numpy as np
import pytest
from sampled import sampled

from snippets_mlir.inspect.levels import STOPS
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.testing.graph_formulas import REDUCE
from snippets_mlir.tools.random_graphs import LARGEST, SMALLEST, check, compare, main, make_graph


# Seed 40414 reads a row inside of a loop that does not walk it and after that loop.
@pytest.mark.parametrize("seed", sampled((1008, 1010, 1012, 40414), 4))
def test_every_level_is_as_good_as_numpy(seed: int) -> None:
    outcome = check(seed, tuple(STOPS))
    assert not outcome.failures, make_graph(seed).text
    assert outcome.kernels


# Seed 450 has a dim of size 0.
@pytest.mark.parametrize("seed", [450, *sampled((2017, 2019, 2021, 2030, 2071), 2)])
def test_kernels_are_as_good_as_numpy(seed: int) -> None:
    assert not check(seed, ()).failures, make_graph(seed).text


def test_graphs_are_what_they_should_be() -> None:
    """All sizes, ranks from 1 to 6, every kind of op, and the same graph for the same seed."""
    graphs = [make_graph(seed) for seed in range(2 * (LARGEST - SMALLEST + 1))]
    assert {len(g.ops) for g in graphs} == set(range(SMALLEST, LARGEST + 1))
    assert {len(g.master) for g in graphs} == set(range(1, 7))
    sizes = {size for g in graphs for v in g.values for size in v.shape}
    assert {0, 1, 3, 7, 9, 17} <= sizes
    kinds = {op for g in graphs for op in g.ops}
    norms = {"layer_norm", "rms_norm", "group_norm", "instance_norm", "batch_norm", "mvn"}
    views = {"transpose", "reshape", "squeeze", "unsqueeze", "broadcast"}
    assert {*REDUCE, "softmax", "log_softmax", *norms, *views} <= kinds
    assert len(kinds) >= 80
    assert make_graph(7).text == make_graph(7).text


def test_a_wrong_result_is_noticed() -> None:
    graph = make_graph(3)
    right = [v.narrow for v in graph.outputs]
    assert compare(graph, right)[0] <= 1
    for index, value in enumerate(graph.outputs):
        if value.element == "f32":
            moved = (value.wide + 1.5 * graph.tolerance(value)).astype(np.float32)
        else:
            moved = value.narrow + 1 if value.element == "i32" else ~value.narrow
        wrong = [*right[:index], moved, *right[index + 1 :]]
        assert compare(graph, wrong)[0] > 1
        missing = np.where(np.ones_like(value.narrow, np.bool_), np.nan, 0).astype(np.float32)
        if value.element == "f32":
            assert compare(graph, [*right[:index], missing, *right[index + 1 :]])[0] > 1


def test_the_levels_are_stops_of_the_pipeline() -> None:
    names = PIPELINES["snippets-to-llvm"].split(",")
    places = [names.index(stop) for stop in STOPS.values() if stop]
    assert places == sorted(places)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--count", "1", "--seed", "2", "--levels", "linear,graph", "--show"]) == 0
    text = capsys.readouterr().out
    assert "func.func @main(" in text
    assert "levels: graph, linear, compiled\n0 failed" in text
    assert main(["--levels", "lines"]) == 1
    assert "unknown level 'lines'" in capsys.readouterr().err
