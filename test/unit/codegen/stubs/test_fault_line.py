"""The line of the segfault detector: texts and numbers as Python writes them, cut at its length."""

from __future__ import annotations

import ctypes

import pytest
from llvm_text_of import load

from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.codegen.stubs.builder import Module
from snippets_mlir.codegen.stubs.expressions import I64, POINTER
from snippets_mlir.codegen.stubs.fault_interface import LINE_BYTES, TEXT_LINE
from snippets_mlir.codegen.stubs.fault_line import ADD_NUMBER, ADD_TEXT, add_line_functions


@pytest.fixture(scope="module", params=[0, 2])
def code(request: pytest.FixtureRequest) -> LoadedObject:
    module = Module()
    add_line_functions(module)
    for name, inputs in ((ADD_TEXT, (POINTER, POINTER)), (ADD_NUMBER, (POINTER, I64, I64))):
        body = module.function(f"test_{name}", inputs)
        body.call(name, *body.arguments)
        body.end()
    return load(module.llvm_text(), request.param)


def text_of(line: ctypes.Structure) -> bytes:
    return bytes(line.chars[: line.length])


def add_text(code: LoadedObject, line: ctypes.Structure, text: bytes) -> None:
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
    function(code.address(f"test_{ADD_TEXT}"))(ctypes.byref(line), text)


def test_texts_follow_one_another(code: LoadedObject) -> None:
    line = TEXT_LINE.structure()
    for text in (b"kernel ", b"", b"k"):
        add_text(code, line, text)
    assert text_of(line) == b"kernel k"


def test_a_long_text_is_cut(code: LoadedObject) -> None:
    line = TEXT_LINE.structure()
    add_text(code, line, b"x" * (LINE_BYTES - 3))
    add_text(code, line, b"abcdef")
    add_text(code, line, b"more")
    assert line.length == LINE_BYTES
    assert text_of(line)[-4:] == b"xabc"


@pytest.mark.parametrize("number", [0, 1, 9, 10, 15, 16, 255, 1234567890, 2**63, 2**64 - 1])
def test_numbers(code: LoadedObject, number: int) -> None:
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)
    add = function(code.address(f"test_{ADD_NUMBER}"))
    for base, expected in ((10, f"{number}"), (16, f"{number:x}")):
        line = TEXT_LINE.structure()
        add(ctypes.byref(line), number, base)
        assert text_of(line).decode() == expected
