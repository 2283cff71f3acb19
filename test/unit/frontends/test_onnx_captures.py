"""Nodes with graph attributes (If, Loop, Scan) between kernels, and what they capture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx_models import model, run_reference, samples, value
from xdsl.dialects.func import FuncOp

import snippets_mlir
from snippets_mlir.emit.onnx_model import emit_onnx
from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

Array = NDArray[Any]

ROWS = samples(np.float32, 12).reshape(3, 4) / 8
HIDDEN = 5


def weights(gates: int) -> dict[str, Array]:
    """Those of an LSTM (4 gates) or GRU (3) on rows of 4."""
    shapes = {"w": (1, gates * HIDDEN, 4), "r": (1, gates * HIDDEN, HIDDEN)}
    return {
        f"{name}{gates}": samples(np.float32, int(np.prod(s)), gates).reshape(s) / 8
        for name, s in shapes.items()
    }


KNOWN: dict[str, Array] = {
    **weights(3),
    **weights(4),
    "zero": np.array(0, np.float32),
    "one": np.array(1, np.int64),
    "axis": np.array([0]),
    "trips": np.array(3),
    "row": samples(np.float32, 4),
}


def node(op: str, *names: str, outputs: Sequence[str] = (), **attributes: Any) -> onnx.NodeProto:
    """A node of one output, the last name, or of `outputs`."""
    found = outputs or names[-1:]
    return helper.make_node(op, names if outputs else names[:-1], found, **attributes)


def graph(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto] = (),
    outputs: Sequence[str | onnx.ValueInfoProto] = (),
) -> onnx.GraphProto:
    """A graph attribute; outputs given by name have no shape."""
    infos = [value(o, None) if isinstance(o, str) else o for o in outputs]
    return helper.make_graph(nodes, "inside", inputs, infos)


def chosen(result: str, then: onnx.GraphProto, other: onnx.GraphProto) -> onnx.NodeProto:
    return node("If", "positive", result, then_branch=then, else_branch=other)


def check(nodes: Sequence[onnx.NodeProto], *calls: Array) -> None:
    """`k` of a kernel goes into the nodes, their `i` into another kernel; values of onnxruntime.

    Kernels that pay are made, which are none in programs as small as these, or all that can be.
    """
    before = [
        node("Exp", "x", "e"),
        node("Mul", "e", "e", "k"),
        node("ReduceSum", "x", "total", keepdims=0),
        node("Greater", "total", "zero", "positive"),
    ]
    after = [node("Exp", "i", "j"), node("Mul", "j", "j", "y")]
    made = model(
        [*before, *nodes, *after], [value("x", ["n", 4])], [value("y", ["a", "b"])], KNOWN, opset=17
    )
    for marks in ("auto", "none"):
        m = snippets_mlir.compile(made, mark_skipped=marks)
        for x in calls:
            np.testing.assert_allclose(m(x), run_reference(made, [x])[0], 1e-5, 1e-5)
        assert bool(m.kernels) == (marks == "none")


def test_a_branch_that_is_not_taken_may_be_wrong_for_the_sizes_of_a_call():
    """With one row, all dims of 1 go, and a recurrent network would read a matrix."""
    check(
        [
            node("Shape", "k", "sizes"),
            node("Gather", "sizes", "axis", "rows"),
            node("Unsqueeze", "k", "axis", "k3"),
            node("Equal", "rows", "one", "is_one"),
            node("Not", "is_one", "several"),
            node("Squeeze", "several", "flag"),
            node(
                "If",
                "flag",
                "i",
                then_branch=graph(
                    [
                        node("Squeeze", "k3", "flat"),
                        node("Unsqueeze", "flat", "axis", "again"),
                        node("LSTM", "again", "w4", "r4", outputs=["", "h"], hidden_size=HIDDEN),
                        node("Squeeze", "h", "axis", "t"),
                    ],
                    outputs=["t"],
                ),
                else_branch=graph([node("Identity", "k", "f")], outputs=["f"]),
            ),
        ],
        ROWS[:1],
        ROWS,
    )


def test_recurrent_networks_in_branches():
    check(
        [
            node("Unsqueeze", "k", "axis", "k3"),
            chosen(
                "i3",
                graph(
                    [node("LSTM", "k3", "w4", "r4", outputs=["", "h4"], hidden_size=HIDDEN)],
                    outputs=[value("h4", [1, 3, HIDDEN])],
                ),
                graph(
                    [node("GRU", "k3", "w3", "r3", outputs=["", "h3"], hidden_size=HIDDEN)],
                    outputs=[value("h3", [1, "n", HIDDEN])],
                ),
            ),
            node("Squeeze", "i3", "axis", "i"),
        ],
        ROWS,
        -ROWS,
    )


def test_a_loop_whose_body_is_written_for_other_sizes():
    flow = [value("turn", [], np.int64), value("go", [], np.bool_)]
    body = graph(
        [node("Identity", "go", "on"), node("Add", "a", "k", "b"), node("Mul", "b", "row", "c")],
        [*flow, value("a", [7, 4])],
        [value("on", [], np.bool_), value("c", [7, 4])],
    )
    check([node("Loop", "trips", "", "x", "i", body=body)], ROWS, ROWS[:2])


def test_a_scan_that_captures():
    body = graph(
        [node("Add", "state", "one_row", "s"), node("Mul", "s", "row", "o")],
        [value("state", [4]), value("one_row", [4])],
        [value("s", [4]), value("o", [4])],
    )
    scan = node("Scan", "row", "k", outputs=["last", "i"], body=body, num_scan_inputs=1)
    check([scan], ROWS, ROWS[:2])


def test_graphs_in_graphs_and_a_capture_by_an_output():
    inner = [graph([node(op, "k", "row", "r")], outputs=["r"]) for op in ("Mul", "Sub")]
    check(
        [
            chosen(
                "i",
                graph([chosen("t", *inner)], outputs=["t"]),
                graph([node("Identity", "k", "f")], outputs=["f"]),
            )
        ],
        ROWS,
        -ROWS,
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_a_name_that_a_graph_defines_itself_is_its_own(sign: int):
    """`k` is captured by one branch, and an input of the loop in the other."""
    flow = [value("turn", [], np.int64), value("go", [], np.bool_)]
    body = graph(
        [node("Identity", "go", "on"), node("Neg", "k", "b")],
        [*flow, value("k", None)],
        [value("on", [], np.bool_), "b"],
    )
    check(
        [
            chosen(
                "i",
                graph([node("Abs", "k", "t")], outputs=["t"]),
                graph([node("Loop", "trips", "", "e", "f", body=body)], outputs=["f"]),
            )
        ],
        sign * ROWS,
    )


def test_the_versions_of_the_domains_of_a_branch():
    domain = "ai.onnx.ml"
    scale = node("Scaler", "x", "t", domain=domain, scale=[2.0], offset=[1.0])
    branches = [graph([scale], outputs=["t"]), graph([node("Neg", "x", "f")], outputs=["f"])]
    made = model(
        [chosen("y", *branches)],
        [value("x", [2]), value("positive", [], np.bool_)],
        [value("y", [2])],
        opset=17,
        domains=[domain],
    )
    module = import_model(made)
    module = parse_module(print_module(module), make_context())
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    emitted = onnx.ModelProto.FromString(emit_onnx(function))
    assert {o.domain: o.version for o in emitted.opset_import} == {"": 17, domain: 1}


@pytest.mark.parametrize("opset", [7, 8, 9])
def test_initializers_that_only_an_inner_graph_reads(opset: int) -> None:
    """Opsets before 9 have an IR version in which initializers were inputs."""
    text = f"""
        <ir_version: 8, opset_import: ["" : {opset}]>
        g (float[n,4] x) => (float[n,4] y)
        <int64 two = {{2}}, bool yes = {{1}}, float[4] w = {{1, 2, 3, 4}}>
        {{
            a = Exp(x)
            b = Mul(a, x)
            c = Loop(two, yes, b) <body: graph = body (int64 i, bool p, float[n,4] v)
                => (bool q, float[n,4] u) {{ q = Identity(p)  u = Add(v, w) }}>
            d = Exp(c)
            y = Mul(d, c)
        }}"""
    m = snippets_mlir.compile(onnx.parser.parse_model(text), mark_skipped="none")
    c = np.exp(ROWS) * ROWS + 2 * np.arange(1, 5, dtype=np.float32)
    np.testing.assert_allclose(m.run({"x": ROWS})["y"], np.exp(c) * c, rtol=1e-5)
    assert len(m.kernels) == 2
