"""Scatters compute what the interpreter computes one place after the other, before the rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.driver.sources.stablehlo import PASSES, run_on
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

SCALARS: dict[str, Any] = {
    "f32": np.float32,
    "i32": np.int32,
    "i64": np.int64,
    "f64": np.float64,
    "i1": np.bool_,
}


def text_of(
    x: str, indices: str, updates: str, numbers: str, combine: str = "", unique: bool = False
) -> str:
    element = x.rpartition("x")[2]
    scalar = f"tensor<{element}>"
    body, result = "", "%b"
    if combine:
        body, result = f"%s = stablehlo.{combine} %a, %b : {scalar}", "%s"
    types = ", ".join(f"tensor<{t}>" for t in (x, indices, updates))
    is_unique = f", unique_indices = {str(unique).lower()}"
    return f"""
func.func @main(%x: tensor<{x}>, %i: tensor<{indices}>, %u: tensor<{updates}>) -> tensor<{x}> {{
  %0 = "stablehlo.scatter"(%x, %i, %u) <{{
    scatter_dimension_numbers = #stablehlo.scatter<{numbers}>{is_unique}}}> ({{
  ^bb0(%a: {scalar}, %b: {scalar}):
    {body}
    stablehlo.return {result} : {scalar}
  }}) : ({types}) -> tensor<{x}>
  func.return %0 : tensor<{x}>
}}"""


ROW = "update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]"
KEPT = "update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1]"
ELEMENT = "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0]"
ROWS = f"{ROW.replace('[0], inserted', '[1], inserted')}, index_vector_dim = 1"
COLUMNS = (
    "update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], "
    "index_vector_dim = 1"
)
CASES: dict[str, str] = {
    "row": text_of("9x17xf32", "1xi32", "17xf32", ROW),
    "row, i64": text_of("9x17xf64", "1xi64", "17xf64", ROW, "add"),
    "row of rows of 1": text_of("9x1xf32", "1xi32", "1xf32", ROW, "maximum"),
    "the only row": text_of("1x17xf32", "1xi32", "17xf32", ROW),
    "column that is kept": text_of("9x17xi32", "1xi32", "9x1xi32", KEPT, "multiply"),
    "element, dims turned": text_of("9x17xf32", "2xi32", "f32", ELEMENT, "subtract"),
    "one dim": text_of("33xf32", "1xi32", "f32", "inserted_window_dims = [0], "
                       "scatter_dims_to_operand_dims = [0]", "minimum"),
    "bools": text_of("9x17xi1", "1xi32", "17xi1", ROW),
    "rows": text_of("9x17xf32", "5x1xi32", "5x17xf32", ROWS),
    "one of several rows": text_of("9x17xf32", "1x1xi32", "1x17xf32", ROWS, "add"),
    "columns": text_of("17x9xf32", "5x1xi32", "17x5xf32", COLUMNS),
    "columns, updates first": text_of(
        "17x9xf32", "5x1xi32", "5x17xf32", COLUMNS.replace("dims = [0],", "dims = [1],", 1)
    ),
    "unique rows": text_of("9x17xi64", "5x1xi32", "5x17xi64", ROWS, "add", unique=True),
}  # fmt: skip
SPECIAL = (np.nan, -0.0, np.inf, -np.inf, 0.0)


def inputs_of(module: Any, seed: int, *, unique: bool) -> list[Any]:
    rng = np.random.default_rng(seed)
    types = [a.type for a in next(iter(module.ops)).body.block.args]
    arrays: list[Any] = []
    for number, type in enumerate(types):
        shape: tuple[int, ...] = type.get_shape()
        dtype = SCALARS[str(type.element_type)]
        if number == 1:
            least, count = (-3, 21) if not unique else (0, 9)
            drawn = rng.permutation(np.arange(least, count))[: int(np.prod(shape))]
            if not unique:
                drawn = rng.choice(drawn, drawn.size)
            arrays.append(drawn.reshape(shape).astype(dtype))
            continue
        numbers: Array = np.asarray(rng.integers(-5, 6, shape)).astype(dtype)
        if np.dtype(dtype).kind == "f":
            numbers = np.where(rng.random(shape) < 0.2, rng.choice(SPECIAL, shape), numbers)
        arrays.append(np.asarray(numbers, dtype))
    return arrays


@pytest.mark.parametrize("name", sampled(CASES, 2))
def test_choices_are_scatters(name: str) -> None:
    """Every bit, for places inside and outside, of several the last one that is set."""
    program: Any = snippets_mlir.compile(CASES[name], fallback="error")
    before, after = (parse_module(CASES[name], make_context(), name) for _ in range(2))
    run_on(after, PASSES)
    assert "stablehlo" not in str(after)
    for seed in range(12):
        inputs = inputs_of(before, seed, unique="unique" in name)
        (expected,) = Interpreter(before).run("main", inputs)
        (converted,) = Interpreter(after).run("main", inputs)
        for found in (converted, program(*inputs)):
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
            if found.dtype.kind == "f":
                nan = np.isnan(expected)
                np.testing.assert_array_equal(np.signbit(found[~nan]), np.signbit(expected[~nan]))
