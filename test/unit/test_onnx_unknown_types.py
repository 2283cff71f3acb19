"""Models that leave sizes, ranks and types of values open."""

from __future__ import annotations

import numpy as np
from onnx import helper
from onnx_models import model, run_reference, samples, value

import snippets_mlir


def test_sizes_of_minus_one_are_dynamic():
    """In inputs, outputs, values between, and in the graphs of an If."""
    graphs = [
        helper.make_graph([helper.make_node(op, ["r"], [op])], op, [], [value(op, [-1, 5, -1, -1])])
        for op in ("Neg", "Abs")
    ]
    made = model(
        [
            helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
            helper.make_node("Relu", ["c"], ["r"]),
            helper.make_node("If", ["choice"], ["i"], then_branch=graphs[0], else_branch=graphs[1]),
            helper.make_node("Exp", ["i"], ["y"]),
        ],
        [value("x", [-1, 3, -1, -1]), value("choice", [], np.bool_)],
        [value("y", [-1, -1, -1, -1]), value("r", [-1, 5, -1, -1])],
        {"w": samples(np.float32, 3 * 5 * 9).reshape(5, 3, 3, 3)},
    )
    made.graph.value_info.append(value("c", [-1, -1, -1, -1]))
    m = snippets_mlir.compile(made)
    assert m.inputs[0].shape == (None, 3, None, None)
    for shape in ((2, 3, 4, 5), (1, 3, 6, 2)):
        feeds = [samples(np.float32, int(np.prod(shape))).reshape(shape), np.array(shape[0] == 1)]
        for found, expected in zip(m(*feeds), run_reference(made, feeds), strict=True):
            np.testing.assert_allclose(found, expected, 1e-5, 1e-5)
