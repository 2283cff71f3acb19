"""onnxruntime's Attention, and MultiHeadAttention with caches, against it and against float64."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx_models import model, run_reference, save, value
from sampled import sampled

import snippets_mlir
from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT

Array = NDArray[Any]
BATCH, ROWS, INPUT, HEADS, WIDTH, PAST = 2, 5, 12, 2, 4, 3
HIDDEN, ALL = HEADS * WIDTH, PAST + ROWS
LEAST = float(np.finfo(np.float32).min)
RNG = np.random.default_rng(7)


def numbers(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def bits(*shape: int) -> Array:
    """Padding that leaves the first key to each row: -10000 beside all scores loses their bits."""
    found = RNG.integers(-1, 2, shape).astype(np.int32)
    found[..., 0] = 1
    return found


class Case(NamedTuple):
    """A node: its inputs (None where left out), those that are constants, outputs, attributes."""

    operator: str
    inputs: Sequence[Array | None]
    constants: Sequence[int]
    outputs: Sequence[tuple[int, ...] | None]
    attributes: Mapping[str, Any]


def is_packed(case: Case) -> bool:
    return case.operator == "Attention"


def masks_of(case: Case) -> tuple[int, int]:
    """The inputs for padding and for a bias of the scores."""
    return (3, 5) if is_packed(case) else (4, 5)


def given_names(case: Case) -> list[str]:
    return [f"x{i}" for i, a in enumerate(case.inputs) if a is not None and i not in case.constants]


def made(case: Case) -> onnx.ModelProto:
    names = ["" if a is None else f"x{i}" for i, a in enumerate(case.inputs)]
    outputs = [f"y{i}" if shape else "" for i, shape in enumerate(case.outputs)]
    node = helper.make_node(case.operator, names, outputs, domain=MICROSOFT, **case.attributes)
    given = {n: a for n, a in zip(names, case.inputs, strict=True) if a is not None}
    constants = {n: a for n, a in given.items() if int(n[1:]) in case.constants}
    inputs = [value(n, a.shape, a.dtype) for n, a in given.items() if n not in constants]
    types = [value(n, s) for n, s in zip(outputs, case.outputs, strict=True) if s]
    return model([node], inputs, types, constants, domains=[MICROSOFT])


def arrays(case: Case) -> list[Array]:
    return [a for i, a in enumerate(case.inputs) if a is not None and i not in case.constants]


def by_head(x: Array, heads: int) -> Array:
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def added(mask: Array | None, keys: int, number: float) -> Array | float:
    """What a mask of padding adds to scores, as onnxruntime's kernel makes it."""
    if mask is None or (mask.ndim == 2 and mask.shape[1] == 1 != keys):
        return 0.0
    if mask.ndim > 1:
        kept = mask.reshape(len(mask), 1, -1, keys) > 0
    else:
        ends = mask[:BATCH].reshape(-1, 1, 1, 1)
        starts = mask[BATCH:].reshape(-1, 1, 1, 1) if len(mask) == 2 * BATCH else 0
        place = np.arange(keys)
        kept = (place < ends) & (place >= starts)
    return np.where(kept, 0.0, number)


def joined(past: Array | None, new: Array) -> Array:
    return new if past is None else np.concatenate([past, new], 2)


