"""Text to IR: locations, positions of errors, and constants that keep their bits."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Dialect, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

import snippets_mlir
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.diagnostics import position_of, render, verify_module
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module
from snippets_mlir.support.value_names import settle_hints

TEXT = """\
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.abs %x : tensor<4xf32>
  %1 = snippets.add %0, %y : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
"""


def parse(text: str, line_offset: int = 0) -> ModuleOp:
    return parse_module(text, make_context(), "a.mlir", line_offset=line_offset)


def fail(text: str) -> CompileError:
    with pytest.raises(CompileError) as caught:
        verify_module(parse(text))
    return caught.value


def op_named(module: ModuleOp, name: str) -> Operation:
    return next(op for op in module.walk() if op.name == name)


def test_every_op_and_argument_has_its_place():
    module = parse(TEXT)
    places = {op.name: tuple(position_of(op).values()) for op in module.walk()}
    assert places == {
        "builtin.module": ("a.mlir", 1, 1),
        "func.func": ("a.mlir", 1, 1),
        "snippets.abs": ("a.mlir", 2, 3),
        "snippets.add": ("a.mlir", 3, 3),
        "func.return": ("a.mlir", 4, 3),
    }
    function = op_named(module, "func.func")
    assert isinstance(function, FuncOp)
    locations = [argument.location for argument in function.body.block.args]
    assert all(isinstance(location, FileLineColLoc) for location in locations)
    assert '"a.mlir":1:36' in str(locations[1])


def test_places_follow_line_ends_and_offsets():
    windows = parse(TEXT.replace("\n", "\r\n"))
    assert position_of(op_named(windows, "snippets.add"))["line"] == 3
    later = parse(TEXT, line_offset=100)
    assert position_of(op_named(later, "snippets.add")) == {
        "file": "a.mlir",
        "line": 103,
        "column": 3,
    }


def test_names_that_end_in_numbers_survive_copies():
    """xDSL drops one number with each copy, and fails where nothing is left."""
    text = """func.func @main(%a: tensor<2xf32>, %a_5: tensor<2xf32>, %a_1_2: tensor<2xf32>)
        -> tensor<2xf32> {
      %_1 = snippets.subtract %a_5, %a_1_2 : tensor<2xf32>
      %_1_1 = snippets.subtract %_1, %a : tensor<2xf32>
      func.return %_1_1 : tensor<2xf32>
    }"""
    for module in (parse_module(text, make_context()), Parser(make_context(), text).parse_module()):
        settle_hints(module)
        copy = module.clone().clone().clone()
        assert print_module(copy) == print_module(module)
        assert parse_module(print_module(copy), make_context()).is_structurally_equivalent(module)
    arrays = [np.full(2, n, np.float32) for n in (1, 20, 300)]
    for source in (text, Parser(make_context(), text).parse_module()):
        np.testing.assert_array_equal(snippets_mlir.compile(source)(*arrays), np.full(2, -281))


def test_text_with_escapes_is_text():
    attribute = StringAttr('日本\n "é" \0')
    module = ModuleOp([], {"a": attribute, "日 本": attribute})
    parsed = parse_module(print_module(module), make_context())
    assert parsed.attributes == module.attributes
    raw = parse_module('builtin.module attributes {a = "\\ff\\fe"} {}', make_context())
    assert raw.attributes == {"a": BytesAttr(b"\xff\xfe")}


def test_written_location_wins():
    module = parse(TEXT.replace("%x : tensor<4xf32>\n", '%x : tensor<4xf32> loc("b.py":7:9)\n'))
    assert tuple(position_of(op_named(module, "snippets.abs")).values()) == ("b.py", 7, 9)
    assert 'loc("b.py":7:9)' in print_module(module, locations=True)


@pytest.mark.parametrize("generic", [False, True])
def test_print_and_parse_give_equal_text(generic: bool):
    text = print_module(parse(TEXT), generic)
    assert print_module(parse(text), generic) == text


@pytest.mark.parametrize(
    ("element", "bits", "code"),
    [
        ("f32", ("0x7f800000", "0xff800000", "0x7fc00001", "0x80000000"), "<I"),
        ("f64", ("0x7ff0000000000000", "0xfff0000000000000", "0x7ff8000000000001"), "<Q"),
        ("f16", ("0x7c00", "0xfc00", "0x7e00", "0x8000"), "<H"),
        ("bf16", ("0x7f80", "0xff80", "0x7fc1", "0x8000"), "<H"),
    ],
)
def test_special_floats_keep_their_bits(element: str, bits: tuple[str, ...], code: str):
    type_ = f"tensor<{len(bits)}x{element}>"
    text = f"%0 = arith.constant dense<[{', '.join(bits)}]> : {type_}"
    for module in (parse(text), parse(print_module(parse(text)))):
        value = op_named(module, "arith.constant").properties["value"]
        assert isinstance(value, DenseIntOrFPElementsAttr)
        expected = b"".join(struct.pack(code, int(b, 16)) for b in bits)
        assert value.data.data == expected


def test_hexadecimal_literal_that_does_not_fit():
    error = fail("%0 = arith.constant dense<[0x7ff0000000000000]> : tensor<1xf32>")
    assert "hexadecimal literal is too large for f32" in error.message


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "the input is empty"),
        ("\n \n", 1, 1, "the input is empty"),
        ("@", 1, 1, "Unexpected end of file"),
        ("// comment", 1, 11, "expected an operation"),
        (TEXT.replace("abs", "asb"), 2, 8, "unknown op 'snippets.asb'; did you mean"),
        (TEXT.replace("snippets.abs", "snip.abs"), 2, 8, "no dialect 'snip'"),
        (TEXT.replace("%0, %y", "%0, %z"), 3, 25, "use of value %z, which is not defined"),
        (TEXT.replace("%1 =", "%0 ="), 3, 3, "SSA value %0 is already defined"),
        (TEXT.replace("@main", ""), 1, 11, ""),
        (TEXT.replace("tensor<4xf32>)", "tensor<4xf33>)"), 1, 49, ""),
    ],
)
def test_errors_have_a_place(text: str, line: int, column: int, message: str):
    error = fail(text)
    assert (error.line, error.column) == (line, column)
    assert message in error.message


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("1.0e999", "floating-point literal is too large for f64"),
        ("-1.0e999", "floating-point literal is too large for f64"),
        ("9" * 5000, "integer literal is too large"),
    ],
)
def test_numbers_that_are_too_large(number: str, message: str):
    error = fail(f"func.func @f() attributes {{a = {number}}} {{ func.return }}")
    column = len("func.func @f() attributes {a = ") + 1 + number.startswith("-")
    assert (error.message, error.line, error.column) == (message, 1, column)


@pytest.mark.parametrize(
    "number", ["1.0e308", "1.0e-999", "-1.7976931348623157e308", "9" * 300 + " : i1000"]
)
def test_numbers_that_are_just_right(number: str):
    parse(f"func.func @f() attributes {{a = {number}}} {{ func.return }}")


def test_a_name_that_is_not_ascii():
    error = fail("func.func @f(%é: i1) { func.return }")
    assert error.message.startswith("expected a name after it: a number, or letters")
    assert (error.line, error.column) == (1, 14)


def test_text_cut_anywhere_is_an_error_with_a_place():
    accepted: list[str] = []
    errors: list[CompileError] = []
    for length in range(len(TEXT.rstrip())):
        try:
            verify_module(parse(TEXT[:length]))
        except CompileError as error:
            errors.append(error)
        else:
            accepted.append(TEXT[:length])
    assert all(error.file == "a.mlir" for error in errors)
    assert all(error.line is not None and error.column is not None for error in errors)
    assert all("\n" not in error.message for error in errors)
    # Without a body it is the declaration of a function.
    assert accepted
    assert all("{" not in text for text in accepted)


def test_string_without_an_end_is_found_at_once():
    """Upstream's lexer needs exponential time for it."""
    error = fail(f'builtin.module attributes {{a = "{"x" * 5000}}} {{}}\n')
    assert error.line == 1
    assert "string literal" in error.message


