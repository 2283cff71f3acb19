"""What the bound on the gain of a cut says of single kinds of nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from cut_plans import refused
from onnx import helper
from onnx_models import model, value

from snippets_mlir.driver.onnx.bound.graph import NodeGraph
from snippets_mlir.frontends.onnx import prepare_model


@pytest.mark.usefixtures("foreign_products")
def test_nodes_that_move_elements_are_between_sessions() -> None:
    # 15 us in the engine: more than half a cut of the session, less than a whole one.
    w = {"w": np.zeros((64, 512), np.float32), "v": np.zeros((512, 8), np.float32)}
    w |= {"zero": np.array([0]), "rows": np.array([3])}

    def beside(*last: onnx.NodeProto) -> onnx.ModelProto:
        first = [
            helper.make_node("MatMul", ["x", "w"], ["a"]),
            helper.make_node("Slice", ["a", "zero", "rows"], ["b"]),
            helper.make_node("Softplus", ["b"], ["c"]),
            helper.make_node("Neg", ["u"], ["m"]),  # nothing is before it
            helper.make_node("Mul", ["c", "m"], ["d"]),
        ]
        nodes = [*first, *last]
        inputs = [value("x", [3, 64]), value("u", [3, 1])]
        return model(nodes, inputs, [value(nodes[-1].output[0], [3, None])], w)

    moved = helper.make_node("Slice", ["d", "zero", "rows"], ["e"])
    assert refused(beside(moved, helper.make_node("MatMul", ["e", "v"], ["y"])))
    assert not refused(beside())


@pytest.mark.usefixtures("foreign_products")
def test_what_a_kernel_computes_counts() -> None:
    # 60 us in the engine on two threads; a kernel takes 39 instructions for each vector.
    w = {"w": np.zeros((64, 512), np.float32), "v": np.zeros((512, 8), np.float32)}

    def between(*nodes: onnx.NodeProto) -> onnx.ModelProto:
        first = helper.make_node("MatMul", ["x", "w"], ["a"])
        last = helper.make_node("MatMul", ["b", "v"], ["y"])
        infos = [value("x", [480, 64])], [value("y", [480, 8])]
        return model([first, *nodes, last], *infos, w, opset=20)

    assert refused(between(helper.make_node("Gelu", ["a"], ["b"])))
    assert refused(between(helper.make_node("Softmax", ["a"], ["b"])))
    assert not refused(between(helper.make_node("Softplus", ["a"], ["b"])))


def hard_swish_between(first: str, last: str) -> onnx.ModelProto:
    """Conv, x * clip(x + 3) / 6 * s + b of its image or of a `Gather` of it, and what reads it."""
    w: dict[str, Any] = {"w": np.zeros((32, 8, 1, 1), np.float32)}
    w["v"] = np.zeros((8, 32, 1, 1), np.float32)
    w |= {name: np.array([n], np.float32) for name, n in (("s", 2), ("b", 1), ("six", 6))}
    w |= {"low": np.array(0, np.float32), "high": np.array(6, np.float32)}
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"]),
        helper.make_node("MaxPool", ["c"], ["p"], kernel_shape=[1, 1]),
        helper.make_node("Transpose", ["p"], ["q"], perm=[0, 1, 2, 3]),
        helper.make_node("Gather", ["q", "i"], ["g"], axis=0),
        helper.make_node("Add", ["g" if first == "Gather" else "p", "s"], ["d"]),
        helper.make_node("Add", ["d", "b"], ["e"]),
        helper.make_node("Clip", ["e", "low", "high"], ["f"]),
        helper.make_node("Mul", ["d", "f"], ["h"]),
        helper.make_node("Div", ["h", "six"], ["j"]),
        helper.make_node("Mul", ["j", "s"], ["k"]),
        helper.make_node("Add", ["k", "b"], ["m"]),
        helper.make_node(last, ["m", "v"], ["y"]),
    ]
    w["i"] = np.array([0])
    if last == "MatMul":
        w["v"] = np.zeros((120, 8), np.float32)
    return model(nodes, [value("x", [1, 8, 110, 120])], [value("y", [1, None, None, None])], w)


def test_a_chain_brings_along_the_images_of_its_ends() -> None:
    assert refused(hard_swish_between("MaxPool", "Conv"))
    # The engine brings what no convolution made into the blocked layout with or without a kernel.
    assert not refused(hard_swish_between("Gather", "Conv"))
    assert not refused(hard_swish_between("Gather", "MatMul"))


def test_images_count_for_kernels_beside_products() -> None:
    w: dict[str, Any] = {"w": np.zeros((32, 8, 1, 1), np.float32)}
    w["v"] = np.zeros((32, 8), np.float32)
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"]),
        helper.make_node("Relu", ["c"], ["h"]),
        helper.make_node("MaxPool", ["h"], ["p"], kernel_shape=[1, 1]),
        helper.make_node("ReduceMean", ["h"], ["m"], axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["m", "v"], ["y"]),
    ]
    outputs = [value("p", [1, 32, 60, 60]), value("y", [1, 8])]
    assert refused(model(nodes, [value("x", [1, 8, 60, 60])], outputs, w, opset=17))


@pytest.mark.usefixtures("foreign_products")
def test_constants_that_nodes_alone_read_cost_nothing() -> None:
    w = {"w": np.zeros((4096, 512), np.float32)}
    nodes = [
        helper.make_node("Transpose", ["w"], ["t"], perm=[1, 0]),
        helper.make_node("MatMul", ["x", "t"], ["y"]),
    ]
    assert refused(model(nodes, [value("x", [2, 512])], [value("y", [2, 4096])], w))


@pytest.mark.usefixtures("foreign_products")
def test_what_follows_from_data_is_in_no_kernel() -> None:
    w = {"w": np.zeros((64, 8), np.float32)}
    nodes = [
        helper.make_node("NonZero", ["x"], ["n"]),
        helper.make_node("Cast", ["n"], ["c"], to=onnx.TensorProto.FLOAT),
        helper.make_node("Relu", ["c"], ["z"]),
        helper.make_node("MatMul", ["x", "w"], ["y"]),
    ]
    outputs = [value("y", [4, 8]), value("z", [2, None])]
    assert refused(model(nodes, [value("x", [4, 64])], outputs, w))


def perceptron(rows: int, activation: str) -> onnx.ModelProto:
    """Two products with biases, and nodes of the engine around them."""
    rng = np.random.default_rng(0)
    w = {"a": rng.random((64, 64), np.float32), "b": rng.random((1, 64), np.float32)}
    w["c"] = rng.random((64, 10), np.float32)
    nodes = [
        helper.make_node("LpNormalization", ["x"], ["l"]),
        helper.make_node("MatMul", ["l", "a"], ["m"]),
        helper.make_node("Add", ["m", "b"], ["n"]),
        helper.make_node(activation, ["n"], ["o"]),
        helper.make_node("MatMul", ["o", "c"], ["p"]),
        helper.make_node("LpNormalization", ["p"], ["y"]),
    ]
    return model(nodes, [value("x", [rows, 64])], [value("y", [rows, 10])], w)


def test_a_product_with_work_for_one_thread_gains_nothing_from_others() -> None:
    assert refused(perceptron(400, "Relu"))
    assert not refused(perceptron(400, "Softplus"))


def test_an_einsum_of_two_operands_is_a_product() -> None:
    def einsum(*operands: str, equation: str) -> onnx.ModelProto:
        nodes = [
            helper.make_node("LpNormalization", ["x"], ["a"]),
            helper.make_node("Einsum", ["a", *operands], ["b"], equation=equation),
            helper.make_node("LpNormalization", ["b"], ["y"]),
        ]
        w = {"w": np.ones((32, 64), np.float32), "v": np.ones((32, 16), np.float32)}
        return model(nodes, [value("x", [8, 64])], [value("y", [8, None])], w)

    assert refused(einsum("w", equation="ij,kj->ik"))
    assert refused(einsum("w", equation="ij,kj->ij"))
    # Of more operands it is several products, whose order nobody decides here.
    assert not refused(einsum("w", "v", equation="ij,kj,kl->il"))


def reshaped(rows: int, *, size_is_result: bool = False) -> onnx.ModelProto:
    """A product of what a Conv makes, reshaped to sizes that nodes compute from its own."""
    w = {"w": np.zeros((8, 8, 1, 1), np.float32), "v": np.zeros((64, 4), np.float32)}
    w |= {"one": np.array([1]), "two": np.array([2]), "rest": np.array([64])}
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"]),
        helper.make_node("NonZero", ["c"], ["n"]),
        helper.make_node("Shape", ["n"], ["s"]),
        helper.make_node("Slice", ["s", "one", "two"], ["b"]),
        helper.make_node("Sub", ["b", "b"], ["d"]),
        helper.make_node("Add", ["d", "one"], ["e"]),
        helper.make_node("Concat", ["e", "rest"], ["r"], axis=0),
        helper.make_node("Reshape", ["c", "r"], ["f"], allowzero=0),
        helper.make_node("MatMul", ["f", "v"], ["y"]),
    ]
    outputs = [value("y", [None, 4])]
    if size_is_result:
        outputs.append(value("e", [1], np.int64))
    return model(nodes, [value("x", [1, 8, rows, 8])], outputs, w, opset=17)


def test_nodes_that_tell_sizes_are_in_no_kernel_without_a_cut() -> None:
    made = prepare_model(reshaped(8))
    graph = NodeGraph(made, ())
    names = {graph.nodes[i].op_type for i in graph.for_sizes}
    assert names == {"Add", "Concat", "Shape", "Slice", "Sub"}
    assert graph.for_sizes & graph.mapped <= graph.nodes_that_cut & graph.before_engine
    result = NodeGraph(prepare_model(reshaped(8, size_is_result=True)), ())
    assert {result.nodes[i].op_type for i in result.for_sizes} == {"Concat"}


def test_what_a_graph_inside_reads_is_no_size() -> None:
    then = helper.make_graph([helper.make_node("Neg", ["a"], ["t"])], "t", [], [value("t", [4])])
    other = helper.make_graph([helper.make_node("Abs", ["a"], ["e"])], "e", [], [value("e", [4])])
    nodes = [
        helper.make_node("Relu", ["x"], ["a"]),
        helper.make_node("If", ["p"], ["y"], then_branch=then, else_branch=other),
    ]
    inputs = [value("x", [4]), value("p", [], np.bool_)]
    made = prepare_model(model(nodes, inputs, [value("y", [4])], {}, opset=17))
    assert NodeGraph(made, ()).for_sizes == set()


def test_a_concat_without_a_rank_is_in_no_kernel() -> None:
    then = helper.make_graph([helper.make_node("Neg", ["x"], ["a"])], "t", [], [value("a", None)])
    other = helper.make_graph(
        [helper.make_node("Flatten", ["x"], ["b"])], "e", [], [value("b", None)]
    )
    nodes = [
        helper.make_node("If", ["p"], ["i"], then_branch=then, else_branch=other),
        helper.make_node("Concat", ["i", "i"], ["j"], axis=0),
        helper.make_node("Add", ["j", "j"], ["k"]),
        helper.make_node("Softplus", ["k"], ["y"]),
    ]
    inputs = [value("x", [2, 3, 4]), value("p", [], np.bool_)]
    assert refused(model(nodes, inputs, [value("y", None)], {}, opset=17))
