# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
"""Loops of JAX: those of few iterations are kernels, JAX runs the others."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import snippets_mlir

pytest.importorskip("jax", reason="needs jax: make test-integrations")

jax: Any = import_module("jax")
jnp: Any = jax.numpy
lax: Any = jax.lax
ours: Any = import_module("snippets_mlir.jax")

X = np.random.default_rng(0).normal(size=(4, 8)).astype(np.float32)


def newton(x: Any) -> Any:
    """Square roots."""
    return lax.fori_loop(0, 8, lambda _, v: (v + (1 + x * x) / v) / 2, 1 + x * x)


def running(x: Any) -> Any:
    """A recurrence over rows, and its states."""
    return lax.scan(lambda c, r: (jnp.tanh(c + r), c * 2), jnp.zeros(8), x)


KNOWN: dict[str, Callable[[Any], Any]] = {
    "newton": newton,
    "scan": running,
    "scan from the end": lambda x: lax.scan(lambda c, r: (c + r, c), jnp.ones(8), x, reverse=True),
    "a loop in a loop": lambda x: lax.fori_loop(
        0, 3, lambda i, v: lax.fori_loop(0, 2, lambda j, w: w * 0.5 + i * j, v), x
    ),
    "no iteration": lambda x: lax.fori_loop(3, 3, lambda _, v: v * 2, x),
    "rows by the counter": lambda x: lax.fori_loop(0, 4, lambda i, v: v.at[i].set(x[3 - i]), x),
}
UNKNOWN: dict[str, Callable[[Any], Any]] = {
    "a condition on elements": lambda x: lax.while_loop(
        lambda v: v.sum() < 100, lambda v: v * v + 1, x
    ),
    "a bound that is computed": lambda x: lax.fori_loop(
        0, x.shape[0] + (x[0, 0] > 0), lambda i, v: v + i, x
    ),
    "many iterations": lambda x: lax.fori_loop(0, 5000, lambda _, v: v * 0.5 + x, x),
}


@pytest.mark.parametrize("name", KNOWN)
def test_loops_of_known_counts(name: str) -> None:
    program = snippets_mlir.compile(jax.jit(KNOWN[name]).lower(X))
    assert not program.opaque
    found, expected = ours.jit(KNOWN[name])(X), jax.jit(KNOWN[name])(X)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, 2e-6, 2e-6)


LONG: dict[str, Callable[[Any], Any]] = {
    "more than eight iterations": lambda x: lax.fori_loop(0, 9, lambda _, v: jnp.tanh(v + x), x),
    "more than eight in a loop in a loop": lambda x: lax.fori_loop(
        0, 3, lambda i, v: lax.fori_loop(0, 3, lambda j, w: w * 0.5 + i * j, v), x
    ),
    "many ops": lambda x: lax.fori_loop(
        0, 7, lambda _, v: jax.nn.softmax(jax.nn.softmax(jax.nn.softmax(v))) + x, x
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_loops_of_more_iterations_are_for_who_asks(name: str) -> None:
    """They take longer as kernels than by JAX."""
    with pytest.warns(RuntimeWarning, match=r"py:\d+:\d+: many iter.*'stablehlo\.while'.*JAX runs"):
        found = ours.jit(LONG[name])(X)
    np.testing.assert_allclose(found, jax.jit(LONG[name])(X), 2e-6)
    kernel = ours.jit(LONG[name], fallback="error")
    np.testing.assert_allclose(kernel(X), found, 2e-6, 2e-6)


@pytest.mark.parametrize("name", UNKNOWN)
def test_loops_that_jax_runs(name: str) -> None:
    with pytest.warns(RuntimeWarning, match=r"'stablehlo\.while'.*JAX runs the function"):
        found = ours.jit(UNKNOWN[name])(X)
    np.testing.assert_allclose(found, jax.jit(UNKNOWN[name])(X), 2e-6)
