"""Guards against tests that cannot fail, and against passes, ops and laws without a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hygiene import lit_findings, python_findings
from xdsl.ir import Dialect

from snippets_mlir.passmanager import universe
from snippets_mlir.support.lazy import named

TEST = Path(__file__).resolve().parents[2]
PACKAGE = TEST.parent / "snippets_mlir"
LIT_FILES = sorted(p for p in TEST.rglob("*.mlir") if "inputs" not in p.parts)
PYTHON_FILES = sorted(TEST.rglob("test_*.py"))


def test_lit_tests_can_fail():
    findings = [
        f"{path.relative_to(TEST)}: {finding}"
        for path in LIT_FILES
        for finding in lit_findings(path.read_text(encoding="utf-8"))
    ]
    assert not findings, "\n".join(findings)


def test_python_tests_can_fail():
    findings = [
        f"{path.relative_to(TEST)}: {finding}"
        for path in PYTHON_FILES
        for finding in python_findings(path.read_text(encoding="utf-8"))
    ]
    assert not findings, "\n".join(findings)


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("func.func @f()", "no RUN line"),
        ("// RUN: snippets-opt | filecheck t.mlir\n// CHECK: a", "does not name an input"),
        ("// RUN: snippets-opt %s | filecheck %s\n// CHECK-NEXT a\n// CHECK: b", "no colon"),
        ("// RUN: snippets-opt %s | filecheck %s\n// RUN snippets-opt %s\n// CHECK: a", "no colon"),
        ("// RUN: snippets-opt %s | filecheck %s\n// CHECK: a\n// CHECK-NXT: b", "unknown suffix"),
        ("// RUN: snippets-opt %s\n// CHECK: a", "no RUN line looks for 'CHECK:'"),
        ("// RUN: snippets-opt %s | filecheck %s\n// OTHER: a\n// CHECK: a", "'OTHER:'"),
        ("// RUN: snippets-opt %s | filecheck %s --check-prefix A\n", "no check line for prefix"),
        ("// RUN: snippets-opt %s | filecheck %s\n// CHECK: // RUN: a\n", "inside a line"),
        ("// RUN: snippets-opt %s || true\n", "'||' is not supported"),
    ],
)
def test_lit_guard_finds(text: str, finding: str):
    assert any(finding in found for found in lit_findings(text))


def test_lit_guard_accepts():
    text = (
        "// RUN: snippets-opt %s | filecheck %s --check-prefixes=A,A-B\n"
        "// A: x\n// A-NEXT: y\n// A-B-NOT: z\n// A-B: w\n// A-COUNT-2: v\n// NOTE: prose\n"
    )
    assert lit_findings(text) == []


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("def test_a(): pass\ndef test_a(): pass", "two tests"),
        ("def test_a():\n  def test_b(): pass", "nested"),
        ("@pytest.mark.skip\ndef test_a(): pass", "without a reason"),
        ("@pytest.mark.xfail()\ndef test_a(): pass", "without a reason"),
        ("@pytest.mark.skipif(True)\ndef test_a(): pass", "without a reason"),
        ("def test_a():\n  pytest.skip()", "without a reason"),
    ],
)
def test_python_guard_finds(text: str, finding: str):
    assert any(finding in found for found in python_findings(text))


def test_python_guard_accepts():
    text = "@pytest.mark.xfail(reason='upstream #1')\ndef test_a(): pass\ndef helper(): pass"
    assert python_findings(text) == []


def test_every_pass_has_a_test():
    tested = {path.stem for path in (TEST / "passes").rglob("*.mlir")}
    assert not sorted(set(universe.PASSES) - tested)


def _text_of_tests(dialect: str) -> str:
    folder = TEST / "dialects" / dialect
    files = sorted((*folder.rglob("*.mlir"), *folder.rglob("*.py")))
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@pytest.mark.parametrize("name", [*universe.DIALECTS, *universe.REPLACED_DIALECTS])
def test_every_op_of_ours_has_a_test(name: str):
    dialect = named({**universe.DIALECTS, **universe.REPLACED_DIALECTS}[name])
    assert isinstance(dialect, Dialect)
    ours = [op.name for op in dialect.operations if op.__module__.startswith("snippets_mlir.")]
    text = _text_of_tests(name)
    assert not [op for op in ours if not re.search(rf"(?<![\w.]){re.escape(op)}(?![\w.])", text)]


@pytest.mark.parametrize("name", universe.DIALECTS)
def test_dialects_have_the_usual_tests(name: str):
    present = {path.name for path in (TEST / "dialects" / name).iterdir()}
    assert {"ops.mlir", "invalid.mlir"} <= present


@pytest.mark.parametrize("name", universe.DIALECTS)
def test_every_constraint_has_a_rejecting_test(name: str):
    """A label such as C1 in a docstring of a dialect occurs in a test of an error."""
    sources = (PACKAGE / "dialects" / name).rglob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    labels = set(re.findall(r"^\s*\*? ?([A-Z]{1,3}\d+): ", text, re.MULTILINE))
    rejected = set(re.findall(r"expected-error.*?\b([A-Z]{1,3}\d+)\b", _text_of_tests(name)))
    rejected |= set(re.findall(r"(?:error|match=).*?\b([A-Z]{1,3}\d+)\b", _text_of_tests(name)))
    assert not sorted(labels - rejected)


EXAMPLES = {"_version.py"}
"""Files of other packages."""


def test_files_that_texts_name_exist():
    """A file's name, with folders or without, in comments, docstrings, pages and the Makefile."""
    root = TEST.parent
    folders = [root / name for name in ("snippets_mlir", "docs", "benchmarks")]
    files = [p for folder in (*folders, TEST) for p in folder.rglob("*.py")]
    texts = [p for folder in folders for p in folder.rglob("*") if p.suffix in (".py", ".md")]
    texts += [root / "lit.cfg.py", root / "Makefile", *root.glob("*.md")]
    known = {"lit.cfg.py"}
    for path in files:
        parts = path.relative_to(root).parts
        known |= {"/".join(parts[first:]) for first in range(len(parts))}
    missing: list[str] = []
    for path in texts:
        text = path.read_text("utf-8")
        made = EXAMPLES.union(re.findall(r"^```python file=(\S+)$", text, re.MULTILINE))
        missing += [
            f"{path.relative_to(root)}: {name}"
            for name in re.findall(r"(?<![\w%*/-])[\w-][\w./-]*\.py\b", text)
            if name not in known and Path(name).name not in made
        ]
    assert not missing, "\n".join(missing)
