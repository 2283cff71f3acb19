"""What the bound on cuts takes for certain of a model, compared with the plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import onnx
import pytest
from cut_plans import planned_cuts
from onnx import helper
from onnx_models import model, value
from random_engine_graphs import engine_graph
from sampled import ALL, alternating

from snippets_mlir.analysis.cost import Model
from snippets_mlir.analysis.engine.costs import Estimate
from snippets_mlir.driver.onnx.bound import certain as cut_certain
from snippets_mlir.driver.onnx.bound.certain import Certain
from snippets_mlir.driver.onnx.bound.cut_bound import Bound, may_pay
from snippets_mlir.driver.onnx.bound.graph import NodeGraph
from snippets_mlir.driver.onnx.cuts import candidates as cut_candidates
from snippets_mlir.driver.onnx.cuts import engine_cuts
from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts
from snippets_mlir.passes.graph.tokenize.tokens import Token
from snippets_mlir.targets.engine import engine_of
from snippets_mlir.targets.machine import machine

TARGET = "x86-64-avx512"
LANES, COSTS = machine(TARGET).lanes, engine_of(TARGET)
SEEDS = 60 if ALL else 12

Seen = tuple[NodeGraph, Cuts, Sequence[Token], Model]
Look = Callable[[onnx.ModelProto, int], Seen]


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Look:
    """Plans a model; gives its nodes, the plan, all candidates and the cost model."""
    seen: list[tuple[Sequence[Token], Model]] = []

    def noted(groups: Sequence[Token], costs: Model) -> dict[int, Estimate]:
        seen.append((groups, costs))
        return cut_candidates.with_products(groups, costs)

    monkeypatch.setattr(engine_cuts, "with_products", noted)

    def plan(made: onnx.ModelProto, threads: int) -> Seen:
        prepared, cuts = planned_cuts(made, (), TARGET, threads)
        return NodeGraph(prepared, ()), cuts, *seen.pop()

    return plan


def layers(seed: int) -> onnx.ModelProto:
    """Layers of random nodes beside a residual: norms, products, attentions, the engine's nodes."""
    random, width = Random(seed), 64
    nodes: list[onnx.NodeProto] = []
    w: dict[str, Any] = {"two": np.float32(2), "eps": np.float32(1e-5), "half": np.float32(0.5)}
    w["mask"] = np.ones((1, 128), np.bool_)
    w["scale"] = np.ones(width, np.float32)

    def add(kind: str, *names: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(kind, names, [f"v{len(nodes)}"], **attributes))
        return nodes[-1].output[0]

    def product(x: str) -> str:
        name = f"w{len(w)}"
        w[name] = np.zeros((width, width), np.float32)
        return add("MatMul", x, name)

    def norm(x: str) -> str:
        shifted = add("Sub", x, add("ReduceMean", x, axes=[-1]))
        mean = add("ReduceMean", add("Pow", shifted, "two"), axes=[-1])
        return add("Mul", add("Div", shifted, add("Sqrt", add("Add", mean, "eps"))), "scale")

    def attention(x: str) -> str:
        q, k, v = product(x), product(x), product(x)
        scores = add("MatMul", q, add("Transpose", k, perm=[1, 0]))
        scores = add("Where", "mask", scores, "half") if random.random() < 0.5 else scores
        shares = add("Dropout", add("Softmax", scores, axis=-1))
        return product(add("MatMul", shares, v))

    x = "x"
    for _ in range(random.randint(2, 5)):
        match random.randrange(6):
            case 0:
                x = add("Add", x, product(norm(x)))
            case 1:
                x = add("Add", x, attention(norm(x)))
            case 2:
                x = add("Add", add("LpNormalization", x, axis=-1), x)
            case 3:
                x = add("Mul", product(x), add("Sigmoid", product(x)))
            case 4:
                turned = add("Transpose", x, perm=[1, 0])
                x = add("Transpose", add("Tanh", turned), perm=[1, 0])
            case _:
                x = add("LpNormalization", add("Mul", x, "half"), axis=-1)
    infos = [value("x", [128, width])], [value(x, [128, width])]
    return model(nodes, *infos, w, opset=17)


def gemms(seed: int) -> onnx.ModelProto:
    """Products of matrices with biases and activations, which the engine joins or does not."""
    random = Random(seed)
    rows, width = random.choice((16, 256, 2048)), random.choice((8, 64, 100))
    nodes: list[onnx.NodeProto] = []
    w: dict[str, Any] = {}

    def add(kind: str, *names: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(kind, names, [f"v{len(nodes)}"], **attributes))
        return nodes[-1].output[0]

    def constant(*shape: int) -> str:
        w[name := f"w{len(w)}"] = np.zeros(shape, np.float32)
        return name

    x = "x"
    for _ in range(random.randint(1, 4)):
        x = add(random.choice(("MatMul", "MatMul", "LpNormalization")), x, constant(width, width))
        if nodes[-1].op_type != "MatMul":
            del nodes[-1].input[1]
        summed = [x, random.choice((constant(width), constant(1, width), constant(rows, 1), x))]
        random.shuffle(summed)
        kept, x = x, add("Add", *summed)
        for _ in range(random.randint(0, 2)):
            x = add(random.choice(("Relu", "Sigmoid", "Tanh", "Abs")), x)
        x = add("Mul", x, kept) if random.random() < 0.3 else x
    infos = [value("x", [rows, width])], [value(x, [rows, width])]
    return model(nodes, *infos, w, opset=22)


