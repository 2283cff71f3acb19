"""Whether a system of linear equations and inequalities has an integer solution.

The Omega test (Pugh, "The Omega Test: a fast and practical integer programming algorithm for
dependence analysis", 1991), which is exact:

1. *Equations* are solved one by one: a variable with coefficient 1 or -1 is substituted. If there
   is none, a new variable is introduced (with the symmetric remainders of all coefficients), which
   shrinks the coefficients until there is one.
2. *Inequalities* lose one variable at a time. Each pair of a lower bound `a x >= l` and an upper
   bound `b x <= u` leaves `a u - b l >= 0` (the real shadow). If a or b is 1 in every pair, this is
   exact. Otherwise there is no solution if the real shadow has none, and a solution if the *dark
   shadow* `a u - b l >= (a - 1)(b - 1)` has one. In the remaining case x lies closely above a lower
   bound, and each of these few values is tried as an equation (*splinters*).

The work is bounded by `LIMIT` constraints; a larger system counts as "may have a
solution", which is the cautious answer for dependences.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from math import gcd

from snippets_mlir.analysis.loops.linear_forms import Floor, Linear

LIMIT = 20_000

Row = dict[Hashable, int]
"""Coefficients of one constraint; the constant is under the key `None`."""


class _TooMuchError(Exception):
    """The Omega test reached its limit of steps."""


@dataclass
class System:
    """Constraints over integers: every form in `equations` is 0, every other one at least 0."""

    equations: list[Linear] = field(default_factory=list[Linear])
    inequalities: list[Linear] = field(default_factory=list[Linear])

    def is_satisfiable(self) -> bool:
        """Whether integers exist that fulfil everything; exact below the limit, else True."""
        return self.decided() is not False

    def decided(self) -> bool | None:
        """Whether integers exist that fulfil everything; None if the limit ended the search."""
        equations, inequalities = self._with_quotients()
        try:
            return _Search().solve([_row(e) for e in equations], [_row(e) for e in inequalities])
        except _TooMuchError:
            return None

    def _with_quotients(self) -> tuple[list[Linear], list[Linear]]:
        """The constraints, with `0 <= numerator - divisor * quotient < divisor` for quotients."""
        inequalities = list(self.inequalities)
        seen: set[Floor] = set()
        todo = list(_quotients((*self.equations, *self.inequalities)))
        while todo:
            quotient = todo.pop()
            if quotient in seen:
                continue
            seen.add(quotient)
            todo.extend(_quotients((quotient.numerator,)))
            rest = quotient.numerator - Linear.variable(quotient) * quotient.divisor
            inequalities += [rest, rest * -1 + (quotient.divisor - 1)]
        return list(self.equations), inequalities


def _quotients(forms: Iterable[Linear]) -> list[Floor]:
    return [v for form in forms for v, _ in form.terms if isinstance(v, Floor)]


def _row(form: Linear) -> Row:
    return {**form.coefficients(), None: form.constant}


def _variables(row: Row) -> list[Hashable]:
    return [v for v in row if v is not None]


def _scaled_sum(left: Row, a: int, right: Row, b: int) -> Row:
    """`a * left + b * right`."""
    total = {v: a * c for v, c in left.items()}
    for v, c in right.items():
        total[v] = total.get(v, 0) + b * c
    return {v: c for v, c in total.items() if c or v is None}


def _tightened(row: Row) -> Row | None:
    """An inequality divided by the common divisor, rounded down; None when it says nothing."""
    divisor = gcd(*(abs(c) for v, c in row.items() if v is not None))
    if divisor == 0:
        return None if row[None] >= 0 else row
    return {v: c // divisor for v, c in row.items()}


class _Search:
    def __init__(self) -> None:
        self.work = 0
        self.fresh = 0

    def _spend(self, amount: int) -> None:
        self.work += amount
        if self.work > LIMIT:
            raise _TooMuchError

    def solve(self, equations: list[Row], inequalities: list[Row]) -> bool:
        """Solve the equations, then eliminate the remaining variables."""
        equations = list(equations)
        while equations:
            self._spend(1)
            row = equations.pop()
            divisor = gcd(*(abs(row[v]) for v in _variables(row)))
            if divisor == 0:
                if row[None] != 0:
                    return False
                continue
            if row[None] % divisor:
                return False
            row = {v: c // divisor for v, c in row.items()}
            variable = min(_variables(row), key=lambda v: abs(row[v]))
            if abs(row[variable]) != 1:
                equations.append(row)
                row = self._remainder(row, variable)
            equations = [_substitute(e, row, variable) for e in equations]
            inequalities = [_substitute(e, row, variable) for e in inequalities]
            self._spend(len(equations) + len(inequalities))
        return self._eliminate(inequalities)

    def _remainder(self, row: Row, variable: Hashable) -> Row:
        """An equation with a new variable in which `variable` has coefficient 1 or -1."""
        modulus = abs(row[variable]) + 1
        self.fresh += 1
        new = {v: _symmetric(c, modulus) for v, c in row.items()}
        new[("fresh", self.fresh)] = -modulus
        return {v: c for v, c in new.items() if c or v is None}

    def _eliminate(self, inequalities: list[Row]) -> bool:
        rows: dict[frozenset[tuple[Hashable, int]], int] = {}
        for row in inequalities:
            if (tight := _tightened(row)) is None:
                continue
            if len(tight) == 1:
                return False
            key = frozenset((v, c) for v, c in tight.items() if v is not None)
            rows[key] = min(tight[None], rows.get(key, tight[None]))
        live: list[Row] = [{**dict(key), None: constant} for key, constant in rows.items()]
        self._spend(len(live) + 1)
        if not live:
            return True
        variable, exact = _choose(live)
        lower = [row for row in live if row.get(variable, 0) > 0]
        upper = [row for row in live if row.get(variable, 0) < 0]
        rest = [row for row in live if variable not in row]
        self._spend(len(lower) * len(upper))
        real = rest + [_shadow(lo, up, variable, 0) for lo in lower for up in upper]
        if exact:
            return self._eliminate(real)
        if not self._eliminate(real):
            return False
        dark = [
            _shadow(lo, up, variable, (lo[variable] - 1) * (-up[variable] - 1))
            for lo in lower
            for up in upper
        ]
        return self._eliminate(rest + dark) or self._splinters(live, lower, upper, variable)

    def _splinters(
        self, live: list[Row], lower: list[Row], upper: list[Row], variable: Hashable
    ) -> bool:
        largest = max(-row[variable] for row in upper)
        for row in lower:
            a = row[variable]
            for offset in range((a * largest - a - largest) // largest + 1):
                equation = {**row, None: row[None] - offset}
                if self.solve([equation], list(live)):
                    return True
        return False


def _symmetric(value: int, modulus: int) -> int:
    """The remainder of `value` in `-modulus/2 .. modulus/2`."""
    rest = value % modulus
    return rest - modulus if 2 * rest >= modulus else rest


def _substitute(row: Row, equation: Row, variable: Hashable) -> Row:
    """`row` without `variable`, whose coefficient in `equation` is 1 or -1."""
    if variable not in row:
        return row
    return _scaled_sum(row, 1, equation, -row[variable] * equation[variable])


def _shadow(lower: Row, upper: Row, variable: Hashable, gap: int) -> Row:
    combined = _scaled_sum(lower, -upper[variable], upper, lower[variable])
    combined.pop(variable, None)
    combined[None] -= gap
    return combined


def _choose(rows: list[Row]) -> tuple[Hashable, bool]:
    """The variable to eliminate next: an exact one, then the one that makes the fewest rows."""
    best: tuple[tuple[bool, int], Hashable] | None = None
    for variable in dict.fromkeys(v for row in rows for v in _variables(row)):
        lower = [row[variable] for row in rows if row.get(variable, 0) > 0]
        upper = [-row[variable] for row in rows if row.get(variable, 0) < 0]
        exact = all(c == 1 for c in lower) or all(c == 1 for c in upper)
        score = (not exact, len(lower) * len(upper) - len(lower) - len(upper))
        if best is None or score < best[0]:
            best = (score, variable)
    assert best is not None
    return best[1], not best[0][0]
