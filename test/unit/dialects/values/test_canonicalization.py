"""Every named rule, executed before and after on values that break arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from value_types import BOOLEAN, ELEMENTS, OPS, Array, NewProgram, Same, Special, f32
from xdsl.dialects.builtin import (
    FloatAttr,
    StringAttr,
    i1,
)
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.snippets import Snippets
from snippets_mlir.dialects.snippets.canonicalization.patterns import RulePattern, patterns_for
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.rules import ALL_RULES
from snippets_mlir.dialects.snippets.rules.match import literal_attr
from snippets_mlir.dialects.snippets.rules.rule import (
    FLOAT,
    Apply,
    Literal,
    Rule,
    Term,
    Variable,
    parse_term,
    variables,
)


def condition_names(term: Term) -> set[str]:
    """Variables and inner terms in the place of a boolean operand."""
    if not isinstance(term, Apply):
        return set()
    names = set[str]().union(*(condition_names(a) for a in term.arguments))
    short = term.op.removeprefix("snippets.")
    places = term.arguments[:1] if short == "select" else term.arguments
    if short in BOOLEAN:
        names |= {a.name for a in places if isinstance(a, Variable)}
    return names


def build(program: Any, term: Apply, values: dict[str, SSAValue], element: Attribute) -> SSAValue:
    """The left side of a rule as ops; inner names are bound to one value."""
    short = term.op.removeprefix("snippets.")
    operands: list[SSAValue] = []
    for i, argument in enumerate(term.arguments):
        if isinstance(argument, Apply):
            operands.append(build(program, argument, values, element))
        elif isinstance(argument, Literal):
            boolean = isinstance(argument.value, bool)
            kind = i1 if boolean and (short != "select" or i == 0) else element
            operands.append(program.add(ScalarOp(literal_attr(argument, kind))))
        else:
            operands.append(values[argument.name])
    value = program.add(OPS[short](*operands))
    if term.name:
        values[term.name] = value
    return value


def cases() -> Iterator[Any]:
    for rule in ALL_RULES:
        for kind in sorted(rule.kinds):
            for element in ELEMENTS[kind]:
                yield pytest.param(rule, element, id=f"{rule.name}-{element}")


def set_up(new_program: NewProgram, rule: Rule, element: Attribute, special: Special) -> Any:
    """The left side on every combination of special values of its variables."""
    dtype = numpy_dtype(element)
    inner = {t.name for t in walk(rule.pattern) if isinstance(t, Apply) and t.name}
    names = sorted(variables(rule.pattern) - inner - {"c"})
    conditions = condition_names(rule.pattern)
    pools = [np.array([False, True]) if n in conditions else special(dtype) for n in names]
    if len(names) > 3:
        pools = [p[:: max(1, len(p) // 6)] for p in pools]
    grid: Sequence[Array] = np.meshgrid(*pools, indexing="ij") if pools else ()
    program = new_program([g.ravel() for g in grid])
    values: dict[str, SSAValue] = dict(zip(names, program.block.args, strict=True))
    if "c" in variables(rule.pattern):
        number = literal_attr(Literal(3 if element != i1 else 1), element)
        values["c"] = program.add(ScalarOp(number))
    program.finish(build(program, rule.pattern, values, element))
    return program


def walk(term: Term) -> Iterator[Term]:
    yield term
    for argument in term.arguments if isinstance(term, Apply) else ():
        yield from walk(argument)


@pytest.mark.parametrize(("rule", "element"), list(cases()))
def test_rule_fires_and_keeps_every_bit(
    rule: Rule, element: Attribute, special: Special, same: Same, new_program: NewProgram
) -> None:
    program = set_up(new_program, rule, element, special)
    root = program.root
    before = program.run()
    program.canonicalize()
    assert program.result.owner is not root, f"{rule.equation} did not fire"
    assert same(before, program.run()), rule.equation


def test_rules_are_well_formed() -> None:
    names = [rule.name for rule in ALL_RULES]
    assert len(set(names)) == len(names)
    ops = {op.name for op in Snippets.operations}
    for rule in ALL_RULES:
        assert rule.law
        assert rule.root == rule.pattern.op
        assert {t.op for t in walk(rule.pattern) if isinstance(t, Apply)} <= ops
        assert variables(rule.result) <= variables(rule.pattern), rule.name
        assert sum(isinstance(t, Apply) for t in walk(rule.result)) == (not rule.is_fold)


def test_the_root_of_a_rule_of_a_plug_in_is_its_op() -> None:
    rule = Rule("twice", "acme.twice(acme.twice(x))", "x", FLOAT, law="none")
    assert rule.root == rule.pattern.op == "acme.twice"


def test_terms_that_are_not_terms_are_refused() -> None:
    for text in ("x + y", "f(x, k=1)", "'a'"):
        with pytest.raises(ValueError, match="not a term"):
            parse_term(text)


def test_the_page_on_rules_names_every_topic() -> None:
    page = (Path(__file__).parents[4] / "docs" / "rewrite-rules.md").read_text()
    for topic in ("arithmetic", "comparison", "logic", "order", "chains"):
        assert f"{topic}.py" in page


def one_op(new_program: NewProgram, name: str, element: Any, *numbers: float) -> Any:
    """`name` of an argument and of scalar constants."""
    program = new_program([np.ones(3, numpy_dtype(element))])
    scalars = [program.add(ScalarOp(FloatAttr(n, element))) for n in numbers]
    program.finish(program.add(OPS[name](program.block.args[0], *scalars)))
    return program


@pytest.mark.parametrize(
    ("name", "number"),
    [("add", 0.0), ("subtract", -0.0), ("multiply", 0.0), ("power", 0.5), ("maximum", -0.0)],
)
def test_rules_that_would_change_a_float_do_not_exist(
    name: str, number: float, new_program: NewProgram
) -> None:
    program = one_op(new_program, name, f32, number)
    root = program.root
    program.canonicalize()
    assert program.root is root


def test_differences_and_negated_orders_of_floats_stay(new_program: NewProgram) -> None:
    program = new_program([np.ones(3, np.float32), np.ones(3, np.float32)])
    x, y = program.block.args
    less = program.add(OPS["less"](x, y))
    program.finish(program.add(OPS["logical_not"](less)))
    root = program.root
    program.canonicalize()
    assert program.root is root
    program = new_program([np.ones(3, np.float32)])
    x = program.block.args[0]
    program.finish(program.add(OPS["subtract"](x, x)))
    root = program.root
    program.canonicalize()
    assert program.root is root


def test_a_rule_does_not_fire_when_a_dropped_operand_gives_the_shape(
    new_program: NewProgram,
) -> None:
    program = new_program([np.ones(3, bool), np.ones(3, np.float32), np.ones((4, 3), np.float32)])
    x, y, z = program.block.args
    select = OPS["select"]
    inner = program.add(select(x, y, z))
    program.finish(program.add(select(x, inner, y)))
    root = program.root
    program.canonicalize()
    assert program.root is root


def test_the_new_op_keeps_attributes_and_place(new_program: NewProgram) -> None:
    program = one_op(new_program, "power", f32, 2.0)
    root = program.root
    root.attributes["snippets.skipped"] = StringAttr("why")
    location = root.location
    program.canonicalize()
    assert program.root.name == "snippets.multiply"
    assert program.root.attributes == {"snippets.skipped": StringAttr("why")}
    assert program.root.location == location


def test_ops_of_the_linear_ir_are_not_rewritten(new_program: NewProgram) -> None:
    program = one_op(new_program, "power", f32, 2.0)
    root = program.root
    root.attributes["lir.ports"] = StringAttr("")
    program.canonicalize()
    assert program.root is root


def test_patterns_are_found_by_the_name_of_the_root() -> None:
    assert {p.rule.name for p in patterns_for("snippets.cosh") if isinstance(p, RulePattern)} == {
        "cosh_negative",
        "cosh_abs",
    }
    assert patterns_for("snippets.sin") == ()
