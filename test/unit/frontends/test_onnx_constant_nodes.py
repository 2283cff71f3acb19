"""Nodes that compute from constants alone are computed at the import; their twins stay."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_checks import ops_of, reasons_of
from onnx_models import model, run_reference, samples, value

import snippets_mlir
from snippets_mlir.driver import MarkSkipped
from snippets_mlir.frontends.onnx.constant_plan import Plan, plan
from snippets_mlir.frontends.onnx.prepare import prepare

F32 = np.float32
N: Any = helper.make_node
MARKS: tuple[MarkSkipped, ...] = ("auto", "none")


def decided(made: onnx.ModelProto) -> Plan:
    """What is computed at the import of a model."""
    return plan(made.graph, prepare(made, None, None).inferred)


def check(made: onnx.ModelProto, ops: Sequence[str], x: Any) -> None:
    """The ops of the import, and the values of the compiled model beside onnxruntime's."""
    assert ops_of(made) == ops
    for mark in MARKS:
        found = snippets_mlir.compile(made, mark_skipped=mark).run({"x": x})
        for name, wanted in zip(found, run_reference(made, [x]), strict=True):
            np.testing.assert_allclose(found[name], wanted, 1e-6, 1e-7)


def scattered(
    nodes: Sequence[onnx.NodeProto] = (), weights: Mapping[str, Any] | None = None
) -> onnx.ModelProto:
    """x + sqrt(a mask), whose rows 0 and 2 are scattered, and other nodes."""
    chain = [
        N("ScatterND", ["zeros", "indices", "rows"], ["mask"]),
        N("Sqrt", ["mask"], ["root"]),
        N("Add", ["x", "root"], ["y"]),
    ]
    given = {
        "zeros": np.zeros((3, 4), F32),
        "indices": np.array([[0], [2]]),
        "rows": np.full((2, 4), 9, F32),
    }
    outputs = ["y", *(n for node in nodes for n in node.output)]
    return model([*chain, *nodes], [value("x", (3, 4))], outputs, {**given, **(weights or {})})


def test_a_chain_becomes_one_constant():
    made = scattered()
    assert decided(made) == Plan((0, 1), ("root",), frozenset({0, 1}), frozenset())
    check(made, ["snippets.add"], samples(F32, 12).reshape(3, 4))


def test_a_value_in_the_middle_is_read_too():
    made = scattered([N("Mul", ["x", "mask"], ["z"])])
    assert decided(made).results == ("mask", "root")
    check(made, ["snippets.add", "snippets.multiply"], samples(F32, 12).reshape(3, 4))


def test_a_constant_that_the_caller_gets():
    made = scattered([N("ReduceSum", ["root"], ["z"], keepdims=0)])
    assert decided(made).results == ("root", "z")
    check(made, ["snippets.add"], samples(F32, 12).reshape(3, 4))


def test_small_values_on_the_way_fold_by_themselves():
    """They need no session, and one that others read is no result of it."""
    made = scattered([N("Neg", ["rows"], ["less"]), N("Sub", ["less", "x"], ["z"])])
    made.graph.node[3].input[0] = "indices"
    made.graph.node[4].input[0] = "zeros"
    assert decided(made).results == ("root",)
    alone = model(
        [N("Unsqueeze", ["w", "axes"], ["u"]), N("Exp", ["u"], ["e"]), N("Add", ["x", "e"], ["y"])],
        [value("x", (1, 4))],
        ["y"],
        {"w": np.arange(4, dtype=F32), "axes": np.array([0])},
    )
    assert decided(alone) == Plan((), (), frozenset(), frozenset())
    check(alone, ["snippets.add"], samples(F32, 4).reshape(1, 4))


def test_positions_of_an_embedding():
    """Gather(table, ids) of constants is larger than what folds by itself."""
    made = model(
        [N("Gather", ["table", "ids"], ["rows"]), N("Add", ["x", "rows"], ["y"])],
        [value("x", (2, 90, 256))],
        ["y"],
        {"table": samples(F32, 512 * 256).reshape(512, 256), "ids": np.arange(90)[None] + 2},
    )
    assert decided(made).results == ("rows",)
    check(made, ["snippets.add"], samples(F32, 2 * 90 * 256).reshape(2, 90, 256))


def gone(node: onnx.NodeProto, inputs: Sequence[Any], weights: Mapping[str, Any]) -> frozenset[int]:
    """Which nodes go of `node`, which makes "c", and the sum of it and "x"."""
    nodes = [node, N("Add", ["x", "c"], ["y"])]
    return decided(model(nodes, inputs, ["y"], weights)).gone


