"""ONNX models that kernels and onnxruntime share: what is cut, and calls of all shapes."""

import gc
from typing import Any

import numpy as np
import pytest
from cut_models import between_products, check, inputs, kernel_ops, model
from onnx import TensorProto, helper

import snippets_mlir
from snippets_mlir.dialects.snippets.arithmetic import MultiplyOp
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.onnx.cuts.engine_cuts import plan_cuts
from snippets_mlir.driver.onnx.programs import BOUND
from snippets_mlir.driver.onnx.small_calls import LeastWork
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from snippets_mlir.runtime.calls import python_call
from snippets_mlir.runtime.parallel.crew import cores

pytestmark = pytest.mark.usefixtures("foreign_products")


def test_a_kernel_where_it_pays_for_all_shapes():
    made = between_products()
    m = snippets_mlir.compile(made)
    for rows in (512, 700, 3, 1, 512, 1024):
        check(m, made, (rows, 64))
    assert kernel_ops(m) == [("snippets.softplus", "snippets.multiply")]
    assert m.compiled_times == 1
    assert m.per_shape is None
    assert [step["kind"] for step in m.manifest["steps"]] == ["execute", "kernel", "execute"]


def never(*_: object) -> bool:
    return False


@pytest.mark.skipif(cores() < 2, reason="there is one CPU")
def test_a_team_rests_before_sessions_run(monkeypatch: pytest.MonkeyPatch):
    events: list[str] = []
    monkeypatch.setattr(python_call, "rest", lambda: events.append("rest"))
    monkeypatch.setattr(LeastWork, "exceeds", never)
    made = between_products()
    m = snippets_mlir.compile(made, num_threads=2)
    check(m, made, (512, 64))
    assert events == ["rest"]
    check(m, made, (1, 64))
    assert events == ["rest"]  # its kernel ran on the calling thread
    assert len(m.kernels) == 1


def test_one_session_where_no_kernel_pays():
    made = between_products()
    m = snippets_mlir.compile(made)
    for rows in (1, 4, 2):  # the first call decides
        check(m, made, (rows, 64))
    assert m.kernels == ()
    assert m.compiled_times == 0
    reasons = {op.name: op.reason for op in m.opaque}
    assert reasons["soft"] == BOUND
    assert reasons["first"] == "the operator MatMul is not compiled"
    assert [step["kind"] for step in m.manifest["steps"]] == ["execute"]


def test_static_models_are_decided_at_once():
    large, small = between_products(512), between_products(2)
    m = snippets_mlir.compile(large)
    assert kernel_ops(m) == [("snippets.softplus", "snippets.multiply")]
    check(m, large, (512, 64))
    m = snippets_mlir.compile(small)
    assert m.kernels == ()
    check(m, small, (2, 64))
    check(m, small, (2, 64))


def test_empty_arrays():
    made = between_products()
    m = snippets_mlir.compile(made)
    check(m, made, (0, 64))
    check(m, made, (512, 64))
    assert len(m.kernels) == 1
    check(m, made, (0, 64))
    check(m, made, (700, 64))
    assert len(m.kernels) == 1


