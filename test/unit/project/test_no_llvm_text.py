"""No product module writes LLVM IR as text: all code is ops of the `llvm` dialect and its emitter.

Text is found by what only LLVM IR has: a line that begins with a value and an opcode of LLVM, or
the head of a function. MLIR in docstrings (`%0 = llvm.load`) has a dot in the opcode; docstrings
are not looked at. `emit` writes single instructions by format strings, and is the place for it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from package_trees import PACKAGE, modules, tree_of, walk

EMITTER = "emit"

VALUE = re.compile(r"^\s*%[\w.]+ = \w+ ", re.MULTILINE)
HEAD = re.compile(r"^\s*(define|declare)\b.*@", re.MULTILINE)
STATEMENT = re.compile(
    r"^\s*(store (volatile |atomic )?\S+ \S+, ptr|br (label|i1) %|(tail )?call \S+ [@%]\w+\(|"
    r"ret (void|\S+ [%\d]))",
    re.MULTILINE,
)


MAYBE = re.compile(r"%[\w.]+ = \w|define|declare|store |br (label|i1)|call |ret ")
"""What a source without it cannot have: most are not parsed, which takes the test's time."""


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and value of each string of a module but docstrings; fields of f-strings are `?`."""
    docstrings = {
        id(node.body[0].value)
        for node in walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inside: set[int] = set()
    for node in walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            parts = (p.value if isinstance(p, ast.Constant) else "?" for p in node.values)
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in docstrings | inside:
                yield node.lineno, node.value


def llvm_text_in(source: str, file: Path | None = None) -> list[int]:
    """Lines of the strings of Python source, of a module or not, that have LLVM IR."""
    if MAYBE.search(source) is None:
        return []
    found = texts(tree_of(file) if file is not None else ast.parse(source))
    return [line for line, text in found if any(p.search(text) for p in (VALUE, HEAD, STATEMENT))]


def test_no_module_has_llvm_text():
    files = modules()
    assert len(files) > 100
    found = [
        f"{file.relative_to(PACKAGE)}:{line}"
        for file in files
        if file.relative_to(PACKAGE).parts[0] != EMITTER
        for line in llvm_text_in(file.read_text(encoding="utf-8"), file)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        "TEXT = '''\ndefine void @f(ptr %p) {\n  ret void\n}\n'''",
        "T = 'declare i64 @write(i32, ptr, i64)'",
        "T = '  %q = getelementptr i8, ptr %p, i64 16'",
        "N = 32\nT = f'define {N} @f() {{'",
        "T = '  %w.1 = load i64, ptr %p, align 8'",
        "T = f'  %x = call i32 @f(i64 {0})'",
        "def f():\n  'doc'\n  return 'br label %next'",
        "T = '  store i64 %x, ptr %p, align 8'",
        "T = 'call void @g(i64 1)'",
        "T = 'ret void'",
    ],
)
def test_llvm_text_would_be_found(source: str):
    assert llvm_text_in(source)


@pytest.mark.parametrize(
    "source",
    [
        "'''Doc.\n\n  %0 = load i64, ptr %p\n'''",
        "T = '%0 = llvm.load %p : !llvm.ptr -> i64'",
        "T = '%0 = snippets.add %x, %y : tensor<4xf32>'",
        "T = 'define a pipeline'",
        "T = f'{1} = {2}'",
    ],
)
def test_other_text_is_not_taken_for_it(source: str):
    assert not llvm_text_in(source)
