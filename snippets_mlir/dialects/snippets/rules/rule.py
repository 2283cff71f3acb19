"""Rules: an equation between two terms, a guard, and the law that proves it.

    Rule("power_two", "power(x, 2)", "multiply(x, x)", FLOAT_OR_INTEGER, law="...")

Terms are calls of ops without the `snippets.` prefix; ops of plug-ins keep their prefix:

* `x`, `y`, `z` match any value; a name used twice matches the same value;
* `c` matches the value of a constant op, `v` any other value;
* `0`, `1`, `2`, `-1`, `-0.0`, `true`, `false` are constants with this value in all elements (the
  sign of zero counts); `ones` is the integer with all bits set;
* `(y := abs(x))` names the value of an inner op.

Attributes of matched ops are ignored, and no rule builds an op with attributes.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache, cached_property

FLOAT = frozenset({"float"})
INTEGER = frozenset({"signed", "unsigned"})
SIGNED = frozenset({"signed"})
BOOL = frozenset({"bool"})
NUMBER = FLOAT | INTEGER
ANY = NUMBER | BOOL

CONSTANT_NAMES = {"true": True, "false": False}
ONES = "ones"


@dataclass(frozen=True)
class Variable:
    """Any value; `c` matches only constants, `v` only other values."""

    name: str


@dataclass(frozen=True)
class Literal:
    """A constant of one repeated value; `ones` has all bits set."""

    value: bool | float | str


@dataclass(frozen=True)
class Apply:
    """An op on terms; `name` is the name of its result by `:=`."""

    op: str
    arguments: tuple[Term, ...]
    name: str | None = None


Term = Variable | Literal | Apply


def _term(node: ast.expr, name: str | None = None) -> Term:
    match node:
        case ast.NamedExpr(target=ast.Name(id=target), value=ast.Call() as call):
            return _term(call, target)
        case ast.Call(func=ast.Name(id=op), args=arguments, keywords=[]):
            return Apply(f"snippets.{op}", tuple(_term(a) for a in arguments), name)
        case ast.Call(func=ast.Attribute() as function, args=arguments, keywords=[]):
            return Apply(ast.unparse(function), tuple(_term(a) for a in arguments), name)
        case ast.Name(id=identifier) if identifier in CONSTANT_NAMES:
            return Literal(CONSTANT_NAMES[identifier])
        case ast.Name(id=identifier):
            return Literal(ONES) if identifier == ONES else Variable(identifier)
        case ast.Constant(value=int() | float() as value):
            return Literal(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return Literal(-value)
        case _:
            raise ValueError(f"not a term: {ast.unparse(node)}")


@cache
def parse_term(text: str) -> Term:
    """The term in `text`; ValueError for invalid text."""
    return _term(ast.parse(text, mode="eval").body)


def variables(term: Term) -> frozenset[str]:
    """The names bound to operands, those of inner ops included."""
    if isinstance(term, Variable):
        return frozenset({term.name})
    if isinstance(term, Literal):
        return frozenset()
    inner = (variables(argument) for argument in term.arguments)
    return frozenset({term.name} if term.name else set[str]()).union(*inner)


@dataclass(frozen=True)
class Rule:
    """`left = right` for elements of `kinds`.

    `kinds` are tested on the first operand of the root that computes (a branch of a select), or
    on the variable `subject`. `law` says in one line why both sides are equal for every value.
    """

    name: str
    left: str
    right: str
    kinds: frozenset[str]
    law: str
    subject: str | None = None

    @property
    def equation(self) -> str:
        """The rule as the equation `left = right`."""
        return f"{self.left} = {self.right}"

    @property
    def root(self) -> str:
        """The op that the rule replaces: the root of `pattern`, without parsing the pattern."""
        op = self.left.partition("(")[0].strip()
        return op if "." in op else f"snippets.{op}"

    @cached_property
    def pattern(self) -> Apply:
        """The left side as a term; its root is the op that the rule replaces."""
        term = parse_term(self.left)
        assert isinstance(term, Apply)
        return term

    @cached_property
    def result(self) -> Term:
        """The right side as a term."""
        return parse_term(self.right)

    @property
    def is_fold(self) -> bool:
        """Whether the right side needs no new op other than a constant."""
        return not isinstance(self.result, Apply)
