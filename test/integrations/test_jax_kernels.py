# pyright: reportUnknownLambdaType=false
"""Kernels inside of `jax.jit`: values, derivatives, `vmap`, and what the handler refuses."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.support.errors import CompileError

pytest.importorskip("jax", reason="needs jax: make test-integrations")

jax: Any = import_module("jax")
jnp: Any = jax.numpy
functions_of_jax: Any = import_module("snippets_mlir.integrations.jax_functions")
calls: Any = import_module("snippets_mlir.integrations.jax_calls")
xla_call: Any = import_module("snippets_mlir.runtime.calls.xla_call")
kernel: Any = import_module("snippets_mlir.jax").kernel
jit: Any = import_module("snippets_mlir.jax").jit

RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 64)).astype(np.float32)
LARGE = RNG.normal(size=(256, 1024)).astype(np.float32)


def wave(x: Any, y: Any) -> Any:
    return jnp.sin(x) * y


def close(found: Any, expected: Any, tolerance: float = 3e-6) -> None:
    """The same pytree, types and shapes, and values that are close."""
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(
            np.asarray(a, np.float64), np.asarray(b, np.float64), tolerance, tolerance
        )


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "tree": (lambda d, s: {"a": d["x"] * s, "b": [d["x"] > 0]}, ({"x": X}, 2.0)),
    "weak scalar": (lambda x, s: x * s, (jnp.asarray(X, jnp.bfloat16), 2.0)),
    "float16": (lambda x: x + x, (X.astype(np.float16),)),
    "integers": (lambda x: x * 3 + 1, (np.arange(7, dtype=np.int32),)),
    "booleans": (lambda x, y: (x > 0) & y, (X, X > 1)),
    "no elements": (lambda x: x + 1, (np.zeros((0, 4), np.float32),)),
    "scalar": (jnp.exp, (jnp.float32(1),)),
    "result is the argument": (lambda x: (x, x), (X,)),
    "constant": (lambda x: jnp.full(4, 2.0), (X,)),
    "default arguments": (jax.nn.softmax, (X,)),
    "team of threads": (jax.nn.softmax, (LARGE,)),
}


@pytest.mark.parametrize("name", CASES)
def test_inside_of_jit(name: str) -> None:
    function, arguments = CASES[name]
    inside = jax.jit(kernel(function, fallback="error", num_threads=2))
    for _ in range(2):
        close(inside(*arguments), jax.jit(function)(*arguments))


@pytest.mark.parametrize("name", CASES)
def test_calls_of_jit_with_arrays_of_jax_go_through_xla(name: str) -> None:
    function, arguments = CASES[name]
    given = jax.tree.map(lambda a: a if isinstance(a, float) else jnp.asarray(a), arguments)
    f = jit(function, fallback="error", num_threads=2)
    for _ in range(2):
        close(f(*given), jax.jit(function)(*given))
    (program,) = f._programs.values()
    assert program.executable._cache_size() == 1


def test_calls_of_jit_that_xla_does_not_make(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large results, programs that keep memory, and an interface that is not known."""

    def refuse(*_: Any) -> Any:
        raise CompileError("expected version 0 of XLA's interface")

    table = np.arange(1 << 19, dtype=np.float32)
    functions: list[Callable[[Any], Any]] = [
        lambda x: jnp.broadcast_to(x[0, 0] + 1, (1 << 23,)),
        lambda x: (table * x[0, 0]).sum(),
        jnp.tanh,
    ]
    for f in functions:
        if f is jnp.tanh:
            monkeypatch.setattr(functions_of_jax, "call_site_of", refuse)
        ours, given = jit(f, fallback="error"), jnp.asarray(X)
        for _ in range(2):
            close(ours(given), f(given), 1e-5)
        (program,) = ours._programs.values()
        assert program.executable is None


def test_xla_calls_the_handler_and_compiles_once_a_shape() -> None:
    traced: list[Any] = []

    def f(x: Any) -> Any:
        traced.append(x.shape)
        return jnp.tanh(x)

    k = kernel(f, fallback="error")
    text = jax.jit(lambda x: k(x) + k(x)).lower(X).as_text()
    assert text.count("@snippets_mlir(") == 2
    jax.jit(lambda x: k(x) - 1)(X)
    assert traced == [X.shape]
    jax.jit(k)(X[0])
    assert traced == [X.shape, X[0].shape]


def test_derivatives_are_those_of_the_function() -> None:
    k = kernel(wave, fallback="error")
    close(jax.jvp(k, (X, X), (X, X)), jax.jvp(wave, (X, X), (X, X)))
    grads = [jax.jit(jax.grad(lambda x, f=f: f(x, y=x).sum()))(X) for f in (k, wave)]
    close(*grads)
    close(*(jax.hessian(lambda x, f=f: f(x, x).sum())(X[0, :4]) for f in (k, wave)))
    whole = [jax.grad(lambda x, f=f: f(x, jnp.arange(64)).sum())(X) for f in (k, wave)]
    close(*whole)