@pytest.mark.parametrize(("made", "threads"), alternating([engine_graph, gemms, layers], [1, 2]))
def test_the_plan_finds_what_is_certain(
    look: Look, made: Callable[[int], onnx.ModelProto], threads: int
) -> None:
    changes = kernels = 0
    for seed in range(SEEDS):
        proto = made(31 * threads + seed)
        graph, cuts, groups, costs = look(proto, threads)
        certain = Certain(graph)
        at = {n.output[0]: i for i, n in enumerate(proto.graph.node)}
        places = [at[node.output[0]] for node in graph.nodes]
        assert certain.touched <= costs.total
        beside = cut_candidates.beside_each_other(groups)
        for group in certain.groups:
            nodes = {places[i] for i in group}
            held = [some for some in beside if any(nodes & {*cuts.nodes[k]} for k in some)]
            (some,) = (s for s in held if nodes <= {n for k in s for n in cuts.nodes[k]})
            cut = costs.beside([[*groups[k].ops, *groups[k].trailing] for k in some]).cut
            least = certain.change(threads, COSTS) * certain.changes(group) / 2
            assert cut * len(some) >= least * (1 - 1e-9)
            changes = max(changes, certain.changes(group))
        most = Bound(graph, threads, COSTS, LANES).most_saved()
        assert most >= cuts.saved
        kernels += len(certain.kernels)
    assert changes > (made is layers)
    assert kernels > SEEDS


def masked(images: int) -> onnx.ModelProto:
    """Convolutions whose results a mask of the call multiplies, and a product."""
    w: dict[str, Any] = {"w": np.zeros((64, 64), np.float32)}
    nodes = [helper.make_node("Cast", ["mask"], ["m"], to=onnx.TensorProto.FLOAT)]
    x = "x"
    for k in range(images):
        w[f"k{k}"] = np.zeros((8, 8, 1), np.float32)
        nodes.append(helper.make_node("Conv", [x, f"k{k}"], [f"c{k}"]))
        nodes.append(helper.make_node("Mul", [f"c{k}", "m"], [x := f"x{k}"]))
    nodes.append(helper.make_node("MatMul", [x, "w"], ["y"]))
    inputs = [value("x", [1, 8, 64]), value("mask", [1, 1, 64], np.bool_)]
    return model(nodes, inputs, [value("y", [1, 8, 64])], w, opset=17)


@pytest.mark.parametrize("images", [1, 2, 4])
def test_sessions_between_kernels_beside_each_other_are_counted(look: Look, images: int) -> None:
    graph, _, groups, costs = look(masked(images), 1)
    certain = Certain(graph)
    (group,) = certain.groups
    assert len(group) == images + 2  # the cast, the factors and the product
    assert certain.changes(group) == 2 * images - 1  # the first session may be before the cast
    ops = [[*g.ops, *g.trailing] for g in groups]
    cut = costs.beside(ops).cut * len(ops)
    assert cut >= COSTS.change(1) * (images - 0.5)


def test_what_the_engine_may_fuse_is_not_certain(look: Look) -> None:
    w = {"k": np.zeros((8, 8, 1), np.float32), "s": np.ones((8, 1), np.float32)}
    w["w"] = np.zeros((64, 64), np.float32)
    nodes = [
        helper.make_node("Conv", ["x", "k"], ["c"]),
        helper.make_node("Mul", ["c", "s"], ["m"]),
        helper.make_node("Relu", ["m"], ["r"]),
        helper.make_node("Exp", ["r"], ["y"]),
    ]
    made = model(nodes, [value("x", [1, 8, 64])], [value("y", [1, 8, 64])], w, opset=17)
    graph, cuts, _, _ = look(made, 1)
    assert [n for nodes in cuts.nodes for n in nodes] == [3]
    assert Certain(graph).kernels == {3}


def test_a_plug_in_may_claim_all(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, _, _, _ = look(masked(1), 1)
    assert Certain(graph).kernels
    monkeypatch.setattr(cut_certain, "has_rows_of_plugins", lambda: True)
    assert not Certain(graph).kernels


def test_many_sessions_between_kernels_pay_nothing_before_the_import() -> None:
    """Each layer saves less than the sessions before and after it cost."""

    def recurrent(between: bool) -> onnx.ModelProto:
        w: dict[str, Any] = {"k": np.zeros((256, 256), np.float32)}
        nodes = [helper.make_node("MatMul", ["x", "k"], ["x0"])]
        for k in range(8):
            last = f"x{k}"
            if between:
                nodes.append(helper.make_node("LpNormalization", [last], [f"l{k}"]))
                last = f"l{k}"
            nodes.append(helper.make_node("Neg", [last], [f"s{k}"]))
            nodes.append(helper.make_node("Add", [f"s{k}", f"x{k}"], [f"x{k + 1}"]))
        nodes.append(helper.make_node("LpNormalization", ["x8"], ["y"]))
        infos = [value("x", [48, 256])], [value("y", [48, 256])]
        return model(nodes, *infos, w, opset=17)

    for between in (True, False):
        prepared, cuts = planned_cuts(recurrent(between), (), TARGET, 1)
        assert bool(cuts.kernels) is not between
        assert may_pay(prepared, (), 1, COSTS, LANES) is not between


@pytest.mark.parametrize("rows", [64, 320])
def test_products_side_by_side_share_one_cut(rows: int) -> None:
    width = 256 if rows == 64 else 128
    w = {f"w{n}": np.zeros((width, width), np.float32) for n in "qkv"}
    nodes = [helper.make_node("LpNormalization", ["x"], ["l"])]
    nodes += [helper.make_node("MatMul", ["l", f"w{n}"], [n]) for n in "qkv"]
    outputs = [value(n, [rows, width]) for n in "qkv"]
    made = model(nodes, [value("x", [rows, width])], outputs, w, opset=17)
    prepared, cuts = planned_cuts(made, (), TARGET, 1)
    assert len(cuts.kernels) == 1
    assert may_pay(prepared, (), 1, COSTS, LANES)
