"""onnxruntime's Attention, and MultiHeadAttention with caches, against it and against float64."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from microsoft_attentions import (
    ALL,
    BATCH,
    HEADS,
    HIDDEN,
    INPUT,
    LEAST,
    PAST,
    ROWS,
    WIDTH,
    Array,
    Case,
    arrays,
    bits,
    expected,
    given_names,
    made,
    numbers,
)
from onnx import helper
from onnx_models import model, run_reference, save, value
from sampled import sampled

import snippets_mlir
from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT

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