def test_what_is_not_taken():
    x, w = value("x", (512, 300)), samples(F32, 300 * 512).reshape(300, 512)
    assert gone(N("RandomUniformLike", ["w"], ["c"]), [x], {"w": w.T}) == set()
    assert gone(N("Transpose", ["w"], ["c"]), [x], {"w": w}) == set()
    sizes = np.array([512, 300])
    assert gone(N("Reshape", ["w", "s"], ["c"]), [x], {"w": w, "s": sizes}) == set()
    assert gone(N("Expand", ["w", "s"], ["c"]), [x], {"w": w.T[:1], "s": sizes}) == set()
    scale = {"w": w.T.astype(np.int8), "s": np.array(0.5, F32)}
    assert gone(N("DequantizeLinear", ["w", "s"], ["c"]), [x], scale) == set()
    inner = helper.make_graph([N("Abs", ["w"], ["a"])], "inner", [], [value("a", (512, 300))])
    branches: dict[str, Any] = {"then_branch": inner, "else_branch": inner}
    chosen = {"w": w.T, "b": np.array(True)}
    assert gone(N("If", ["b"], ["c"], **branches), [x], chosen) == set()
    assert gone(N("Trilu", ["w"], ["c"]), [x, value("w", (512, 300))], {}) == set()
    assert gone(N("Trilu", ["w"], ["c"]), [x], {"w": w.T}) == {0}


def test_large_constants_stay_with_onnxruntime():
    """A kernel would compute them in every call."""
    w = samples(F32, 1100 * 1000).reshape(1100, 1000)
    nodes = [
        N("Mul", ["w", "g"], ["scaled"]),
        N("Transpose", ["scaled"], ["turned"], perm=[1, 0]),
        N("MatMul", ["x", "turned"], ["p"]),
        N("Softmax", ["p"], ["y"]),
    ]
    weights = {"w": w, "g": samples(F32, 1000)}
    made = model(nodes, [value("x", (3, 1000))], ["y"], weights)
    assert decided(made).stay == {0, 1}
    reasons = reasons_of(made)
    assert len(reasons) == 2
    assert all("a large constant that onnxruntime computes" in reason for reason in reasons)
    x = samples(F32, 3000).reshape(3, 1000) / 100
    found = snippets_mlir.compile(made, mark_skipped="none")(x)
    np.testing.assert_allclose(found, run_reference(made, [x])[0], 1e-4, 1e-6)


def test_what_onnxruntime_refuses_stays():
    """Its error is that of the model's own session."""
    nodes = [
        N("GatherND", ["w", "i"], ["c"]),
        N("LpNormalization", ["w"], ["d"]),
        N("Sum", ["x", "c", "d"], ["y"]),
    ]
    made = model(
        nodes, [value("x", (3, 4))], ["y"], {"w": np.ones((3, 4), F32), "i": np.array([[7]])}
    )
    assert decided(made).results == ("c", "d")
    assert len(reasons_of(made)) == 2
    with pytest.raises((ValueError, snippets_mlir.CompileError), match=r"GatherND|invalid index"):
        snippets_mlir.compile(made).run({"x": np.ones((3, 4), F32)})


