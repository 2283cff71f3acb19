"""The values of its variables for which a memory access happens, and their ranges.

    affine.for %i = max(0, %a) to %n step 4      Loop: i = max(0, a) + 4 * k, i < n
    %t = affine.min (d0) -> (d0, 8)(%i)          Extreme: t is i or 8, and not above either
    affine.if (%i - 3 >= 0)                      Guard: i - 3 >= 0

Each is a set of *cases*: systems of equations and inequalities, at least one of which holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from snippets_mlir.analysis.loops.call_forms import Atom, Interval, interval, leaves, product
from snippets_mlir.analysis.loops.linear_forms import Linear


@dataclass(frozen=True)
class Case:
    """Forms that are 0, and forms that are at least 0."""

    equations: tuple[Linear, ...] = ()
    inequalities: tuple[Linear, ...] = ()

    def forms(self) -> tuple[Linear, ...]:
        """Both kinds, equations first."""
        return (*self.equations, *self.inequalities)


@dataclass(frozen=True)
class Guard:
    """A condition: at least one of `options` holds."""

    options: tuple[Case, ...]

    def cases(self) -> tuple[Case, ...]:
        """The options."""
        return self.options


@dataclass(frozen=True)
class Extreme:
    """A run-time value that is the smallest or the largest of some forms."""

    atom: Atom
    forms: tuple[Linear, ...]
    largest: bool

    def cases(self) -> tuple[Case, ...]:
        """One for each form that it may be."""
        value, sign = Linear.variable(self.atom), 1 if self.largest else -1
        others = tuple((value - form) * sign for form in self.forms)
        return tuple(Case((value - form,), others) for form in self.forms)

    def interval(self, ranges: Mapping[Atom, Interval]) -> Interval:
        """The range of the value."""
        pick = max if self.largest else min
        lows, highs = zip(*(interval(form, ranges) for form in self.forms), strict=True)
        return pick(lows), pick(highs)


@dataclass(frozen=True)
class Loop:
    """A counter from the largest of `lower` to the smallest of `upper`, which is not in it."""

    atom: Atom
    lower: tuple[Linear, ...]
    upper: tuple[Linear, ...]
    step: Linear

    @staticmethod
    def of(
        atom: Atom, lower: Sequence[Linear], upper: Sequence[Linear], step: Linear | int
    ) -> Loop:
        """A loop with a step that is a form, or known."""
        form = Linear(constant=step) if isinstance(step, int) else step
        return Loop(atom, tuple(lower), tuple(upper), form)

    def cases(self) -> tuple[Case, ...]:
        """One for each bound from which it may start."""
        counter = Linear.variable(self.atom)
        inside = (
            *(counter - form for form in self.lower),
            *(form - counter - 1 for form in self.upper),
        )
        if self.step == Linear(constant=1):
            return (Case((), inside),)
        times = Linear.variable(("times", self.atom))
        moved = product(self.step, times)
        inside = (*inside, times, self.step - 1)
        return tuple(
            Case((counter - form - moved,), (*inside, *(form - other for other in self.lower)))
            for form in self.lower
        )

    def interval(self, ranges: Mapping[Atom, Interval]) -> Interval:
        """The range of the counter; the second number is below the first for no iteration."""
        lower = [interval(form, ranges) for form in self.lower]
        first = max(low for low, _ in lower)
        last = min(interval(form, ranges)[1] for form in self.upper) - 1
        least, most = interval(self.step, ranges)
        if first == max(high for _, high in lower) and least == most > 0 and last > first:
            last = first + (last - first) // least * least
        return first, last


Part = Guard | Extreme | Loop


def needed_parts(domain: Sequence[Part], forms: Iterable[Linear]) -> tuple[Part, ...]:
    """The domain without the extremes that neither `forms` nor other parts use."""
    used = {leaf for form in forms for leaf in leaves(form)}
    kept: list[Part] = []
    for part in reversed(domain):
        if isinstance(part, Extreme) and part.atom not in used:
            continue
        used |= {leaf for case in part.cases() for form in case.forms() for leaf in leaves(form)}
        kept.append(part)
    return tuple(reversed(kept))
