"""Causal Attention of numbers of queries and keys that a call decides, against ONNX's reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx.reference import ReferenceEvaluator
from onnx_models import model, value
from sampled import sampled

import snippets_mlir

Array = NDArray[Any]
Dims = Mapping[str, Sequence[int | str]]
INPUTS = ("q", "k", "v", "m", "past", "values", "lengths")
ROWS = (17, 1, 2, 15, 16, 130)
PLAIN: Dims = {"q": ("b", 4, "s", 16), "k": ("b", 2, "s", 16), "v": ("b", 2, "s", 24)}
FLAT: Dims = {"q": ("b", "s", 64), "k": ("b", "s", 32), "v": ("b", "s", 32)}
CROSS: Dims = {**PLAIN, "k": ("b", 2, "t", 16), "v": ("b", 2, "t", 24)}
CACHED: Dims = {**PLAIN, "past": ("b", 2, "p", 16), "values": ("b", 2, "p", 24)}
HEADS = {"q_num_heads": 4, "kv_num_heads": 2}


def made(dims: Dims, opset: int = 23, kind: type = np.float32, **attributes: Any):
    names = [name if name in dims else "" for name in INPUTS]
    while not names[-1]:
        names.pop()
    outputs = ["y", "k2", "v2"] if "past" in dims else ["y"]
    node = helper.make_node("Attention", names, outputs, is_causal=1, **attributes)
    kinds: dict[str, Any] = {"m": kind, "lengths": np.int64}
    infos = [value(n, dims[n], kinds.get(n, np.float32)) for n in names if n]
    return model([node], infos, [value(n, None) for n in outputs], opset=opset)


def drawn(dims: Dims, sizes: Mapping[str, int], kind: type = np.float32) -> dict[str, Array]:
    rng = np.random.default_rng(sum(sizes.values()))
    found: dict[str, Array] = {}
    for name, shape in dims.items():
        drawn = rng.standard_normal([sizes[s] if isinstance(s, str) else s for s in shape])
        found[name] = drawn.astype(np.float32)
    if "m" in found and kind is bool:
        found["m"] = found["m"] > -0.5
    if "lengths" in dims:
        found["lengths"] = rng.integers(1, sizes["t"] + 1, sizes["b"])
    return found


def check(program: Any, of: onnx.ModelProto, feed: Mapping[str, Array]) -> None:
    """Compare with the reference, which needs a row of the mask for each query."""
    reference: Any = ReferenceEvaluator(of)
    whole = dict(feed)
    if "m" in feed:
        mask = feed["m"]
        whole["m"] = np.broadcast_to(mask, (*mask.shape[:-2], feed["q"].shape[2], mask.shape[-1]))
    found = list(program.run(dict(feed)).values())
    for y, wanted in zip(found, reference.run(None, whole), strict=True):
        assert y.shape == wanted.shape
        np.testing.assert_allclose(y, wanted, 2e-5, 2e-6)


def in_kernels(program: Any) -> int:
    """How many kernels the program has, one of which is the whole attention."""
    assert "onnx.Attention" not in [op.op for op in program.opaque]
    assert [k.ops.count("snippets.matmul") for k in program.kernels].count(2) == 1
    return len(program.kernels)


@pytest.mark.parametrize(("dims", "attributes"), [(PLAIN, {}), (FLAT, HEADS)], ids=["4d", "3d"])
def test_as_many_queries_as_keys(dims: Dims, attributes: dict[str, Any]):
    """A kernel counts the places; the other one is the attention."""
    of = made(dims, **attributes)
    program = snippets_mlir.compile(of, mark_skipped="none")
    for batch, rows in product((2, 1), ROWS):
        check(program, of, drawn(dims, {"b": batch, "s": rows}))
        assert in_kernels(program) == 2


def test_many_queries():
    """Scores have a diagonal; results do not change at the edges of blocks."""
    of = made(PLAIN)
    program = snippets_mlir.compile(of, mark_skipped="none")
    for rows in sampled([129, 256, 257, 300, 511, 1000, 1543], 3):
        check(program, of, drawn(PLAIN, {"b": 1, "s": rows}))
    marked = [k.ir("subgraph") for k in program.kernels]
    assert ["snippets.diagonal = 0" in text for text in marked].count(True) == 1


def test_other_keys_than_queries():
    of = made(CROSS)
    program = snippets_mlir.compile(of, mark_skipped="none")
    for rows, keys in sampled([*product(ROWS, ROWS)], 12):
        check(program, of, drawn(CROSS, {"b": 2, "s": rows, "t": keys}))
        assert in_kernels(program) == 3


@pytest.mark.parametrize("rows", [None, 1, 5])
def test_after_a_cache(rows: int | None):
    """Joined caches are outputs, too. One query sees all keys: nothing counts places."""
    counted = 0 if rows == 1 else 1
    dims = CACHED if rows is None else {n: (*s[:2], rows, s[3]) for n, s in PLAIN.items()}
    dims = {**dims, "past": CACHED["past"], "values": CACHED["values"]}
    of = made(dims)
    program = snippets_mlir.compile(of, mark_skipped="none")
    for number, past in sampled([*product((5, 1, 17, 64), (*ROWS, 0))], 12):
        check(program, of, drawn(dims, {"b": 2, "s": number, "p": past}))
        assert not past or (not program.opaque and in_kernels(program))
        found = [k.ops.count("snippets.cum_sum") for k in program.kernels]
        assert not past or sum(found) == counted


def attended(feed: Mapping[str, Array], kept: Array) -> Array:
    """The result in f64: 0 in rows that keep no key."""
    q, k, v = (feed[name].astype(np.float64) for name in ("q", "k", "v"))
    if "past" in feed:
        k, v = np.concatenate([feed["past"], k], 2), np.concatenate([feed["values"], v], 2)
    k, v = (np.repeat(x, 2, axis=1) for x in (k, v))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    scores = np.where(kept, scores, -np.inf)
    scores -= np.maximum(scores.max(axis=-1, keepdims=True), np.finfo(np.float32).min)
    e = np.exp(scores)
    total = e.sum(axis=-1, keepdims=True)
    return (e @ v) / np.where(total == 0, 1, total)


def sees(rows: int, past: int) -> Array:
    return np.arange(rows + past) <= past + np.arange(rows)[:, None]


def test_many_queries_after_a_cache():
    """The diagonal is how many keys the cache has; blocks of rows end there."""
    of = made(CACHED)
    program = snippets_mlir.compile(of, mark_skipped="none")
    drawn_sizes = product((15, 63, 65, 129, 300, 513, 1000), (0, 1, 15, 16, 17, 63, 64, 65, 700))
    for rows, past in [(300, 64), *sampled(drawn_sizes, 6)]:
        feed = drawn(CACHED, {"b": 1, "s": rows, "p": past})
        y = program.run(dict(feed))["y"]
        np.testing.assert_allclose(y, attended(feed, sees(rows, past)), 2e-5, 2e-6)
        texts = [k.ir("lir-brgemm-row-blocks") for k in program.kernels]
        found = ["diagonal ?2 of" in text for text in texts]
        assert not past or found.count(True) == 1


@pytest.mark.parametrize("past", [0, 130])
def test_keys_after_the_block_are_not_read(past: int):
    """The last key is after all rows but the last one."""
    of = made(CACHED)
    program = snippets_mlir.compile(of, mark_skipped="none")
    feed = drawn(CACHED, {"b": 1, "s": 300, "p": past})
    feed["v"][:, :, -1] = np.inf
    y = program.run(dict(feed))["y"]
    assert not past or np.isfinite(y[:, :, :128]).all()
    assert not np.isfinite(y[:, :, -1]).any()


MASKS = [(1, 1, "s", "t"), ("s", "t"), ("b", 1, 1, "t"), ("b", 4, "s", "t")]


@pytest.mark.parametrize(
    ("mask", "cached", "opset", "kind"),
    sampled(product(MASKS, (False, True), (23, 24), (bool, np.float32)), 4),
)
def test_with_a_mask(mask: Sequence[int | str], cached: bool, opset: int, kind: type):
    """A mask that hides all keys that a query sees leaves zeros."""
    dims = {**(CACHED if cached else CROSS), "m": mask}
    of = made(dims, opset, kind)
    program = snippets_mlir.compile(of, mark_skipped="none")
    for rows, past in ((7, 9), (17, 30), (1, 16), (33, 1)):
        sizes = {"b": 2, "s": rows, "p": past, "t": rows + past if cached else past}
        check(program, of, drawn(dims, sizes, kind))
        in_kernels(program)


@pytest.mark.parametrize("kind", [bool, np.float32])
def test_many_queries_with_a_mask(kind: type):
    """Blocks of rows end at the diagonal; rows whose keys are all hidden are 0."""
    dims = {**CACHED, "m": ("b", 1, 1, "t")}
    of = made(dims, 24, kind)
    program = snippets_mlir.compile(of, mark_skipped="none")
    for rows, past in sampled(product((129, 300, 513), (1, 16, 63, 65)), 3):
        feed = drawn(dims, {"b": 1, "s": rows, "p": past, "t": rows + past}, kind)
        hides = False if kind is bool else -np.inf
        feed["m"][..., : past + 20] = hides
        kept = feed["m"] if kind is bool else feed["m"] > -np.inf
        if kind is not bool:
            feed["m"][kept] = 0
        wanted = attended(feed, kept & sees(rows, past))
        y = program.run(dict(feed))["y"]
        np.testing.assert_allclose(y, wanted, 2e-5, 2e-6)
        assert not y[:, :, :20].any()
        texts = [k.ir("lir-brgemm-row-blocks") for k in program.kernels]
        assert ["diagonal ?3 of" in text for text in texts].count(True) == 1


def test_queries_at_the_end_of_their_keys():
    dims: Dims = {**CROSS, "lengths": ("b",)}
    of = made(dims, 24)
    program = snippets_mlir.compile(of, mark_skipped="none")
    for rows, keys in ((5, 9), (9, 9), (3, 64), (17, 17), (1, 2)):
        check(program, of, drawn(dims, {"b": 3, "s": rows, "t": keys}))
        in_kernels(program)


@pytest.mark.parametrize("dims", sampled([PLAIN, CACHED], 2))
def test_windows(dims: Dims):
    of = made(dims, 25, left_window_size=4)
    program = snippets_mlir.compile(of, mark_skipped="none")
    for rows, past in ((5, 9), (17, 3), (40, 64), (1, 16)):
        check(program, of, drawn(dims, {"b": 2, "s": rows, "p": past}))
        in_kernels(program)


def test_hidden_keys_do_not_count():
    """Not even NaN in the keys; values are finite."""
    of = made(PLAIN)
    program = snippets_mlir.compile(of, fallback="error")
    for rows in (5, 70):
        feed = drawn(PLAIN, {"b": 1, "s": rows})
        wanted = program.run(dict(feed))["y"]
        feed["k"][:, :, rows // 2 :] = np.nan
        found = program.run(dict(feed))["y"]
        np.testing.assert_array_equal(found[:, :, : rows // 2], wanted[:, :, : rows // 2])
        assert np.isnan(found[:, :, rows // 2 :]).all()


WRONG: list[Dims] = [
    {"k": (2, 2, 9, 15)},
    {"v": (2, 2, 8, 24)},
    {"k": (2, 3, 9, 16), "v": (2, 3, 9, 24)},
]


@pytest.mark.parametrize("shapes", WRONG, ids=str)
def test_wrong_shapes_are_one_error(shapes: Dims):
    """Of the model, and of a call."""
    right: Dims = {"q": (2, 4, 9, 16), "k": (2, 2, 9, 16), "v": (2, 2, 9, 24)}
    dims = {**right, **shapes}
    dynamic = {name: [f"{name}{i}" for i in range(len(s))] for name, s in dims.items()}
    for given in (dims, dynamic):
        with pytest.raises(ValueError, match="Attention") as error:
            snippets_mlir.compile(made(given), mark_skipped="none").run(drawn(dims, {}))
        assert "\n" not in str(error.value)