def test_without_onnxruntime(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert "ScatterND" in reasons_of(scattered())[0]


@pytest.mark.parametrize("mark", MARKS)
def test_attention_of_windows(mark: MarkSkipped):
    """The mask and the relative places of a shifted window are constants of the kernels."""
    windows, tokens, width = 4, 9, 16
    index = np.arange(tokens * tokens) % 25
    nodes = [
        N("Gather", ["table", "index"], ["picked"]),
        N("Reshape", ["picked", "square"], ["grid"]),
        N("Transpose", ["grid"], ["bias"], perm=[2, 0, 1]),
        N("ScatterND", ["zeros", "corner", "ones"], ["areas"]),
        N("Unsqueeze", ["areas", "one"], ["rows"]),
        N("Unsqueeze", ["areas", "two"], ["columns"]),
        N("Sub", ["rows", "columns"], ["apart"]),
        N("Equal", ["apart", "zero"], ["same"]),
        N("Where", ["same", "zero", "low"], ["mask"]),
        N("Transpose", ["x"], ["turned"], perm=[0, 2, 1]),
        N("MatMul", ["x", "turned"], ["scores"]),
        N("Add", ["scores", "bias"], ["biased"]),
        N("Add", ["biased", "mask"], ["masked"]),
        N("Softmax", ["masked"], ["weights"]),
        N("MatMul", ["weights", "x"], ["y"]),
    ]
    weights = {
        "table": samples(F32, 25).reshape(25, 1),
        "index": index,
        "square": np.array([tokens, tokens, 1]),
        "zeros": np.zeros((windows, tokens), F32),
        "corner": np.array([[1, 3], [2, 0], [3, 8]]),
        "ones": np.ones(3, F32),
        "one": np.array([1]),
        "two": np.array([2]),
        "zero": np.array(0, F32),
        "low": np.array(-100, F32),
    }
    made = model(nodes, [value("x", (windows, tokens, width))], ["y"], weights)
    assert not reasons_of(made)
    x = samples(F32, windows * tokens * width).reshape(windows, tokens, width) / 4
    program = snippets_mlir.compile(made, mark_skipped=mark)
    np.testing.assert_allclose(program(x), run_reference(made, [x])[0], 1e-5, 1e-6)
    if mark == "none":
        assert [kernel.name for kernel in program.kernels]
        assert {step["kind"] for step in program.manifest["steps"]} <= {"kernel", "view"}


def test_a_large_constant_under_another_form_is_computed_with_what_reads_it():
    """Indices of relative places; the one that a kernel reads, too, is imported as it is."""
    index = np.arange(200 * 150).reshape(200, 150) % 50
    nodes = [
        N("Unsqueeze", ["index", "axes"], ["places"]),
        N("GatherND", ["table", "places"], ["picked"]),
        N("Add", ["x", "picked"], ["y"]),
    ]
    weights = {"table": samples(F32, 50), "index": index, "axes": np.array([2])}
    made = model(nodes, [value("x", (200, 150))], ["y"], weights)
    assert decided(made) == Plan((0, 1), ("picked",), frozenset({0, 1}), frozenset())
    check(made, ["snippets.add"], samples(F32, 30000).reshape(200, 150))
    read_twice = [
        N("Transpose", ["w"], ["t"]),
        N("Trilu", ["t"], ["c"]),
        N("Sub", ["t", "x"], ["z"]),
    ]
    nodes = [*read_twice, N("Add", ["z", "c"], ["y"])]
    weights = {"w": samples(F32, 30000).reshape(200, 150)}
    both = model(nodes, [value("x", (150, 200))], ["y"], weights)
    assert decided(both) == Plan((0, 1), ("c",), frozenset({1}), frozenset())
    x = samples(F32, 30000).reshape(150, 200)
    check(both, ["snippets.transpose", "snippets.subtract", "snippets.add"], x)


def repeating(nodes: Sequence[onnx.NodeProto]) -> onnx.ModelProto:
    """Nodes that read `grid`, a large Expand of `row`, and give `y`."""
    given: dict[str, Any] = {"row": np.linspace(-1, 1, 300, dtype=F32), "two": F32(2)}
    given |= {"shape": np.array([300, 300]), "w": np.full((300, 3), 0.01, F32)}
    first = N("Expand", ["row", "shape"], ["grid"])
    return model([first, *nodes], [value("x", (300, 3))], ["y"], given)


def test_what_repeats_elements_is_computed_for_what_does_not():
    nodes = [
        N("Mul", ["grid", "two"], ["twice"]),
        N("MatMul", ["twice", "w"], ["product"]),
        N("Softmax", ["product"], ["bias"]),
        N("Add", ["x", "bias"], ["y"]),
    ]
    assert decided(repeating(nodes)) == Plan(
        (0, 1, 2, 3), ("bias",), frozenset({0, 1, 2, 3}), frozenset()
    )
    check(repeating(nodes), ["snippets.add"], samples(F32, 900).reshape(300, 3))


def test_what_repeats_elements_is_no_constant_itself():
    """Kernels compute it in registers; 300 numbers stay, not 90000."""
    nodes = [
        N("Mul", ["grid", "two"], ["twice"]),
        N("Transpose", ["twice"], ["turned"]),
        N("MatMul", ["turned", "w"], ["product"]),
        N("Add", ["x", "product"], ["a"]),
        N("MatMul", ["turned", "a"], ["y"]),
    ]
    assert decided(repeating(nodes)) == Plan(
        (0, 1, 2, 3), ("product",), frozenset({3}), frozenset()
    )
