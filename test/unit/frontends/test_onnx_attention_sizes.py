"""Attention of a model whose keys and values, or their caches, have dims of different names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx.reference import ReferenceEvaluator
from onnx_models import model, value

import snippets_mlir

Array = NDArray[Any]
NAMES = {"q": 0, "k": 1, "v": 2, "past": 4, "values": 5}


def made(dims: Mapping[str, tuple[int | str, ...]], **attributes: Any) -> onnx.ModelProto:
    inputs = [name if name in dims else "" for name in ("q", "k", "v", "", "past", "values")]
    outputs = ["y", "k2", "v2"] if "past" in dims else ["y"]
    while not inputs[-1]:
        inputs.pop()
    node = helper.make_node("Attention", inputs, outputs, name="a", **attributes)
    infos = [value(name, shape, np.float32) for name, shape in dims.items()]
    return model([node], infos, [value(n, None) for n in outputs], opset=23)


def drawn(rows: int, keys: int, past: int | None = None) -> dict[str, Array]:
    rng = np.random.default_rng(rows + keys)
    shapes = {"q": (1, 4, rows, 8), "k": (1, 2, keys, 8), "v": (1, 2, keys, 5)}
    if past is not None:
        shapes |= {"past": (1, 2, past, 8), "values": (1, 2, past, 5)}
    return {name: rng.standard_normal(s).astype(np.float32) for name, s in shapes.items()}


def check(program: Any, of: onnx.ModelProto, feed: Mapping[str, Array]) -> None:
    evaluator: Any = ReferenceEvaluator(of)
    results = program.run(dict(feed)).values()
    for found, right in zip(results, evaluator.run(None, dict(feed)), strict=True):
        np.testing.assert_allclose(found, right, 1e-5, 1e-6)


WITHOUT = {"q": (1, 4, "s", 8), "k": (1, 2, "t", 8), "v": (1, 2, "u", 5)}
WITH = {
    "q": (1, 4, 1, 8),
    "k": (1, 2, 1, 8),
    "v": (1, 2, 1, 5),
    "past": (1, 2, "p", 8),
    "values": (1, 2, "r", 5),
}


def test_names_of_keys_and_values():
    of = made(WITHOUT)
    program = snippets_mlir.compile(of, mark_skipped="none")
    for rows, keys in ((5, 9), (3, 17), (1, 2)):
        check(program, of, drawn(rows, keys))
        assert not program.opaque


def test_names_of_caches():
    """As PyTorch exports a decoder whose caches have dims that it does not know to be equal."""
    of = made(WITH)
    program = snippets_mlir.compile(of, mark_skipped="none")
    for past in (9, 17, 2):
        check(program, of, drawn(1, 1, past))
        assert not program.opaque


@pytest.mark.parametrize("name", ["v", "values"])
def test_other_lengths_are_an_error(name: str):
    of = made(WITHOUT if name == "v" else WITH)
    feed = drawn(5, 9) if name == "v" else drawn(1, 1, 9)
    program = snippets_mlir.compile(of, mark_skipped="none")
    program.run(feed)
    feed[name] = feed[name][:, :, :-1]
    with pytest.raises(ValueError, match="inconsistent"):
        program.run(feed)
