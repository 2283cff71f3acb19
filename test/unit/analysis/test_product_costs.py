"""Matrix products in the cost model: what the engine makes one node of, and what decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import helper
from onnx_models import model, value

from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts, plan_cuts
from snippets_mlir.driver.onnx.template import Numbering
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from snippets_mlir.targets.engine import ENGINE

Node = tuple[str, list[str], str]


def made(nodes: list[Node], *shape: int, columns: int = 96) -> onnx.ModelProto:
    """A model of x with these sizes and weights w, v and b; its last node makes y."""
    width = shape[-1]
    data = {
        "w": np.ones((width, columns), np.float32),
        "b": np.ones(columns, np.float32),
        "r": np.ones((1, columns), np.float32),
        "half": np.float32(0.5),
    }
    protos = [helper.make_node(name, inputs, [output]) for name, inputs, output in nodes]
    used = {name for _, inputs, _ in nodes for name in inputs}
    weights = {n: np.asarray(a) for n, a in data.items() if n in used}
    return model(protos, [value("x", shape)], ["y"], weights)


def plan(of: onnx.ModelProto, threads: int = 1) -> Cuts:
    return plan_cuts(import_graph(prepare_model(of), products=True), "x86-64-avx512", threads)


def nodes_of_engine(of: onnx.ModelProto, folder: Path) -> list[str]:
    """The operators of the model that onnxruntime's optimizer writes, without reshapes."""
    engine: Any = ort
    options = engine.SessionOptions()
    options.log_severity_level = 4
    options.optimized_model_filepath = str(folder / "optimized.onnx")
    engine.InferenceSession(of.SerializeToString(), options, providers=["CPUExecutionProvider"])
    written = onnx.ModelProto.FromString((folder / "optimized.onnx").read_bytes())
    return [node.op_type for node in written.graph.node if node.op_type != "Reshape"]


PRODUCT: Node = ("MatMul", ["x", "w"], "p")
BIAS: Node = ("Add", ["p", "b"], "s")
GRAPHS: list[tuple[list[Node], tuple[int, ...], int]] = [
    ([("MatMul", ["x", "w"], "y")], (64, 48), 1),
    ([PRODUCT, ("Add", ["p", "b"], "y")], (64, 48), 1),
    ([PRODUCT, ("Add", ["r", "p"], "y")], (64, 48), 1),
    ([PRODUCT, ("Add", ["p", "b"], "y")], (2, 32, 48), 1),
    ([PRODUCT, BIAS, ("Relu", ["s"], "y")], (2, 32, 48), 2),
    ([PRODUCT, ("Add", ["p", "r"], "y")], (2, 32, 48), 2),
    ([PRODUCT, BIAS, ("Relu", ["s"], "y")], (64, 48), 1),
    ([PRODUCT, BIAS, ("Tanh", ["s"], "y")], (64, 48), 1),
    ([PRODUCT, BIAS, ("Erf", ["s"], "y")], (64, 48), 2),
    ([PRODUCT, ("Tanh", ["p"], "y")], (64, 48), 2),
    ([PRODUCT, ("Mul", ["p", "half"], "y")], (64, 48), 1),
]


@pytest.mark.parametrize(("nodes", "shape", "count"), GRAPHS)
def test_the_engine_has_as_many_nodes(
    nodes: list[Node], shape: tuple[int, ...], count: int, tmp_path: Path
):
    """With nodes that take no time but their start, the estimate counts the engine's nodes."""
    of = made(nodes, *shape)
    assert len(nodes_of_engine(of, tmp_path)) == count
    (candidate,) = plan(of).candidates
    assert candidate.ops[0] == "snippets.matmul"
    smallest = made(nodes, *(1,) * (len(shape) - 1), 1, columns=1)
    (candidate,) = plan(smallest).candidates
    assert round(candidate.engine / ENGINE.node) == count


