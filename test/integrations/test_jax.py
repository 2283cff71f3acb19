# pyright: reportUnknownLambdaType=false
"""Functions of JAX through kernels, from Python and inside `jax.jit`; its text as a source."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable
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
