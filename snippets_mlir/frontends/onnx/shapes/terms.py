"""The terms of polynomials: products of atoms, their order and their text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import gcd
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from snippets_mlir.frontends.onnx.shapes.dims import Size

NAME = re.compile(r"[^\W\d][\w.]*")
FLOORDIV, MIN, MAX = "floordiv", "min", "max"

CALLS: dict[str, Callable[..., int]] = {FLOORDIV: int.__floordiv__, MIN: min, MAX: max}
"""The functions of calls, on numbers."""


class Call(NamedTuple):
    """An atom that is computed: `op` is one of FLOORDIV, MIN and MAX."""

    op: str
    args: tuple[Size, ...]


Atom: TypeAlias = str | Call
"""A symbol by its name, or a call."""

Monomial: TypeAlias = tuple[Atom, ...]
"""A product of atoms, sorted by their text; `()` is 1."""

Terms: TypeAlias = tuple[tuple[Monomial, int], ...]
"""Monomials with their coefficients, sorted by `term_order`."""


def is_symbol(terms: Terms) -> bool:
    """Whether the terms are one symbol."""
    monomial, coefficient = terms[0]
    single = len(terms) == 1 and coefficient == 1 and len(monomial) == 1
    return single and isinstance(monomial[0], str)


def times(left: Monomial, right: Monomial) -> Monomial:
    """The product of two monomials: the atoms of both, sorted."""
    if not left or not right:
        return left or right
    return tuple(sorted((*left, *right), key=atom_text))


def without(monomial: Monomial, part: Monomial) -> Monomial | None:
    """`monomial` divided by `part`, or None where it is no multiple."""
    left = list(monomial)
    for atom in part:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def weight_of(atom: Atom) -> int:
    """How many terms and atoms an atom has."""
    if isinstance(atom, str):
        return 1
    return 1 + sum(1 if isinstance(a, int) else a.weight for a in atom.args)


def term_order(term: tuple[Monomial, int]) -> tuple[int, str]:
    """The sort key of terms: the highest degree first, then by text."""
    return -len(term[0]), "*".join(map(atom_text, term[0]))


def atom_text(atom: Atom) -> str:
    """An atom as text; names that are no identifiers are quoted."""
    if isinstance(atom, str):
        return atom if NAME.fullmatch(atom) else json.dumps(atom)
    if atom.op == FLOORDIV:
        return "//".join(_operand_text(a) for a in atom.args)
    return f"{atom.op}({', '.join(str(a) for a in atom.args)})"


def _operand_text(size: Size) -> str:
    if isinstance(size, int):
        return str(size) if size >= 0 else f"({size})"
    return str(size) if is_symbol(size.terms) else f"({size})"


def _product_text(monomial: Monomial, factor: int) -> str:
    texts = [atom_text(a) for a in monomial]
    if len(texts) > 1 or factor != 1:
        divisions = [isinstance(a, Call) and a.op == FLOORDIV for a in monomial]
        texts = [f"({t})" if d else t for t, d in zip(texts, divisions, strict=True)]
    return "*".join(texts if factor == 1 and texts else [str(factor), *texts])


def sum_text(terms: Terms) -> str:
    """A polynomial as text, such as `4*s + 4`."""
    text = ""
    for monomial, factor in terms:
        sign = " - " if factor < 0 else " + "
        if not text:
            sign = "-" if factor < 0 else ""
        text += sign + _product_text(monomial, abs(factor))
    return text


def primitive(terms: Terms) -> Terms:
    """The terms of a sum that is not 0, without the factors that all of them share."""
    divisor = gcd(*(c for _, c in terms))
    shared = list(terms[0][0])
    for monomial, _ in terms[1:]:
        left = list(monomial)
        shared = [a for a in shared if a in left and (left.remove(a) is None)]
    result: list[tuple[Monomial, int]] = []
    for monomial, coefficient in terms:
        left = list(monomial)
        for atom in shared:
            left.remove(atom)
        result.append((tuple(left), coefficient // divisor))
    return tuple(result)