def projected(case: Case) -> tuple[list[Array], list[Array | None]]:
    """Queries, keys and values in float64, and what the cache has of the latter two."""
    given = [None if a is None else a.astype(np.float64) for a in (*case.inputs, *[None] * 8)]
    x, w, v, bias, past = given[:5]
    assert x is not None
    assert w is not None
    if is_packed(case):
        whole = x @ w + (0 if v is None else v)
        sizes = case.attributes.get("qkv_hidden_sizes", [whole.shape[-1] // 3] * 3)
        parts = np.split(whole, np.cumsum(sizes)[:2], axis=-1)
        return list(parts), [None, None] if past is None else [past[0], past[1]]
    assert v is not None
    inputs = [x, w, v]
    if bias is not None:
        widths = [x.shape[-1], w.shape[-1]]
        inputs = [x + c for x, c in zip(inputs, np.split(bias, np.cumsum(widths)), strict=True)]
    return inputs, given[6:8]


def expected(case: Case) -> list[Array]:
    """The outputs in float64."""
    inputs, pasts = projected(case)
    q, *new = (by_head(x, case.attributes["num_heads"]) for x in inputs)
    k, v = (joined(past, x) for past, x in zip(pasts, new, strict=True))
    rows, keys = int(q.shape[2]), int(k.shape[2])
    scale = case.attributes.get("scale") or 1 / np.sqrt(q.shape[-1])
    scores = q @ k.swapaxes(-1, -2) * scale
    mask, bias = (case.inputs[i] if i < len(case.inputs) else None for i in masks_of(case))
    scores = scores + added(mask, keys, case.attributes.get("mask_filter_value", -10000.0))
    if bias is not None:
        scores = scores + bias
    if case.attributes.get("unidirectional"):
        causal: Array = np.arange(keys) <= np.arange(rows)[:, None] + keys - rows
        scores = np.where(causal, scores, LEAST)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    y = (e / e.sum(axis=-1, keepdims=True) @ v).swapaxes(1, 2).reshape(BATCH, rows, -1)
    if len(case.outputs) == 1:
        return [y]
    return [y, np.stack([k, v])] if is_packed(case) else [y, k, v]


X, W, BIAS = numbers(BATCH, ROWS, INPUT), numbers(INPUT, 3 * HIDDEN), numbers(3 * HIDDEN)
RESULT = (BATCH, ROWS, HIDDEN)
CACHE = numbers(2, BATCH, HEADS, PAST, WIDTH)
PRESENT = (2, BATCH, HEADS, ALL, WIDTH)


def packed(*more: Array | None, outputs: Sequence[Any] = (RESULT,), **attributes: Any) -> Case:
    return Case(
        "Attention", [X, W, BIAS, *more], (1, 2), outputs, {"num_heads": HEADS} | attributes
    )


PACKED: dict[str, Case] = {
    "plain": packed(),
    "scale": packed(scale=0.3),
    "without a bias": Case("Attention", [X, W], (1,), [RESULT], {"num_heads": HEADS}),
    "hidden sizes": Case(
        "Attention",
        [X, numbers(INPUT, 22), numbers(22)],
        (1, 2),
        [(BATCH, ROWS, 6)],
        {"num_heads": HEADS, "qkv_hidden_sizes": [8, 8, 6]},
    ),
    "ends": packed(np.array([3, 5], np.int32)),
    "ends and starts": packed(np.array([3, 5, 1, 0], np.int32)),
    "padding": packed(bits(BATCH, ROWS), mask_filter_value=-2.5),
    "padding of rows": packed(bits(BATCH, ROWS, ROWS)),
    "padding of all": packed(bits(BATCH, 1)),
    "padding of all batches": packed(bits(1, 1)),
    "bias": packed(None, None, numbers(BATCH, HEADS, ROWS, ROWS)),
    "bias of all heads": packed(bits(BATCH, ROWS), None, numbers(1, 1, ROWS, ROWS)),
    "present": packed(outputs=(RESULT, (2, BATCH, HEADS, ROWS, WIDTH))),
    "cache": packed(None, CACHE, outputs=(RESULT, PRESENT)),
    "cache and padding": packed(bits(BATCH, ALL), CACHE, outputs=(RESULT, PRESENT)),
    "cache and ends": packed(np.array([7, 4], np.int32), CACHE, outputs=(RESULT, PRESENT)),
    "empty cache": packed(
        None, CACHE[:, :, :, :0], outputs=(RESULT, (2, BATCH, HEADS, ROWS, WIDTH))
    ),
}
Q = numbers(*RESULT)
KEYS, VALUES = numbers(BATCH, HEADS, PAST, WIDTH), numbers(BATCH, HEADS, PAST, WIDTH)


def cached(
    *masks: Array | None, rows: int = ROWS, bias: Array | None = None, **attributes: Any
) -> Case:
    new = [numbers(BATCH, rows, HIDDEN) for _ in range(3)]
    padding, other = (*masks, None, None)[:2]
    present = (BATCH, HEADS, PAST + rows, WIDTH)
    return Case(
        "MultiHeadAttention",
        [*new, bias, padding, other, KEYS, VALUES],
        (3,),
        [(BATCH, rows, HIDDEN), present, present],
        {"num_heads": HEADS} | attributes,
    )


CACHED: dict[str, Case] = {
    "plain": cached(),
    "bias": cached(bias=BIAS),
    "padding": cached(bits(BATCH, ALL)),
    "padding of rows": cached(bits(BATCH, ROWS, ALL)),
    "ends": cached(np.array([3, 7], np.int32)),
    "ends and more": cached(np.array([3, 7, 0, 3, 8, 0, 5, 10], np.int32)),
    "attention bias": cached(None, numbers(1, HEADS, ROWS, ALL)),
    "one row": cached(rows=1),
}


def check(
    case: Case, compiled: snippets_mlir.Compiled | None = None, error: float = 1e-5
) -> snippets_mlir.Compiled:
    """Kernels give what onnxruntime and float64 do."""
    proto, given = made(case), arrays(case)
    program = compiled or snippets_mlir.compile(proto, mark_skipped="none")
    assert program.kernels
    assert not program.opaque
    feeds = dict(zip(given_names(case), given, strict=True))
    found: list[Array] = list(program.run(feeds).values())
    engine = run_reference(proto, given)
    for one, other, wide in zip(found, engine, expected(case), strict=True):
        np.testing.assert_allclose(one, other, error, error)
        np.testing.assert_allclose(one, wide, error, error)
    return program


@pytest.mark.parametrize(("name", "causal"), sampled(((n, c) for n in PACKED for c in (0, 1)), 6))
def test_attention(name: str, causal: int):
    case = PACKED[name]
    check(case._replace(attributes={**case.attributes, "unidirectional": causal}))


@pytest.mark.parametrize(("name", "causal"), sampled(((n, c) for n in CACHED for c in (0, 1)), 4))
def test_multi_head_attention_with_a_cache(name: str, causal: int):
    case = CACHED[name]
    check(case._replace(attributes={**case.attributes, "unidirectional": causal}))


@pytest.mark.parametrize("mask", [[0, 9], [3, 5, 4, 7], [5, 5, 5, 0]])
def test_batches_without_a_key(mask: list[int]):
    """All scores are near -10000, where neighbours differ by 1e-3."""
    check(packed(np.array(mask, np.int32)), error=5e-3)


def test_padding_as_low_as_what_causality_hides():
    """A row whose keys are all padding or hidden is the mean of all values."""
    check(packed(np.array([0, 3], np.int32), unidirectional=1, mask_filter_value=LEAST), error=1e-4)


def test_large_weights_of_a_file_are_columns_of_one(tmp_path: Path):
    hidden, heads = 96, 3
    x, w, bias = numbers(BATCH, 7, 128), numbers(128, 3 * hidden), numbers(3 * hidden)
    case = Case("Attention", [x, w, bias], (1, 2), [(BATCH, 7, hidden)], {"num_heads": heads})
    save(made(case), tmp_path / "m.onnx")
    text = str(import_model(str(tmp_path / "m.onnx"), products=True))
    for start in (0, 96, 192):
        assert f"columns {start} to {start + 96}>" in text
    check(case, snippets_mlir.compile(tmp_path / "m.onnx", mark_skipped="none"))
    check(case, snippets_mlir.compile(tmp_path / "m.onnx", mark_skipped="none"))  # from the cache


def test_a_decoder_whose_cache_grows():
    """One program for all lengths of the cache; the new state of a call is the next one's."""
    node = helper.make_node(
        "MultiHeadAttention",
        ["q", "k", "v", "", "", "", "pk", "pv"],
        ["y", "nk", "nv"],
        domain=MICROSOFT,
        num_heads=HEADS,
        unidirectional=1,
    )
    inputs = [value(n, [BATCH, 1, HIDDEN]) for n in "qkv"]
    inputs += [value(n, [BATCH, HEADS, "past", WIDTH]) for n in ("pk", "pv")]
    outputs = [value("y", [BATCH, 1, HIDDEN])]
    outputs += [value(n, [BATCH, HEADS, "all", WIDTH]) for n in ("nk", "nv")]
    proto = model([node], inputs, outputs, domains=[MICROSOFT])
    program = snippets_mlir.compile(proto, mark_skipped="none")
    cache = [KEYS, VALUES]
    for step in range(4):
        new = [numbers(BATCH, 1, HIDDEN) for _ in range(3)]
        found: list[Array] = list(program(*new, *cache))
        wanted = run_reference(proto, [*new, *cache])
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, 1e-5, 1e-5)
        cache = found[1:]
        assert cache[0].shape[2] == PAST + step + 1
    assert program.kernels


LEFT: dict[str, tuple[Case, str]] = {
    "4 dims": (packed(bits(BATCH, 1, 8, 8)), "scores 2x2x5x5 with padding as 2x1x8x8"),
    "keys": (packed(bits(BATCH, 6)), "scores 2x2x5x5 with padding as 2x6"),
    "ends": (packed(bits(3)), "scores 2x2x5x5 with padding as 3"),
    "i64": (packed(bits(BATCH, ROWS).astype(np.int64)), "with padding of i64"),
    "rotary": (packed(do_rotary=1), "rotary embeddings"),
    "heads": (packed(num_heads=3), "3 heads with hidden sizes [8, 8, 8]"),
    "bias": (
        Case("Attention", [X, W, numbers(25)], (1, 2), [RESULT], {"num_heads": HEADS}),
        "25 for 8, 8, 8 columns in input 2",
    ),
    "weights": (
        Case("Attention", [X, numbers(INPUT, 23)], (1,), [RESULT], {"num_heads": HEADS}),
        "Attention with weights 12x23",
    ),
    "inputs": (packed()._replace(constants=(2,)), "whose input 1 is no constant"),
    "no new state": (packed(None, CACHE), "a cache whose new state is no output"),
    "another width": (
        packed(None, CACHE[..., :3], outputs=(RESULT, PRESENT)),
        "a cache 2x2x2x3x3 before keys 2x2x5x4",
    ),
    "attention bias": (
        packed(None, None, numbers(3, HEADS, ROWS, ROWS)),
        "scores 2x2x5x5 with a bias 3x2x5x5",
    ),
    "short padding": (cached(bits(BATCH, ROWS)), "scores 2x2x5x8 with padding as 2x5"),
    "half a cache": (
        (whole := cached())._replace(inputs=[*whole.inputs[:7], None]),
        "a cache of either keys or values",
    ),
    "a state that is lost": (
        whole._replace(outputs=[RESULT]),
        "a cache whose new state is no output",
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_stays_a_node(name: str):
    case, reason = LEFT[name]
    text = str(import_model(made(case), products=True))
    assert f'onnx.node "{case.operator}"' in text
    assert "concat" not in text
    assert reason in text