def test_a_product_takes_its_multiplications():
    (small,) = plan(made([("MatMul", ["x", "w"], "y")], 64, 512)).candidates
    (large,) = plan(made([("MatMul", ["x", "w"], "y")], 128, 512)).candidates
    work = 64 * 512 * 96
    assert large.engine - small.engine == pytest.approx(work * ENGINE.product)
    assert large.kernel - small.kernel == pytest.approx(work * ENGINE.kernel_product)
    (two,) = plan(made([("MatMul", ["x", "w"], "y")], 512, 512), threads=2).candidates
    (one,) = plan(made([("MatMul", ["x", "w"], "y")], 512, 512)).candidates
    assert one.engine - ENGINE.node == pytest.approx(2 * (two.engine - ENGINE.node))


def test_one_row_takes_the_bytes_of_the_weights():
    (row,) = plan(made([("MatMul", ["x", "w"], "y")], 1, 4096, columns=4096)).candidates
    weights = 4 * 4096 * 4096 * ENGINE.stream_byte
    assert row.engine == pytest.approx(ENGINE.reading * weights, rel=0.15)
    assert row.kernel == pytest.approx(weights, rel=0.15)


def test_the_engine_transposes_constants_when_it_loads_them():
    nodes = [
        helper.make_node("Transpose", ["v"], ["w"]),
        helper.make_node("MatMul", ["x", "w"], ["y"]),
    ]
    weights = {"v": np.ones((2048, 1024), np.float32)}
    (row,) = plan(model(nodes, [value("x", (1, 1024))], ["y"], weights)).candidates
    assert row.ops == ("snippets.transpose", "snippets.matmul")
    plain = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    weights = {"w": np.ones((1024, 2048), np.float32)}
    (other,) = plan(model(plain, [value("x", (1, 1024))], ["y"], weights)).candidates
    assert (row.engine, row.kernel) == (other.engine, other.kernel)


def test_what_follows_the_product_decides():
    """The ops after a product are what a kernel saves most of."""
    (bare,) = plan(made([("MatMul", ["x", "w"], "y")], 128, 512)).candidates
    nodes: list[Node] = [PRODUCT, BIAS, ("Softplus", ["s"], "t"), ("Mul", ["s", "t"], "y")]
    (fused,) = plan(made(nodes, 128, 512)).candidates
    assert fused.ops == tuple(f"snippets.{n}" for n in ("matmul", "add", "softplus", "multiply"))
    assert fused.pays
    assert fused.gain > 2 * bare.gain > 0
    assert "a kernel saves" in str(fused)


def mlp(rows: int, between: str = "") -> onnx.ModelProto:
    """Two products with biases and a gate, and a node between them that no kernel holds."""
    data: dict[str, Any] = {
        "w": np.ones((384, 1536), np.float32),
        "v": np.ones((1536, 384), np.float32),
        "b": np.ones(1536, np.float32),
        "c": np.ones(384, np.float32),
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["p"]),
        helper.make_node("Add", ["p", "b"], ["s"]),
        helper.make_node("Softplus", ["s"], ["t"]),
        helper.make_node("Mul", ["s", "t"], ["g"]),
        helper.make_node("MatMul", ["h" if between else "g", "v"], ["q"]),
        helper.make_node("Add", ["q", "c"], ["r"]),
        helper.make_node("Add", ["r", "x"], ["y"]),
    ]
    if between:
        nodes.insert(4, helper.make_node(between, ["g"], ["h"]))
    return model(nodes, [value("x", (rows, 384))], ["y"], data)


@pytest.mark.parametrize("threads", [1, 2])
def test_kernels_beside_each_other_are_weighed_together(threads: int):
    cuts = plan(mlp(128), threads)
    assert [c.ops[0] for c in cuts.candidates] == ["snippets.matmul"] * 2
    assert sorted(cuts.kernels) == [0, 1]
    assert not cuts.kept
    assert all(candidate.cut == 0 for candidate in cuts.candidates)


def test_kernels_share_the_cut_of_what_stands_beside_them():
    apart = plan(mlp(128, "LpNormalization"), 2)
    change = ENGINE.change(2, ENGINE.cache + 1)
    assert [c.cut for c in apart.candidates] == [change / 2] * 2
    alone = plan(mlp(128), 2)
    assert sum(c.kernel for c in alone.candidates) < sum(c.kernel for c in apart.candidates)


