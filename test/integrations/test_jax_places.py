# pyright: reportUnknownLambdaType=false
"""Functions of JAX that join, gather at places, or read bits: what is in kernels."""

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
ours: Any = import_module("snippets_mlir.jax")

X = np.random.default_rng(0).normal(size=(8, 64)).astype(np.float32)


def close(found: Any, expected: Any, tolerance: float = 2e-6) -> None:
    np.testing.assert_allclose(
        np.asarray(found, np.float64), np.asarray(expected, np.float64), tolerance, tolerance
    )


def test_places_along_several_dims_are_gathers_of_kernels() -> None:
    x = np.arange(240, dtype=np.float32).reshape(8, 6, 5)
    i, j = np.array([[0, 7], [3, -1]], np.int32), np.array([1, 5], np.int32)

    def clipped(x: Any, i: Any, j: Any) -> Any:
        return x.at[i * 9, j * 9].get(mode="clip")

    functions: list[Callable[[Any, Any, Any], Any]] = [
        lambda x, i, j: x[i, j] * 2,
        lambda x, i, j: x[i, :, j % 5] * 2,
        lambda x, i, j: x[:, i % 6, j % 5] + 1,
        lambda x, i, j: x[i, j, j % 5] + 1,
        clipped,
    ]
    for f in functions:
        compiled = snippets_mlir.compile(jax.jit(f).lower(x, i, j))
        assert not compiled.opaque
        np.testing.assert_array_equal(compiled(x, i, j), f(jnp.asarray(x), i, j))


def rotated(x: Any, c: Any, s: Any) -> Any:
    half = x.shape[-1] // 2
    return x * c + jnp.concatenate([-x[..., half:], x[..., :half]], -1) * s


JOINS: dict[str, Any] = {
    "rows": lambda x: jnp.concatenate([x, jnp.exp(x), x[:3]]) * 2,
    "columns": lambda x: jnp.tanh(jnp.concatenate([x, x[:, :3]], 1)),
    "stack": lambda x: jnp.stack([jnp.sin(x), x], -1),
    "roll": lambda x: jnp.roll(x, 3, 1) + x,
    "zeros around": lambda x: jnp.pad(x, 1) * 2,
    "numbers around": lambda x: jnp.pad(x, ((1, 2), (0, 3)), constant_values=7.0),
    "edges": lambda x: jnp.pad(x, ((0, 0), (2, 2)), mode="edge"),
    "a slice": lambda x: jax.lax.dynamic_slice(x, (2, 60), (3, 9)) * 2,
    "an update": lambda x: jax.lax.dynamic_update_slice(x, x[:2, :3] * 2, (7, -1)) + 1,
}


@pytest.mark.parametrize("name", JOINS)
def test_joins_are_in_kernels(name: str) -> None:
    f = JOINS[name]
    close(ours.jit(f, fallback="error")(X), f(jnp.asarray(X)), 3e-6)


BITS: dict[str, Any] = {
    "copysign": lambda x: jnp.copysign(x, -x[::-1]),
    "signbit": jnp.signbit,
    "as integers": lambda x: jax.lax.bitcast_convert_type(x, jnp.int32) + 1,
    "as bytes": lambda x: jax.lax.bitcast_convert_type(x, jnp.uint8),
    "from bytes": lambda x: jax.lax.bitcast_convert_type(
        jax.lax.bitcast_convert_type(x, jnp.uint8)[..., ::-1], jnp.float32
    ),
}


@pytest.mark.parametrize("name", BITS)
def test_bits_are_read_as_other_numbers(name: str) -> None:
    x = np.array([0.0, -0.0, 1.5, -np.inf, np.nan, -np.nan, 3e-45], np.float32)
    found, wanted = (np.asarray(f(x)) for f in (ours.jit(BITS[name], fallback="error"), BITS[name]))
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert found.tobytes() == wanted.tobytes()


PLACES: dict[str, Any] = {
    "rows": lambda x, i, k: x[i] * 2,
    "columns": lambda x, i, k: x[:, i] * 2,
    "rows of rows": lambda x, i, k: x[i[:, None] + jnp.arange(2)] + 1,
    "take": lambda x, i, k: jnp.take(x, i, axis=0),
    "take inside": lambda x, i, k: jnp.take(x, i, axis=1, mode="clip"),
    "take around": lambda x, i, k: jnp.take(x, i, axis=1, mode="wrap"),
    "a slice": lambda x, i, k: jax.lax.dynamic_slice(x, (k, 2 * k), (3, 7)) + 1,
    "a row": lambda x, i, k: jax.lax.dynamic_index_in_dim(x, k, 0) + 1,
    "an element": lambda x, i, k: x[k, k] * 2,
    "an update": lambda x, i, k: jax.lax.dynamic_update_slice(x, x[:2] * 2, (k, 0)) + 1,
    "a block updated": lambda x, i, k: jax.lax.dynamic_update_slice(x, x[:2, :3] * 2, (k, k)) + 1,
    "slices": lambda x, i, k: jax.vmap(lambda p: jax.lax.dynamic_slice(x, (p, k), (3, 7)))(i) + 1,
    "slices of columns": lambda x, i, k: (
        jax.vmap(lambda p: jax.lax.dynamic_slice(x, (0, p), (jnp.shape(x)[0], 2)))(i) + 1
    ),
    "a slice of each row": lambda x, i, k: (
        jax.vmap(lambda row, p: jax.lax.dynamic_slice(row, (p,), (5,)))(x[:3], i) * 2
    ),
    "elements along": lambda x, i, k: jnp.take_along_axis(x[:3], i[:, None] + jnp.arange(4), 1) + 1,
    "columns updated": lambda x, i, k: jax.lax.dynamic_update_slice(x, x[:, :3] * 2, (0, k)) + 1,
    "norm": lambda x, i, k: x[i] / jnp.sqrt(jnp.mean(x[i] ** 2, -1, keepdims=True) + 1),
}


@pytest.mark.parametrize("name", PLACES)
def test_places_of_the_call_are_in_kernels(name: str) -> None:
    """JAX moves places that are outside inside, or fills; both are what kernels do."""
    f = PLACES[name]
    program = ours.jit(f, fallback="error")
    for places, k in (([3, -1, 0], 2), ([99, -99, 5], 60), ([0, 1, 2], -1)):
        i, start = np.array(places, np.int32), np.int32(k)
        close(program(X, i, start), f(jnp.asarray(X), i, start), 3e-6)
    compiled = snippets_mlir.compile(jax.jit(f).lower(X, i, start))
    assert not compiled.opaque


def test_a_rotary_embedding_is_one_kernel() -> None:
    c, s = np.cos(X), np.sin(X)
    close(ours.jit(rotated)(X, c, s), rotated(jnp.asarray(X), c, s))
    program = snippets_mlir.compile(jax.jit(rotated).lower(X, c, s))
    assert [len(program.kernels), len(program.opaque)] == [1, 0]
