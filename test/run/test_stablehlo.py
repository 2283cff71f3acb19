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
from snippets_mlir.driver.stablehlo import from_stablehlo
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
    from_stablehlo(module)
    (after,) = Interpreter(module).run("main", inputs)
    close(after, before)
    if name == "scatter":
        expected = inputs[0].copy()
        np.add.at(expected, inputs[1], np.float32(1))
        close(before, expected)


def test_special_values() -> None:
    """-0.0, NaN and infinities through rules that are a few ops."""
    text = """
    func.func @main(%x: tensor<6xf32>)
        -> (tensor<6xf32>, tensor<6xf32>, tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) {
      %low = stablehlo.constant dense<0xFF800000> : tensor<6xf32>
      %0 = stablehlo.sign %x : tensor<6xf32>
      %1 = stablehlo.maximum %low, %x : tensor<6xf32>
      %2 = stablehlo.compare NE, %x, %x, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %3 = chlo.next_after %x, %low : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
      %4 = stablehlo.round_nearest_afz %x : tensor<6xf32>
      func.return %0, %1, %2, %3, %4
          : tensor<6xf32>, tensor<6xf32>, tensor<6xi1>, tensor<6xf32>, tensor<6xf32>
    }
    """
    x = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, -3.0], np.float32)
    run = snippets_mlir.compile(text)
    sign, largest, differs, below, whole = run(x)
    assert whole.tobytes() == x.tobytes()
    halves = np.array([0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997], np.float32)
    np.testing.assert_array_equal(run(halves)[4], [1, -1, 2, 3, -3, 0])
    with np.errstate(invalid="ignore"):  # inf - inf
        interpreted = Interpreter(parse_module(text, make_context(), "text"))
        for inputs in (halves, x):
            rounded = interpreted.run("main", [inputs])[4]
            assert rounded.dtype == np.float32
            assert rounded.tobytes() == run(inputs)[4].tobytes()
    np.testing.assert_array_equal(sign, [0.0, -0.0, np.nan, 1, -1, -1])
    np.testing.assert_array_equal(np.signbit(sign[:2]), [False, True])
    assert largest.tobytes() == x.tobytes()
    np.testing.assert_array_equal(differs, np.isnan(x))
    np.testing.assert_array_equal(below, np.nextafter(x, np.float32(-np.inf)))


ROWS: dict[str, Any] = {
    "f32": np.array([[1, 3, 3], [0, np.nan, np.nan], [-0.0, 0, 0]], np.float32),
    "i32": np.array([[3, 1, 1], [2147483647] * 3], np.int32),
    "i1": np.array([[False] * 3, [False, True, True]]),
}
PLACES = {
    "f32": ("GT", "FLOAT", "0xFF800000"),
    "i32": ("LT", "SIGNED", "2147483647"),
    "i1": ("GT", "UNSIGNED", "false"),
}
"""The comparison, its type and the initial value of `test_places`."""


@pytest.mark.parametrize("element", PLACES)
def test_places(element: str) -> None:
    """A reduction to the first extreme and its index, as JAX writes it."""
    (direction, kind, init), x = PLACES[element], ROWS[element]
    scalar, x_type = f"tensor<{element}>", f"tensor<{len(x)}x3x{element}>"
    rows, places = f"tensor<{len(x)}x{element}>", f"tensor<{len(x)}xi32>"

    def compare(word: str, a: str, b: str, kind: str = kind, type_: str = scalar) -> str:
        return f"stablehlo.compare {word}, {a}, {b}, {kind} : ({type_}, {type_}) -> tensor<i1>"

    text = f"""
    func.func @main(%x: {x_type}) -> ({rows}, {places}) {{
      %i = stablehlo.iota dim = 1 : tensor<{len(x)}x3xi32>
      %worst = stablehlo.constant dense<{init}> : {scalar}
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.reduce(%x init: %worst), (%i init: %zero) across dimensions = [1]
          : ({x_type}, tensor<{len(x)}x3xi32>, {scalar}, tensor<i32>) -> ({rows}, {places})
       reducer(%a: {scalar}, %b: {scalar}) (%j: tensor<i32>, %k: tensor<i32>) {{
        %0 = {compare(direction, "%a", "%b")}
        %1 = {compare("NE", "%a", "%a")}
        %2 = stablehlo.or %0, %1 : tensor<i1>
        %3 = {compare("EQ", "%a", "%b")}
        %4 = {compare("LT", "%j", "%k", "SIGNED", "tensor<i32>")}
        %5 = stablehlo.and %3, %4 : tensor<i1>
        %6 = stablehlo.or %2, %5 : tensor<i1>
        %7 = stablehlo.select %2, %a, %b : tensor<i1>, {scalar}
        %8 = stablehlo.select %6, %j, %k : tensor<i1>, tensor<i32>
        stablehlo.return %7, %8 : {scalar}, tensor<i32>
      }}
      func.return %r#0, %r#1 : {rows}, {places}
    }}
    """
    program = snippets_mlir.compile(text, fallback="error")
    value, place = program(x)
    np.testing.assert_array_equal(value, x.max(1) if direction == "GT" else x.min(1))
    np.testing.assert_array_equal(place, x.argmax(1) if direction == "GT" else x.argmin(1))


