"""Causal Attention of as many keys as a call has: each block of rows ends at its last key."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from attentions import Array, expected, numbers
from onnx import helper
from onnx_models import model, value
from runnable import RUNNABLE
from sampled import alternating, sampled

import snippets_mlir

ROWS = (2, 15, 17, 49, 97, 125, 126, 127, 128, 129, 193, 255, 257, 1031)


def causal(kind: type, batch: int | str = "b", heads: int = 2) -> onnx.ModelProto:
    """Two `heads` of queries for each one of keys and values, or one; the scale of `expected`."""
    node = helper.make_node("Attention", ["q", "k", "v"], ["y"], is_causal=1, scale=0.5)
    sizes = {"q": (2 * heads if heads > 1 else 1, 24), "k": (heads, 24), "v": (heads, 40)}
    dims = {name: (batch, number, "s", columns) for name, (number, columns) in sizes.items()}
    inputs = [value(name, shape, kind) for name, shape in dims.items()]
    return model([node], inputs, [value("y", None, kind)], opset=23)


def dynamic(kind: type, target: str, threads: int) -> Any:
    """One program for all sizes: each call would have one of its own with `fallback="error"`."""
    return snippets_mlir.compile(
        causal(kind), target=target, num_threads=threads, mark_skipped="none"
    )


def drawn(rows: int, kind: type) -> list[Array]:
    return numbers(rows, (2, 4, rows, 24), (2, 2, rows, 24), (2, 2, rows, 40), dtype=kind)


def run(program: Any, q: Array, k: Array, v: Array) -> Array:
    found = program.run({"q": q, "k": k, "v": v})["y"]
    assert not program.opaque
    return found


@pytest.mark.parametrize("target", sampled(RUNNABLE, 1))
@pytest.mark.parametrize(("kind", "threads"), alternating([np.float32, np.float64], [1, 2]))
def test_any_number_of_keys(kind: type, threads: int, target: str):
    close = 2e-5 if kind is np.float32 else 1e-12
    program = dynamic(kind, target, threads)
    for rows in sampled(ROWS, 8):
        q, k, v = drawn(rows, kind)
        mask = np.where(np.tri(rows) > 0, 0.0, -np.inf)
        wanted = expected(q, np.repeat(k, 2, 1), np.repeat(v, 2, 1), mask)
        np.testing.assert_allclose(run(program, q, k, v), wanted, close, close)


@pytest.mark.parametrize("target", sampled(RUNNABLE, 1))
def test_keys_that_no_row_of_a_block_sees_are_not_read(target: str):
    """A block has at most 136 rows, and its loops over keys end less than 64 keys later."""
    program = dynamic(np.float32, target, 2)
    for rows in (257, 300, 1024, 2048):
        q, k, v = drawn(rows, np.float32)
        v[:, :, 136 + 63 :] = np.nan
        found = run(program, q, k, v)
        assert np.isfinite(found[:, :, :64]).all()
        assert np.isnan(found[:, :, 128 + 63 :]).all()


def test_blocks_of_one_head_do_not_depend_on_threads():
    """Which keys a block does not read shows where they have NaN."""
    one, two, three = (
        snippets_mlir.compile(causal(np.float32, 1, 1), num_threads=n, mark_skipped="none")
        for n in (1, 2, 3)
    )
    for rows in (1, 31, 33, 200, 300):
        q, k, v = numbers(rows, (1, 1, rows, 24), (1, 1, rows, 24), (1, 1, rows, 40))
        v[:, :, 195:] = np.nan
        found = run(one, q, k, v)
        np.testing.assert_array_equal(found, run(two, q, k, v))
        np.testing.assert_array_equal(found, run(three, q, k, v))
