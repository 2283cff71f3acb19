"""Kernels inside of sessions compute what onnxruntime computes without them."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
import onnx
import pytest
from image_models import (
    GATED,
    HARD_SWISH,
    MEAN_GATED,
    between_convolutions,
    by_onnxruntime,
)
from onnx import helper, numpy_helper
from sampled import sampled

import snippets_mlir

BLOCK_SIZES = (1, 4, 8, 15, 16, 17, 20, 40)
"""Channels; onnxruntime blocks those that are a multiple of 4."""
CHAINS = {"hard_swish": HARD_SWISH, "gated": GATED, "mean_gated": MEAN_GATED}


@pytest.fixture
def _always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains are kernels however little they save."""
    monkeypatch.setattr("snippets_mlir.targets.implementations.offers.WORTH", 0.0)


def image(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 1, shape).astype(np.float32)


def compare(model: onnx.ModelProto, array: np.ndarray, kernels: int | None = None) -> None:
    compiled = snippets_mlir.compile(model, num_threads=2)
    found, wanted = compiled(array), by_onnxruntime(model, array)
    assert compiled.kernels
    assert kernels is None or len(compiled.kernels) == kernels
    np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-5)


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize(
    ("chain", "channels"), sampled([(chain, n) for chain in CHAINS for n in BLOCK_SIZES], 2)
)
def test_channels_that_fill_a_block_or_not(chain: str, channels: int) -> None:
    compare(between_convolutions(CHAINS[chain], channels), image(2, 3, 40, 40))


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize(
    ("exponent", "op"), [(np.array(2.0), "multiply"), (np.full((1, 1, 1), 3.0), "power_static")]
)
def test_an_exponent_is_part_of_the_kernel(exponent: np.ndarray, op: str) -> None:
    """x^2 is a product; with the exponent as an argument it would be a logarithm and an exp."""
    model = between_convolutions([helper.make_node("Pow", ["x", "exponent"], ["y"])])
    model.graph.initializer.append(numpy_helper.from_array(exponent.astype(np.float32), "exponent"))
    compiled = snippets_mlir.compile(model, num_threads=2)
    array = image(2, 3, 40, 40)
    wanted = by_onnxruntime(model, array)
    np.testing.assert_allclose(compiled(array), wanted, rtol=2e-5, atol=2e-5)
    (kernel,) = compiled.kernels
    assert kernel.ops == (f"snippets.{op}",)


@pytest.mark.parametrize("chain", CHAINS)
def test_sizes_that_calls_choose(chain: str) -> None:
    model = between_convolutions(CHAINS[chain], 24, ("n", 3, "h", "w"))
    compiled = snippets_mlir.compile(model, num_threads=2)
    for shape in ((2, 3, 40, 40), (1, 3, 1, 1), (3, 3, 17, 5), (2, 3, 40, 40), (5, 3, 2, 1)):
        array = image(*shape, seed=sum(shape))
        wanted = by_onnxruntime(model, array)
        np.testing.assert_allclose(compiled(array), wanted, rtol=2e-5, atol=2e-5)
        assert compiled.kernels
    assert compiled.compiled_times == 1


def test_numbers_that_are_none() -> None:
    model = between_convolutions(HARD_SWISH)
    array = image(2, 3, 40, 40)
    array[0, 0, :3, :3] = [[np.nan, np.inf, -np.inf], [-0.0, 0.0, 1e38], [1e-42, -1e-42, -1e38]]
    compiled = snippets_mlir.compile(model, num_threads=2)
    found, wanted = compiled(array), by_onnxruntime(model, array)
    assert (np.isnan(found) == np.isnan(wanted)).all()
    np.testing.assert_allclose(found[1], wanted[1], rtol=2e-5, atol=2e-5)


def test_a_result_that_the_caller_sees_is_plain() -> None:
    model = between_convolutions(HARD_SWISH)
    model.graph.output.append(helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None))
    array = image(2, 3, 40, 40)
    compiled = snippets_mlir.compile(model, num_threads=2)
    _, plain = compiled(array)
    session = between_convolutions(HARD_SWISH)
    session.graph.output[0].name = "y"
    np.testing.assert_allclose(plain, by_onnxruntime(session, array), rtol=2e-5, atol=2e-5)
    assert plain.shape == (2, 24, 40, 40)


