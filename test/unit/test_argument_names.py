"""Names of inputs: `snippets.name`, the name in the text, `argN` for all."""

from __future__ import annotations

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.driver.argument_names import called

TEXT = """func.func @main({}) -> tensor<2xf32> {{
  %r = snippets.subtract {}, {} : tensor<2xf32>
  func.return %r : tensor<2xf32>
}}"""
ONE, TWO = np.array([1, 2], np.float32), np.array([5, 7], np.float32)


def _program(first: str, second: str, name: str = "") -> snippets_mlir.driver.Compiled:
    attributes = f' {{snippets.name = "{name}"}}' if name else ""
    arguments = f"{first}: tensor<2xf32>, {second}: tensor<2xf32>{attributes}"
    return snippets_mlir.compile(TEXT.format(arguments, first, second))


@pytest.mark.parametrize(
    ("first", "second", "name", "names"),
    [
        ("%x", "%y", "", ["x", "y"]),
        ("%x", "%y", "why", ["x", "why"]),
        ("%0", "%y", "", ["arg0", "y"]),
        ("%x", "%y", "x", ["arg0", "x"]),
        ("%arg1", "%arg0", "", ["arg1", "arg0"]),
    ],
)
def test_names(first: str, second: str, name: str, names: list[str]) -> None:
    program = _program(first, second, name)
    assert [spec.name for spec in program.inputs] == names
    (result,) = program.run(dict(zip(names, (TWO, ONE), strict=True))).values()
    np.testing.assert_array_equal(result, TWO - ONE)


def test_numbers_stand_for_names() -> None:
    program = _program("%x", "%y")
    (result,) = program.run({"arg1": ONE, "x": TWO}).values()
    np.testing.assert_array_equal(result, TWO - ONE)
    with pytest.raises(ValueError, match="input 'x': two values, one of them as 'arg0'"):
        program.run({"x": ONE, "arg0": ONE})
    with pytest.raises(ValueError, match="input 'arg2': no such input; inputs are 'x', 'y'"):
        program.run({"x": ONE, "arg2": ONE})
    with pytest.raises(ValueError, match="input 'y': missing"):
        program.run({"x": ONE})


def test_a_name_comes_before_a_number() -> None:
    assert called("arg0", ["arg1", "arg0"]) == "arg0"
    assert called("arg1", ["x", "y"]) == "y"
    assert called("arg2", ["x", "y"]) is None
    assert called("arg", ["x", "y"]) is None
