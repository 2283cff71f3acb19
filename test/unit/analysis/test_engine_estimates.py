"""Estimates of nodes of onnxruntime: how they grow, and hints of dynamic dims."""

from collections.abc import Sequence

import onnx
import pytest

from snippets_mlir.analysis.cost import Model
from snippets_mlir.analysis.engine.costs import Estimate
from snippets_mlir.driver.onnx.cuts import engine_cuts
from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts, plan_cuts
from snippets_mlir.driver.onnx.cuts.rows import estimate_of
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from snippets_mlir.passes.graph.tokenize.tokens import Token
from test.support.engine_models import Node, model

pytestmark = pytest.mark.usefixtures("foreign_products")


def plan(made: onnx.ModelProto, hints: Sequence[int] = ()) -> Cuts:
    return plan_cuts(import_graph(prepare_model(made)), "x86-64-avx2", 2, hints)


GATE: list[Node] = [("Sigmoid", ["x"], "s"), ("Mul", ["z", "s"], "y")]


def test_small_powers_are_products():
    def engine(exponent: float) -> float:
        return plan(model([("Pow", ["x", "e"], "y")], e=exponent)).candidates[0].engine

    assert engine(2.0) == engine(3.0) < engine(2.5) == engine(4.0)


def test_estimates_grow_with_sizes():
    def estimates(rows: int):
        return plan(model(GATE, (rows, 256), (rows, 256))).candidates[0]

    small, middle, large = (estimates(rows) for rows in (4, 1024, 65536))
    assert small.engine < middle.engine < large.engine
    assert small.kernel < middle.kernel < large.kernel


def hinted(shape: Sequence[int | str], *hints: int) -> Cuts:
    from snippets_mlir.driver.onnx.template import Numbering

    numbering = Numbering()
    nodes: list[Node] = [("LpNormalization", ["x"], "n"), ("Softplus", ["n"], "a")]
    made = model([*nodes, ("Mul", ["a", "n"], "y")], shape)
    imported = import_graph(prepare_model(made), sizes=numbering.number)
    return plan_cuts(imported, "x86-64-avx2", 2, hints)


def test_hints_are_the_sizes_of_dynamic_dims():
    small, large = hinted(("n", 64), 2), hinted(("n", 64), 4096)
    assert small.candidates == hinted((2, 64)).candidates
    assert large.candidates == hinted((4096, 64)).candidates
    assert (set(small.kernels), set(large.kernels)) == (set(), {0})


def test_hints_of_several_dims_are_in_their_order():
    assert hinted(("n", "k"), 32, 8).candidates == hinted((32, 8)).candidates
    assert hinted(("n", "k"), 3, 4096).candidates == hinted((3, 4096)).candidates
    assert hinted(("n", "k"), 3, 4096).candidates != hinted((4096, 4096)).candidates


def test_calls_of_other_sizes_share_nodes_but_no_times(monkeypatch: pytest.MonkeyPatch):
    seen: list[tuple[Sequence[Token], Model]] = []

    def looking(groups: Sequence[Token], costs: Model) -> dict[int, Estimate]:
        seen.append((groups, costs))
        return {}

    monkeypatch.setattr(engine_cuts, "with_products", looking)
    large = hinted(("n", 64), 4096).candidates
    (groups, costs) = seen[0]
    for rows in (2, 64, 1024):
        smaller = costs.at((rows,))
        estimates = tuple(estimate_of(smaller, group.ops) for group in groups)
        assert estimates == hinted((rows, 64)).candidates
    assert tuple(estimate_of(costs, group.ops) for group in groups) == large
