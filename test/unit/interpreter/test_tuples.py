"""Tuples and `stop_fusion` have values, and a tuple of the wrong form is refused."""

from __future__ import annotations

import numpy as np
import pytest

from snippets_mlir.interpreter import Interpreter
from snippets_mlir.interpreter.tuples import check_tuple
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

TEXT = """
func.func @main(%x: tensor<2xf32>, %y: tensor<i1>) -> (tensor<i1>, tensor<2xf32>) {
  %t = snippets.tuple %x, %y : (tensor<2xf32>, tensor<i1>) -> tuple<tensor<2xf32>, tensor<i1>>
  %s = snippets.stop_fusion %t : tuple<tensor<2xf32>, tensor<i1>>
  %a = snippets.tuple_get %s {index = 1 : i64} : (tuple<tensor<2xf32>, tensor<i1>>) -> tensor<i1>
  %b = snippets.tuple_get %s {index = 0 : i64} : (tuple<tensor<2xf32>, tensor<i1>>) -> tensor<2xf32>
  func.return %a, %b : tensor<i1>, tensor<2xf32>
}
func.func @whole(%x: tensor<2xf32>) -> tuple<tensor<2xf32>, tuple<>> {
  %e = snippets.tuple : () -> tuple<>
  %t = snippets.tuple %x, %e : (tensor<2xf32>, tuple<>) -> tuple<tensor<2xf32>, tuple<>>
  func.return %t : tuple<tensor<2xf32>, tuple<>>
}
"""


def test_fields() -> None:
    """Each field is the value that was put in."""
    module = parse_module(TEXT, make_context())
    x, y = np.array([-0.0, np.nan], np.float32), np.array(True)
    got_y, got_x = Interpreter(module).run("main", [x, y])
    assert got_y.tobytes() == y.tobytes()
    assert got_x.tobytes() == x.tobytes()


def test_a_function_gives_a_tuple_of_its_own() -> None:
    """Results share no memory with the arguments, inside of tuples too."""
    module = parse_module(TEXT, make_context())
    x = np.zeros(2, np.float32)
    ((field, empty),) = Interpreter(module).run("whole", [x])
    field[0] = 1
    assert x[0] == 0
    assert empty == ()


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        (np.zeros(2), "expected a tuple, found ndarray"),
        ((), "expected 2 fields, found 0"),
        ((np.zeros(2, np.float32), np.zeros(())), "field 1: expected dtype bool, found float64"),
        ((np.zeros(3, np.float32), np.array(True)), "field 0: expected shape 2, found 3"),
    ],
)
def test_wrong_tuples(value: object, wrong: str) -> None:
    """What a handler gives is checked against the tuple's type."""
    function = next(iter(parse_module(TEXT, make_context()).ops))
    tuple_op = next(iter(function.regions[0].block.ops))
    type_ = tuple_op.results[0].type
    assert check_tuple(value, type_) == wrong  # pyright: ignore[reportArgumentType]