def test_vmap_calls_kernels_with_one_more_axis() -> None:
    k = kernel(wave, fallback="error")
    for axes, arguments in (((0, 0), (X, X)), ((1, None), (X, X[:, 0]))):
        batched = jax.jit(jax.vmap(k, axes))
        close(batched(*arguments), jax.vmap(wave, axes)(*arguments))
        text = batched.lower(*arguments).as_text()
        assert text.count("@snippets_mlir(") == 1
        assert "while" not in text
    close(*(jax.vmap(jax.vmap(f, (0, None)), (None, 0))(X, X) for f in (k, wave)))
    close(*(jax.vmap(jax.grad(lambda x, f=f: f(x, x).sum()))(X) for f in (k, wave)))
    close(*(jax.grad(lambda x, f=f: jax.vmap(f)(x, x).sum())(X) for f in (k, wave)))


def test_inside_of_scan_and_checkpoint() -> None:
    k = kernel(wave, fallback="error")
    close(*(jax.lax.scan(lambda c, x, f=f: (f(c, x), c), X[0], X) for f in (k, wave)))
    close(*(jax.grad(lambda x, f=f: jax.checkpoint(f)(x, x).sum())(X) for f in (k, wave)))


def test_denormal_numbers_are_not_flushed() -> None:
    """XLA's threads flush them; kernels give what a call from Python gives."""
    tiny = np.full(100, 1e-40, np.float32)
    found = np.asarray(jax.jit(kernel(lambda x: x * 2))(tiny))
    np.testing.assert_array_equal(found, tiny * 2)
    assert not np.asarray(jax.jit(lambda x: x * 2)(tiny)).any()  # nor are the modes left changed


def test_several_threads_call_one_kernel(
    wrong_in_threads: Callable[..., list[int]],
) -> None:
    inside = jax.jit(kernel(jax.nn.softmax, num_threads=2))
    expected = np.asarray(inside(LARGE))
    assert not wrong_in_threads(lambda: np.array_equal(np.asarray(inside(LARGE)), expected), 30)


def test_jax_runs_what_the_compiler_cannot_take() -> None:
    def f(x: Any) -> Any:
        return jnp.sort(x, 1)

    line = f.__code__.co_firstlineno + 1
    inside = jax.jit(kernel(f))
    with pytest.warns(RuntimeWarning, match=rf"test_jax_kernels.py:{line}:\d+: .*stablehlo.sort"):
        close(inside(X), jnp.sort(X, 1))
    close(inside(X), jnp.sort(X, 1))  # no warning: warnings are errors here
    with pytest.raises(CompileError, match=r"stablehlo\.sort") as error:
        jax.jit(kernel(f, fallback="error"))(X)
    assert error.value.line == line
    with pytest.raises(ValueError, match='fallback: expected "jax" or "error"'):
        kernel(f, fallback="eager")
    with pytest.raises(CompileError, match="counters or the segfault detector"):
        jax.jit(kernel(jnp.exp, fallback="error", perf_count="body"))(X)


def program_of(function: Any, *arguments: Any) -> Any:
    compiled: Any = snippets_mlir.compile(jax.jit(function).lower(*arguments))
    return compiled.build_for(()).program


def called(attributes: dict[str, int], *arguments: Any) -> Any:
    """A call of the handler for one result of the first argument's shape and type."""
    result = jax.ShapeDtypeStruct(arguments[0].shape, arguments[0].dtype)
    numbers = {name: np.int64(value) for name, value in attributes.items()}
    return np.asarray(jax.ffi.ffi_call(calls.TARGET, result)(*arguments, **numbers))


def test_calls_of_other_processes_and_other_arrays_are_errors() -> None:
    site = xla_call.call_site(program_of(jnp.exp, X))
    kernel(jnp.exp)(X)  # the handler is registered
    close(called(site, X), jnp.exp(X))
    for attributes in ({}, {"process": site["process"]}, {**site, "process": 1}):
        with pytest.raises(Exception, match=r"FAILED_PRECONDITION: .*compiled in another process"):
            called(attributes, X)
    for arguments in ((X[:4],), (X[0],), (X, X)):
        with pytest.raises(
            Exception, match=r"INVALID_ARGUMENT: .*not those of the kernel's shapes"
        ):
            called(site, *arguments)


def test_an_exception_of_a_step_is_an_error_of_xla() -> None:
    x = jnp.asarray(X)

    def sums_of_three(x: Any) -> Any:
        return jax.lax.reduce_window(x, 0.0, jax.lax.add, (3, 1), (1, 1), "SAME")

    program = program_of(sums_of_three, x)  # NumPy runs it
    assert list(program.executors) == [0]

    def fail(_: Any) -> Any:
        raise ValueError("no value for you")

    kernel(jnp.exp)(X)  # the handler is registered
    for _ in range(2):
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(program.executors, 0, fail)
            site = xla_call.call_site(program)
        with pytest.raises(Exception, match=r"INTERNAL: .*no value for you"):
            called(site, x)
    close(called(xla_call.call_site(program), x), sums_of_three(x))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot read the version"),
        ("", "expected version 0"),
        ("#define XLA_FFI_API_MAJOR 1\n#define XLA_FFI_API_MINOR 0", "expected version 0"),
        ("#define XLA_FFI_API_MAJOR 0", "expected version 0"),
    ],
)
def test_another_interface_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    header = tmp_path / "c_api.h"
    if text is not None:
        header.write_text(text)
    with pytest.raises(CompileError, match=message):
        calls.minor_version(header)
