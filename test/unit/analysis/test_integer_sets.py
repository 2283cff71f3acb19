"""The Omega test against trying every point of a small box."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from snippets_mlir.analysis.loops import integer_sets
from snippets_mlir.analysis.loops.integer_sets import System
from snippets_mlir.analysis.loops.linear_forms import Floor, Linear, floor_div

BOX = 6


def value(form: Linear, point: dict[str, int]) -> int:
    total = form.constant
    for variable, coefficient in form.terms:
        if isinstance(variable, Floor):
            total += coefficient * (value(variable.numerator, point) // variable.divisor)
        else:
            total += coefficient * point[str(variable)]
    return total


def random_form(random: Random, names: list[str]) -> Linear:
    form = Linear.of({n: random.randint(-7, 7) for n in names}, random.randint(-10, 10))
    if random.random() < 0.3:
        inside = Linear.of({n: random.randint(-3, 3) for n in names}, random.randint(-4, 4))
        form = form + floor_div(inside, random.randint(1, 5)) * random.randint(-3, 3)
    return form


@pytest.mark.parametrize("seed", range(8))
def test_same_answer_as_trying_all_points(seed: int):
    random, answers = Random(seed), set[bool]()
    for _ in range(100):
        names = [f"v{n}" for n in range(random.randint(1, 3))]
        box = [Linear.variable(n) for n in names]
        box += [Linear.variable(n) * -1 + BOX for n in names]
        equations = [random_form(random, names) for _ in range(random.choice((0, 0, 1, 2)))]
        rows = [random_form(random, names) for _ in range(random.randint(0, 3))]
        expected = any(
            all(value(e, point) == 0 for e in equations) and all(value(r, point) >= 0 for r in rows)
            for numbers in product(range(BOX + 1), repeat=len(names))
            for point in [dict(zip(names, numbers, strict=True))]
        )
        assert System(equations, [*box, *rows]).is_satisfiable() == expected, (equations, rows)
        answers.add(expected)
    assert answers == {True, False}


def test_no_integer_between_two_rationals():
    """Pugh's example: a region with rational points only."""
    x, y = Linear.variable("x"), Linear.variable("y")
    box = [x * 11 + y * 13 - 27, x * -11 + y * -13 + 45, x * 7 + y * -9 + 10, x * -7 + y * 9 + 4]
    assert not System([], box).is_satisfiable()


def test_unbounded_systems():
    x, y = Linear.variable("x"), Linear.variable("y")
    assert System([x * 6 - y * 4], [x - 1_000_000]).is_satisfiable()
    assert not System([x * 6 - y * 4 - 1], []).is_satisfiable()


def test_above_the_limit_the_answer_is_yes(monkeypatch: pytest.MonkeyPatch):
    x = Linear.variable("x")
    impossible = System([], [x, x * -1 - 1])
    assert not impossible.is_satisfiable()
    monkeypatch.setattr(integer_sets, "LIMIT", 0)
    assert impossible.is_satisfiable()
