"""The page of rules: what each code of a message stands for, from docstrings and messages.

A law is an item `* K2: every shape is static;` of a module's docstring. A message is a string
`f"K2: {op.name} has dynamic dims"`, or the argument after the code in `fail(op, "K2", "...")`. A
message belongs to the law of its module, or else to that of a module of the same folder that
imports this one or is imported by it.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from snippets_mlir.passmanager import universe

PACKAGE = Path(__file__).parents[1] / "snippets_mlir"
LAWS = re.compile(
    r"^(?:\* )?([A-Z]\d+(?:, [A-Z]\d+)*): (.*(?:\n(?!\* |[A-Z]\d|\w+:$).+)*)", re.MULTILINE
)
CODE = re.compile(r"([A-Z]\d{1,2})(?:: (.*))?", re.DOTALL)
BEGIN = re.compile(r"""["'][A-Z]\d{1,2}\b""")
"""A string that may be a message."""
RULE = re.compile(r"^\s*(?:\* )?[A-Z]\d+(?:, [A-Z]\d+)*: ", re.MULTILINE)
"""A line that may begin a law."""
IMPORT = re.compile(r"^\s*from (\S+) import ", re.MULTILINE)
GUIDE = re.compile(r"Source:\s+the\s+(?:design\s+)?guide's\s+`?(\w+)")

PAGE = """# Rules

{note}

Messages and remarks name the rule that decided by a code, such as K2. A code is unique in its
pass, checker or op. So several rows may have it: take the one with the pass or op of the message.
`…` stands for what a message fills in. The last column names the part of
[the guide](glossary.md) that the rule comes from; rules without a name are this project's.

{sections}
"""


@dataclass(frozen=True)
class Law:
    """A law or a message: code, text, and the op or class that has it; empty for a module's."""

    code: str
    text: str
    holder: str


@dataclass
class Module:
    """What a module says: its laws, its messages, and what it imports.

    Attributes:
        path: the file, below the package.
        laws: in the order of the text.
        messages: code, holder, and what it says.
        imports: names of modules.
        guide: the part of the guide that it is from; empty if it names none.
    """

    path: Path
    laws: list[Law]
    messages: list[Law]
    imports: set[str]
    guide: str

    @cached_property
    def folder(self) -> Path:
        """The folder that it is in."""
        return self.path.parent

    @cached_property
    def name(self) -> str:
        """Its name as imports have it."""
        return ".".join(("snippets_mlir", *self.path.with_suffix("").parts))


def modules() -> list[Module]:
    """The modules of the package, in the order of their paths."""
    return [_read(path) for path in sorted(PACKAGE.rglob("*.py"))]