def unsound(nodes: Sequence[onnx.NodeProto]) -> onnx.ModelProto:
    """Channels that fill up a block would be infinite or NaN."""
    return between_convolutions(nodes, 24, scale=0.1)


@pytest.mark.parametrize(
    "nodes",
    [
        [helper.make_node("Add", ["x", "six"], ["p"]), helper.make_node("Div", ["p", "x"], ["y"])],
        [helper.make_node("Abs", ["x"], ["p"]), helper.make_node("Log", ["p"], ["y"])],
        [helper.make_node("Reciprocal", ["x"], ["p"]), helper.make_node("Add", ["p", "p"], ["y"])],
    ],
)
def test_blocks_that_would_be_filled_up_with_infinities(nodes: list[onnx.NodeProto]) -> None:
    model, array = unsound(nodes), image(2, 3, 40, 40)
    compiled = snippets_mlir.compile(model, num_threads=2)
    wanted = by_onnxruntime(model, array)
    assert np.isfinite(wanted).all()
    np.testing.assert_allclose(compiled(array), wanted, rtol=1e-3, atol=1e-3)


def test_what_convolutions_compute_is_in_no_chain() -> None:
    model = between_convolutions([helper.make_node("Relu", ["x"], ["y"])])
    compiled = snippets_mlir.compile(model, num_threads=2)
    array = image(2, 3, 40, 40)
    np.testing.assert_array_equal(compiled(array), by_onnxruntime(model, array))
    assert compiled.kernels == ()


def test_small_images_are_left_alone() -> None:
    model = between_convolutions(HARD_SWISH, 4, (1, 3, 2, 2))
    compiled = snippets_mlir.compile(model, num_threads=2)
    compiled(image(1, 3, 2, 2))
    assert compiled.kernels == ()


def test_wrong_arrays_are_errors_by_name() -> None:
    compiled = snippets_mlir.compile(between_convolutions(HARD_SWISH), num_threads=2)
    with pytest.raises(ValueError, match="input 'in'"):
        compiled(image(2, 3, 40, 41))
    with pytest.raises(TypeError, match="input 'in'"):
        compiled(np.zeros((2, 3, 40, 40)))


def test_reports_and_ir() -> None:
    model = between_convolutions(GATED)
    for place, node in enumerate(model.graph.node):
        node.name = f"n{place}"
    compiled = snippets_mlir.compile(model, num_threads=2)
    compiled(image(2, 3, 40, 40))
    (kernel,) = compiled.kernels
    assert kernel.ops == ("snippets.multiply", "snippets.add")
    opaque = ["Conv", "GlobalAveragePool", "Conv", "HardSigmoid", "Conv"]
    assert [op.op for op in compiled.opaque] == [f"onnx.{name}" for name in opaque]
    assert "snippets.subgraph" in kernel.ir("subgraph")
    assert "lir.kernel @subgraph_0" in kernel.ir("lir")
    assert "define" in kernel.ir("llvm-ir")
    text = compiled.ir("program")  # the session is a node, whatever it has inside
    assert text.count("program.node ") == text.count('impl<"onnxruntime">') == 1
    assert text.count("onnx.node ") == len(model.graph.node)
    assert "inside the session: Mul, Add on blocked images" in "\n".join(compiled.cuts)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_runs_them() -> None:
    model, array = between_convolutions(HARD_SWISH), image(2, 3, 40, 40)
    compiled = snippets_mlir.compile(model, num_threads=2)
    wanted = compiled(array)
    if (child := os.fork()) == 0:
        os._exit(0 if np.array_equal(compiled(array), wanted) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_what_fails_is_one_session_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("this system loads no code from memory")

    monkeypatch.setattr("snippets_mlir.runtime.engine.inside.register", fail)
    model, array = between_convolutions(HARD_SWISH), image(2, 3, 40, 40)
    compiled = snippets_mlir.compile(model, num_threads=2)
    np.testing.assert_array_equal(compiled(array), by_onnxruntime(model, array))
    assert compiled.kernels == ()
    (line,) = [line for line in compiled.cuts if line.startswith("inside the session: none:")]
    assert "no code from memory" in line