def windows_by_hand(x: Array) -> Array:
    """The maxima of the windows of `test_windows`, element by element."""
    result = np.full((3, 3), -9.0, np.float32)
    for i, j, k, m in np.ndindex(3, 3, 2, 3):
        # The columns are two apart, after one of padding; the first row is cut off.
        row, (column, between) = 2 * i + k + 1, divmod(j + 3 * m - 1, 2)
        if 0 <= row < x.shape[0] and 0 <= column < x.shape[1] and not between:
            result[i, j] = max(result[i, j], x[row, column])
    return result


@pytest.mark.parametrize(("shape", "dims"), [((2, 0, 3), [2]), ((2, 0, 3), [1]), ((0, 4), [0, 1])])
def test_reductions_beside_kernels_with_no_elements(
    shape: tuple[int, ...], dims: list[int]
) -> None:
    """`and` of integers is no op of kernels."""
    kept = [size for dim, size in enumerate(shape) if dim not in dims]
    given, made = ("x".join([*map(str, s), "ui8"]) for s in (shape, kept))
    text = f"""
    func.func public @main(%x: tensor<{given}>, %i: tensor<ui8>) -> tensor<{made}> {{
      %0 = stablehlo.reduce(%x init: %i) applies stablehlo.and across dimensions = {dims}
        : (tensor<{given}>, tensor<ui8>) -> tensor<{made}>
      return %0 : tensor<{made}>
    }}"""
    program = snippets_mlir.compile(text)
    assert [op for op, _, _ in program.opaque] == ["stablehlo.reduce"]
    result = program(np.empty(shape, np.uint8), np.uint8(7))
    assert result.shape == tuple(kept)
    assert (result == 7).all()


def test_windows() -> None:
    """Strides, dilations, padding and elements left out."""
    text = """
    func.func @main(%x: tensor<6x4xf32>) -> tensor<3x3xf32> {
      %low = stablehlo.constant dense<-9.0> : tensor<f32>
      %0 = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 2, 3>,
          window_strides = array<i64: 2, 1>, base_dilations = array<i64: 1, 2>,
          window_dilations = array<i64: 1, 3>,
          padding = dense<[[-1, 1], [1, 1]]> : tensor<2x2xi64>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.maximum %a, %b : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<3x3xf32>
      func.return %0 : tensor<3x3xf32>
    }
    """
    x = np.random.default_rng(0).standard_normal((6, 4)).astype(np.float32)
    program = snippets_mlir.compile(text)
    np.testing.assert_array_equal(np.asarray(program(x)), windows_by_hand(x))
    assert [op for op, _, _ in program.opaque] == ["stablehlo.reduce_window"]


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


def test_too_many_inlined_ops() -> None:
    """Each function calls the next one twice: 2^25 ops."""
    call = "%{i} = func.call @f{n}(%x) : (tensor<f32>) -> tensor<f32>\n"
    functions = [
        f"func.func private @f{n}(%x: tensor<f32>) -> tensor<f32> {{\n"
        + call.format(i=0, n=n + 1)
        + call.format(i=1, n=n + 1)
        + "func.return %1 : tensor<f32>\n}\n"
        for n in range(25)
    ]
    last = (
        "func.func private @f25(%x: tensor<f32>) -> tensor<f32> {\n"
        "%0 = stablehlo.tanh %x : tensor<f32>\nfunc.return %0 : tensor<f32>\n}\n"
    )
    entry = functions[0].replace("private @f0", "@main")
    with pytest.raises(CompileError, match="become more than 1048576 ops"):
        snippets_mlir.compile(entry + "".join(functions[1:]) + last)