def _read(path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    if not BEGIN.search(text) and not RULE.search(text):  # most modules: parsing takes the time
        return Module(path.relative_to(PACKAGE), [], [], {*IMPORT.findall(text)}, "")
    tree = ast.parse(text)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    laws = [*_laws(tree, ""), *(law for c in classes for law in _laws(c, _holder(c)))]
    said = _said(tree, classes) if BEGIN.search(text) else []
    imports = {n.module for n in _statements(tree) if isinstance(n, ast.ImportFrom) and n.module}
    guide = GUIDE.search(ast.get_docstring(tree) or "")
    return Module(path.relative_to(PACKAGE), laws, said, imports, guide[1] if guide else "")


def _said(tree: ast.Module, classes: list[ast.ClassDef]) -> list[Law]:
    """The messages of a module."""
    inside = {id(node): name for c in classes for name in (_holder(c),) for node in ast.walk(c)}
    nodes = [*ast.walk(tree)]
    parts = {id(p) for n in nodes if isinstance(n, ast.JoinedStr) for p in n.values}
    parts |= {id(n.value) for n in nodes if isinstance(n, ast.Expr)}  # docstrings
    told = (n for n in nodes if id(n) not in parts or isinstance(n, ast.Call))
    return [Law(*m, inside.get(id(node), "")) for node in told for m in _messages(node)]


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements inside a node, without a look at their expressions."""
    for field in ("body", "orelse", "handlers", "finalbody", "cases"):
        for inner in getattr(node, field, ()):
            if isinstance(inner, ast.stmt):
                yield inner
            yield from _statements(inner)


def _laws(node: ast.Module | ast.ClassDef, holder: str) -> Iterator[Law]:
    for codes, text in LAWS.findall(ast.get_docstring(node) or ""):
        for code in codes.split(", "):
            yield Law(code, " ".join(text.split()), holder)


def _holder(node: ast.ClassDef) -> str:
    """The name of the op that a class is, else that of the class."""
    for line in node.body:
        if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "name":
            return str(ast.literal_eval(line.value))
    return node.name


def _messages(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The code and the text of a message: a string that begins with one, or arguments of a call."""
    if isinstance(node, ast.Call):
        texts = [_text(argument) for argument in node.args]
        for code, text in pairwise(texts):
            if text and code and (match := CODE.fullmatch(code)) and match[2] is None:
                yield match[1], text
    elif (text := _text(node)) and (match := CODE.fullmatch(text)) and match[2]:
        yield match[1], match[2]


def _text(node: ast.AST) -> str | None:
    """A string with `…` for what is filled in; None for something else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "…" for part in node.values)
    return None


def index(found: list[Module]) -> dict[str, list[tuple[Module, Law, str]]]:
    """Code -> the modules with a law of it, the law and a message, which may be empty.

    Raises:
        ValueError: a message has a code that no law explains.
    """
    examples: dict[int, str] = {}
    for module in found:
        for message in module.messages:
            examples.setdefault(id(_owner(module, message, found)), message.text)
    rows: dict[str, list[tuple[Module, Law, str]]] = defaultdict(list)
    for module in found:
        for law in module.laws:
            if law.text.startswith("see "):
                continue  # the law of a base class
            rows[law.code].append((module, law, examples.get(id(law), "")))
    return dict(sorted(rows.items(), key=lambda row: (row[0][0], int(row[0][1:]))))


def _owner(module: Module, message: Law, found: list[Module]) -> Law:
    """The law that a message is about."""
    own = [law for law in module.laws if law.code == message.code]
    candidates = [law for law in own if law.holder == message.holder] + own
    if not candidates:
        near = [m for m in found if m.folder == module.folder]
        tied = [m for m in near if m.name in module.imports or module.name in m.imports]
        candidates = [law for m in (*tied, *near) for law in m.laws if law.code == message.code]
    if not candidates:
        raise ValueError(f"{module.path}: no law explains {message.code}: {message.text}")
    return candidates[0]


def where(module: Module, users: dict[str, list[str]]) -> str:
    """The pass, checker or dialect that has a rule, as a row names it."""
    folder, *rest = module.path.parts
    stem = module.path.stem
    if (name := stem.replace("_", "-")) in universe.PASSES:
        return f"[`{name}`](passes.md#{name})"
    if folder == "dialects":
        return f"dialect `{rest[0]}` (`{stem}.py`)"
    if folder == "checkers":
        return f"checker `{stem}`"
    link = f"[`{stem}.py`](../snippets_mlir/{module.path.as_posix()})"
    return ", ".join((link, *(f"`{name}`" for name in users.get(module.name, ()))))


def passes_that_use(found: list[Module]) -> dict[str, list[str]]:
    """Module -> the passes that import it, themselves or by a module that only they import."""
    users: dict[str, list[str]] = defaultdict(list)
    names = {row.partition(":")[0]: name for name, row in universe.PASSES.items()}
    importers: dict[str, set[str]] = defaultdict(set)
    for module in found:
        for imported in module.imports:
            importers[imported].add(module.name)
    for module in found:
        name = module.name
        if name not in names and len(importers[name]) == 1:
            (name,) = importers[name]
        for imported in module.imports if name in names else ():
            if names[name] not in users[imported]:
                users[imported].append(names[name])
    return users


def rules_page(note: str) -> str:
    """The page."""
    found = modules()
    users = passes_that_use(found)
    sections: list[str] = []
    for code, rows in index(found).items():
        lines = [f"## {code}", "", "| in | rule | a message | guide |", "|---|---|---|---|"]
        for module, law, text in rows:
            example = f"`{code}: {' '.join(text.split())}`" if text else ""
            place = f"`{law.holder}`" if "." in law.holder else where(module, users)
            cells = (place, law.text.rstrip(";.,"), example, module.guide)
            lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
        sections.append("\n".join(lines))
    return PAGE.format(note=note, sections="\n\n".join(sections))
