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


def count(op: str, type_: str = "f32", attributes: str = "") -> float:
    text = TEXT.format(op=op, type=type_, attributes=attributes)
    module: ModuleOp = parse_module(text, make_context(), "<text>")
    (found,) = [o for o in module.walk() if isinstance(o, ComputeOp)]
    return instructions_of(found)


def test_functions_are_what_their_expansion_is():
    assert count("relu") < count("exp") < count("gelu")
    assert count("exp", "f64") > count("exp")
    assert count("softmax", attributes=" {axis = 0 : i64}") > count("exp")


@pytest.mark.parametrize(("op", "wanted"), [("sqrt", 8), ("ceiling", 1)])
def test_primitive_ops(op: str, wanted: float):
    assert count(op) == wanted


def test_integers():
    assert count("abs", "i32") >= 1
