"""Executors: sessions of onnxruntime for regions, NumPy for single ops."""

from __future__ import annotations

import numpy as np
import pytest
from executed_regions import function_of, run
from onnx import helper
from onnx_models import model, run_reference, samples, single, value

from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.passes.building.sessions import sessions_of
from snippets_mlir.passes.program.host_plan import is_engine_op
from snippets_mlir.runtime.engine.executors import make_executor


@pytest.mark.usefixtures("foreign_products")
def test_region_with_constants_and_two_threads():
    made = model(
        [
            helper.make_node("MatMul", ["x", "w"], ["t"]),
            helper.make_node("LpNormalization", ["t"], ["y"]),
        ],
        [value("x", [2, 3])],
        ["y"],
        {"w": samples(np.float32, 12).reshape(3, 4)},
    )
    run(made, [samples(np.float32, 6).reshape(2, 3)], threads=2)


def test_optional_input_left_out():
    x, scales = samples(np.float32, 16).reshape(1, 1, 4, 4), np.array([1, 1, 2, 2], np.float32)
    run(single("Resize", [x, None, scales], constants=[2], mode="nearest"), [x])


def test_optional_output_left_out_and_several_outputs():
    x = samples(np.float32, 16).reshape(1, 1, 4, 4)
    node = helper.make_node("MaxPool", ["x"], ["", "i"][::-1], kernel_shape=[2, 2])
    assert len(run(model([node], [value("x", [1, 1, 4, 4])], ["i"]), [x])) == 1
    assert (
        len(
            run(
                single("TopK", [samples(np.float32), np.array([3])], outputs=2),
                [samples(np.float32), np.array([3])],
            )
        )
        == 2
    )


def test_if_with_captured_values_and_a_nested_graph():
    inner = [
        helper.make_graph([helper.make_node(op, ["w", "s"], ["r"])], op, [], [value("r", [2])])
        for op in ("Add", "Mul")
    ]
    choose = helper.make_node("If", ["d"], ["t"], then_branch=inner[0], else_branch=inner[1])
    then = helper.make_graph([choose], "then", [], [value("t", [2])])
    other = helper.make_graph(
        [helper.make_node("Softmax", ["s"], ["e"])], "else", [], [value("e", [2])]
    )
    made = model(
        [
            helper.make_node("LpNormalization", ["x"], ["s"]),
            helper.make_node("If", ["c"], ["y"], then_branch=then, else_branch=other),
        ],
        [value("c", [], np.bool_), value("d", [], np.bool_), value("x", [2])],
        [value("y", [2])],
        {"w": np.array([2.0, 3.0], np.float32)},
    )
    for c in (False, True):
        for d in (False, True):
            run(made, [np.array(c), np.array(d), samples(np.float32, 2)])


def test_loop_with_a_carried_value():
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["on"]),
            helper.make_node("Add", ["a", "x"], ["b"]),
        ],
        "body",
        [value("i", [], np.int64), value("go", [], np.bool_), value("a", [2])],
        [value("on", [], np.bool_), value("b", [2])],
    )
    made = model(
        [helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)],
        [value("n", [], np.int64), value("x", [2])],
        [value("y", [2])],
    )
    run(made, [np.array(3), samples(np.float32, 2)])


def test_values_called_like_names_inside_a_graph_attribute():
    """%t of the region and `t` of the graph attribute are different values."""
    graphs = [
        helper.make_graph([helper.make_node(op, ["x"], ["t"])], op, [], [value("t", [2])])
        for op in ("Neg", "Softmax")
    ]
    made = model(
        [helper.make_node("If", ["c"], ["y"], then_branch=graphs[0], else_branch=graphs[1])],
        [value("c", [], np.bool_), value("x", [2])],
        [value("y", [2])],
    )
    (function,) = import_model(made).ops
    text = str(function).replace("%x", "%t").replace("%c", "%x")
    x = samples(np.float32, 2)
    for c in (False, True):
        (found,) = make_executor(function_of(text))([np.array(c), x])
        np.testing.assert_allclose(found, run_reference(made, [np.array(c), x])[0], 1e-6)


