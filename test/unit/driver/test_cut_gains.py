"""What kernels beside a matrix product save at most, and transposes that no kernel takes."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import onnx
import pytest
from cut_plans import planned_cuts
from onnx import helper
from onnx_models import model, value
from random_engine_graphs import engine_graph
from sampled import ALL, sampled

from snippets_mlir.driver.dynamic.templates import Shapes
from snippets_mlir.driver.onnx.bound.claims import FIRST_OPSET, is_left
from snippets_mlir.driver.onnx.bound.cut_bound import Bound, may_pay
from snippets_mlir.driver.onnx.bound.graph import NodeGraph
from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts, plan_cuts
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from snippets_mlir.targets.engine import engine_of
from snippets_mlir.targets.implementations import onnxruntime_plan
from snippets_mlir.targets.machine import machine

TARGET = "x86-64-avx2"
LANES, COSTS = machine(TARGET).lanes, engine_of(TARGET)
SEEDS = 25 if ALL else 12


def both(made: onnx.ModelProto, shapes: Shapes, threads: int = 2) -> tuple[float, bool, Cuts]:
    """What kernels save at most, whether they may pay, and the plan."""
    prepared, cuts = planned_cuts(made, shapes, TARGET, threads)
    most = Bound(NodeGraph(prepared, shapes), threads, COSTS, LANES).most_saved()
    return most, may_pay(prepared, shapes, threads, COSTS, LANES), cuts


def head(seed: int) -> onnx.ModelProto:
    """The end of a recognizer: what the engine makes, turned and reshaped, and random products."""
    random = Random(seed)
    rows, columns = random.choice([20, 64, 200]), random.choice([128, 512])
    nodes = [
        helper.make_node("LpNormalization", ["x"], ["l"]),
        helper.make_node("Transpose", ["l"], ["t"], perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["t", "shape"], ["v0"]),
    ]
    w: dict[str, Any] = {"shape": np.array([-1, 2 * columns])}
    width = 2 * columns
    for place in range(random.randint(1, 4)):
        kind = random.choice(["Gemm", "Gemm", "MatMul", "Relu", "Softplus", "Add", "Pick"])
        name, x = f"v{place + 1}", f"v{place}"
        if kind in ("Gemm", "MatMul"):
            out = random.choice([64, 820, 2000])
            w[f"w{place}"] = np.zeros((width, out), np.float32)
            w[f"b{place}"] = np.zeros(out, np.float32)
            names = [x, f"w{place}", f"b{place}"][: 3 if kind == "Gemm" else 2]
            nodes.append(helper.make_node(kind, names, [name]))
            width = out
        elif kind == "Add":
            w[f"b{place}"] = np.ones(width, np.float32)
            nodes.append(helper.make_node("Add", [x, f"b{place}"], [name]))
        elif kind == "Pick":
            nodes.append(helper.make_node("LpNormalization", [x], [name]))
        else:
            nodes.append(helper.make_node(kind, [x], [name]))
    last = nodes[-1].output[0]
    inputs, outputs = [value("x", ["n", 2, 1, columns])], [value(last, [None, width])]
    made = model(nodes, inputs, outputs, w, opset=17)
    made.doc_string = str(rows)
    return made


@pytest.mark.parametrize("threads", sampled([1, 2, 8], 3))
def test_no_plan_saves_more_than_the_bound(threads: int) -> None:
    kernels = refused = 0
    for seed in range(SEEDS):
        last = head(100 * threads + seed)
        sizes = [d.dim_value for d in last.graph.input[0].type.tensor_type.shape.dim[1:]]
        shapes = ((int(last.doc_string), *sizes),)
        for made, given in ((last, shapes), (engine_graph(7000 * threads + seed), ())):
            most, may, cuts = both(made, given, threads)
            assert not cuts.kernels or (may and most >= cuts.saved), (seed, most, str(cuts))
            kernels += bool(cuts.kernels)
            refused += not may
    assert kernels > 2
    assert refused > SEEDS / 4


def recognizer(*middle: onnx.NodeProto, read: str = "v") -> onnx.ModelProto:
    """What the engine makes of 200 rows, reshaped to sizes that nodes compute; a large product."""
    w: dict[str, Any] = {"w": np.zeros((1024, 820), np.float32), "zero": np.array(0)}
    w |= {"columns": np.array([1024]), "one": np.array(1), "axis": np.array([0])}
    nodes = [
        helper.make_node("LpNormalization", ["x"], ["l"]),
        helper.make_node("Transpose", ["l"], ["t"], perm=[0, 2, 1, 3]),
        helper.make_node("Shape", ["t"], ["s"]),
        helper.make_node("Gather", ["s", "zero"], ["g"], axis=0),
        helper.make_node("Mul", ["g", "one"], ["m"]),
        helper.make_node("Unsqueeze", ["m", "axis"], ["u"]),
        helper.make_node("Concat", ["u", "columns"], ["sizes"], axis=0),
        helper.make_node("Reshape", ["t", "sizes"], ["v"]),
        *middle,
        helper.make_node("Gemm", [read, "w"], ["y"]),
    ]
    infos = [value("x", ["n", 2, 1, 512])], [value("y", [None, 820])]
    return model(nodes, *infos, w, opset=17)


def test_a_product_that_is_called_after_a_session_wakes_the_threads() -> None:
    shapes = ((200, 2, 1, 512),)
    most, may, cuts = both(recognizer(), shapes)
    assert not may
    assert not cuts.kernels
    # What saves too little with 200 rows pays with more.
    most_of_more, may, _ = both(recognizer(), ((400, 2, 1, 512),))
    assert may
    assert most_of_more > most


def test_a_product_may_follow_a_kernel_that_is_called_after_the_session() -> None:
    made = recognizer(helper.make_node("Neg", ["v"], ["n1"]), read="n1")
    _, may, _ = both(made, ((200, 2, 1, 512),))
    assert may


@pytest.mark.parametrize("after", [[], ["LpNormalization"]])
def test_the_first_of_two_products_alone_is_called_after_a_session(after: list[str]) -> None:
    w = {"w": np.zeros((256, 800), np.float32), "v": np.zeros((800, 256), np.float32)}
    nodes = [
        helper.make_node("LpNormalization", ["x"], ["l"]),
        helper.make_node("MatMul", ["l", "w"], ["m"]),
        helper.make_node("MatMul", ["m", "v"], ["n"]),
        *(helper.make_node(kind, ["n"], ["o"]) for kind in after),
    ]
    outputs = [value(nodes[-1].output[0], [1000, 256])]
    made = model(nodes, [value("x", [1000, 256])], outputs, w, opset=17)
    most, may, cuts = both(made, ())
    assert may
    assert len(cuts.kernels) == 2
    assert cuts.saved <= most < cuts.saved + 4000


@pytest.mark.parametrize("read", ["x", "a"])
def test_a_session_between_kernels_beside_each_other_is_a_cut(read: str) -> None:
    """The engine's node reads what a kernel makes, or what the caller gives: then it is first."""
    w = {"w": np.zeros((512, 512), np.float32), "v": np.zeros((512, 512), np.float32)}
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        helper.make_node("Softplus", ["m"], ["a"]),
        helper.make_node("LpNormalization", [read], ["l"]),
        helper.make_node("Add", ["l", "a"], ["s"]),
        helper.make_node("MatMul", ["s", "v"], ["t"]),
        helper.make_node("Softplus", ["t"], ["y"]),
    ]
    shape = [512, 512]
    made = model(nodes, [value("x", shape)], [value("y", shape)], w, opset=17)
    _, _, cuts = both(made, (), 1)
    changes = {"x": 1, "a": 2}[read]
    cut = sum(one.cut for one in cuts.candidates)
    assert cut == pytest.approx(COSTS.change(1) * changes / 2)
    assert len(cuts.kernels) == len(cuts.candidates) > 1


