"""StableHLO as jaxlib prints it: it round-trips, and compiles to what its own ops compute.

The expected results are those of the interpreter on the StableHLO text itself, whose values are
written down apart from the rules of `convert-stablehlo-to-snippets`, and NumPy's in float64 for
some. `make_jaxlib_programs.py` wrote the texts.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir.dialects.builtin.dtypes import Array, numpy_dtype
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.driver.sources.stablehlo import PASSES, run_on
from snippets_mlir.emit.host import find_entry
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

_TEXT = (Path(__file__).parents[1] / "support" / "jaxlib_programs.txt").read_text()
PROGRAMS: dict[str, str] = dict(part.split("\n", 1) for part in _TEXT.split("// ----- ") if part)

MISSING = {
    "cond": "stablehlo.case",
    "convolution": "stablehlo.convolution",
    "scatter": "stablehlo.scatter",
    "sort": "stablehlo.sort",
    "top_k": "chlo.top_k",
}
"""Programs that do not compile, and the op that the error names."""

INTERPRETED = ("cond", "scatter")
"""Those of them that the interpreter runs."""

OUTSIDE = {
    "maxpool": {"stablehlo.reduce_window"},
}
"""The ops that run beside kernels; of other programs every op is in a kernel."""


def _softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _layer_norm(x: Array, scale: Array, bias: Array) -> Array:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * scale + bias


def _attention(q: Array, k: Array, v: Array) -> Array:
    return _softmax(q @ k.swapaxes(-1, -2) * 0.25) @ v


FORMULAS: dict[str, Callable[..., Array]] = {
    "attention": _attention,
    "cumsum": lambda x: x.cumsum(1),  # pyright: ignore
    "fori": lambda x: ((x * 2 + 0) * 2 + 1) * 2 + 2,  # pyright: ignore
    "layer_norm": _layer_norm,
    "mlp": lambda x, w, b: np.maximum(x @ w + b, 0),  # pyright: ignore
    "silu": lambda x: x / (1 + np.exp(-x)),  # pyright: ignore
    "softmax": _softmax,
}


def inputs_of(name: str) -> list[Array]:
    """Arrays for the arguments of a program."""
    function = find_entry(parse_module(PROGRAMS[name], make_context(), name), "main")
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    arrays: list[Array] = []
    for argument in function.body.block.args:
        type_ = tensor_of(argument)
        dtype, shape = numpy_dtype(type_.element_type), type_.get_shape()
        numbers = rng.integers(0, 8, shape) if dtype.kind in "iub" else rng.normal(size=shape)
        arrays.append(np.asarray(numbers).astype(dtype))
    return arrays


def close(found: Array, expected: Array) -> None:
    """Equal up to the rounding of sums and functions."""
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    tolerance = 3e-5 if found.dtype.itemsize >= 4 else 2e-2
    a, b = (np.asarray(x, np.float64) for x in (found, expected))
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=1e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_text_round_trips(name: str) -> None:
    ctx = make_context()
    text = print_module(parse_module(PROGRAMS[name], ctx, name))
    assert print_module(parse_module(text, ctx, name)) == text


@pytest.mark.parametrize("name", sampled((n for n in PROGRAMS if n not in MISSING), 3))
def test_kernels_compute_what_the_text_says(name: str) -> None:
    inputs = inputs_of(name)
    expected = Interpreter(parse_module(PROGRAMS[name], make_context(), name)).run("main", inputs)
    program = snippets_mlir.compile(PROGRAMS[name], num_threads=1)
    found: Any = program(*inputs)
    outputs = cast("tuple[Array, ...]", found if isinstance(found, tuple) else (found,))
    for a, b in zip(outputs, expected, strict=True):
        close(a, b)
    if name in FORMULAS:
        wide = FORMULAS[name](*(x.astype(np.float64) for x in inputs))
        np.testing.assert_allclose(outputs[0], wide, rtol=1e-4, atol=1e-5)
    opaque = {op for op, _, _ in program.opaque if op.startswith(("stablehlo", "chlo"))}
    assert opaque == OUTSIDE.get(name, set())


@pytest.mark.parametrize("name", MISSING)
def test_what_is_missing_is_named(name: str) -> None:
    with pytest.raises(CompileError, match=f"no executor for '{MISSING[name]}'") as error:
        snippets_mlir.compile(PROGRAMS[name])
    assert error.value.line is not None


@pytest.mark.parametrize("name", INTERPRETED)
def test_what_does_not_compile_is_interpreted(name: str) -> None:
    inputs = inputs_of(name)
    (before,) = Interpreter(parse_module(PROGRAMS[name], make_context(), name)).run("main", inputs)
    module = parse_module(PROGRAMS[name], make_context(), name)
    run_on(module, PASSES)
    (after,) = Interpreter(module).run("main", inputs)
    close(after, before)
    if name == "scatter":
        expected = inputs[0].copy()
        np.add.at(expected, inputs[1], np.float32(1))
        close(before, expected)


def test_lowered_objects_are_sources() -> None:
    class Lowered:
        """What the driver needs of `jax.stages.Lowered`."""

        def compiler_ir(self) -> object:
            """Not read."""
            return None

        def as_text(self) -> str:
            """The module."""
            return PROGRAMS["relu"]

    x = inputs_of("relu")[0]
    np.testing.assert_array_equal(snippets_mlir.compile(Lowered())(x), np.maximum(x, 0))


def test_calls_are_inlined_where_nothing_else_is_there() -> None:
    """`jnp.round(x, 1)` of integers, which is `x`."""
    text = """
    func.func public @main(%x: tensor<3xui8>) -> tensor<3xui8> {
      %0 = call @round(%x) : (tensor<3xui8>) -> tensor<3xui8>
      return %0 : tensor<3xui8>
    }
    func.func private @round(%x: tensor<3xui8>) -> tensor<3xui8> {
      return %x : tensor<3xui8>
    }
    """
    x = np.array([1, 2, 255], np.uint8)
    np.testing.assert_array_equal(snippets_mlir.compile(text, fallback="error")(x), x)