def test_operators_of_onnxruntime_need_no_code_for_each_shape(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("snippets_mlir.analysis.graph.products.HELD", True)
    nodes = [helper.make_node("FusedMatMul", ["x", "w"], ["y"], domain="com.microsoft", alpha=0.5)]
    made = model(nodes, {"x": ["n", 16]}, {"y": ["n", 8]}, w=np.ones((16, 8), np.float32))
    made.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    m = snippets_mlir.compile(made)
    for rows in (3, 5):
        check(m, made, (rows, 16))
    assert m.compiled_times == 0


def test_sizes_that_are_not_equal_after_all():
    nodes = [
        helper.make_node("Softplus", ["x"], ["a"]),
        helper.make_node("Add", ["a", "y"], ["b"]),
        helper.make_node("Softplus", ["b"], ["c"]),
        helper.make_node("Trilu", ["c", "axis"], ["z"]),
    ]
    made = model(
        nodes, {"x": ["n", 64], "y": ["k", 64]}, {"z": [None, 64]}, axis=np.array(1, np.int64)
    )
    m = snippets_mlir.compile(made)
    for n, k in ((1000, 1000), (500, 500), (1000, 1), (1, 1000), (1, 1)):
        check(m, made, (n, 64), (k, 64))
    assert m.compiled_times == 1
    with pytest.raises(ValueError, match="onnxruntime"):
        m(*inputs((3, 64), (2, 64)))
    check(m, made, (3, 64), (3, 64))


def test_computed_sizes():
    """Sums of sizes are symbols of their own; shapes that the graph computes are known."""
    nodes = [
        helper.make_node("Concat", ["x", "y"], ["a"], axis=0),
        helper.make_node("Shape", ["a"], ["s"]),
        helper.make_node("Trilu", ["a", "axis"], ["b"]),
        helper.make_node("Softplus", ["b"], ["c"]),
        helper.make_node("Softmax", ["c"], ["d"], axis=-1),
        helper.make_node("Reshape", ["d", "s"], ["z"]),
    ]
    made = model(
        nodes, {"x": ["n", 256], "y": ["k", 256]}, {"z": [None, 256]}, axis=np.array(1, np.int64)
    )
    m = snippets_mlir.compile(made)
    for n, k in ((300, 200), (5, 9), (1, 1), (2, 300)):
        check(m, made, (n, 256), (k, 256))
    assert kernel_ops(m)[0][0] == "snippets.softplus"
    assert m.compiled_times == 1


def test_what_only_kept_nodes_read_is_no_kernel():
    """The shape of a Reshape is not read while it is known; a Reshape that is kept reads it."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Cast", ["s"], ["narrow"], to=TensorProto.INT32),
        helper.make_node("Cast", ["narrow"], ["wide"], to=TensorProto.INT64),
        helper.make_node("LpNormalization", ["x"], ["b"]),
        helper.make_node("Softplus", ["b"], ["c"]),
        helper.make_node("LpNormalization", ["c"], ["d"]),
        helper.make_node("Abs", ["d"], ["e"]),
        helper.make_node("Reshape", ["e", "wide"], ["f"]),
        helper.make_node("Neg", ["f"], ["g"]),
        helper.make_node("LpNormalization", ["g"], ["y"]),
    ]
    made = model(nodes, {"x": ["n", 512]}, {"y": [None, 512]})
    m = snippets_mlir.compile(made)
    for rows in (700, 3, 700):
        check(m, made, (rows, 512))
    assert kernel_ops(m) == [("snippets.softplus",)]


def test_the_caller_decides():
    made = between_products(2)
    m = snippets_mlir.compile(made, fallback="error")
    assert kernel_ops(m) == [
        ("snippets.matmul", "snippets.softplus", "snippets.multiply"),
        ("snippets.matmul",),
    ]
    check(m, made, (2, 64))
    m = snippets_mlir.compile(made, pipeline="snippets-set-target{target=host},snippets-to-llvm")
    assert kernel_ops(m) == [("snippets.softplus", "snippets.multiply")]
    check(m, made, (2, 64))


def test_products_in_kernels_alone_for_every_shape():
    made = between_products()
    m = snippets_mlir.compile(made, fallback="error")
    for rows in (2, 3, 1, 0, 70):
        check(m, made, (rows, 64))


def test_every_kernel_that_is_possible():
    made = between_products()
    m = snippets_mlir.compile(made, mark_skipped="none")
    for rows in (2, 3, 700):
        check(m, made, (rows, 64))
    assert kernel_ops(m) == [("snippets.softplus", "snippets.multiply")]
    assert m.compiled_times == 1


def test_outputs_of_the_caller():
    made = between_products()
    m = snippets_mlir.compile(made)
    for rows in (2, 512):
        (x,) = inputs((rows, 64))
        out = np.empty((rows, 8), np.float32)
        assert m(x, out=out) is out
        np.testing.assert_array_equal(out, m(x))
        np.testing.assert_array_equal(m(x[:, ::-1]), m(x[:, ::-1].copy()))


def test_the_plan_is_printable():
    prepared = prepare_model(between_products(512))
    cuts = plan_cuts(import_graph(prepared), "x86-64-avx2", 2)
    assert set(cuts.kernels) == {0}
    assert cuts.kept == {}
    assert str(cuts).startswith("kernel: snippets.softplus, snippets.multiply: a kernel saves")
    prepared = prepare_model(between_products(2))
    cuts = plan_cuts(import_graph(prepared), "x86-64-avx2", 2)
    assert sorted(cuts.kept) == [1, 2]
    assert str(cuts).startswith("engine: ")
    forced = plan_cuts(import_graph(prepared), "x86-64-avx2", 2, chosen=[0])
    assert str(forced).startswith("kernel: ")
    assert forced.kept == {}
    assert forced.candidates == cuts.candidates


def test_candidates_of_a_model_that_a_bound_decided():
    """Asked for before the first call, too, which settles nothing."""
    node, w = helper.make_node, np.eye(8, dtype=np.float32)
    nodes = [node("MatMul", ["x", "w"], ["a"]), node("Relu", ["a"], ["b"])]
    nodes.append(node("MatMul", ["b", "w"], ["y"]))
    m = snippets_mlir.compile(model(nodes, {"x": ["n", 8]}, {"y": ["n", 8]}, w=w))
    assert m.cuts == ()
    m(*inputs((4, 8)))
    (line,) = m.cuts
    assert line.startswith("engine: snippets.relu: a kernel saves")
    assert m.kernels == ()


def test_the_plan_is_in_the_report():
    m = snippets_mlir.compile(between_products(512))
    (line,) = m.cuts
    what = "'soft', 'gate' (snippets.softplus, snippets.multiply)"
    assert line.startswith(f"kernel: {what}: a kernel saves")
    assert snippets_mlir.compile("func.func @main() { return }").cuts == ()


def test_nothing_keeps_the_ops_of_lowered_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """They would be freed in a call, by a collection that takes longer than many calls."""

    def alive() -> int:
        return sum(isinstance(found, MultiplyOp) for found in gc.get_objects())

    left: list[int] = []
    tidy = type(COMPILING).tidy

    def counted(lock: Any) -> None:
        tidy(lock)
        left.append(alive())

    monkeypatch.setattr(type(COMPILING), "tidy", counted)
    monkeypatch.setattr(gc, "get_threshold", lambda: (1, 1, 1))  # the suite's is high
    gc.collect()
    before = alive()
    m = snippets_mlir.compile(between_products(), num_threads=1)
    m(*inputs((64, 64)))
    assert m.kernels
    assert m.from_cache is None
    assert left
    assert max(left) <= before
