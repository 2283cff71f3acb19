"""Ops of StableHLO whose places, windows and special values need care, as jax defines them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module


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


def test_slices_and_pads_of_rank_0() -> None:
    """As jaxlib prints them: with a comma after the list of no starts."""
    text = """
    func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
      %0 = stablehlo.dynamic_slice %x, , sizes = [] : (tensor<f32>) -> tensor<f32>
      %1 = stablehlo.dynamic_update_slice %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %2 = stablehlo.pad %x, %y, low = [], high = [], interior = []
          : (tensor<f32>, tensor<f32>) -> tensor<f32>
      func.return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
    }
    """
    module = parse_module(text, make_context(), "text")
    for source in (text, str(module)):
        assert snippets_mlir.compile(source)(np.float32(2), np.float32(3)) == (2, 3, 2)
    found = Interpreter(module).run("main", [np.array(2, np.float32), np.array(3, np.float32)])
    assert found == (2, 3, 2)


def test_barriers() -> None:
    text = """
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.negate %x : tensor<4xf32>
      %1:2 = stablehlo.optimization_barrier %x, %0 : tensor<4xf32>, tensor<4xf32>
      %2 = stablehlo.multiply %1#0, %1#1 : tensor<4xf32>
      func.return %2 : tensor<4xf32>
    }
    """
    x = np.arange(4, dtype=np.float32)
    module = parse_module(text, make_context(), "text")
    np.testing.assert_array_equal(Interpreter(module).run("main", [x])[0], -x * x)
    program = snippets_mlir.compile(str(module), fallback="error")
    np.testing.assert_array_equal(program(x), -x * x)
    assert len(program.kernels) == 1
