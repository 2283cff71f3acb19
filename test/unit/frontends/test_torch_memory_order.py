"""Ops after transposes compute in the order of memory, and give the same values."""

import numpy as np
import pytest

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.driver.settings import default_context
from snippets_mlir.frontends.torch.memory_order import compute_in_memory_order
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.support.parsing import parse_module

IN = """%t = snippets.transpose %x {permutation = array<i64: 0, 3, 1, 2>} :
  (tensor<2x3x4x5xf32>) -> tensor<2x5x3x4xf32>
"""
OUT = """%o = snippets.transpose %r {permutation = array<i64: 0, 2, 3, 1>} :
  (tensor<2x5x3x4xf32>) -> tensor<2x3x4x5xf32>
func.return %o : tensor<2x3x4x5xf32>"""
BOTH = "(tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>) -> tensor<2x5x3x4xf32>"


def with_reshape(shape: str, ending: str = OUT) -> str:
    """A product of the transposed argument and the second one in a shape."""
    type_ = f"tensor<{shape}xf32>" if shape else "tensor<f32>"
    return (
        f"{IN}%v = snippets.reshape %y : (tensor<@xf32>) -> {type_}\n"
        f"%r = snippets.multiply %t, %v : (tensor<2x5x3x4xf32>, {type_}) -> tensor<2x5x3x4xf32>\n"
        + ending
    )


def reduced(axes: str, result: str, keep: str = "") -> str:
    attributes = f"axes = array<i64: {axes}>{keep}"
    return (
        f"{IN}%r = snippets.reduce_max %t {{{attributes}}} : "
        f"(tensor<2x5x3x4xf32>) -> tensor<{result}xf32>\nfunc.return %r : tensor<{result}xf32>"
    )


ORDERED = {
    "one operand": (f"{IN}%r = snippets.exp %t : tensor<2x5x3x4xf32>\n{OUT}", "5"),
    "a value for each channel": (with_reshape("5x1x1"), "5"),
    "a value for each row": (with_reshape("3x1"), "3"),
    "a value for each column": (with_reshape("4"), "4"),
    "one value": (with_reshape("1"), "1"),
    "a number": (with_reshape(""), "1"),
    "both": (f"{IN}%r = snippets.add %t, %t : {BOTH}\n{OUT}", "5"),
    "a comparison": (
        f"{IN}%c = snippets.less %t, %t : (tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>) "
        "-> tensor<2x5x3x4xi1>\n%r = snippets.select %c, %t, %t : (tensor<2x5x3x4xi1>, "
        f"tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>) -> tensor<2x5x3x4xf32>\n{OUT}",
        "5",
    ),
    "a reduction of the image": (reduced("2, 3", "2x5"), "5"),
    "a reduction of all": (reduced("0, 1, 2, 3", ""), "5"),
    "a reduction of channels": (reduced("1", "2x3x4"), "5"),
}
TRANSPOSED = {
    "values of several dims": (with_reshape("5x3x1"), "5x3"),
    "the dims that are left are in another order": (reduced("3", "2x5x3"), "5"),
    "a transpose that is returned": (f"{IN}func.return %t : tensor<2x5x3x4xf32>", "5"),
    "reduced dims stay": (reduced("1", "2x1x3x4", ", keep_dims"), "5"),
    "orders differ": (
        "%s = snippets.transpose %x {permutation = array<i64: 1, 0, 2, 3>} : "
        "(tensor<2x3x4x5xf32>) -> tensor<3x2x4x5xf32>\n"
        "%u = snippets.transpose %x {permutation = array<i64: 1, 0, 3, 2>} : "
        "(tensor<2x3x4x5xf32>) -> tensor<3x2x5x4xf32>\n"
        "%m = snippets.reshape %u : (tensor<3x2x5x4xf32>) -> tensor<3x2x4x5xf32>\n"
        "%r = snippets.add %s, %m : (tensor<3x2x4x5xf32>, tensor<3x2x4x5xf32>) -> "
        "tensor<3x2x4x5xf32>\nfunc.return %r : tensor<3x2x4x5xf32>",
        "5",
    ),
}


def text_of(body: str, second: str) -> str:
    result = body.rpartition(" : ")[2].replace("tensor<xf32>", "tensor<f32>")
    body = body.replace("tensor<xf32>", "tensor<f32>").replace("@", second)
    return (
        f"func.func @main(%x: tensor<2x3x4x5xf32>, %y: tensor<{second}xf32>) -> {result} "
        f"{{\n{body}\n}}"
    )


def arguments(second: str) -> list[Array]:
    x = np.linspace(-2, 2, 120, dtype=np.float32).reshape(2, 3, 4, 5)
    x[0, 0, 0, :4] = np.nan, np.inf, -np.inf, -0.0
    shape = [int(size) for size in second.split("x")]
    return [x, np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)]


def ordered(body: str, second: str) -> str:
    """The module after the change, which computes what it did."""
    module = parse_module(text_of(body, second), default_context())
    given = arguments(second)
    with np.errstate(invalid="ignore"):
        expected = Interpreter(module).run("main", given)[0]
        (function,) = module.ops
        compute_in_memory_order(function.regions[0].block)
        module.verify()
        found = Interpreter(module).run("main", given)[0]
    np.testing.assert_array_equal(found, expected)
    return str(module)


@pytest.mark.parametrize("name", ORDERED)
def test_no_element_moves(name: str) -> None:
    assert "snippets.transpose" not in ordered(*ORDERED[name])


@pytest.mark.parametrize("name", TRANSPOSED)
def test_a_transpose_stays(name: str) -> None:
    assert "snippets.transpose" in ordered(*TRANSPOSED[name])
