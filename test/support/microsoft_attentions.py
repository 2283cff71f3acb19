"""Nodes of onnxruntime's attentions, and what they compute in float64."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper
from onnx_models import model, value

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
