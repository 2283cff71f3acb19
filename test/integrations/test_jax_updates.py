# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
"""`x.at[...]` of JAX: scatters of one place, and of rows, in kernels."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.support.errors import CompileError

pytest.importorskip("jax", reason="needs jax: make test-integrations")

jax: Any = import_module("jax")
jnp: Any = jax.numpy
ours: Any = import_module("snippets_mlir.jax")

X = np.random.default_rng(0).normal(size=(8, 6)).astype(np.float32)
Update = Callable[[Any, Any], Any]

ONE_PLACE: dict[str, Update] = {
    "a row": lambda x, i: x.at[2].set(7.0),
    "a row of the call": lambda x, i: x.at[i].set(x[0] * 2) + 1,
    "a column of the call": lambda x, i: x.at[:, i].set(x[:, 0]),
    "an element": lambda x, i: x.at[i, 2].add(1.5),
    "an element of the call": lambda x, i: x.at[i, i].multiply(2.0),
    "rows": lambda x, i: x.at[2:5].set(x[:3] * 3),
    "a block": lambda x, i: x.at[2:5, 1:3].max(0.25),
    "a block of a row of the call": lambda x, i: x.at[i, 1:3].min(0.25),
    "all": lambda x, i: x.at[:].set(x * 2),
    "the only row": lambda x, i: x[:1].at[i].set(5.0),
    "integers": lambda x, i: jnp.arange(8).at[i].add(i),
    "bools": lambda x, i: (x > 0).at[i].set(True),
    "bfloat16": lambda x, i: x.astype(jnp.bfloat16).at[i].set(x[1].astype(jnp.bfloat16)),
    "dropped": lambda x, i: x.at[i + 9].set(1.0, mode="drop"),
    "subtracted": lambda x, i: x.at[i].subtract(x[0]),
}


def agree(f: Update, x: Any, i: Any) -> None:
    program: Any = snippets_mlir.compile(jax.jit(f, keep_unused=True).lower(x, i), fallback="error")
    assert not program.opaque
    found, expected = np.asarray(program(x, i)), np.asarray(f(jnp.asarray(x), i))
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ONE_PLACE)
def test_one_place(name: str) -> None:
    for i in (3, 0, 7, -1, -8, -9, 8, 100):
        agree(ONE_PLACE[name], X, np.int32(i))


def test_what_is_not_set_keeps_its_bits() -> None:
    x = np.array([-0.0, np.nan, np.inf, -np.inf, 1e-45, 0.0], np.float32)

    def f(x: Any, i: Any) -> Any:
        return x.at[i].set(-0.0)

    for i in range(6):
        program = snippets_mlir.compile(jax.jit(f, keep_unused=True).lower(x, np.int32(i)))
        found, expected = program(x, np.int32(i)), np.asarray(f(jnp.asarray(x), i))
        assert found.tobytes() == expected.tobytes()


ROWS: dict[str, Update] = {
    "rows": lambda x, i: x.at[i].set(x[:4] * 2),
    "one number": lambda x, i: x.at[i].set(1.0),
    "columns": lambda x, i: x.at[:, i].set(x[:, :4] + 1),
    "unique": lambda x, i: x.at[jnp.array([6, 1, 4])].add(x[:3], unique_indices=True),
    "every other": lambda x, i: x.at[::2].set(0.5),
    "backwards": lambda x, i: jnp.tile(x, 2).at[::-1].set(jnp.tile(x, 2)),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str) -> None:
    places: list[list[int]] = [[3, 1, 0, 5], [5, 4, 3, 2], [-1, -9, 99, 0]]
    for place in places:
        agree(ROWS[name], X, np.array(place, np.int32))


def test_the_last_of_several_is_set() -> None:
    """StableHLO leaves the order open; XLA takes them in turn on CPUs."""

    def f(x: Any, i: Any) -> Any:
        return x.at[i].set(jnp.arange(4, dtype=x.dtype)[:, None] + x[:4] * 0)

    for place in ([2, 2, 2, 2], [1, 0, 1, 7], [6, 6, 5, 5]):
        agree(f, X, np.array(place, np.int32))


REFUSED: dict[str, Update] = {
    "sums that meet": lambda x, i: x.at[i].add(1.0),
    "elements": lambda x, i: x.at[i, i].set(1.0),
    "a part at a place of the call": lambda x, i: jax.lax.scatter(
        x,
        i[:1],
        x[:3],
        jax.lax.ScatterDimensionNumbers((0, 1), (), (0,)),
    ),
    "more indices than a row has elements": lambda x, i: x[:, :2].at[i].set(1.0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_others_are_run_by_jax(name: str) -> None:
    i = np.array([3, 1, 0, 5], np.int32)
    with pytest.raises(CompileError, match=r"'stablehlo.scatter', which JAX makes of this line"):
        ours.jit(REFUSED[name], fallback="error")(X, i)
    with pytest.warns(RuntimeWarning, match="JAX runs the function"):
        found = ours.jit(REFUSED[name])(X, i)
    np.testing.assert_array_equal(found, REFUSED[name](jnp.asarray(X), i))
