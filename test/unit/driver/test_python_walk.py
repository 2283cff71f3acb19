"""Models whose programs Python walks step by step get the kernels that pay against that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from cut_plans import planned_cuts
from onnx import helper
from onnx_models import model, run_reference, save, value

import snippets_mlir

TARGET = "x86-64-avx512"


def beside(dtype: Any, rows: int, *, cut: bool = False) -> onnx.ModelProto:
    """Two elementwise kernels, or a node between them, and a choice of words or numbers."""
    nodes = [
        helper.make_node("Elu", ["x"], ["a"]),
        helper.make_node("Det" if cut else "Identity", ["a"], ["d"]),
        helper.make_node("Softmax", ["a"], ["y"]),
        helper.make_node("Gather", ["t", "i"], ["u"]),
    ]
    element = onnx.TensorProto.STRING if dtype is str else onnx.TensorProto.INT64
    words, some = (helper.make_tensor_value_info(n, element, [k]) for n, k in (("t", 3), ("u", 2)))
    return model(
        nodes if cut else [nodes[0], *nodes[2:]],
        [value("x", (rows, rows)), words],
        [value("y", (rows, rows)), some, *(["d"] if cut else [])],
        {"i": np.array([2, 0])},
    )


@pytest.mark.parametrize(
    ("dtype", "rows", "kernels"), [(np.int64, 64, True), (str, 64, False), (str, 1024, True)]
)
def test_kernels_have_to_pay_for_the_walk(
    tmp_path: Path, dtype: Any, rows: int, kernels: bool
) -> None:
    made = beside(dtype, rows)
    save(made, tmp_path / "m.onnx")
    program = snippets_mlir.compile(tmp_path / "m.onnx", num_threads=1)
    x = np.random.default_rng(0).standard_normal((rows, rows)).astype(np.float32)
    words = np.array(["a", "b", "c"], object) if dtype is str else np.arange(3)
    for _ in range(3):
        found, some = program(x, words)
        wanted, chosen = run_reference(made, [x, words])
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-7)
        assert some.tolist() == chosen.tolist()
    assert bool(program.kernels) == kernels


def test_a_kernel_that_cuts_is_two_steps() -> None:
    """The plan says so: the kernel takes a step more, and so does the session that it cuts off."""
    numbers, words = (
        planned_cuts(beside(dtype, 64, cut=True), (), TARGET, 1)[1].candidates
        for dtype in (np.int64, str)
    )
    for native, walked in zip(numbers, words, strict=True):
        assert walked.engine == native.engine
        assert walked.kernel - native.kernel == pytest.approx(15_000)
        assert walked.cut - native.cut == pytest.approx(15_000 if native.cut else 0)
    assert any(one.cut for one in numbers)


@pytest.mark.parametrize(
    ("operator", "rows", "kernels"),
    [("NonZero", 64, False), ("NonZero", 1024, True), ("Det", 64, True)],
)
def test_kernels_have_to_pay_for_outputs_of_unknown_size(
    tmp_path: Path, operator: str, rows: int, kernels: bool
) -> None:
    nodes = [
        helper.make_node("Elu", ["x"], ["a"]),
        helper.make_node("Softmax", ["a"], ["y"]),
        helper.make_node(operator, ["x"], ["u"]),
    ]
    made = model(nodes, [value("x", (rows, rows))], ["y", "u"])
    save(made, tmp_path / "m.onnx")
    program = snippets_mlir.compile(tmp_path / "m.onnx", num_threads=1)
    x = np.maximum(np.random.default_rng(0).standard_normal((rows, rows)), 0).astype(np.float32)
    for _ in range(3):
        for found, wanted in zip(program(x), run_reference(made, [x]), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-7)
    assert bool(program.kernels) == kernels
