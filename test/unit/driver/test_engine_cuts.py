"""Which candidates become kernels: what they save together, and what the first cut costs."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import model, run_reference, samples, value

import snippets_mlir
from snippets_mlir.analysis.engine.costs import DOUBT, Estimate, save, that_pay
from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts, plan_cuts
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from snippets_mlir.targets.engine import engine_of

F32 = np.float32
TARGET = "x86-64-avx2"
COSTS = engine_of(TARGET)
REST = 30_000.0


def estimate(saved: float, cut: float, engine: float = 100_000.0) -> Estimate:
    return Estimate(("snippets.exp",), engine, engine - saved - cut, cut)


@pytest.mark.parametrize(
    ("estimates", "together", "expected"),
    [
        ([estimate(20e3, 10e3)], (), set[int]()),  # not what the first cut costs
        ([estimate(20e3, 10e3), estimate(-1e3, 10e3), estimate(20e3, 10e3)], (), {0, 2}),
        ([estimate(20e3, 0.0)], (), {0}),  # nothing is cut
        ([estimate(31e3, 1.0), estimate(-1e3, 1.0)], (0, 1), set[int]()),
        ([estimate(32e3, 1.0), estimate(-1e3, 1.0)], (0, 1), {0, 1}),
        ([], (), set[int]()),
    ],
)
def test_kernels_save_what_the_first_cut_costs(
    estimates: list[Estimate], together: tuple[int, ...], expected: set[int]
):
    places = that_pay(estimates, together)
    assert (places if save(estimates, places, REST) else set[int]()) == expected


def test_what_is_in_doubt_does_not_pay():
    engine = 1e6
    assert not estimate(0.9 * DOUBT * engine, 0.0, engine).pays
    assert estimate(1.1 * DOUBT * engine, 0.0, engine).pays


def between(size: int, *, images: bool) -> onnx.ModelProto:
    """A Softplus between a node with weights that the engine keeps, and another node."""
    shape = [1, 16, size, size] if images else [size, 64]
    weights = {"w": np.zeros((16, 16, 3, 3) if images else (64, 64), np.float32)}
    nodes = [
        helper.make_node("Conv" if images else "MatMul", ["x", "w"], ["a"]),
        helper.make_node("Softplus", ["a"], ["b"]),
        helper.make_node("NonZero", ["b"], ["y"]),
    ]
    return model(nodes, [value("x", shape)], [value("y", None, np.int64)], weights)


def plan(made: onnx.ModelProto, threads: int, chosen: tuple[int, ...] | None = None) -> Cuts:
    return plan_cuts(import_graph(prepare_model(made)), TARGET, threads, chosen=chosen)


@pytest.mark.usefixtures("foreign_products")
@pytest.mark.parametrize("images", [False, True])
def test_threads_rest_where_nodes_share_their_work(images: bool):
    assert plan(between(4, images=images), 2).rest == COSTS.worth
    large = between(128 if images else 1024, images=images)
    assert plan(large, 2).rest == COSTS.resting
    assert plan(large, 1).rest == COSTS.worth


def test_threads_rest_where_chosen_kernels_leave_shared_work():
    made = between(1024, images=False)
    best = plan(made, 2)
    products = {k for k, c in enumerate(best.candidates) if "snippets.matmul" in c.ops}
    assert products
    assert products <= set(best.kernels)
    assert best.rest == COSTS.worth
    assert plan(made, 2, tuple(best.kernels)).rest == COSTS.worth
    others = tuple(k for k in best.kernels if k not in products)
    assert plan(made, 2, others).rest == COSTS.resting


@pytest.mark.usefixtures("foreign_products")
def test_kernels_that_cut_save_more_than_sessions_differ_by():
    made = between(16, images=False)
    (one,) = plan(made, 1).candidates
    assert one.pays
    assert 0 < one.gain - one.cut < COSTS.worth
    assert not plan(made, 1).kernels
    assert plan(between(96, images=False), 1).kernels


def norm_between_products(exponent: float) -> onnx.ModelProto:
    """Two products with a norm by powers between them, as exporters write an RMS norm."""
    weights = {
        "w": np.ones((256, 256), np.float32),
        "power": np.array(exponent, np.float32),
        "axes": np.array([-1], np.int64),
        "epsilon": np.array(1e-6, np.float32),
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Pow", ["a", "power"], ["b"]),
        helper.make_node("ReduceMean", ["b", "axes"], ["c"]),
        helper.make_node("Add", ["c", "epsilon"], ["d"]),
        helper.make_node("Sqrt", ["d"], ["e"]),
        helper.make_node("Div", ["a", "e"], ["f"]),
        helper.make_node("MatMul", ["f", "w"], ["y"]),
    ]
    return model(nodes, [value("x", [256, 256])], [value("y", None)], weights)


@pytest.mark.parametrize(("exponent", "fewest", "most"), [(2.0, 1, 1), (3.0, 2, 2), (2.5, 30, 200)])
def test_only_powers_that_are_no_products_take_a_logarithm(exponent: float, fewest: int, most: int):
    """Kernels multiply for the others, as the engine does."""
    squares, _, product = plan(norm_between_products(exponent), 1).candidates
    assert squares.ops == ("snippets.matmul", "snippets.power")
    assert product.ops == ("snippets.matmul",)
    instruction = 256**2 * COSTS.instruction / 8
    assert fewest <= round((squares.kernel - product.kernel) / instruction, 3) <= most


def viewed(reader: str) -> onnx.ModelProto:
    """A view of what a convolution makes, which a kernel reads, and what else `reader` reads."""
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"]),
        helper.make_node("Squeeze", ["a", "axes"], ["b"]),
        helper.make_node("Softplus", ["b"], ["y"]),
        helper.make_node("NonZero", [reader], ["z"]),
    ]
    weights = {"w": samples(F32, 48).reshape(4, 4, 3, 1), "axes": np.array([3])}
    outputs = [value("y", (1, 4, 126)), value("z", None, np.int64)]
    return model(nodes, [value("x", (1, 4, 128, 1))], outputs, weights)


def kept(made: onnx.ModelProto) -> list[str]:
    cuts = plan_cuts(import_graph(prepare_model(made)), TARGET, 1, every=True)
    return [made.graph.node[index].op_type for index in cuts.kept]


@pytest.mark.usefixtures("foreign_products")
def test_a_view_that_kernels_alone_read_is_no_node_of_the_engine():
    assert kept(viewed("y")) == []
    assert kept(viewed("b")) == ["Squeeze"]  # the engine reads it, too


@pytest.mark.parametrize("reader", ["y", "b", "a"])
def test_views_of_sessions(reader: str):
    made = viewed(reader)
    x = samples(F32, 512).reshape(1, 4, 128, 1)
    with snippets_mlir.compile_program(made, mark_skipped="none") as program:
        network = program.network()
        network.set_input("x", x)
        network.execute()
        for name, expected in zip("yz", run_reference(made, [x]), strict=True):
            np.testing.assert_allclose(network.output(name), expected, rtol=1e-5, atol=1e-6)
        views = str(network.execution_graph()).count('onnx.node "view"')
    assert views == (reader != "b")
