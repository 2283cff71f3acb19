"""The bound on what a cut gains: it never says no where the plan makes a kernel."""

from __future__ import annotations

import os
from itertools import product

import numpy as np
import onnx
import pytest
from cut_plans import both, refused
from onnx import helper
from onnx_models import model, run_reference, value
from random_engine_graphs import engine_graph
from sampled import sampled

import snippets_mlir
from snippets_mlir.driver.onnx.programs import BOUND

SEEDS = 100 if "SNIPPETS_FUZZ_SECONDS" in os.environ else 14
"""Random graphs for each number of threads; more in `make fuzz`."""


@pytest.mark.parametrize(("held", "threads"), sampled(product([True, False], [1, 2, 8]), 2))
def test_the_bound_never_says_no_where_a_kernel_pays(
    threads: int, held: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("snippets_mlir.analysis.graph.products.HELD", held)
    refused = kernels = 0
    for seed in range(SEEDS):
        may, cuts = both(engine_graph(1000 * threads + seed), (), threads)
        assert may or not cuts.kernels, (seed, str(cuts))
        refused += not may
        kernels += bool(cuts.kernels)
    assert refused > SEEDS / 8  # it says something
    assert kernels > SEEDS / 25


@pytest.mark.usefixtures("foreign_products")
def test_a_model_that_the_bound_refuses_is_one_session() -> None:
    rng = np.random.default_rng(0)
    weights = {"w": rng.random((64, 512), np.float32), "v": rng.random((512, 8), np.float32)}
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Softplus", ["a"], ["b"]),
        helper.make_node("Mul", ["a", "b"], ["c"]),
        helper.make_node("MatMul", ["c", "v"], ["y"]),
    ]
    made = model(nodes, [value("x", ["n", 64])], [value("y", ["n", 8])], weights)
    small, large = rng.random((2, 64), np.float32), rng.random((4096, 64), np.float32)
    for x, may in ((small, False), (large, True)):
        found, cuts = both(made, (x.shape,))
        assert (found, bool(cuts.kernels)) == (may, may)
    m = snippets_mlir.compile(made)
    np.testing.assert_allclose(m(small), run_reference(made, [small])[0], 1e-5)
    assert m.kernels == ()
    matmul = "the operator MatMul is not compiled"
    assert [op.reason for op in m.opaque] == [matmul, BOUND, BOUND, matmul]
    (line,) = m.cuts
    assert line.startswith("engine: snippets.softplus, snippets.multiply: a kernel saves")
    np.testing.assert_allclose(m(large), run_reference(made, [large])[0], 1e-5)


def test_all_kernels_together_save_more_than_threads_that_rest() -> None:
    def between(whole: int, rows: int) -> onnx.ModelProto:
        w = {"zero": np.array([0]), "rows": np.array([rows])}
        nodes = [
            helper.make_node("LpNormalization", ["x"], ["a"]),
            helper.make_node("Slice", ["a", "zero", "rows"], ["b"]),
            helper.make_node("Softplus", ["b"], ["c"]),
            helper.make_node("Neg", ["c"], ["d"]),
            helper.make_node("LpNormalization", ["d"], ["y"]),
        ]
        return model(nodes, [value("x", [whole, 64])], [value("y", [rows, 64])], w)

    assert refused(between(3200, 100))  # it saves 12 us, and the threads rest for 33
    assert not refused(between(3200, 200))
    assert not refused(between(1000, 100))  # the engine shares no node of the model


def test_weights_that_just_fit_into_a_cache_are_read_from_it() -> None:
    # As the last layer of a ResNet: 8.2 MB of weights, 11.5 MB if their rate counts as bytes.
    w = {"w": np.zeros((2048, 1000), np.float32), "c": np.zeros((64, 64, 3, 3), np.float32)}
    nodes = [
        helper.make_node("Conv", ["u", "c"], ["v"]),
        helper.make_node("LpNormalization", ["x"], ["a"]),
        helper.make_node("MatMul", ["a", "w"], ["y"]),
    ]
    inputs = [value("x", [1, 2048]), value("u", [1, 64, 56, 56])]
    assert refused(model(nodes, inputs, [value("y", [1, 1000]), value("v", None)], w, opset=17))


@pytest.mark.parametrize("returned", [False, True])
def test_a_node_that_nothing_needs_cuts_nothing(returned: bool) -> None:
    """A kernel for the whole rest pays; beside a session for the node it would not."""
    nodes = [
        helper.make_node("Softplus", ["x"], ["a"]),
        helper.make_node("Mul", ["a", "x"], ["y"]),
        helper.make_node("Det", ["y"], ["d"]),
    ]
    x, y = value("x", [24, 24]), value("y", [24, 24])
    made = model(nodes, [x], [y, value("d", [])] if returned else [y], {})
    may, cuts = both(made, ())
    assert (may, bool(cuts.kernels)) == (not returned, not returned)
