"""The page of rules: every code of a message is explained, and messages name its place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from snippets_mlir.support.diagnostics import render
from snippets_mlir.support.errors import CompileError, with_rule

DOCS = Path(__file__).parents[3] / "docs"
MODULE = '''"""A pass.

* Q1: the first
  law;
* Q2: the second law.

Source: the design guide's LoopInfo (reference 1).
"""
class AnOp:
    """An op.

    Q3, Q4: of an op.

    Attributes:
        x: something.
    """
    name = "test.an"

    def verify(self):
        fail(f"Q3: expected {self.x}")
def check(op):
    """Q1: nothing."""
    fail(op, "Q2", f"expected {op}, found none")
    return "Q1: nothing"
'''


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(DOCS)  # pyright: ignore[reportUnknownMemberType]
    import rule_index  # pyright: ignore[reportMissingImports]

    return rule_index


def test_laws_and_messages_of_a_module(
    index: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "PACKAGE", tmp_path)
    (tmp_path / "a_pass.py").write_text(MODULE)
    rows = index.index(index.modules())
    found = {
        code: [(m.guide, x.text, x.holder, t) for m, x, t in row] for code, row in rows.items()
    }
    assert found == {
        "Q1": [("LoopInfo", "the first law;", "", "nothing")],
        "Q2": [("LoopInfo", "the second law.", "", "expected …, found none")],
        "Q3": [("LoopInfo", "of an op.", "test.an", "expected …")],
        "Q4": [("LoopInfo", "of an op.", "test.an", "")],
    }
    (tmp_path / "other.py").write_text('x = "Q5: nothing explains it"\n')
    with pytest.raises(ValueError, match=r"other\.py: no law explains Q5: nothing explains it"):
        index.index(index.modules())


def test_every_code_of_a_message_has_a_section() -> None:
    """`generate.py --check` compares the page with the sources; this one reads the page."""
    page = (DOCS / "rules.md").read_text()
    sections = re.findall(r"^## ([A-Z]\d+)$", page, re.MULTILINE)
    assert len(sections) == len(set(sections)) > 60
    assert {"A1", "C4", "K2", "L2", "M3", "P3", "T1"} <= set(sections)
    row = re.search(r"`lowerable.py`.*\| every shape is static \| `K2: … has dynamic dims .*", page)
    assert row
    assert re.search(r"lir-insert-buffers.*\| InsertBuffers \|$", page, re.MULTILINE)


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("K2: a dim is dynamic", "k2"),
        ("after pass 'cse': L12: expected a register", "l12"),
        ("expected f32, found f64", None),
        ("no tensor C1 here: none", None),
        ("in model A1: none", None),
    ],
)
def test_messages_name_the_place(message: str, place: str | None) -> None:
    expected = message if place is None else f"{message} (see docs/rules.md#{place})"
    error = CompileError(message, file="a.mlir", line=1, column=2)
    assert str(error) == f"a.mlir:1:2: {expected}"
    assert render(error) == f"a.mlir:1:2: error: {expected}"
    assert with_rule(expected) == expected
