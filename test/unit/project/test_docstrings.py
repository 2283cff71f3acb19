"""Docstrings say more than the name: a short one that only repeats it does not help a reader.

A docstring of at most five words has to contain a formula or a form in code, or a word that is in
neither the name nor the class nor the module. A private function, or a method that overrides one
(`@override`), needs no docstring, so nothing is lost when such a docstring goes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest
from package_trees import PACKAGE, modules, tree_of
from statements import statements_in

SHORT = 5
"""Words of a docstring that is looked at."""
FILLING = frozenset(
    "a all an and are as at be by each every for from how if in is it its no none not of on one "
    "ones or see that the these this those to what when where whether which with without".split()
)
"""Words that say nothing by themselves."""


@cache
def stem(word: str) -> str:
    """`word` without an ending that makes a noun or a plural of it."""
    for ending in ("ation", "ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def words_of(text: str) -> set[str]:
    """The stems of the words in a text or a name, in camel or in snake case."""
    return {stem(w) for w in re.findall("[a-z]+", re.sub("([a-z])([A-Z])", r"\1 \2", text).lower())}


def says_more(docstring: str, name: str) -> bool:
    """Whether a short docstring says more than the qualified name of what it is about."""
    has_formula = re.search(r"[-+*/<>=~|^&0-9(\[]", docstring) is not None
    filling = {stem(word) for word in FILLING}
    return has_formula or bool(words_of(docstring) - filling - words_of(name))


def short_docstrings(node: ast.AST, name: str) -> Iterator[tuple[str, int, str]]:
    """Qualified name, line and text of each docstring of at most five words."""
    for child in statements_in(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            own = f"{name}.{child.name}"
            text = ast.get_docstring(child)
            if text is not None and len(text.split()) <= SHORT:
                yield own, child.lineno, text
            yield from short_docstrings(child, own)
        else:
            yield from short_docstrings(child, name)


def test_short_docstrings_say_more_than_the_name():
    found = [
        f"{file.relative_to(PACKAGE)}:{line}: {name}: {text!r}"
        for file in modules()
        for name, line, text in short_docstrings(tree_of(file), file.stem)
        if not says_more(text, name)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("docstring", "name"),
    [
        ("The sizes of a shape.", "form.Sizes.shape"),
        ("All strides.", "descriptors.Descriptor.strides"),
        ("Define the clusters.", "plans.define_clusters"),
        ("`llvm.br`.", "convert_cf_to_llvm._br"),
    ],
)
def test_a_repeated_name_is_found(docstring: str, name: str):
    assert not says_more(docstring, name)


@pytest.mark.parametrize(
    ("docstring", "name"),
    [
        ("`a + b`.", "expressions.Expressions.add"),
        ("-1, 0 or 1.", "integer.sign"),
        ("Bytes of its arena.", "plans.Plans.arena"),
    ],
)
def test_a_formula_or_a_unit_is_enough(docstring: str, name: str):
    assert says_more(docstring, name)
