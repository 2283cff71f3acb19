"""Text that xDSL does not read or refuse as MLIR does: attributes, properties, blocks."""

from __future__ import annotations

import re

import pytest

from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.diagnostics import verify_module
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

SAME = [
    '"t.op"() {x = array<f32: 0x7fc00000, 1.000000e+00, 0xff800000, 0x7fc00001>} : () -> ()',
    '"t.op"() {x = array<f64: 0x7ff8000000000000>, y = array<f32>} : () -> ()',
    '"t.op"() {x = loc(fused<"pass">["a", "f.mlir":1:2])} : () -> ()',
    'lir.kernel @k "linear" (%x: tensor<8xf32>) -> () {\n  }',
]


def printed(text: str, *, locations: bool = False) -> str:
    ctx = make_context()
    ctx.allow_unregistered = True
    return print_module(parse_module(text, ctx, "a.mlir"), locations=locations)


@pytest.mark.parametrize("text", SAME)
def test_texts_that_stay_the_same(text: str) -> None:
    found = printed(text)
    assert text in found
    assert printed(found) == found


def test_aliases_of_locations_may_be_defined_later() -> None:
    text = """"t.op"() ({
^bb0(%a: i32 loc(#b)):
}) : () -> () loc(#l3)
#l1 = loc("f":1:2)
#l3 = loc(callsite(#l1 at #b))
#b = loc(fused<"m">[#l1, "x"(#l1)])
"""
    fused = 'fused<"m">["f":1:2, "x"("f":1:2)]'
    found = printed(text, locations=True)
    assert f"loc({fused})" in found
    assert f'loc(callsite("f":1:2 at {fused}))' in found


def test_properties_of_unregistered_ops_are_attributes() -> None:
    found = printed('"t.op"() <{p = 1 : i32}> {q} : () -> ()')
    assert '"t.op"() {q, p = 1 : i32} : () -> ()' in found


def test_verifiers_that_raise_an_exception_of_any_kind() -> None:
    """xDSL's of memref.load does."""
    text = "func.func @f(%m: memref<2xf32>) {\n  %x = memref.load %m[] : memref<2xf32>\n  return\n}"
    with pytest.raises(CompileError, match="expected an index for each dimension") as caught:
        verify_module(parse_module(text, make_context(), "a.mlir"))
    assert (caught.value.line, caught.value.column) == (2, 3)


def test_a_branch_to_an_entry_block() -> None:
    """Its text has no label, so that it would not parse."""
    text = "func.func @f() {\n^bb0:\n  cf.br ^bb0\n}"
    with pytest.raises(CompileError, match="branches to the entry block") as caught:
        verify_module(parse_module(text, make_context(), "a.mlir"))
    assert (caught.value.line, caught.value.column) == (3, 3)


BYTES = '"t.op"() {{x = dense<{}> : tensor<{}xf32>}} : () -> ()'


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (BYTES.format('"0x01"', 0), "1:21", "the digits of 0 bytes"),
        (BYTES.format('"0x0000803F00"', 1), "1:21", "the digits of 4 bytes"),
        (BYTES.format('"zz0000803F"', 1), "1:21", "a string of '0x'"),
        ('"t.op"() {x = array<f32: 1>} : () -> ()', "1:26", "Expected float literal"),
        ('"t.op"() {x = array<f32: 0x1ffffffff>} : () -> ()', "1:26", "too large for f32"),
        ('"t.op"() : () -> () loc(#l)\n#l = loc(fused[#l])', "2:16", "alias '#l'"),
        ('"t.op"() <{p = 1}> {p} : () -> ()', "1:1", "'p' is a property and an attribute"),
        ('"t.op"() : () -> () loc(#l)', "1:25", "alias '#l'"),
    ],
)
def test_errors_have_a_place(text: str, place: str, message: str) -> None:
    with pytest.raises(CompileError, match=re.escape(message)) as caught:
        printed(text)
    assert f"{caught.value.line}:{caught.value.column}" == place
