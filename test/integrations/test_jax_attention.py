# pyright: reportUnknownLambdaType=false
"""Attentions of JAX, with heads before the last dim, are one kernel each."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import snippets_mlir

pytest.importorskip("jax", reason="needs jax: make test-integrations")

jax: Any = import_module("jax")
jnp: Any = jax.numpy

B, S, T, H, D = 2, 48, 64, 4, 32


def arrays(heads: int = H) -> list[Any]:
    rng = np.random.default_rng(0)
    shapes = (B, S, H, D), (B, T, heads, D), (B, T, heads, D)
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def wanted(q: Any, k: Any, v: Any, term: Any = 0.0) -> Any:
    """In float64; heads of queries share keys in order."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    k, v = (np.repeat(x, q.shape[2] // x.shape[2], axis=2) for x in (k, v))
    with np.errstate(invalid="ignore"):
        x = np.einsum("bshd,bthd->bhst", q, k) / np.sqrt(D) + term
        e = np.exp(x - x.max(-1, keepdims=True))
        return np.einsum("bhst,bthd->bshd", e / e.sum(-1, keepdims=True), v)


def compiled(function: Any, *args: Any) -> Any:
    return snippets_mlir.compile(jax.jit(function).lower(*args))


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), expected, 2e-5, 2e-6)


@pytest.mark.parametrize("keys_first", [False, True])
def test_einsums(keys_first: bool) -> None:
    def f(q: Any, k: Any, v: Any) -> Any:
        one = jnp.einsum("bthd,bshd->bhst", k, q) if keys_first else None
        scores = jnp.einsum("bshd,bthd->bhst", q, k) if one is None else one
        return jnp.einsum("bhst,bthd->bshd", jax.nn.softmax(scores / np.sqrt(D), -1), v)

    args = arrays()
    program = compiled(f, *args)
    assert len(program.kernels) == 1
    close(program(*args), wanted(*args))


@pytest.mark.parametrize("low", [-1e9, -np.inf])
def test_causal_masks(low: float) -> None:
    """-inf for all keys of a row gives NaN."""
    seen = np.tril(np.ones((S, T), bool), -1 if np.isinf(low) else 0)

    def f(q: Any, k: Any, v: Any) -> Any:
        scores = jnp.einsum("bshd,bthd->bhst", q, k) / np.sqrt(D)
        p = jax.nn.softmax(jnp.where(seen, scores, low), -1)
        return jnp.einsum("bhst,bthd->bshd", p, v)

    args = arrays()
    program = compiled(f, *args)
    assert len(program.kernels) == 1
    expected = wanted(*args, term=np.where(seen, 0, low))
    assert np.isnan(expected[:, 0]).all() == np.isinf(low)
    close(program(*args), expected)


def test_dot_product_attention() -> None:
    args = arrays()
    program = compiled(jax.nn.dot_product_attention, *args)
    assert len(program.kernels) == 1
    close(program(*args), wanted(*args))


def test_dot_product_attention_with_masks() -> None:
    args = arrays()
    rng = np.random.default_rng(1)
    bias = rng.standard_normal((B, H, S, T)).astype(np.float32)
    seen = rng.random((B, 1, S, T)) < 0.7
    causal = np.tril(np.ones((S, T), bool))
    attention = jax.nn.dot_product_attention
    biased = compiled(attention, *args, bias)
    assert len(biased.kernels) == 1
    close(biased(*args, bias), wanted(*args, term=bias))
    hidden = compiled(lambda q, k, v: attention(q, k, v, is_causal=True), *args)
    assert len(hidden.kernels) == 1
    close(hidden(*args), wanted(*args, term=np.where(causal, 0, -1e38)))
    masked = compiled(lambda q, k, v, m: attention(q, k, v, mask=m), *args, seen)
    assert len(masked.kernels) == 1
    close(masked(*args, seen), wanted(*args, term=np.where(seen, 0, -1e38)))


@pytest.mark.parametrize("heads", [1, 2])
def test_heads_that_share_keys(heads: int) -> None:
    args = arrays(heads)
    attention = jax.nn.dot_product_attention
    program = compiled(attention, *args)
    assert len(program.kernels) == 1
    close(program(*args), wanted(*args))
    seen = np.tril(np.ones((S, T), bool))
    causal = compiled(lambda q, k, v: attention(q, k, v, is_causal=True), *args)
    assert len(causal.kernels) == 1
    close(causal(*args), wanted(*args, term=np.where(seen, 0, -1e38)))
