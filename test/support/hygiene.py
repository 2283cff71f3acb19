"""Finds tests that cannot fail: see `test/unit/project/test_test_hygiene.py`.

Every function returns its findings as text, an empty list when there is nothing to find.
"""

from __future__ import annotations

import ast
import re

from lit_runner import LitFailure, pipelines, run_lines, substitute

SUFFIXES = re.compile(r"NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-\d+")
SKIPS = frozenset(("skip", "skipif", "xfail"))
INDENTED = re.compile(r"^[ \t]+(?:async )?(?:def test_|class )|^class ", re.MULTILINE)
"""What a file without tests in functions or classes does not have."""
TEST = re.compile(r"^def (test\w*)", re.MULTILINE)
"""A test at the top of a file."""
FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef
# Words that may start a comment with a colon without being a check.
PROSE = frozenset(("RUN", "COM", "NOTE"))
_COLON = re.compile(r"^\s*//\s*([A-Z][A-Z0-9_-]*)(\{LITERAL\})?:", re.MULTILINE)
_NAMES_INPUT = re.compile(r"%s|%S|%t|%roundtrip|%generic-roundtrip|--list|--show|--help|--version")


def check_prefixes(command: str) -> set[str]:
    """The prefixes that the filecheck calls of a RUN line look for."""
    prefixes: set[str] = set()
    if "%roundtrip" in command or "%generic-roundtrip" in command:
        prefixes.add("CHECK")
    from pathlib import Path

    for stages in pipelines(substitute(command, Path("test.mlir"), Path("out"))):
        for stage in stages:
            if "filecheck" not in stage.words:
                continue
            words = " ".join(stage.words)
            found = re.findall(r"--?check-prefix(?:es)?[= ](\S+)", words)
            prefixes.update(name for group in found for name in group.split(","))
            if not found:
                prefixes.add("CHECK")
    return prefixes


def lit_findings(text: str) -> list[str]:
    """What is wrong with a lit test."""
    try:
        commands = run_lines(text)
        prefixes = set[str]().union(*(check_prefixes(command) for command in commands))
    except LitFailure as error:
        return [str(error)]
    if not commands:
        return ["no RUN line"]
    findings = [
        f"RUN line does not name an input: {command}"
        for command in commands
        if not _NAMES_INPUT.search(command)
    ]
    if len(re.findall(r"\bRUN:", text)) != len(re.findall(r"^\s*//\s*RUN:", text, re.MULTILINE)):
        findings.append("'RUN:' inside a line, which lit takes for a command; write '{{RUN}}:'")
    used: set[str] = set()
    for match in _COLON.finditer(text):
        findings += _check_line(match.group(1), prefixes, used)
    findings += [f"no check line for prefix '{name}'" for name in sorted(prefixes - used)]
    words = "|".join(sorted((*map(re.escape, prefixes), "RUN", "CHECK"), key=len, reverse=True))
    for match in re.finditer(
        rf"^\s*//\s*((?:{words})(?:-[A-Z]+)?)(?![\w:{{-])", text, re.MULTILINE
    ):
        findings.append(f"'{match.group(1)}' at the start of a comment has no colon")
    return findings


def _check_line(word: str, prefixes: set[str], used: set[str]) -> list[str]:
    if word in prefixes:
        used.add(word)
        return []
    if word in PROSE:
        return []
    for name in sorted(prefixes, key=len, reverse=True):
        if word.startswith(f"{name}-"):
            if SUFFIXES.fullmatch(word.removeprefix(f"{name}-")) is None:
                return [f"unknown suffix in '{word}:'"]
            used.add(name)
            return []
    return [f"no RUN line looks for '{word}:'"]


def python_findings(text: str) -> list[str]:
    """What is wrong with a file of Python tests."""
    names = TEST.findall(text)
    repeated = len(set(names)) < len(names)
    if not repeated and INDENTED.search(text) is None and not any(word in text for word in SKIPS):
        return []  # most files are not parsed, which takes the time
    tree = ast.parse(text)
    findings = _repeated(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            findings += _repeated(node)
        elif isinstance(node, FUNCTIONS):
            findings += _nested(node)
        elif isinstance(node, ast.Call | ast.Attribute):
            findings += _skip_findings(node, tree)
    return findings


def _repeated(scope: ast.Module | ast.ClassDef) -> list[str]:
    """Tests of which a later one hides an earlier one."""
    names = [n.name for n in scope.body if isinstance(n, ast.FunctionDef)]
    tests = sorted({name for name in names if name.startswith("test") and names.count(name) > 1})
    return [f"two tests are called {name}" for name in tests]


def _nested(scope: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Tests inside of a function, which pytest does not see."""
    return [
        f"{inner.name} is nested in {scope.name} and never runs"
        for inner in ast.walk(scope)
        if isinstance(inner, ast.FunctionDef)
        and inner is not scope
        and inner.name.startswith("test_")
    ]


def _skip_findings(node: ast.Call | ast.Attribute, tree: ast.Module) -> list[str]:
    """Skips and expected failures have to say why."""
    function = node.func if isinstance(node, ast.Call) else node
    if not (isinstance(function, ast.Attribute) and function.attr in SKIPS):
        return []
    name = ast.unparse(function)
    if name in ("pytest.skip", "pytest.xfail"):
        explained = not isinstance(node, ast.Call) or node.args or node.keywords
        return [] if explained else [f"{name}() without a reason, line {node.lineno}"]
    if not re.fullmatch(r"pytest\.mark\.(skip|skipif|xfail)", name):
        return []
    if isinstance(node, ast.Attribute):
        called = any(isinstance(n, ast.Call) and n.func is node for n in ast.walk(tree))
        return [] if called else [f"{name} without a reason, line {node.lineno}"]
    reasons = [k for k in node.keywords if k.arg == "reason"]
    return [] if reasons else [f"{name} without a reason, line {node.lineno}"]
