"""Literals are read as upstream's parser reads them, number by number."""

from __future__ import annotations

import random

import pytest
from xdsl.utils.exceptions import ParseError

from snippets_mlir.driver.settings import default_context
from snippets_mlir.support import literal_parser, number_lists
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.number_lists import number_list
from snippets_mlir.support.parsing import parse_module

PLAIN = {
    "[1]": ([1], [1]),
    "[ 1 ,\n -2.5 ]": ([1, -2.5], [2]),
    "[[0.5, -1], [2.0e-3, 4]]": ([0.5, -1, 0.002, 4], [2, 2]),
    "[[[7]]]": ([7], [1, 1, 1]),
    "[-0.0, 1.5E+10, 123456789012345678901]": ([-0.0, 1.5e10, 123456789012345678901], [3]),
}
OTHER = [
    "[]",
    "[[]]",
    "[1, 2",
    "[1 2]",
    "[1,]",
    "[1]]",
    "[[1, 2], [3]]",
    "[[1], 2]",
    "[1, [2]]",
    "[0x10]",
    "[true]",
    "[1e5]",
    "[1.]",
    "[.5]",
    "[+1]",
    "[007]",
    "[1.0e999]",
    "[1, // one\n2]",
    "[(1, 2)]",
    "[1.5 .5]",
    f"[{'1' * 50}]",
]


@pytest.mark.parametrize("text", PLAIN)
def test_plain_numbers(text: str) -> None:
    found = number_list(f"x{text}>", 1)
    assert found is not None
    assert repr((found.values, found.shape)) == repr(PLAIN[text])
    assert found.end == 1 + len(text)
    spelt = [f"x{text}>"[begin:end] for begin, end in found.spans]
    assert [float(word) for word in spelt] == [float(value) for value in found.values]


@pytest.mark.parametrize("text", OTHER)
def test_what_is_left_to_upstream(text: str) -> None:
    assert number_list(f"{text}>", 0) is None


@pytest.mark.parametrize("text", PLAIN)
def test_a_list_ends_a_literal(text: str) -> None:
    assert number_list(f"{text} ]", 0) is None


def _read(literal: str, type: str) -> str:
    """What is printed of a literal, or the message for it."""
    text = f'"test.op"() {{a = dense<{literal}> : {type}}} : () -> ()'
    try:
        return str(parse_module(text, default_context()))
    except (CompileError, ParseError) as error:
        return str(error)


def test_a_literal_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a number is not plain: lists inside are not looked at up to the end of all."""
    tried: list[int] = []

    def looked_at(text: str, start: int) -> number_lists.NumberList | None:
        tried.append(start)
        return number_list(text, start)

    monkeypatch.setattr(number_lists, "number_list", looked_at)
    rows = ", ".join(["[1.0, 2.0]"] * 9)
    assert "dense<" in _read(f"[{rows}, [3.0, 0x7FC00000]]", "tensor<10x2xf32>")
    assert len(tried) == 1
    assert "dense<" in _read(f"[{rows}]", "tensor<9x2xf32>")
    assert len(tried) == 2


def test_literals_and_messages_are_those_of_upstream(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(2)
    cases = [(text, f"tensor<{size}x{kind}>") for text in [*PLAIN, *OTHER] for size, kind in (
        (1, "f32"), (2, "i8"), ("2x2", "f64"), (3, "f16"), ("1x1x1", "i1"), (2, "index"),
    )]  # fmt: skip
    for _ in range(60):
        rows, columns = rng.randint(1, 4), rng.randint(1, 4)
        words = [
            [rng.choice(("1", "-3", "0.25", "-0.0", "300", "1.0e-40")) for _ in range(columns)]
            for _ in range(rows)
        ]
        literal = str(words).replace("'", "")
        cases.append((literal, f"tensor<{rows}x{columns}x{rng.choice(['f32', 'i8', 'bf16'])}>"))
    once = [_read(*case) for case in cases]
    assert sum("dense<" in found for found in once) > 30

    def none(_text: str, _start: int) -> None:
        """As if each list were something else."""

    monkeypatch.setattr(number_lists, "number_list", none)
    assert [_read(*case) for case in cases] == once


class Everything:
    def __contains__(self, _: object) -> bool:
        return True


def test_one_element_for_all_is_that_of_upstream(monkeypatch: pytest.MonkeyPatch) -> None:
    elements = ["1", "-1.5", "-0.0", "0x7FC00001", "true", "300", "1.0e-40", "(1, -2.5)", "x", ""]
    others = ['"0x"', "1 2", "-", "1, 2", "dense<1>", "[1]"]
    scalars = ["f32", "bf16", "i1", "i8", "ui8", "i4", "index", "complex<f32>", "complex<i8>"]
    types = [f"tensor<{size}x{scalar}>" for size in (0, 1, "2x3") for scalar in scalars]
    types += ["tensor<f64>", "vector<4xi64>", "tensor<?xf32>", "f32"]
    cases = [(element, type) for element in [*elements, *others] for type in types]
    found = [_read(*case) for case in cases]
    assert sum("dense<" in text for text in found) > 90
    monkeypatch.setattr(literal_parser, "_NOT_ONE_ELEMENT", Everything())
    for case, text in zip(cases, found, strict=True):
        assert text == _read(*case), case
