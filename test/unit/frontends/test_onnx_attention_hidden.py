"""Attentions with masks in one kernel: rows that a mask hides, NaN and infinities, sizes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx_models import model, single, value
from sampled import ALL, alternating, sampled

import snippets_mlir
from snippets_mlir.targets.host import host_target

Array = NDArray[Any]
INF, NAN = np.inf, np.nan


def drawn(
    rows: int,
    keys: int,
    mask: Sequence[int],
    kind: type,
    *,
    shared: int = 1,
    dtype: type[np.floating] = np.float32,
) -> list[Array]:
    """Queries of 4 heads, keys and values of `4 / shared`, and a mask of truth values or terms."""
    rng = np.random.default_rng(rows + 100 * keys)
    shapes = (2, 4, rows, 8), (2, 4 // shared, keys, 8), (2, 4 // shared, keys, 19)
    arrays = [rng.standard_normal(shape).astype(dtype) for shape in shapes]
    terms = rng.standard_normal(mask).astype(dtype)
    terms[rng.random(mask) < 0.3] = -INF
    return [*arrays, terms > -1 if kind is bool else terms]


def wide(arrays: Sequence[Array], *, causal: int = 0, softcap: float = 0.0) -> Array:
    """ONNX's definition in float64: 0 in the rows whose terms are all -inf."""
    q, k, v = (x.astype(np.float64) for x in arrays[:3])
    mask = arrays[3]
    k, v = (np.repeat(x, q.shape[1] // k.shape[1], 1) for x in (k, v))
    with np.errstate(invalid="ignore"):
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
        if softcap:
            scores = np.tanh(scores / softcap) * softcap
        terms = np.where(mask, 0.0, -INF) if mask.dtype == bool else mask.astype(np.float64)
        terms = np.broadcast_to(terms, scores.shape)
        if causal:
            terms = np.where(np.tri(*scores.shape[-2:], dtype=bool), terms, -INF)
        x = scores + terms
        e = np.exp(x - x.max(-1, keepdims=True))
        result = e / e.sum(-1, keepdims=True) @ v
    return np.where((terms == -INF).all(-1, keepdims=True), 0.0, result)


def by_rows(x: Array) -> Array:
    """[batch, rows, heads * width] of [batch, heads, rows, width]."""
    batch, heads, rows, width = x.shape
    return x.swapaxes(1, 2).reshape(batch, rows, heads * width)


def check(
    arrays: Sequence[Array], *, flat: bool = ALL, **attributes: Any
) -> snippets_mlir.Compiled:
    """It is one kernel and right; `flat`: also of inputs of three dims."""
    wanted = wide(arrays, **{n.removeprefix("is_"): a for n, a in attributes.items()})
    bound = (1e-11, 1e-12) if arrays[0].dtype == np.float64 else (2e-5, 2e-6)
    program = snippets_mlir.compile(
        single("Attention", arrays, opset=24, **attributes), fallback="error"
    )
    assert [kernel.ops.count("snippets.matmul") for kernel in program.kernels] == [2]
    np.testing.assert_allclose(program(*arrays), wanted, *bound)
    if flat:
        rows = [*map(by_rows, arrays[:3]), arrays[3]]
        heads = {"q_num_heads": 4, "kv_num_heads": arrays[1].shape[1]}
        made = single("Attention", rows, opset=24, **heads, **attributes)
        other = snippets_mlir.compile(made, fallback="error")
        assert len(other.kernels) == 1
        np.testing.assert_allclose(other(*rows), by_rows(wanted), *bound)
    return program


SHAPES = ["keys", "rows keys", "4 rows keys", "2 1 1 keys", "2 4 rows keys", "1 4 1 keys"]
SIZES = [(2, 2), (15, 16), (17, 15), (16, 17), (33, 31), (7, 64), (70, 65), (19, 19)]


def mask_shape(text: str, rows: int, keys: int) -> list[int]:
    names = {"rows": rows, "keys": keys}
    return [names.get(word) or int(word) for word in text.split()]


@pytest.mark.parametrize(
    ("sizes", "shape", "kind"), sampled(product(SIZES, SHAPES, (bool, float)), 6)
)
def test_one_kernel(sizes: tuple[int, int], shape: str, kind: type):
    arrays = drawn(*sizes, mask_shape(shape, *sizes), kind)
    check(arrays, flat=True)


ATTRIBUTES: list[dict[str, Any]] = [
    {"is_causal": 1},
    {"softcap": 1.5},
    {"is_causal": 1, "softcap": 0.5},
]


@pytest.mark.parametrize(("attributes", "kind"), alternating(ATTRIBUTES, (bool, float)))
def test_causal_grouped_and_softcap(kind: type, attributes: dict[str, Any]):
    check(drawn(18, 18, (18, 18), kind, shared=2), **attributes)


@pytest.mark.parametrize("hidden", sampled([0.0, -3e38, -INF], 3))
def test_no_row_and_each_row(hidden: float):
    """A large number hides a key from rows that have others, and makes no row 0."""
    arrays = drawn(17, 33, (17, 33), float)
    arrays[3][:] = hidden
    program = check(arrays)
    arrays[3][:, 3] = 0
    np.testing.assert_allclose(program(*arrays), wide(arrays), 2e-5, 2e-6)


@pytest.mark.parametrize(("dtype", "kind"), alternating((np.float32, np.float64), (bool, float)))
def test_nan_and_infinities(kind: type, dtype: Any):
    """A row without a key is 0 whatever its scores are; others keep NaN, of hidden keys too."""
    arrays = drawn(9, 18, (9, 18), kind, dtype=dtype)
    q, k, v, mask = arrays
    shown, hides = (True, False) if kind is bool else (0, -INF)
    mask[4], mask[5], mask[6] = hides, hides, shown
    mask[5, 7], mask[7, 3], mask[8, 3] = shown, hides, shown
    k[0, 1, 3], k[1, 2, 7], q[1, 0, 4], q[1, 1, 6] = NAN, INF, NAN, -INF
    v[0, 0, 2, 5], v[0, 3, 2, 5] = INF, NAN
    wanted = wide(arrays)
    assert (wanted[:, :, 4] == 0).all()
    assert np.isnan(wanted[0, 1, 7:9]).all()
    assert np.isnan(wanted[0, 1, 5]).all()
    check(arrays)


@pytest.mark.parametrize("target", sampled(["generic", "x86-64-avx2", "x86-64-avx512"], 2))
def test_other_targets(target: str):
    if target == "x86-64-avx512" and "avx512" not in host_target():
        pytest.skip("this machine has no AVX-512")
    arrays = drawn(21, 37, (21, 37), bool)
    arrays[3][5] = False
    made = single("Attention", arrays, opset=24)
    program = snippets_mlir.compile(made, target=target, fallback="error")
    assert len(program.kernels) == 1
    np.testing.assert_allclose(program(*arrays), wide(arrays), 2e-5, 2e-6)


@pytest.mark.parametrize("kind", sampled([bool, float], 2))
def test_sizes_of_a_call(kind: type):
    node = helper.make_node("Attention", ["q", "k", "v", "m"], ["y"])
    dtypes = np.float32, np.float32, np.float32, bool if kind is bool else np.float32
    shapes = ["b", 4, "s", 8], ["b", 4, "t", 8], ["b", 4, "t", 19], ["s", "t"]
    inputs = [value(n, s, d) for n, s, d in zip("qkvm", shapes, dtypes, strict=True)]
    made = model([node], inputs, [value("y", ["b", 4, "s", 19])], opset=24)
    program = snippets_mlir.compile(made, mark_skipped="none")
    for rows, keys in ((9, 17), (1, 15), (40, 1), (33, 300)):
        arrays = drawn(rows, keys, (rows, keys), kind)
        arrays[3][0] = False if kind is bool else -INF
        np.testing.assert_allclose(program(*arrays), wide(arrays), 2e-5, 2e-6)
    assert [kernel.ops.count("snippets.matmul") for kernel in program.kernels] == [2]


def test_one_query_and_one_key():
    """They have more kernels; the result is the same."""
    for rows, keys in ((1, 33), (5, 1), (1, 1)):
        arrays = drawn(rows, keys, (rows, keys), float)
        arrays[3][0] = -INF
        program = snippets_mlir.compile(single("Attention", arrays, opset=24), fallback="error")
        np.testing.assert_allclose(program(*arrays), wide(arrays), 2e-5, 2e-6)


def test_layers_that_share_a_mask():
    """Each kernel reads the mask itself; no kernel is only for the mask."""
    arrays = drawn(18, 18, (18, 18), bool)
    arrays[3][5] = False
    more = [arrays[0] * np.float32(0.5), *arrays[1:]]
    nodes = [helper.make_node("Attention", [q, "k", "v", "m"], [f"y{q}"]) for q in "pq"]
    given = {"p": more[0], **dict(zip("qkvm", arrays, strict=True))}
    inputs = [value(n, a.shape, a.dtype) for n, a in given.items()]
    program = snippets_mlir.compile(model(nodes, inputs, ["yp", "yq"], opset=24), fallback="error")
    assert [kernel.ops.count("snippets.matmul") for kernel in program.kernels] == [2, 2]
    found = program(*given.values())
    for one, wanted in zip(found, (wide(more), wide(arrays)), strict=True):
        np.testing.assert_allclose(one, wanted, 2e-5, 2e-6)