def test_the_activation_of_a_product_is_computed_of_its_result() -> None:
    w = {"w": np.zeros((1024, 16), np.float32), "b": np.zeros(16, np.float32)}
    nodes = [
        helper.make_node("LpNormalization", ["x"], ["l"]),
        helper.make_node("Gemm", ["l", "w", "b"], ["m"]),
        helper.make_node("Softplus", ["m"], ["y"]),
    ]
    made = model(nodes, [value("x", [20, 1024])], [value("y", [20, 16])], w, opset=17)
    most, _, cuts = both(made, (), 1)
    (found,) = cuts.candidates
    assert found.engine < 20_000  # of 320 elements, not of the 20480 that the product reads
    assert not cuts.kernels
    assert not most


def transposed(maker: str, *readers: onnx.NodeProto) -> onnx.ModelProto:
    w = {"flat": np.array([4, -1]), "same": np.array([4, 8, 1, 6])}
    nodes = [
        helper.make_node(maker, ["x"], ["l"]),
        helper.make_node("Transpose", ["l"], ["t"], perm=[0, 2, 3, 1]),
        *readers,
    ]
    outputs = [value(n.output[0], None) for n in readers] or [value("t", [4, 2, 6, 8])]
    return model(nodes, [value("x", [4, 8, 2, 6])], outputs, w, opset=17)


READERS = {
    "norm": helper.make_node("LpNormalization", ["t"], ["n"]),
    "flat": helper.make_node("Reshape", ["t", "flat"], ["y"]),
    "shape": helper.make_node("Shape", ["t"], ["y"]),
    "relu": helper.make_node("Relu", ["t"], ["z"]),
}


@pytest.mark.parametrize(
    ("maker", "readers", "left"),
    [
        ("LpNormalization", ["flat"], True),
        ("LpNormalization", ["flat", "norm"], True),
        ("LpNormalization", [], True),
        ("LpNormalization", ["flat", "relu"], False),
        ("LpNormalization", ["relu"], False),
        ("Relu", ["flat"], False),
    ],
)
def test_a_transpose_beside_the_engine_that_no_kernel_reads_is_left(
    maker: str, readers: list[str], left: bool
) -> None:
    prepared = prepare_model(transposed(maker, *(READERS[name] for name in readers)))
    graph = NodeGraph(prepared, ())
    place = next(i for i, node in enumerate(graph.nodes) if node.op_type == "Transpose")
    assert is_left(graph, place) == left
    assert FIRST_OPSET == onnxruntime_plan.FIRST_OPSET
    if left:  # so says the plan
        cuts = plan_cuts(import_graph(prepared, hashed=False), TARGET, 2)
        assert "onnxruntime" in cuts.reasons[1]
