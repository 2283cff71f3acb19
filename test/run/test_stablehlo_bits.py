"""Bits and truth values of StableHLO: in kernels, beside them, and as the interpreter has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type

import snippets_mlir
from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module


@pytest.mark.parametrize("element", ["ui8", "ui32", "ui64", "i8", "i32", "i64"])
def test_shifts_to_the_right_keep_the_highest_bit(element: str) -> None:
    """Of unsigned integers, too."""
    type_ = f"tensor<6x{element}>"
    text = f"""
    func.func @main(%x: {type_}, %n: {type_}) -> ({type_}, {type_}) {{
      %0 = stablehlo.shift_right_arithmetic %x, %n : {type_}
      %1 = stablehlo.shift_left %x, %n : {type_}
      func.return %0, %1 : {type_}, {type_}
    }}"""
    signed = np.dtype(f"i{int(element.lstrip('ui')) // 8}")
    dtype = np.dtype(element.replace("i", "int"))
    x = np.array([-1, -128, 5, 127, -128, 0], signed)
    n = np.array([1, 3, 1, 2, signed.itemsize * 8, 1], signed)
    right, left = snippets_mlir.compile(text)(x.view(dtype), n.view(dtype))
    np.testing.assert_array_equal(right.view(signed), [-1, -16, 2, 31, -1, 0])
    np.testing.assert_array_equal(left.view(signed)[:4], (x << n)[:4])


@pytest.mark.parametrize("element", ["ui8", "ui32", "ui64", "i8", "i32", "i64"])
def test_bits(element: str) -> None:
    dtype = np.dtype(element.replace("i", "int"))
    width = 8 * dtype.itemsize
    type_ = f"tensor<7x{element}>"
    text = f"""
    func.func @main(%x: {type_}, %n: {type_}) -> ({type_}, {type_}, {type_}) {{
      %0 = stablehlo.shift_right_logical %x, %n : {type_}
      %1 = stablehlo.popcnt %x : {type_}
      %2 = stablehlo.count_leading_zeros %x : {type_}
      func.return %0, %1, %2 : {type_}, {type_}, {type_}
    }}"""
    values = [0, 1, (1 << width) - 1, 1 << (width - 1), 100, (1 << width) - 1, 1]
    amounts = [0, 1, width - 1, 1, 2, width, 0]
    unsigned = np.dtype(f"u{dtype.itemsize}")
    x, n = (np.array(v, unsigned).view(dtype) for v in (values, amounts))
    shifted, ones, zeros = snippets_mlir.compile(text)(x, n)
    expected = [v >> a for v, a in zip(values, amounts, strict=True)]
    np.testing.assert_array_equal(shifted.view(unsigned), np.array(expected, unsigned))
    np.testing.assert_array_equal(ones, [v.bit_count() for v in values])
    np.testing.assert_array_equal(zeros, [width - v.bit_length() for v in values])


def test_arithmetic_and_order_of_truth_values() -> None:
    type_ = "tensor<4xi1>"
    names = {"add": np.logical_or, "multiply": np.logical_and}
    names |= {"maximum": np.logical_or, "minimum": np.logical_and}
    orders = {"LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal}
    lines = [f"%{n} = stablehlo.{n} %x, %y : {type_}" for n in names]
    lines += [
        f"%{n} = stablehlo.compare {n}, %x, %y, UNSIGNED : ({type_}, {type_}) -> {type_}"
        for n in orders
    ]
    types = ", ".join([type_] * 8)
    body = "\n".join(lines)
    text = f"""
    func.func @main(%x: {type_}, %y: {type_}) -> ({types}) {{
      {body}
      func.return {", ".join(f"%{n}" for n in names | orders)} : {types}
    }}"""
    x, y = np.array([[False, False, True, True], [False, True, False, True]])
    results = snippets_mlir.compile(text)(x, y)
    for result, function in zip(results, [*names.values(), *orders.values()], strict=True):
        np.testing.assert_array_equal(result, function(x, y))


@pytest.mark.parametrize("element", ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"])
def test_logical_shifts(element: str):
    """Zeros come in from the left, also of negative numbers; all are shifted out by the width."""
    width = int(element.strip("ui"))
    text = f"""func.func @main(%x: tensor<19x{element}>, %y: tensor<19x{element}>)
        -> tensor<19x{element}> {{
      %0 = stablehlo.shift_right_logical %x, %y : tensor<19x{element}>
      func.return %0 : tensor<19x{element}>
    }}"""
    unsigned: Any = np.dtype(f"u{width // 8}")
    x = np.arange(19).astype(unsigned) * unsigned.type(2**width // 19)
    y = (np.arange(19) * 7 % (width + 2)).astype(unsigned)
    y[-1] = 2**width - 1
    dtype = unsigned if element[0] == "u" else np.dtype(f"i{width // 8}")
    found = snippets_mlir.compile(text, num_threads=1)(x.view(dtype), y.view(dtype))
    expected = [int(a) >> int(b) if b < width else 0 for a, b in zip(x, y, strict=True)]
    np.testing.assert_array_equal(found, np.array(expected, unsigned).view(dtype))
    module = parse_module(text, make_context())
    (interpreted,) = Interpreter(module).run("main", [x.view(dtype), y.view(dtype)])
    np.testing.assert_array_equal(interpreted, found)


@pytest.mark.parametrize(("shape", "axes"), [((1, 0, 2), [0, 1, 2]), ((3, 0), [1]), ((2, 3), [1])])
def test_any_and_all(shape: tuple[int, ...], axes: list[int]) -> None:
    """Also of no elements: false and true."""
    kept = [size for dim, size in enumerate(shape) if dim not in axes]
    given, made = (f"tensor<{'x'.join([*map(str, sizes), 'i1'])}>" for sizes in (shape, kept))
    reduced = f"across dimensions = {axes} : ({given}, tensor<i1>) -> {made}"
    text = f"""
    func.func @main(%x: {given}) -> ({made}, {made}) {{
      %false = stablehlo.constant dense<false> : tensor<i1>
      %true = stablehlo.constant dense<true> : tensor<i1>
      %0 = stablehlo.reduce(%x init: %false) applies stablehlo.or {reduced}
      %1 = stablehlo.reduce(%x init: %true) applies stablehlo.and {reduced}
      func.return %0, %1 : {made}, {made}
    }}"""
    x = np.arange(np.prod(shape)).reshape(shape) % 2 == 0
    program = snippets_mlir.compile(text, fallback="error")
    for found, function in zip(program(x), (np.any, np.all), strict=True):
        np.testing.assert_array_equal(found, function(x, tuple(axes)))


FLOATS: dict[str, Any] = {
    "bf16": BFloat16Type(),
    "f16": Float16Type(),
    "f32": Float32Type(),
    "f64": Float64Type(),
}


@pytest.mark.parametrize("element", FLOATS)
def test_total_order(element: str) -> None:
    """-NaN < -inf < -1 < -0.0 < 0.0 < 1 < inf < NaN, and NaN is equal to itself."""
    dtype = numpy_dtype(FLOATS[element])
    ascending = np.array([-np.nan, -np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float64)
    ascending[[0, -1]] = np.copysign(np.nan, [-1, 1])
    places = np.arange(8)
    orders = {"LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal}
    orders |= {"EQ": np.equal, "NE": np.not_equal}
    given, made = f"tensor<8x8x{element}>", "tensor<8x8xi1>"
    lines = [
        f"%{n} = stablehlo.compare {n}, %x, %y, TOTALORDER : ({given}, {given}) -> {made}"
        for n in orders
    ]
    types, body = ", ".join([made] * 6), "\n".join(lines)
    text = f"""
    func.func @main(%x: {given}, %y: {given}) -> ({types}) {{
      {body}
      func.return {", ".join(f"%{n}" for n in orders)} : {types}
    }}"""
    x = np.ascontiguousarray(np.broadcast_to(ascending.astype(dtype)[:, None], (8, 8)))
    y = np.ascontiguousarray(x.T)
    interpreted = Interpreter(parse_module(text, make_context())).run("main", [x, y])
    for results in (snippets_mlir.compile(text, fallback="error")(x, y), interpreted):
        for result, function in zip(results, orders.values(), strict=True):
            np.testing.assert_array_equal(result, function.outer(places, places))
