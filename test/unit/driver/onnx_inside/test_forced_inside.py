"""Kernels that `force_impl` has inside of a session, and what cannot be there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from image_models import GATED, HARD_SWISH, between_convolutions, by_onnxruntime
from onnx import TensorProto, helper
from onnx_models import model, value

import snippets_mlir
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.support.errors import CompileError

IMAGE = np.random.default_rng(0).normal(0, 1, (2, 3, 40, 40)).astype(np.float32)


@pytest.mark.parametrize("chain", [HARD_SWISH, GATED])
@pytest.mark.parametrize("count", [1, 2])
def test_what_is_forced_inside_is_there_whether_it_pays(
    chain: Sequence[onnx.NodeProto], count: int
) -> None:
    """The first nodes of a chain, one session, the same numbers; other nodes are in no kernel."""
    made = between_convolutions(chain, 16)
    nodes = [n for n in made.graph.node if n.op_type in ("Add", "Clip", "Mul", "Div")][:count]
    force = [f"{node.output[0]}:inside" for node in nodes]
    program = snippets_mlir.compile(made, num_threads=2, force_impl=force)
    wanted = by_onnxruntime(made, IMAGE)
    np.testing.assert_allclose(program(IMAGE), wanted, rtol=2e-5, atol=2e-5)
    assert program.kernels
    assert sum(line.count("Add") + line.count("Clip") for line in program.cuts) <= count
    assert all("(onnxruntime" in line for line in program.cuts)


def test_the_cache_has_what_was_forced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program with forced kernels inside is another one than the same model without them."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(stored, "program_key", program_key)
    made = between_convolutions(HARD_SWISH, 16)
    name = next(n for n in made.graph.node if n.op_type == "Clip").output[0]
    lines = {snippets_mlir.compile(made, num_threads=2).cuts}
    for known in (None, "session"):
        program = snippets_mlir.compile(made, num_threads=2, force_impl=[f"{name}:inside"])
        assert program.from_cache == known
        lines.add(program.cuts)
        wanted = by_onnxruntime(made, IMAGE)
        np.testing.assert_allclose(program(IMAGE), wanted, rtol=2e-5, atol=2e-5)
    assert len(lines) == 2


def test_what_is_refused() -> None:
    made = between_convolutions(HARD_SWISH, 16)
    clip = next(n for n in made.graph.node if n.op_type == "Clip").output[0]
    with pytest.raises(CompileError, match=r"inside is forced and refused it: .* not this Conv"):
        snippets_mlir.compile(made, force_impl=["*:inside"])(IMAGE)
    with pytest.raises(CompileError, match="no node matches 'nothing'; there are "):
        snippets_mlir.compile(made, force_impl=["nothing:inside"])(IMAGE)
    with pytest.raises(CompileError, match=rf"'{clip}:inside' needs the model in one session"):
        snippets_mlir.compile(made, force_impl=[f"{clip}:inside", "*:reference"])
    text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" + (
        "  %y = snippets.exp %x : tensor<4xf32>\n  func.return %y : tensor<4xf32>\n}"
    )
    with pytest.raises(CompileError, match='"y": inside is forced and refused it: chains of'):
        snippets_mlir.compile(text, force_impl=["y:inside"])


@pytest.mark.parametrize(
    "last",
    [
        helper.make_node("Greater", ["c", "a"], ["y"], name="last"),
        helper.make_node("IsNaN", ["c"], ["y"], name="last"),
        helper.make_node("Cast", ["c"], ["y"], name="last", to=TensorProto.INT32),
    ],
    ids=lambda node: node.op_type,
)
def test_results_of_other_types(last: onnx.NodeProto) -> None:
    """A kernel inside gives floats: it takes the nodes before, and the last one is refused."""
    nodes = [
        helper.make_node("ReverseSequence", ["x", "lengths"], ["a"]),
        helper.make_node("Elu", ["a"], ["b"], name="soft"),
        helper.make_node("Mul", ["b", "a"], ["c"], name="gate"),
        last,
    ]
    made = model(nodes, [value("x", (3, 5))], ["y"], {"lengths": np.full(5, 1, np.int64)})
    x = np.random.default_rng(1).standard_normal((3, 5)).astype(np.float32)
    program = snippets_mlir.compile(made, force_impl=["soft:inside", "gate:inside"])
    found, wanted = program(x), snippets_mlir.compile(made)(x)
    assert found.dtype == wanted.dtype
    assert (found == wanted).all()
    with pytest.raises(CompileError, match=f"inside is forced and refused it.*{last.op_type}"):
        snippets_mlir.compile(made, force_impl=["last:inside"])(x)


@pytest.mark.parametrize("rows", [3, "n"])
@pytest.mark.parametrize(
    ("force", "expected"),
    [
        (["soft:inside", "gate:inside"], "Elu, Mul"),
        (["gate:inside"], "Mul"),
        (["*:onnxruntime", "gate:inside"], "Mul"),
        (["soft:inside", "gate:inside", "soft:onnxruntime"], "Mul"),
        (["*:inside", "*:onnxruntime"], None),
    ],
)
def test_nodes_without_images(rows: int | str, force: list[str], expected: str | None) -> None:
    """A chain of a size that no cost model would care for; the last pair wins."""
    nodes = [
        helper.make_node("ReverseSequence", ["x", "lengths"], ["a"]),
        helper.make_node("Elu", ["a"], ["b"], name="soft"),
        helper.make_node("Mul", ["b", "a"], ["c"], name="gate"),
        helper.make_node("ReverseSequence", ["c", "lengths"], ["y"]),
    ]
    made = model(nodes, [value("x", (rows, 5))], ["y"], {"lengths": np.full(5, 1, np.int64)})
    program, plain = snippets_mlir.compile(made, force_impl=force), snippets_mlir.compile(made)
    for count in (3,) if rows == 3 else (3, 1, 3, 7):
        x = np.random.default_rng(1).standard_normal((count, 5)).astype(np.float32)
        np.testing.assert_allclose(program(x), plain(x), rtol=1e-5, atol=1e-6)
    if expected is None:  # later pairs take back all that is forced inside
        assert not program.cuts
        return
    (line,) = program.cuts
    assert line.startswith(f"inside the session: {expected}: chain0: a kernel saves ")
