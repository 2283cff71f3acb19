"""Writes the pages that come from docstrings, and the worked kernel with its pictures.

    python docs/generate.py          write them
    python docs/generate.py --check  exit with 1 when one is not what would be written

A pass's section is its module's docstring; an op's row is its class's docstring.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import MISSING, Field, fields
from functools import partial
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any, get_args

from xdsl.passes import ModulePass

from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.records import BUILT_IN
from snippets_mlir.frontends.numpy import standard
from snippets_mlir.passes.base import Form, Pass
from snippets_mlir.passes.effects import EXACT, effect_of
from snippets_mlir.passes.patterns import PatternPass
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager import universe
from snippets_mlir.support.lazy import named

HERE = Path(__file__).parent

NOTE = "<!-- Written by docs/generate.py from docstrings: change those, then run it. -->"

SEMANTICS = """# What every op computes

{note}

One definition of each op's value, in its record, serves the interpreter and the constant folder;
kernels are tested against it. The rules that hold for all ops:

* Operands broadcast by NumPy's rules. Operands that compute together have one element type; nothing
  is converted unless the text says so.
* Integers are two's complement and wrap. Signless and `si` types are signed, `ui` types unsigned. A
  division or remainder by zero gives 0, never a trap.
* Floats follow IEEE 754: a NaN operand gives NaN unless the row says otherwise; -0.0 is kept apart
  from 0.0; subnormal numbers are neither flushed nor taken as zero.
* `i1` is a truth value; in memory it is one byte, 0 or 1.
* Exact ops give the same bits in the interpreter and in kernels; the others are within 4 units in
  the last place of the real value rounded once.
* Reductions, softmax and normalizations follow the formulas of their rows, step by step. The order
  in which floats are added is not part of the meaning (the sign of a zero is): a sum is within
  4 * 2^-24 * sum|x| in f32.

{tables}"""

PASSES = """# Passes

{note}

In pipeline order. `snippets-opt --list-passes` prints the same list with one line each;
options are written `pass-name{{option=value}}`.

{pipelines}

[Adding a pass](adding-a-pass.md) says what the forms are and which one to choose.

{forms}

{sections}"""


def table(module: str, ops: Iterable[type[ComputeOp]]) -> str:
    """The ops of a module, a family: name, element kinds, value; its docstring says which."""
    title = module.rpartition(".")[2].replace("_", " ").capitalize()
    text = (getdoc(import_module(module)) or "").split("\n\n")[0]
    rows = [f"## {title}", "", text, "", "| op | elements | value |", "|---|---|---|"]
    for op in sorted(ops, key=lambda op: op.name):
        doc = re.split(r"\n\n(?:Args|Attributes):", getdoc(op) or "")[0]
        value = " ".join(doc.split()).replace("|", "\\|")
        kinds = ", ".join(op.ELEMENT_KINDS)
        rows.append(f"| `{op.name.removeprefix('snippets.')}` | {kinds} | {value} |")
    return "\n".join(rows)


def semantics() -> str:
    """The page on the ops' values."""
    families: dict[str, list[type[ComputeOp]]] = {}
    for record in BUILT_IN:
        families.setdefault(record.op.__module__, []).append(record.op)
    tables = [table(module, ops) for module, ops in families.items()]
    return SEMANTICS.format(note=NOTE, tables="\n\n".join(tables)) + "\n"


def option(field: Field[Any]) -> str:
    """`name=default`, as it is written in a pipeline."""
    name = field.name.replace("_", "-")
    if field.default is MISSING or field.default is None:
        return f"`{name}`"
    default = field.default
    return f"`{name}={str(default).lower() if isinstance(default, bool) else default}`"


def section(name: str, row: str) -> str:
    """One pass: its options and its module's docstring, headings made smaller."""
    module, _, _ = row.partition(":")
    cls: type[ModulePass] = named(row)
    doc = (import_module(module).__doc__ or "").strip()
    options = ", ".join(option(f) for f in fields(cls)) or "none"
    effect = effect_of(cls)
    loose = "" if effect == EXACT else f"; {effect.kind}"
    loose += f", by at most {effect.epsilons:g} epsilons" if effect.epsilons else ""
    head = f"`{module.replace('.', '/')}.py`, options: {options}{loose}{form(cls)}"
    return f"## {name}\n\n{head}\n\n{doc}{patterns(cls)}"


def form(cls: type[ModulePass]) -> str:
    """How the pass is written, and the stages that it takes and leaves."""
    if not issubclass(cls, Pass):
        return ""
    target = f" to {cls.STAGES.target}" if cls.STAGES.target else ""
    return f"; {cls.FORM}, on {' or '.join(cls.STAGES.source)}{target}"


def patterns(cls: type[ModulePass]) -> str:
    """The patterns of a pass and their conditions."""
    if not issubclass(cls, PatternPass):
        return ""
    rows = ["", "", "| pattern | conditions | |", "|---|---|---|"]
    for pattern in cls.PATTERNS:
        doc = " ".join((getdoc(pattern) or "").partition("\n\n")[0].split()).replace("|", "\\|")
        rows.append(f"| `{pattern.name}` | {', '.join(pattern.requirements())} | {doc} |")
    return "\n".join(rows)


def passes() -> str:
    """The page on the passes."""
    sections = [section(name, row) for name, row in universe.PASSES.items()]
    forms = [
        "| form | passes |",
        "|---|---|",
        "| equations | upstream's `canonicalize`, with ours |",
    ]
    for name in get_args(Form)[1:]:
        found = [f"`{p}`" for p, row in universe.PASSES.items() if named(row).FORM == name]
        forms.append(f"| {name} ({len(found)}) | {', '.join(found)} |")
    pipelines = ["| pipeline | passes |", "|---|---|"]
    for name, text in PIPELINES.items():
        pipelines.append(f"| `{name}` | {', '.join(f'`{p}`' for p in text.split(','))} |")
    return (
        PASSES.format(
            note=NOTE,
            pipelines="\n".join(pipelines),
            forms="\n".join(forms),
            sections="\n\n".join(sections),
        )
        + "\n"
    )


ARRAY_API = """# The Array API standard

{note}
What [`snippets_mlir.jit`](numpy.md) does with each name of `snippets_mlir.xp`, those that
array-api-strict exports.

{rows}
"""


def array_api() -> str:
    """The page on the Array API standard."""
    rows: list[str] = []
    for standing, says in standard.STANDINGS.items():
        names = [f"`{n}`" for n in standard.NAMES if standard.standing(n) == standing]
        rows.append(f"* **{says}** ({len(names)}): {', '.join(names)}")
    return ARRAY_API.format(note=NOTE, rows="\n".join(rows))


def worked(name: str) -> str:
    """The page with one kernel at six stages, or one of its pictures."""
    from worked_kernel import pages

    return pages()[name]


def rules() -> str:
    """The page on the codes of rules."""
    from rule_index import rules_page

    return rules_page(NOTE)


WORKED = (
    "worked-kernel.md",
    *(f"pictures/worked-{p}.svg" for p in ("loops", "registers", "threads")),
)
PAGES = {
    "passes.md": passes,
    "semantics.md": semantics,
    "array-api.md": array_api,
    "rules.md": rules,
    **{name: partial(worked, name) for name in WORKED},
}


def main(arguments: list[str]) -> int:
    """Write or check the pages; the exit code."""
    stale: list[str] = []
    for name, page in PAGES.items():
        path, text = HERE / name, page()
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    for name in stale:
        print(f"docs/{name} is out of date: run python docs/generate.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
