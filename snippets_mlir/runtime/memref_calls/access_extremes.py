"""Whether an access is outside of its memory in a call.

    for i in 0..n:
      for j in 0..i:       a[i - j - 1]           for n = 8: indices 0 to 6

The ranges of counters decide most accesses. If loops depend on each other, an index has a quotient,
or there are conditions, the ranges may be too wide. Then the Omega test decides exactly whether the
access is outside for some integers (`analysis/loops/integer_sets.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product

from snippets_mlir.analysis.loops.access_bounds import Access
from snippets_mlir.analysis.loops.access_domains import Guard, Loop
from snippets_mlir.analysis.loops.call_forms import Atom, Interval, interval, of_call, substituted
from snippets_mlir.analysis.loops.integer_sets import System
from snippets_mlir.analysis.loops.linear_forms import Linear

Exists = Callable[[Linear], bool | None]
"""Whether an access happens for which a form is at least 0; None if undecided."""


def outside(access: Access, known: Mapping[Atom, int]) -> str | None:
    """How an access leaves its memory; None if it stays inside."""
    ranges = ranges_of(access, known)
    if ranges is None:
        return None
    low, high = interval(access.index, ranges)
    least, most = (high + 1, high + 1) if access.size is None else interval(access.size, ranges)
    if low >= 0 and high < least:
        return None
    sized = f"dim {access.dim}, which has size {least}" if least == most else f"dim {access.dim}"
    if is_exact(access):
        return f"accesses index {low if low < 0 else high} of {sized}"
    exists = _question(access, known)
    index = substituted(access.index, known)
    verdict = exists(index * -1 - 1)
    if verdict:
        return f"accesses index {-_largest(index * -1, 1, -low, exists)} of {sized}"
    if verdict is False:
        size = substituted(access.size or index + 1, known)
        verdict = exists(index - size)
        if verdict and least == most:
            return f"accesses index {_largest(index, least, high, exists)} of {sized}"
        if verdict:
            return f"accesses an index beyond the size of {sized}"
    return None if verdict is False else f"may access an index outside of {sized}: undecided"


def ranges_of(access: Access, known: Mapping[Atom, int]) -> dict[Atom, Interval] | None:
    """The range of each atom, not narrower than its values; None if the access never happens."""
    ranges = {atom: (value, value) for atom, value in known.items()}
    for part in access.domain:
        if isinstance(part, Guard):
            continue
        low, high = ranges[part.atom] = part.interval(ranges)
        if high < low:
            return None
    return ranges


def is_exact(access: Access) -> bool:
    """Whether the ends of the ranges are accessed: rectangular loops, no quotients in the index."""
    bounds = [
        form
        for part in access.domain
        if isinstance(part, Loop)
        for form in (*part.lower, *part.upper)
    ]
    return (
        all(isinstance(part, Loop) for part in access.domain)
        and all(of_call(form) for form in (*bounds, access.size or Linear()))
        and all(isinstance(variable, tuple) for variable, _ in access.index.terms)
    )


def _question(access: Access, known: Mapping[Atom, int]) -> Exists:
    """The existence of accesses, as systems, one of which has a solution."""
    systems = [
        (
            [substituted(form, known) for case in chosen for form in case.equations],
            [substituted(form, known) for case in chosen for form in case.inequalities],
        )
        for chosen in product(*(part.cases() for part in access.domain))
    ]

    def exists(form: Linear) -> bool | None:
        def answers() -> Iterator[bool | None]:
            for equations, inequalities in systems:
                yield System(list(equations), [*inequalities, form]).decided()

        undecided = False
        for answer in answers():
            if answer:
                return True
            undecided |= answer is None
        return None if undecided else False

    return exists


def _largest(form: Linear, low: int, high: int, exists: Exists) -> int:
    """The largest value of a form; it reaches `low`, and nothing above `high`."""
    while low < high:
        middle = (low + high + 1) // 2
        if exists(form - middle):
            low = middle
        else:
            high = middle - 1
    return low
