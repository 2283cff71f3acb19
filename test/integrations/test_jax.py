# pyright: reportUnknownLambdaType=false
"""Functions of JAX through kernels, from Python and inside `jax.jit`; its text as a source."""

from __future__ import annotations

import copy
import gc
import pickle  # noqa: TID251
import re
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

pytest.importorskip("jax", reason="needs jax: make test-integrations")
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

jax: Any = import_module("jax")
jnp: Any = jax.numpy
ours: Any = import_module("snippets_mlir.jax")
PROGRAMS: dict[str, tuple[Any, Any]] = import_module("make_jaxlib_programs").PROGRAMS

X = np.random.default_rng(0).normal(size=(8, 64)).astype(np.float32)


def silu(x: Any) -> Any:
    return x * jax.nn.sigmoid(x)


def close(found: Any, expected: Any, tolerance: float = 2e-6) -> None:
    np.testing.assert_allclose(
        np.asarray(found, np.float64), np.asarray(expected, np.float64), tolerance, tolerance
    )


def test_result_is_an_array_of_jax() -> None:
    found = ours.jit(silu)(jnp.asarray(X))
    assert isinstance(found, jax.Array)
    close(found, silu(X.astype(np.float64)))


def test_static_arguments_that_are_equal_numbers() -> None:
    f = ours.jit(lambda x, *, m: x * m, static_argnames="m")
    whole = jnp.arange(3)
    assert [f(whole, m=number).dtype.kind for number in (1, 1.0, True, 1)] == ["i", "f", "i", "i"]


def test_static_arguments_at_their_places() -> None:
    f = ours.jit(lambda x, axis, k=1: jnp.sum(x, axis) * k, static_argnames=("k", "axis"))
    x = jnp.asarray(X)
    for found in (f(x, 0), f(x, axis=0), f(axis=0, x=x), f(x, 0, 1), f(x, 0, k=1)):
        close(found, X.sum(0), 1e-5)
    close(f(x, 1, 2), X.sum(1) * 2, 1e-5)
    close(jax.jit(lambda x: f(x, 1) + 1)(x), X.sum(1) + 1, 1e-5)
    with pytest.raises(TypeError, match="multiple values"):
        f(x, 0, axis=1)


