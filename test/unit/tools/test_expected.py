"""`--verify-diagnostics`: which comment is about which message."""

from __future__ import annotations

import pytest

from snippets_mlir.support.errors import CompileError
from snippets_mlir.tools.expected import Diagnostic, compare, read_expectations


def disagreements(text: str, *messages: tuple[str, int | None, str], offset: int = 0) -> list[str]:
    """What is found wrong, for messages given as severity, line and text."""
    diagnostics = [
        Diagnostic(severity, CompileError(message, file="t", line=line, column=1))
        for severity, line, message in messages
    ]
    found = compare(read_expectations(text, "t", offset), diagnostics, "t")
    return [problem.render() for problem in found]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a // expected-error {{bad}}\nb", 1),
        ("// expected-error @+1 {{bad}}\nb", 2),
        ("// expected-error@+1 {{bad}}\nb", 2),
        ("a\n// expected-error @-1 {{bad}}", 1),
        ("a\n// expected-error @above {{bad}}", 1),
        ("// expected-error @below {{bad}}\nb", 2),
        ("// expected-error@unknown {{bad}}", None),
        ("// expected-error-re {{b{{[a-z]}}d}}", 1),
        ("// expected-error-re {{(so) bad{{$}}}}", 1),
        ("// expected-error {{(so) bad}}", 1),
    ],
)
def test_comment_meets_message(text: str, line: int | None):
    assert disagreements(text, ("error", line, "this is (so) bad")) == []
    assert disagreements(text)
    assert disagreements(text, ("error", 99, "this is (so) bad"))
    assert disagreements(text, ("warning", line, "this is (so) bad"))
    assert disagreements(text, ("error", line, "fine"))


def test_several_comments_about_one_line():
    text = (
        "// expected-error @below {{one}}\n// expected-remark @below {{two}}\nb\n"
        "// expected-error @above {{three}}\n// expected-error @above {{four}}"
    )
    messages = (("error", 3, "one"), ("remark", 3, "two"), ("error", 3, "three"))
    assert disagreements(text, *messages, ("error", 3, "four")) == []
    assert disagreements(text, *messages) == ['t:5:1: expected error "four" was not produced']


def test_counts():
    text = "a // expected-error 2 {{bad}}"
    bad = ("error", 1, "bad")
    assert disagreements(text, bad, bad) == []
    assert disagreements(text, bad) == ['t:1:1: expected error "bad" was not produced']
    assert disagreements(text, bad, bad, bad) == ["t:1:1: unexpected error: bad"]


def test_lines_count_from_the_start_of_the_file():
    text = "// expected-error @below {{bad}}\nb // expected-remark {{see}}"
    messages = (("error", 12, "bad"), ("remark", 12, "see"))
    assert disagreements(text, *messages, offset=10) == []
    assert len(disagreements(text, *messages, offset=11)) == 4


def test_literal_braces_and_signs_are_no_pattern():
    assert disagreements("// expected-error {{a.b*}}", ("error", 1, "a.b*")) == []
    assert disagreements("// expected-error {{a.b*}}", ("error", 1, "aXbbb"))


@pytest.mark.parametrize(
    "text",
    [
        "// expected-error bad",
        "// expected-error {{bad}} trailing",
        "// expected-error @+x {{bad}}",
    ],
)
def test_malformed_comment(text: str):
    with pytest.raises(CompileError, match="malformed expectation") as caught:
        disagreements(f"\n{text}", offset=5)
    assert caught.value.line == 7