def test_deep_nesting_is_an_error():
    error = fail("builtin.module {" * 3000)
    assert "nested too deeply" in error.message


@irdl_op_definition
class PickyOp(IRDLOperation):
    name = "picky.op"

    @classmethod
    def parse(cls, parser: Parser) -> PickyOp:
        raise VerifyException("not today\n  because of the weather")


def test_verifier_in_custom_syntax_has_a_place():
    ctx = make_context()
    ctx.load_dialect(Dialect("picky", [PickyOp]))
    with pytest.raises(CompileError) as caught:
        parse_module("func.func @f() {\n  picky.op\n}", ctx, "a.mlir")
    assert caught.value.render() == "a.mlir:2:3: not today because of the weather"


def test_verifier_of_malformed_generic_op_has_a_place():
    error = fail('\n"func.func"() <{sym_name = "f", function_type = unit}> ({}) : () -> ()')
    assert error.line == 2
    assert "func.func" in error.message


def test_unregistered_dialects_are_kept_when_asked():
    ctx = make_context(allow_unregistered=True)
    text = '"foo.bar"() {a = #foo.b<1>} : () -> ()'
    assert '"foo.bar"() {a = #foo.b<1>}' in print_module(parse_module(text, ctx))


def test_render_shows_line_and_caret():
    text = "a\n\t%0 = foo.bar\n"
    shown = render(CompileError("no", file="f", line=2, column=7), {"f": text})
    assert shown == "f:2:7: error: no\n\t%0 = foo.bar\n\t     ^"
    assert render(CompileError("no", file="f", line=9, column=1), {"f": text}) == "f:9:1: error: no"
    assert render(CompileError("no"), default_file="f") == "f: error: no"
