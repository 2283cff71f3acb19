"""RotaryEmbedding with caches or ids of one batch for all, as PyTorch exports Llama."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx.reference import ReferenceEvaluator
from onnx_checks import execute
from onnx_models import model, run_reference, value
from sampled import alternating, sampled

import snippets_mlir

Array = NDArray[Any]
RNG = np.random.default_rng(23)
IDS = np.array([[3, 0, 4, 1]])
WAYS: dict[str, dict[str, Any]] = {
    "session": {},
    "kernels": {"fallback": "error"},
    "beside": {"mark_skipped": "none", "force_impl": ["t:onnxruntime"]},
}


def drawn(rank: int, batch: int, rows: int = 4) -> Array:
    shape = (batch, rows, 16) if rank == 3 else (batch, 2, rows, 8)
    return RNG.standard_normal(shape).astype(np.float32)


def caches(ids: bool, rows: int = 4) -> list[Array]:
    angles = RNG.standard_normal((5, 4) if ids else (1, rows, 4)).astype(np.float32)
    return [np.cos(angles), np.sin(angles), *([IDS] if ids else [])]


def made(given: list[Array], dynamic: bool = False, **attributes: Any) -> onnx.ModelProto:
    """The embedding of the exponential of the first input."""
    names = ["x", "c", "s", "i"][: len(given)]
    if len(given[0].shape) == 3:
        attributes["num_heads"] = 2
    node = helper.make_node("RotaryEmbedding", ["e", *names[1:]], ["y"], name="t", **attributes)
    shape = ("b", *given[0].shape[1:]) if dynamic else given[0].shape
    shapes = [shape, *(a.shape for a in given[1:])]
    inputs = [value(n, s, a.dtype) for n, s, a in zip(names, shapes, given, strict=True)]
    return model([helper.make_node("Exp", ["x"], ["e"]), node], inputs, ["y"], opset=23)


def reference(of: onnx.ModelProto, given: list[Array]) -> Array:
    feed = dict(zip(["x", "c", "s", "i"], given, strict=False))
    evaluator: Any = ReferenceEvaluator(of)
    return evaluator.run(None, feed)[0]


@pytest.mark.parametrize(
    ("rank", "ids", "interleaved", "way"),
    sampled(product((3, 4), (False, True), (0, 1), WAYS), 4),
)
def test_one_batch_for_all(rank: int, ids: bool, interleaved: int, way: str):
    given = [drawn(rank, 3), *caches(ids)]
    wanted = reference(made(given, interleaved=interleaved), given)
    for dynamic in (False, True):
        of = made(given, dynamic, interleaved=interleaved)
        np.testing.assert_allclose(execute(of, given)[0], wanted, 1e-5, 1e-6)
        program = snippets_mlir.compile(of, **WAYS[way])
        np.testing.assert_allclose(program(*given), wanted, 1e-5, 1e-6)
        assert bool(program.kernels) == (way != "session")


@pytest.mark.parametrize(("way", "ids"), alternating(WAYS, [False, True]))
def test_other_batches(ids: bool, way: str):
    rest = caches(ids)
    program = snippets_mlir.compile(made([drawn(4, 2), *rest], True), **WAYS[way])
    for batch in (2, 1, 7) if way == "kernels" else (2, 1, 0, 7):
        given = [drawn(4, batch), *rest]
        np.testing.assert_allclose(program(*given), reference(made(given), given), 1e-5, 1e-6)


def test_onnxruntime_refuses_them():
    """Otherwise there would be nothing to add."""
    given = [drawn(4, 2), *caches(False)]
    with pytest.raises(Exception, match="same shape"):
        run_reference(made(given), given)


def test_batches_that_are_neither_one_nor_the_same():
    given = [drawn(4, 3), *(np.concatenate((c, c)) for c in caches(False))]
    with pytest.raises(snippets_mlir.CompileError) as error:
        snippets_mlir.compile(made(given), fallback="error")
    assert "RotaryEmbedding of 3x2x4x8 with cosines 2x4x4" in str(error.value)
