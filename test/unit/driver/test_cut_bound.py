"""The bound on what a cut gains: it never says no where the plan makes a kernel."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import model, run_reference, value
from random_engine_graphs import engine_graph

import snippets_mlir
from snippets_mlir.driver.dynamic.templates import Shapes
from snippets_mlir.driver.onnx.cut_bound import may_pay
from snippets_mlir.driver.onnx.engine_cuts import Cuts, plan_cuts
from snippets_mlir.driver.onnx.programs import BOUND
from snippets_mlir.driver.onnx.template import Numbering
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from snippets_mlir.targets.engine import ENGINE


def both(made: onnx.ModelProto, shapes: Shapes, threads: int = 2) -> tuple[bool, Cuts]:
    """What the bound says, and the plan."""
    prepared, numbering = prepare_model(made), Numbering()
    imported = import_graph(prepared, sizes=numbering.number, hashed=False)
    names = [i.name for i in prepared.model.graph.input]
    hints = numbering.template(prepared.inferred, names).values(shapes)
    assert hints is not None
    cuts = plan_cuts(imported, "x86-64-avx512", threads, hints)
    return may_pay(prepared, shapes, threads, ENGINE), cuts


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_the_bound_never_says_no_where_a_kernel_pays(threads: int) -> None:
    refused = kernels = 0
    for seed in range(100):
        may, cuts = both(engine_graph(1000 * threads + seed), (), threads)
        assert may or not cuts.kernels, (seed, str(cuts))
        refused += not may
        kernels += bool(cuts.kernels)
    assert refused > 20  # it says something
    assert kernels > 5


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
    small, large = rng.random((3, 64), np.float32), rng.random((4096, 64), np.float32)
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