def test_region_that_returns_an_input_a_constant_and_a_value_twice():
    types = ", ".join(["tensor<2xf32>"] * 4)
    text = f"""
    func.func @r(%x: tensor<2xf32>) -> ({types}) {{
      %w = snippets.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %s = snippets.scalar 3.0 : f32
      %y = onnx.node "Add"(%x, %s) {{domain = "", version = 13 : i64}}
        : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      func.return %x, %w, %y, %y : {types}
    }}"""
    x = samples(np.float32, 2)
    found = make_executor(function_of(text))([x])
    for array, expected in zip(found, [x, [1, 2], x + 3, x + 3], strict=True):
        np.testing.assert_array_equal(array, np.array(expected, np.float32))


def test_arrays_that_are_not_dense():
    x = samples(np.float32, 24).reshape(4, 6)
    made = single("Softmax", [x[:, ::2]])
    run(made, [x[:, ::2]])
    raw = np.zeros(4 * 12 + 1, np.uint8)[1:].view(np.float32).reshape(4, 3)
    run(made, [raw])


def test_snippets_ops_that_no_kernel_holds():
    text = """
    func.func @r(%x: tensor<2x3xf16>) -> tensor<6xf16> {
      %c = snippets.scalar 1.0 : f16
      %0 = snippets.multiply %x, %x : tensor<2x3xf16>
      %1 = snippets.add %0, %c : (tensor<2x3xf16>, tensor<f16>) -> tensor<2x3xf16>
      %2 = snippets.reshape %1 : (tensor<2x3xf16>) -> tensor<6xf16>
      func.return %2 : tensor<6xf16>
    }"""
    x = samples(np.float16, 6).reshape(2, 3)
    (found,) = make_executor(function_of(text))([x])
    np.testing.assert_array_equal(found, (x * x + np.float16(1)).reshape(6))


def region(op: str, attributes: str, *, types: str = "(tensor<2xf32>) -> tensor<2xf32>") -> str:
    return f"""
    func.func @r(%x: tensor<2xf32>) -> tensor<2xf32> {{
      %0 = onnx.node "{op}"(%x) {{{attributes}}} : {types}
      func.return %0 : tensor<2xf32>
    }}"""


@pytest.mark.parametrize("opset", [7, 13])
def test_skipped_ops_run_in_the_session_of_their_neighbours(opset: int):
    ops = {
        "relu": "",
        "sigmoid": "",
        "tanh": "",
        "softplus": "",
        "softsign": "",
        "hsigmoid": "",
        "leaky_relu": "alpha = 0.1, ",
        "elu": "alpha = 0.5, ",
        "clamp": "min = -0.5, max = 1.5, ",
    }
    x = samples(np.float32, 6).reshape(2, 3)
    for op, attributes in ops.items():
        text = f"""
        func.func @r(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {{
          %w = snippets.constant dense<[0.5, 2.0, -1.0]> : tensor<3xf32>
          %0 = snippets.multiply %x, %w {{snippets.skipped = "t"}}
            : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
          %1 = snippets.{op} %0 {{{attributes}snippets.skipped = "t"}} : tensor<2x3xf32>
          %2 = snippets.add %1, %x {{snippets.skipped = "t"}} : tensor<2x3xf32>
          NODE
          func.return %2 : tensor<2x3xf32>
        }}"""
        node = f"""%3 = onnx.node "Abs"(%2) {{domain = "", version = {opset} : i64}}
          : (tensor<2x3xf32>) -> tensor<2x3xf32>"""
        alone, beside = text.replace("NODE", ""), text.replace("NODE", node)
        (region,) = sessions_of(function_of(beside).body.block.ops, is_engine_op)
        assert len(region) == 4
        (expected,) = make_executor(function_of(alone))([x])  # by NumPy
        (found,) = make_executor(function_of(beside))([x])
        np.testing.assert_allclose(found, expected, 1e-5, 1e-6)
