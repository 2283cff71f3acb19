"""Masks of Attention that onnxruntime refuses: of fewer columns than keys, and of one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from onnx_models import model, run_reference, save, value
from sampled import sampled

import snippets_mlir
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.frontends.onnx import import_model, prepare_model

Array = NDArray[Any]
Dims = Mapping[str, Sequence[int | str]]
NAMES = ("q", "k", "v", "m", "past", "values", "lengths")
EVERYWHERE: list[dict[str, Any]] = [{}, {"mark_skipped": "none"}, {"fallback": "error"}]
"""One session for small sizes, kernels beside sessions, and kernels alone."""


def attention(arrays: Mapping[str, Array], dims: Dims | None = None, **given: Any):
    """A model of one Attention; its inputs have the dims of the arrays, or others."""
    opset = given.pop("opset", 24)
    names = [name if name in arrays else "" for name in NAMES]
    while not names[-1]:
        names.pop()
    outputs = ["y", "k2", "v2"] if "past" in arrays else ["y"]
    node = helper.make_node("Attention", names, outputs, **given)
    infos = [value(n, (dims or {}).get(n, arrays[n].shape), arrays[n].dtype) for n in names if n]
    return model([node], infos, [value(n, None) for n in outputs], opset=opset)


def drawn(mask: Sequence[int], kind: type, *, rows: int = 6, keys: int = 9) -> dict[str, Array]:
    """Two heads of queries share one of keys; the third row of a mask of more rows hides all."""
    rng = np.random.default_rng(len(mask) + sum(mask))
    shapes = {"q": (2, 4, rows, 8), "k": (2, 2, keys, 8), "v": (2, 2, keys, 5)}
    found: dict[str, Array] = {
        name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()
    }
    numbers = rng.standard_normal(mask).astype(np.float32)
    found["m"] = numbers > -0.5 if kind is bool else numbers
    if len(mask) > 1 and mask[-2] > 2:
        found["m"][..., 2, :] = False if kind is bool else -np.inf
    return found


def wide(arrays: Mapping[str, Array], *, causal: int = 0) -> Array:
    """The result in float64."""
    q, k, v = (arrays[n].astype(np.float64) for n in "qkv")
    offset: Any = 0
    if "past" in arrays:
        offset = arrays["past"].shape[2]
        k, v = np.concatenate((arrays["past"], k), 2), np.concatenate((arrays["values"], v), 2)
    shared = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, shared, 1), np.repeat(v, shared, 1)
    scores: NDArray[np.float64] = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    rows, keys = np.arange(int(q.shape[2]))[:, None], np.arange(int(k.shape[2]))
    mask = arrays["m"]
    added = np.where(mask, 0.0, -np.inf) if mask.dtype == bool else mask
    missing = np.full((*mask.shape[:-1], len(keys) - mask.shape[-1]), -np.inf)
    added = np.broadcast_to(np.concatenate((added, missing), -1), scores.shape)
    if "lengths" in arrays:
        lengths = arrays["lengths"].reshape(-1, 1, 1, 1)
        added, offset = np.where(keys < lengths, added, -np.inf), lengths - len(rows)
    if causal:
        added = np.where(keys <= rows + offset, added, -np.inf)
    greatest = (scores + added).max(-1, keepdims=True)
    e = np.exp(scores + added - np.where(np.isinf(greatest), 0, greatest))
    total = e.sum(-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


def check(made: onnx.ModelProto, arrays: Mapping[str, Array], causal: int = 0, **how: Any):
    """Compile, run, and compare with float64; the program."""
    program = snippets_mlir.compile(made, **how)
    found = program.run(dict(arrays))["y"]
    np.testing.assert_allclose(found, wide(arrays, causal=causal), 1e-5, 1e-6)
    return program


LEADING = [(), (6,), (1,), (4, 6), (4, 1), (1, 1, 6), (2, 1, 1), (2, 4, 6)]


@pytest.mark.parametrize("how", EVERYWHERE, ids=["session", "beside", "kernels"])
def test_masks_of_known_sizes(how: dict[str, Any]):
    cases = [*product(LEADING, (0, 1, 8, 9), (0, 1), (bool, float))]
    for leading, columns, causal, kind in sampled(cases, 8):
        arrays = drawn((*leading, columns), kind)
        made = attention(arrays, is_causal=causal)
        program = check(made, arrays, causal, **how)
        if how:
            assert not program.opaque, (leading, columns)


@pytest.mark.parametrize(("kind", "columns"), sampled(product((bool, float), (1, 4, 9)), 3))
def test_lengths_of_keys(kind: type, columns: int):
    arrays = drawn((6, columns), kind)
    arrays["lengths"] = np.array([columns, 1], np.int64)
    for how in EVERYWHERE:
        check(attention(arrays, is_causal=1), arrays, 1, **how)


def test_onnxruntime_gives_the_same_with_the_whole_mask():
    arrays = drawn((4, 6, 5), float)
    whole = np.pad(arrays["m"], ((0, 0), (0, 0), (0, 4)), constant_values=-np.inf)
    padded = {**arrays, "m": whole}
    wanted = run_reference(attention(padded), [*padded.values()])[0]
    for how in EVERYWHERE:
        found = snippets_mlir.compile(attention(arrays), **how).run(dict(arrays))["y"]
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)


def test_three_dims_and_opset_23():
    arrays = drawn((6, 5), bool)
    wanted = wide(arrays).swapaxes(1, 2).reshape(2, 6, 20)
    flat = {
        n: arrays[n].swapaxes(1, 2).reshape(2, -1, arrays[n].shape[1] * w)
        for n, w in (("q", 8), ("k", 8), ("v", 5))
    }
    made = attention({**flat, "m": arrays["m"]}, opset=23, q_num_heads=4, kv_num_heads=2)
    for how in EVERYWHERE:
        found = snippets_mlir.compile(made, **how).run({**flat, "m": arrays["m"]})["y"]
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)


DYNAMIC: Dims = {"q": ("b", 4, "s", 8), "k": ("b", 2, "t", 8), "v": ("b", 2, "t", 5)}


@pytest.mark.parametrize("mask", [("s", "c"), ("b", 1, 1, "c"), ("s", 5), (1, "t")])
def test_sizes_of_a_call(mask: tuple[int | str, ...]):
    for kind, how in sampled(product((bool, float), EVERYWHERE[:2]), 2):
        program = None
        for s, t, c in ((6, 9, 5), (6, 9, 9), (7, 11, 1), (1, 8, 7)):
            sizes = {"b": 2, "s": s, "t": t, "c": c}
            shape = [d if isinstance(d, int) else sizes[d] for d in mask]
            arrays = drawn(shape, kind, rows=s, keys=t)
            if program is None:
                program = snippets_mlir.compile(attention(arrays, {**DYNAMIC, "m": mask}), **how)
            found = program.run(arrays)["y"]
            np.testing.assert_allclose(found, wide(arrays), 1e-5, 1e-6)
        if how:
            assert program is not None
            assert "onnx.Attention" not in [op.op for op in program.opaque]


def test_a_cache_of_a_size_of_the_call():
    arrays = drawn((6, 7), float)
    rng = np.random.default_rng(1)
    arrays["past"] = rng.standard_normal((2, 2, 3, 8)).astype(np.float32)
    arrays["values"] = rng.standard_normal((2, 2, 3, 5)).astype(np.float32)
    dims: Dims = {"past": (2, 2, "p", 8), "values": (2, 2, "p", 5), "m": (6, "c")}
    for how in EVERYWHERE[:2]:
        check(attention(arrays, dims), arrays, **how)


def test_more_columns_than_keys_are_an_error():
    for how in EVERYWHERE[:2]:
        arrays = drawn((6, 9), float)
        made = attention(arrays, {**DYNAMIC, "m": ("s", "c")})
        program = snippets_mlir.compile(made, **how)
        program.run(arrays)
        with pytest.raises(ValueError, match="onnxruntime"):
            program.run(drawn((6, 10), float))


def operators(made: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in prepare_model(made).model.graph.node]


def test_which_masks_get_columns():
    """A mask with a column for each key and the only column of opset 23 stay as they are."""
    assert operators(attention(drawn((6, 5), float))) == ["ConstantOfShape", "Concat", "Attention"]
    assert operators(attention(drawn((6, 9), float))) == ["Attention"]
    assert operators(attention(drawn((6, 10), float))) == ["Attention"]
    assert operators(attention(drawn((6, 1), float), opset=23)) == ["Attention"]
    assert len(operators(attention(drawn((6, 1), float)))) == 3
    whole = attention(drawn((6, 9), float), {**DYNAMIC, "m": ("s", "t")})
    assert operators(whole) == ["Attention"]
    assert prepare_model(whole).model is whole
    named = {**DYNAMIC, "m": ("s", "c")}
    assert operators(attention(drawn((6, 5), float), named, opset=23)) == ["Attention"]
    assert "Pad" in operators(attention(drawn((6, 5), float), named))
    rows: Dims = {"q": (2, 4, "s", 8), "m": ("s", 5)}
    assert operators(attention(drawn((6, 5), float), rows)) == ["Pad", "Attention"]


def test_layers_share_a_mask():
    arrays = drawn((6, 5), float)
    made = attention(arrays, {**DYNAMIC, "m": ("s", "c")})
    second = helper.make_node("Attention", ["q", "k", "v", "m"], ["z"])
    made.graph.node.append(second)
    made.graph.output.append(value("z", None))
    assert operators(made).count("Pad") == 1


def test_the_concat_is_part_of_a_kernel():
    module = str(import_model(attention(drawn((6, 5), bool)), products=True))
    assert "snippets.concat" in module
    assert "onnx.node" not in module


def test_rows_for_an_attention_beside_kernels():
    """An Attention stays with onnxruntime, and a Relu is a kernel."""
    arrays = drawn((1, 9), float)
    made = attention(arrays, {**DYNAMIC, "m": (1, "t")}, is_causal=1)
    made.graph.node.append(helper.make_node("Relu", ["y"], ["z"]))
    made.graph.output[0].name, made.graph.node[0].name = "z", "a"
    program = snippets_mlir.compile(made, mark_skipped="none", force_impl=["a:onnxruntime"])
    found = program.run(arrays)["z"]
    np.testing.assert_allclose(found, np.maximum(wide(arrays, causal=1), 0), 1e-5, 1e-6)
    assert program.kernels
    assert "onnx.Attention" in [op.op for op in program.opaque]


def test_a_mask_with_weights_in_another_file(tmp_path: Path):
    arrays = drawn((1, 9), float)
    made = attention(arrays)
    made.graph.initializer.append(numpy_helper.from_array(arrays["k"], "k"))
    del made.graph.input[1]
    save(made, tmp_path / "m.onnx", external="k.bin")
    rest = {name: array for name, array in arrays.items() if name != "k"}
    for _ in range(2):
        program = snippets_mlir.compile(tmp_path / "m.onnx")
        assert not program.kernels
        np.testing.assert_allclose(program.run(rest)["y"], wide(arrays), 1e-5, 1e-6)


def test_programs_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A call in which n is not p runs as one session; a model that is one is not kept."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored, "program_key", program_key)
    arrays = drawn((6, 5), float)
    made = attention(arrays, {**DYNAMIC, "m": ("s", "c")})
    made.graph.node.append(helper.make_node("Add", ["a", "b"], ["sum"]))
    made.graph.input.extend(value(name, (size,)) for name, size in (("a", "n"), ("b", "p")))
    made.graph.output.append(value("sum", None))
    long, short = np.ones(3, np.float32), np.ones(1, np.float32)
    for how, origin in zip(EVERYWHERE[:2], (None, "shared"), strict=True):
        for turn in range(2):
            program = snippets_mlir.compile(made, **how)
            assert program.from_cache == (origin if turn else None)
            for b in (long, short):
                found = program.run({**arrays, "a": long, "b": b})["y"]
                np.testing.assert_allclose(found, wide(arrays), 1e-5, 1e-6)