def test_kernels_that_follow_kernels_wake_no_threads():
    """Of two kernels after a node of the engine the first one alone starts a team."""
    of = mlp(128)
    of.graph.input[0].name = "z"
    of.graph.node.insert(0, helper.make_node("LpNormalization", ["z"], ["x"]))
    first, second = plan(of, 2).candidates
    alone = plan(mlp(128), 2).candidates
    start = ENGINE.team - ENGINE.node
    assert first.kernel - alone[0].kernel == pytest.approx(start)
    assert second.kernel == alone[1].kernel


def test_a_product_beside_the_engine_has_to_pay_for_the_cut():
    nodes: list[Node] = [("LpNormalization", ["x"], "c"), ("MatMul", ["c", "w"], "y")]
    for rows, columns, kernels in ((2, 64, 0), (4096, 1024, 1)):
        of = made(nodes, rows, 1024, columns=columns)
        cuts = plan(of)
        assert len(cuts.candidates) == 1
        assert len(cuts.kernels) == kernels


def test_terms_and_columns_of_the_call_stay_with_the_engine():
    """Kernels that get them with the call take longer than the engine; rows are as good as any."""
    rows, terms, columns = ("n", 1024), (1024, "n"), ("n", 1024)
    for left, right, kernels in ((rows, (1024, 1024), 1), (terms, columns, 0), (rows, terms, 0)):
        product = helper.make_node("MatMul", ["x", "w"], ["y"])
        of = model([product], [value("x", left), value("w", right)], ["y"])
        numbering = Numbering()
        imported = import_graph(prepare_model(of), sizes=numbering.number)
        cuts = plan_cuts(imported, "x86-64-avx512", 2, [1024])
        assert len(cuts.kernels) == kernels


def test_the_engine_computes_the_softmax_of_an_attention():
    """Its one node is two products and a softmax, which a kernel is charged for, too."""
    node = helper.make_node("Attention", ["q", "k", "v"], ["y"])
    inputs = [value(name, (2, 4, 64, 32)) for name in "qkv"]
    attention = plan(model([node], inputs, [value("y", (2, 4, 64, 32))], opset=23))
    (one,) = attention.candidates
    products = 2 * (2 * 4 * 64 * 64 * 32) * ENGINE.product
    softmax = 2 * 4 * 64 * 64 * ENGINE.rates["Softmax"]
    assert one.engine == pytest.approx(products + softmax + ENGINE.node)


def test_nothing_but_views_of_a_node_in_no_kernel():
    """What reshapes an input for the kernels of its node does not keep the node in the engine."""
    node = helper.make_node(
        "MultiHeadAttention",
        ["q", "k", "v", "", "ends"],
        ["y"],
        domain="com.microsoft",
        num_heads=12,
    )
    inputs = [value(name, (1, 128, 768)) for name in "qkv"]
    inputs.append(value("ends", (1,), np.int32))
    of = model([node], inputs, [value("y", (1, 128, 768))], domains=["com.microsoft"])
    cuts = plan_cuts(import_graph(prepare_model(of), products=True), "x86-64-avx512", 1, every=True)
    assert cuts.candidates
    assert not cuts.kept


def test_ops_on_rows_are_in_the_candidate_of_their_product():
    """One kernel starts once, and the value between the two is in no array (T9 to T15)."""
    softmax: Node = ("Softmax", ["x"], "s")
    apart = plan(made([softmax, ("MatMul", ["s", "w"], "y")], 64, 768)).candidates
    assert [one.ops for one in apart] == [("snippets.softmax",), ("snippets.matmul",)]
    (whole,) = plan(made([softmax, ("MatMul", ["s", "w"], "y")], 4096, 768)).candidates
    assert whole.ops == ("snippets.softmax", "snippets.matmul")
    (first,) = plan(made([("Softmax", ["x"], "y")], 4096, 768)).candidates
    (second,) = plan(made([("MatMul", ["x", "w"], "y")], 4096, 768)).candidates
    assert max(first.kernel, second.kernel) < whole.kernel < first.kernel + second.kernel
