"""What is particular to an op stands in its record: no other table is keyed by an elementwise op.

Equations, patterns, plans and importers may build or match an op; a table or a dispatch may not
have one as its key. Ops that no equation, pattern or importer needs are named in two modules: the
record and its expansion.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from op_families import ELEMENTWISE
from package_trees import PACKAGE, modules, tree_of, walk

from snippets_mlir.dialects.snippets.record import Code, Expansion
from snippets_mlir.dialects.snippets.records import BUILT_IN

DIALECT = "dialects/snippets/"

SELDOM = {
    "softsign": ("softsign",),
    "mish": ("mish",),
    "hswish": ("hswish", "hardswish"),
}
"""Ops that nothing else builds or matches, and their spellings without case and underscores."""

CLASSES = {r.op.__name__ for r in ELEMENTWISE}
NAMES = {r.name for r in ELEMENTWISE}
WORDS = {r.word for r in ELEMENTWISE}
OPERATORS = {r.onnx.operator for r in ELEMENTWISE if r.onnx is not None}

MAY = {
    "analysis/engine/nodes.py": "patterns of what onnxruntime fuses",
    "driver/onnx/bound/weights.py": "operators of these patterns, and the forms of Gelu",
    "frontends/onnx/mapping/binary.py": "importers that decompose, by operator",
    "frontends/numpy/standard.py": "the names of a standard",
    "frontends/onnx/shapes/rules/arithmetic.py": "arithmetic on sizes, by operator",
    "frontends/torch/formulas.py": "importers that decompose, by operator",
    "targets/emitters/own.py": "what a target has in place of the records' code",
    "targets/instructions.py": "operations of a builder",
    "testing/graph_ops.py": "generators that build an op",
    "testing/product_ops.py": "ops around products, and what errors become in each",
}
"""Modules with something that looks like a table of ops, and what it is."""


def name_of(file: Path) -> str:
    return file.relative_to(PACKAGE).as_posix()


def is_record(name: str) -> bool:
    """Whether a module has records, or what only records name; equations are no tables of ops."""
    return name.startswith(DIALECT)


@cache
def words_of(file: Path) -> frozenset[str]:
    """All words of a module with an op of `SELDOM`, in comments and parts of identifiers, too."""
    text = file.read_text(encoding="utf-8")
    plain = text.lower().replace("_", "")
    if not any(spelling in plain for spellings in SELDOM.values() for spelling in spellings):
        return frozenset()  # most modules: their words take the time
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    found = {w.lower() for w in re.findall(r"[A-Za-z0-9]+", apart)}
    joined = {w.lower().replace("_", "") for w in re.findall(r"[A-Za-z0-9_]+", text)}
    return frozenset(found | joined | {w.removesuffix("op") for w in joined})


@pytest.mark.parametrize("op", SELDOM)
def test_an_op_that_nothing_needs_is_named_in_two_modules(op: str) -> None:
    found = [name_of(f) for f in modules() if words_of(f) & set(SELDOM[op])]
    assert len(found) <= 2, found
    assert all(is_record(name) for name in found)


def classes_in(tree: ast.AST) -> set[str]:
    """The classes of our ops that a module imports; other dialects have some of the same names."""
    imports = (n for n in walk(tree) if isinstance(n, ast.ImportFrom))
    ours = (n for n in imports if (n.module or "").startswith("snippets_mlir.dialects.snippets"))
    return {alias.name for n in ours for alias in n.names} & CLASSES


def key_of(node: ast.expr | None, bare: set[str], classes: set[str]) -> str | None:
    """The op that a key names: its class, its name, or its name without the dialect's."""
    match node:
        case ast.Constant(value=str(text)) if text in NAMES or text in bare:
            return text
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in classes:
            return name
        case ast.Attribute(value=value, attr="name"):
            return key_of(value, bare, classes)
        case _:
            return None


SPLIT = re.compile(r"[A-Za-z_0-9\s]+", re.ASCII)
"""Names with blanks between them."""


