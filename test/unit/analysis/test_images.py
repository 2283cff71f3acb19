"""Which values the cost model takes for images, and what follows for cuts and candidates."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import helper
from onnx_models import model, value

from snippets_mlir.analysis.engine.images import images_of
from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts, plan_cuts
from snippets_mlir.emit.host import body_of, find_entry
from snippets_mlir.frontends.onnx import import_graph, prepare_model

FOUR = (2, 8, 16, 16)


def made(*nodes: onnx.NodeProto, outputs: tuple[str, ...] = ("y",)) -> onnx.ModelProto:
    weights = {"w": np.ones((8, 8, 1, 1), np.float32)}
    used = {name for node in nodes for name in node.input}
    data = {name: array for name, array in weights.items() if name in used}
    inputs = [value(name, FOUR) for name in ("x", "z", "u") if name in used]
    return model(list(nodes), inputs, list(outputs), data)


def plan(of: onnx.ModelProto) -> Cuts:
    return plan_cuts(import_graph(prepare_model(of), products=True), "x86-64-avx512", 1)


def count_of_images(of: onnx.ModelProto) -> int:
    imported = import_graph(prepare_model(of))
    return len(images_of(body_of(find_entry(imported.module)).ops))


CONV = helper.make_node("Conv", ["x", "w"], ["c"])
GATE = helper.make_node("Sigmoid", ["c"], ["s"])


def test_what_follows_a_convolution_is_an_image() -> None:
    join = helper.make_node("Concat", ["c", "s"], ["y"], axis=1)
    assert count_of_images(made(CONV, GATE, join)) == 3


def test_a_transposed_image_is_none() -> None:
    moved = helper.make_node("Transpose", ["c"], ["y"], perm=[0, 2, 3, 1])
    assert count_of_images(made(CONV, moved)) == 1


def test_four_dims_alone_are_no_image() -> None:
    join = helper.make_node("Concat", ["x", "z"], ["c"], axis=1)
    last = helper.make_node("Sigmoid", ["c"], ["y"])
    assert count_of_images(made(join, last)) == 0


def test_a_cut_after_a_join_of_no_images_costs_no_layout() -> None:
    """The joined heads of a rotary embedding, and the joined branches of an inception block."""
    tail = [helper.make_node("Sigmoid", ["j"], ["s"]), helper.make_node("Det", ["s"], ["y"])]
    heads = [helper.make_node("Concat", ["x", "z"], ["j"], axis=1)]
    branches = [CONV, helper.make_node("Concat", ["c", "z"], ["j"], axis=1)]
    _, plain = plan(made(*heads, *tail)).candidates
    _, image = plan(made(*branches, *tail)).candidates
    assert plain.ops == image.ops == ("snippets.sigmoid",)
    assert plain.cut < image.cut


def attention(*between: str) -> onnx.ModelProto:
    names = ["p", *(f"t{i}" for i in range(len(between)))]
    nodes = [
        helper.make_node("MatMul", ["x", "z"], ["p"]),
        *(
            helper.make_node(op, [a], [b])
            for op, a, b in zip(between, names, names[1:], strict=False)
        ),
        helper.make_node("MatMul", [names[-1], "u"], ["y"]),
    ]
    return made(*nodes)


def test_an_attention_is_one_candidate() -> None:
    (one,) = plan(attention("Softmax")).candidates
    assert one.ops == ("snippets.matmul", "snippets.softmax", "snippets.matmul")


def test_products_without_a_softmax_are_two() -> None:
    first, second = plan(attention("Relu")).candidates
    assert first.ops == ("snippets.matmul", "snippets.relu")
    assert second.ops == ("snippets.matmul",)
