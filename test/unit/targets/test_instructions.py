"""How many instructions an op is estimated to be."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.targets.instructions import instructions_of

TEXT = """
func.func @main(%x: tensor<4x{type}>) -> tensor<4x{type}> {{
  %0 = snippets.{op} %x{attributes} : tensor<4x{type}>
  func.return %0 : tensor<4x{type}>
}}
"""


POWER = """
func.func @main(%x: tensor<4x{type}>) -> tensor<4x{type}> {{
  %c = snippets.constant dense<{exponent}> : tensor<{type}>
  %0 = snippets.power %x, %c : (tensor<4x{type}>, tensor<{type}>) -> tensor<4x{type}>
  func.return %0 : tensor<4x{type}>
}}
"""


def count_in(text: str) -> float:
    module: ModuleOp = parse_module(text, make_context(), "<text>")
    (found,) = [o for o in module.walk() if isinstance(o, ComputeOp)]
    return instructions_of(found)


def count(op: str, type_: str = "f32", attributes: str = "") -> float:
    return count_in(TEXT.format(op=op, type=type_, attributes=attributes))


def count_power(exponent: str, type_: str = "f32") -> float:
    return count_in(POWER.format(type=type_, exponent=exponent))


def test_functions_are_what_their_expansion_is():
    assert count("relu") < count("exp") < count("gelu")
    assert count("exp", "f64") > count("exp")
    assert count("softmax", attributes=" {axis = 0 : i64}") > count("exp")


@pytest.mark.parametrize(("op", "wanted"), [("sqrt", 8), ("ceiling", 1)])
def test_primitive_ops(op: str, wanted: float):
    assert count(op) == wanted


def test_integers():
    assert count("abs", "i32") >= 1


def test_a_power_by_a_constant_is_what_kernels_make_of_it():
    assert count_power("2.0") == count("power_static", attributes=" {exponent = 2.0 : f32}") == 1
    assert count_power("3.0") == 2
    assert count_power("0.5") < count_power("2.5")
    assert count_power("2.5") == count_power("1.5")
    assert count_power("2", "i32") < count_power("200", "i32")


def test_a_power_by_several_constants_is_one_of_the_call():
    several = POWER.replace("tensor<{type}>\n  %0", "tensor<4x{type}>\n  %0")
    several = several.replace("tensor<{type}>) ->", "tensor<4x{type}>) ->")
    found = count_in(several.format(type="f32", exponent="[2.0, 2.0, 2.0, 3.0]"))
    assert found == count_power("2.5")