def tables(tree: ast.AST, bare: set[str], classes: set[str]) -> Iterator[tuple[int, list[str]]]:
    """Places that are keyed by ops: dicts, tuples of names, and `match` statements."""
    for node in walk(tree):
        keys: list[ast.expr | None] = []
        if isinstance(node, ast.Dict):
            keys = list(node.keys)
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            keys = [e for e in node.elts if isinstance(e, ast.Constant)]
        elif isinstance(node, ast.Match):
            patterns = [p for case in node.cases for p in ast.walk(case.pattern)]
            keys = [p.cls for p in patterns if isinstance(p, ast.MatchClass)]
            keys += [p.value for p in patterns if isinstance(p, ast.MatchValue)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # Names in one string, to be split.
            parts = node.value.split() if SPLIT.fullmatch(node.value) else []
            keys = [ast.Constant(p) for p in parts] if len(parts) > 2 else []
        if not keys:
            continue
        found = [k for key in keys if (k := key_of(key, bare, classes)) is not None]
        if len(set(found)) > 1 or any("." in k for k in found):
            yield getattr(node, "lineno", 0), sorted(set(found))


def is_of_other_ops(name: str) -> bool:
    """Whether bare words in a module are those of another dialect: `add` of LLVM, `exp` of math."""
    parts = ("emit/llvm", "interpreter/", "passes/vector_to_llvm/", "passes/loops/", "dialects/")
    return name.startswith((*parts, "passes/lir_to_vector/", "targets/emitters/"))


def test_no_table_is_keyed_by_an_elementwise_op() -> None:
    wrong: list[str] = []
    unused = set(MAY)
    for file in modules():
        name = name_of(file)
        if is_record(name):
            continue
        bare = set[str]() if is_of_other_ops(name) else WORDS | OPERATORS
        tree = tree_of(file)
        found = list(tables(tree, bare, classes_in(tree)))
        if name in MAY:
            unused -= {name} if found else set()
        else:
            wrong += [f"{name}:{line}: {', '.join(keys)}" for line, keys in found]
    assert not wrong, "\n".join(wrong)
    assert not unused


@pytest.mark.parametrize(
    "text",
    [
        'T = {"exp": 1, "log": 2}',
        'T = {"snippets.exp": 1}',
        "T = {ExpOp: 1, LogOp: 2}",
        "T = {ExpOp.name: 1, unary.LogOp.name: 2}",
        'T = frozenset(("relu", "sigmoid"))',
        'T = "Exp Floor Log".split()',
        'match name:\n  case "exp": pass\n  case "log": pass',
        "match op:\n  case ExpOp(): pass\n  case LogOp(): pass",
    ],
)
def test_a_table_would_be_found(text: str) -> None:
    assert list(tables(ast.parse(text), WORDS | OPERATORS, CLASSES))


def test_building_and_matching_are_no_tables() -> None:
    text = "def f(op):\n  if isinstance(op, ExpOp) or op.name == 'snippets.log': return ReluOp(x)"
    assert not list(tables(ast.parse(text), WORDS | OPERATORS, CLASSES))


def test_every_elementwise_op_is_computed_by_code_or_an_expansion() -> None:
    moved = {"snippets.broadcast", "snippets.broadcast_move"}
    for record in ELEMENTWISE:
        ways = (record.code, record.floats, record.integers)
        assert any(ways) or record.name in moved, record.name


def test_what_records_name_exists() -> None:
    """Functions are imported when they are called: here all of them are."""
    for record in BUILT_IN:
        for part in (record.floats, record.integers, record.fast):
            assert part is None or callable(part.function)
        assert record.code is None or record.code.source is None or callable(record.code.function)
        assert record.name.startswith("snippets.")
    with pytest.raises(AttributeError):
        _ = Expansion("activations:missing").function
    with pytest.raises(ModuleNotFoundError):
        _ = Code(source="missing:missing").function
