# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""Functions of `snippets_mlir.jit`: how they are called, traced, and what may be one."""

from __future__ import annotations

import copy
import pickle  # noqa: TID251
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy_results import same

import snippets_mlir
import snippets_mlir.xp as xp
from snippets_mlir import jit
from snippets_mlir.dialects.builtin.dtypes import Array

RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 24)).astype(np.float32)


def test_static_arguments_and_out() -> None:
    @jit(static_argnames=("power", "name"))
    def f(x: Array, *, power: int, name: str = "none") -> Any:
        return x**power if name == "none" else x

    same(f(X, power=3), X**3, 1e-5)
    same(f(X, power=2), X**2)
    same(f(X, power=2, name="same"), X)
    out = np.empty_like(X)
    assert jit(lambda x: x + 1)(X, out=out) is out
    same(out, X + 1)
    with pytest.raises(ValueError, match="has no argument 'powr'"):
        jit(f, static_argnames="powr")
    with pytest.raises(TypeError, match="name other arguments in static_argnames"):
        jit(lambda x, name: x)(X, "text")


def test_static_arguments_that_are_equal_numbers() -> None:
    f = jit(lambda x, m: x * m, static_argnames="m")
    g = jit(lambda x, m: np.copysign(x, m[0]), static_argnames="m")
    whole = np.arange(3, dtype=np.int32)
    for number in (1, 1.0, True, np.float32(1), 1):
        same(f(whole, number), whole * number)
    for zero in (0.0, -0.0, 0, 0.0, np.float32(0), np.float32(-0.0)):
        same(g(X, (zero,)), np.copysign(X, zero))
    with pytest.raises(TypeError, match="the static argument 'm' cannot be a key: unhashable"):
        f(whole, [1])


def test_a_function_is_traced_once_for_shapes_and_dtypes() -> None:
    traced: list[Any] = []

    @jit
    def f(x: Any) -> Any:
        traced.append((x.shape, x.dtype))
        return x * 2

    for x in (X, X + 1, X[:2], X.astype(np.float64), X):
        same(f(x), x * 2)
    assert len(traced) == 3


def test_strided_and_read_only_arrays() -> None:
    f = jit(lambda x, y: x + y)
    frozen = X.T.copy()
    frozen.flags.writeable = False
    same(f(X[:, ::2], X[:, ::-2]), X[:, ::2] + X[:, ::-2])
    same(f(X.T, frozen), X.T + frozen)


FUNCTIONS: dict[str, Any] = {
    "ufunc": np.exp,
    "another ufunc": np.arctan,
    "function with defaults of None": np.sum,
    "partial": partial(np.sum, axis=0),
    "partial of a lambda": partial(lambda scale, x: scale * x, 3),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_callables_that_are_no_functions(name: str) -> None:
    f = jit(FUNCTIONS[name])
    np.testing.assert_allclose(f(X), FUNCTIONS[name](X), rtol=1e-5)
    np.testing.assert_array_equal(copy.copy(f)(X), f(X))


@pytest.mark.usefixtures("cache_directory")
def test_jit_is_a_decorator_before_and_after_a_compile() -> None:
    """The name is callable whatever was imported, with a cold and with a warm cache."""
    program = (
        "import snippets_mlir, numpy as np\n"
        "assert callable(snippets_mlir.jit)\n"
        "f = snippets_mlir.jit(lambda x: np.exp(x) + 1)\n"
        "assert abs(f(np.zeros(8, 'f4')) - 2).max() < 1e-6\n"
        "import snippets_mlir.codegen, snippets_mlir.runtime\n"
        "assert callable(snippets_mlir.jit)\n"
    )
    exec(program, {})
    subprocess.run([sys.executable, "-c", program], check=True)


def module_level(x: Any) -> Any:
    return x * 2


module_jit = jit(module_level)


@jit
def decorated(x: Any) -> Any:
    return x * 2


def test_functions_are_pickled_by_their_names() -> None:
    """A function of another name is pickled with its Python function."""
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    for f in (module_jit, jit(np.sum), jit(np.tanh, num_threads=1), copy.copy(jit(Doubled()))):
        again = pickle.loads(pickle.dumps(f))
        assert again is not f
        same(again(X), f(X))
    with pytest.raises((AttributeError, pickle.PicklingError), match="Can't pickle"):
        pickle.dumps(jit(lambda x: x))


class Doubled:
    """A callable object."""

    def __call__(self, x: Any) -> Any:
        return x * 2


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("inner", [False, True])
def test_a_function_that_another_one_calls_is_part_of_it(inner: bool, dynamic: bool) -> None:
    called = jit(lambda x, y: np.tanh(x) * y, dynamic=inner)
    for _ in range(3):  # it has a fast path
        same(called(X, X), np.tanh(X) * X, 1e-5)
    f = jit(lambda x: called(x, x) + called(x, 2) + called(X, x), dynamic=dynamic)
    for _ in range(3):
        same(f(X), 2 * np.tanh(X) * X + np.tanh(X) * 2, 1e-5)
    assert f.lower(X).ir("graph").count("snippets.tanh") == 2
    with pytest.raises(snippets_mlir.CompileError, match=r"out= .* writes to an array"):
        jit(lambda x: called(x, x, out=x))(X)


@pytest.mark.parametrize("dynamic", [False, True])
def test_none_is_an_argument_and_a_result_without_leaves(dynamic: bool) -> None:
    f = jit(lambda x, y=None: x * 2 if y is None else x * y, dynamic=dynamic)
    for _ in range(3):
        same(f(X, None), X * 2)
        same(f(X), X * 2)
        same(f(X, X), X * X)
        same(f(X, y=None), X * 2)
    found = jit(lambda d: (d["x"], None, [d["bias"], d["x"] + 1]))({"x": X, "bias": None})
    assert found[1] is None
    assert found[2][0] is None
    same(found[2][1], X + 1)
    with pytest.raises(snippets_mlir.CompileError, match="returns no array"):
        jit(lambda x: None)(X)


def test_array_namespace() -> None:
    assert "exp" in dir(xp)
    assert "sort" in dir(xp)
    with pytest.raises(AttributeError, match="has no 'fabs'"):
        _ = xp.fabs
    same(jit(lambda x: x.__array_namespace__().tanh(x))(X), np.tanh(X))


def test_public_names_are_light() -> None:
    assert "jit" in snippets_mlir.__all__