class Scaled:
    """Methods: the instance is static."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    @partial(ours.jit, static_argnames="self")
    def times(self, x: Any) -> Any:
        return x * self.factor


@ours.jit
def decorated(x: Any) -> Any:
    return x * 2


def test_methods_and_copies() -> None:
    close(Scaled(2.0).times(X), X * 2)
    close(Scaled(3.0).times(x=X), X * 3)
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    for again in (copy.deepcopy(ours.jit(silu)), pickle.loads(pickle.dumps(ours.jit(silu)))):
        close(again(X), silu(X), 1e-5)


def test_results_of_numbers_take_the_type_beside_them() -> None:
    """JAX calls their type weak."""
    whole = np.arange(3, dtype=np.int32)
    functions: list[tuple[Any, Any]] = [
        (lambda x: (x * 2.5, x), whole),
        (lambda x: jnp.where(x > 1, 1, 0), whole),
        (lambda x: 2 * x, 3),
        (lambda x: (x, 3, True), 1.5),
    ]
    for f, x in functions:
        for function in (ours.jit(f), jax.jit(ours.kernel(f))):
            for given in (x, jnp.asarray(x)):
                found = jax.tree_util.tree_leaves(function(given))
                wanted = jax.tree_util.tree_leaves(jax.jit(f)(given))
                for one, other in zip(found, wanted, strict=True):
                    assert (one.dtype, one.weak_type) == (other.dtype, other.weak_type)
                    close(one, other)


def test_trees_scalars_and_static_arguments() -> None:
    @ours.jit(static_argnames="power", num_threads=1)
    def f(d: Any, factor: float, *, power: int) -> Any:
        return {"sum": (d["x"] + d["y"]) * factor, "rest": [d["x"] ** power, d["y"].sum()]}

    found = f({"x": X, "y": X[::-1]}, 2.0, power=3)
    close(found["sum"], (X + X[::-1]) * 2)
    close(found["rest"][0], X**3)
    close(found["rest"][1], X.sum(), 1e-5)
    close(f({"x": X, "y": X}, 2.0, power=2)["rest"][0], X**2)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "int32", "bool"])
def test_element_types(dtype: str) -> None:
    x = jnp.asarray(X).astype(dtype)

    def f(x: Any) -> Any:
        return jnp.where(x > 0, x, x) if dtype == "bool" else x * x + x

    found = ours.jit(f)(x)
    assert found.dtype == dtype
    close(found, f(x), 1e-2)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "int8"])
def test_narrow_types_are_in_kernels(dtype: str) -> None:
    x = jnp.asarray(X * 3, dtype)

    def square(x: Any) -> Any:
        return x * x + 1

    f = square if dtype == "int8" else silu
    exact = np.asarray(f(jnp.asarray(x, "float32" if dtype != "int8" else dtype)), np.float64)
    unit = 0 if dtype == "int8" else float(jnp.finfo(dtype).eps)
    for call in (
        ours.jit(f, fallback="error"),
        jax.jit(ours.kernel(f, fallback="error")),
    ):
        found = call(x)
        assert str(found.dtype) == dtype
        # jax.nn.sigmoid rounds in between where the text converts.
        np.testing.assert_allclose(np.asarray(found, np.float64), exact, 2 * unit, 1e-6)
    compiled = snippets_mlir.compile(jax.jit(f).lower(x))
    assert len(compiled.kernels) == 1
    assert not compiled.opaque


def test_cumulative_ops() -> None:
    functions: list[Any] = [
        lambda x: jax.lax.cummax(x, 0),
        lambda x: jax.lax.cummin(x, 1, reverse=True),
        lambda x: jnp.cumprod(x / 3, 1),
    ]
    for f in functions:
        close(ours.jit(f, fallback="error")(X), f(X), 1e-5)


def test_large_results_are_shared_and_their_memory_comes_back() -> None:
    x = jnp.ones((256, 1024))
    f = ours.jit(lambda x: x + 1)
    kept = [f(x * k) for k in range(4)]
    del kept[1]
    gc.collect()
    again = f(x * 10)
    for number, array in zip((1, 3, 4, 11), (*kept, again), strict=True):
        assert float(array.min()) == float(array.max()) == number


def test_transformations_run_the_function_itself() -> None:
    f = ours.jit(silu)
    close(jax.grad(lambda x: f(x).sum())(X), jax.grad(lambda x: silu(x).sum())(X))
    close(jax.vmap(f)(X), silu(X))
    close(jax.jit(lambda x: f(x) + 1)(X), silu(X) + 1)


def test_gradients_that_compute_values_again() -> None:
    """JAX puts barriers around them."""

    def f(x: Any) -> Any:
        return jnp.sin(jnp.sin(x) * x).sum()

    found = ours.jit(jax.grad(jax.checkpoint(f)), fallback="error")(X)
    close(found, jax.grad(f)(X), 1e-5)


def test_fallback_says_once_what_is_missing_and_where() -> None:
    def f(x: Any) -> Any:
        return jnp.sort(x, 1)

    line = f.__code__.co_firstlineno + 1
    g = ours.jit(f)
    with pytest.warns(RuntimeWarning, match=rf"test_jax.py:{line}:\d+: .*'stablehlo.sort'"):
        close(g(X), np.sort(X, 1))
    close(g(X), np.sort(X, 1))  # no warning: warnings are errors here
    with pytest.raises(CompileError, match=r"stablehlo\.sort") as error:
        ours.jit(f, fallback="error")(X)
    assert error.value.line == line


def test_fallback_of_random_numbers_names_the_users_line() -> None:
    """The loop is two functions of JAX further in; typed keys are no arrays of numbers."""

    def f(key: Any) -> Any:
        return jax.random.normal(key, (3,))

    place = rf"test_jax.py:{f.__code__.co_firstlineno + 1}:\d+: .*'stablehlo.while'"
    for key, reason in ((jax.random.PRNGKey(0), place), (jax.random.key(0), "the type key<fry>")):
        with pytest.warns(RuntimeWarning, match=reason):
            close(ours.jit(f)(key), f(key))


def test_fallback_of_calls_of_other_code_names_them() -> None:
    functions: list[Any] = [
        jnp.linalg.inv,
        lambda x: jax.pure_callback(np.negative, x, x),
    ]
    for f in functions:
        x = jnp.eye(3) * 2
        with pytest.warns(RuntimeWarning, match=r"for 'stablehlo.custom_call', which JAX makes of"):
            close(ours.jit(f)(x), f(x))


def test_programs_are_of_the_width_of_types() -> None:
    """The same arguments have another program where JAX has 64-bit types."""

    def f(x: Any) -> Any:
        return x * 2, jnp.arange(3)

    kernel = ours.kernel(f)
    functions: list[Any] = [ours.jit(f), lambda x: jax.jit(lambda x: kernel(x))(x)]
    for function in functions:
        for wide in (False, True, False):
            with jax.enable_x64(wide):
                for x in (np.arange(3.0), jnp.ones(3, np.float32)):
                    found, wanted = function(x), jax.jit(f)(x)
                    assert [a.dtype for a in found] == [a.dtype for a in wanted]
                    close(found[0], wanted[0])


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match='fallback: expected "jax" or "error"'):
        ours.jit(silu, fallback="eager")


@pytest.mark.parametrize("name", PROGRAMS)
def test_text_is_accepted_by_jaxlib(name: str) -> None:
    """jaxlib parses and verifies what is printed of the text that it wrote."""
    ir: Any = import_module("jax._src.lib.mlir").ir
    function, arguments = PROGRAMS[name]
    lowered = jax.jit(function).lower(*arguments)
    module = lowered.compiler_ir("stablehlo")
    for text in (str(module), module.operation.get_asm(print_generic_op_form=True)):
        printed = print_module(parse_module(text, make_context(), name))
        with import_module("jax._src.interpreters.mlir").make_ir_context():
            assert ir.Module.parse(printed).operation.verify()


MISSING = ("cond", "convolution", "scatter", "sort", "top_k")


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in MISSING])
def test_programs_compute_what_jax_does(name: str) -> None:
    function, arguments = PROGRAMS[name]
    rng = np.random.default_rng(1)
    inputs: list[Any] = []
    for argument in arguments:
        a = np.asarray(argument)
        numbers = (
            rng.normal(size=a.shape) if a.dtype.kind not in "iub" else rng.integers(0, 8, a.shape)
        )
        inputs.append(np.asarray(numbers).astype(a.dtype))
    program = snippets_mlir.compile(jax.jit(function).lower(*inputs))
    found: Any = program(*inputs)
    expected = jax.tree_util.tree_leaves(jax.jit(function)(*inputs))
    results: list[Any] = [*found] if isinstance(found, tuple) else [found]
    for a, b in zip(results, expected, strict=True):
        assert a.dtype == b.dtype
        close(a, b, 2e-2 if a.dtype.itemsize == 2 else 3e-5)


def test_examples_of_the_docs_run(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "jax.md").read_text()
    blocks = re.findall(r"^```python needs=jax\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    exec("\n".join(blocks), {})
    assert "1.4621" in capsys.readouterr().out
