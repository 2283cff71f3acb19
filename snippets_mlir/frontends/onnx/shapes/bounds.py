"""Facts about sizes: bounds, comparisons, and the minimum and maximum of expressions.

    known_equal(s, 1)          False: a symbol is at least 2
    known_less(1, s)           True
    known_less(s, t)           None
    minimum((s, s + 4))        s
    minimum((s, 8))            min(8, s), an expression of its own

Bounds hold for symbols of at least `least`: 2 if a caller records its assumptions, 0 for
simplifications that hold for every call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import product as combinations
from math import gcd

from snippets_mlir.frontends.onnx.shapes.dims import (
    Dim,
    Size,
    call,
    floordiv,
    make,
    symbol,
    terms_of,
)
from snippets_mlir.frontends.onnx.shapes.terms import FLOORDIV, MAX, MIN, Atom, Call, Monomial

SMALLEST = 2
"""The default lower bound of symbols."""

DEPTH = 6
"""The largest depth of nested calls that is examined."""

LARGEST_DEGREE = 10
"""Products of more atoms are not examined."""

CASES = 4
"""The largest number of calls in one expression that are split."""


def at_least(size: Size, bound: int, least: int = SMALLEST) -> bool:
    """Whether `size >= bound` whenever all symbols are at least `least`; False if unknown."""
    if isinstance(size, int):
        return size >= bound
    low = lower_bound(size, least)
    return low is not None and low >= bound


def known_less(a: Size, b: Size, least: int = SMALLEST) -> bool | None:
    """Whether `a < b` for all, or for no values of the symbols; else None."""
    if at_least(b - a, 1, least):
        return True
    return False if at_least(a - b, 0, least) else None


def known_equal(a: Size, b: Size, least: int = SMALLEST) -> bool | None:
    """Whether `a == b` for all, or for no values of the symbols; else None."""
    difference = a - b
    if isinstance(difference, int):
        return difference == 0
    if at_least(difference, 1, least) or at_least(-difference, 1, least):
        return False
    constant = dict(difference.terms).get((), 0)
    divisor = gcd(*(c for m, c in difference.terms if m))
    return False if constant % divisor else None


def symbols_of(size: Size) -> frozenset[str]:
    """The symbols of `size`, also inside calls."""
    return size.symbols if isinstance(size, Dim) else frozenset()


def not_zero(size: Size, bound: int, known: frozenset[str]) -> list[str] | None:
    """The symbols without which `size >= bound` does not hold: that they are not 0 is all it takes.

    `p + s >= 1` holds if one of them is not 0, so it takes none of both, and something else: None.
    `known` symbols are not 0.
    """

    def holds(positive: frozenset[str]) -> bool:
        raised: dict[Atom, Size] = {name: symbol(name) + 1 for name in positive}
        return at_least(substitute(size, raised), bound, 0)

    names = symbols_of(size)
    needed = frozenset(name for name in names if not holds(names - {name}))
    return sorted(needed - known) if holds(needed | known) else None


@lru_cache(maxsize=4096)
def lower_bound(size: Size, least: int, depth: int = DEPTH) -> int | None:
    """A lower bound of `size`, or None if none is found."""
    if isinstance(size, int):
        return size
    found = [
        b
        for b in (_shifted_bound(size, least, depth), *_cases(size, least, depth))
        if b is not None
    ]
    return max(found, default=None)


def _shifted_bound(size: Dim, least: int, depth: int) -> int | None:
    """The bound with each atom written as its own bound plus something that is not negative."""
    if max(len(m) for m, _ in size.terms) > LARGEST_DEGREE:
        return None
    lows = {a: _atom_bound(a, least, depth) for m, _ in size.terms for a in m}
    if any(low is None for low in lows.values()):
        return None
    if all(c > 0 or not m for m, c in size.terms) and all((low or 0) >= 0 for low in lows.values()):
        return sum(c * _value(m, lows) for m, c in size.terms)
    expanded: dict[Monomial, int] = {}
    for monomial, coefficient in size.terms:
        for choice in combinations((False, True), repeat=len(monomial)):
            pairs = list(zip(monomial, choice, strict=True))
            constant = coefficient * _value(tuple(a for a, kept in pairs if not kept), lows)
            key = tuple(a for a, kept in pairs if kept)
            expanded[key] = expanded.get(key, 0) + constant
    if any(c < 0 for m, c in expanded.items() if m):
        return None
    return expanded.get((), 0)


def _value(monomial: Monomial, lows: Mapping[Atom, int | None]) -> int:
    result = 1
    for atom in monomial:
        result *= lows[atom] or 0
    return result


def _atom_bound(atom: Atom, least: int, depth: int) -> int | None:
    if isinstance(atom, str):
        return least
    if not depth:
        return None
    bounds = [lower_bound(a, least, depth - 1) for a in atom.args]
    known = [b for b in bounds if b is not None]
    if atom.op == MAX:
        return max(known, default=None)
    if len(known) != len(bounds):
        return None
    if atom.op == MIN:
        return min(known)
    divisor = atom.args[1]
    if isinstance(divisor, int):
        return known[0] // divisor
    return 0 if known[0] >= 0 and known[1] > 0 else None


def _cases(size: Dim, least: int, depth: int) -> Iterable[int | None]:
    """Bounds that follow from what a call is: no larger than one argument, no smaller, ..."""
    depth -= DEPTH // 2
    if depth < 0:
        return
    calls = [t for t in size.terms if len(t[0]) == 1 and isinstance(t[0][0], Call)]
    for monomial, coefficient in calls[:CASES]:
        atom = monomial[0]
        assert isinstance(atom, Call)
        rest = size - make({monomial: coefficient})
        if (atom.op == MIN and coefficient < 0) or (atom.op == MAX and coefficient > 0):
            for arg in atom.args:
                yield lower_bound(rest + arg * coefficient, least, depth)
        elif atom.op == FLOORDIV and coefficient < 0 and isinstance(atom.args[1], int):
            # x // d is at most x / d: all of it times d.
            x, d = atom.args[0], atom.args[1]
            low = lower_bound(rest * d + x * coefficient, least, depth)
            yield None if low is None else -(-low // d)


def minimum(sizes: Iterable[Size]) -> Size:
    """The minimum of sizes, simplified for all values of symbols."""
    return _extremum(MIN, sizes, lambda a, b: at_least(b - a, 0, 0))


def maximum(sizes: Iterable[Size]) -> Size:
    """The maximum of sizes, simplified for all values of symbols."""
    return _extremum(MAX, sizes, lambda a, b: at_least(a - b, 0, 0))


def _extremum(op: str, sizes: Iterable[Size], wins: Callable[[Size, Size], bool]) -> Size:
    kept: list[Size] = []
    for size in _flat(op, sizes):
        if not any(wins(other, size) for other in kept):
            kept = [other for other in kept if not wins(size, other)] + [size]
    return kept[0] if len(kept) == 1 else call(op, tuple(sorted(kept, key=str)))


def _flat(op: str, sizes: Iterable[Size]) -> Iterable[Size]:
    for size in sizes:
        terms = terms_of(size)
        atom = terms[0][0][0] if len(terms) == 1 and len(terms[0][0]) == 1 else None
        if isinstance(atom, Call) and atom.op == op and terms[0][1] == 1:
            yield from atom.args
        else:
            yield size


def substitute(size: Size, known: Mapping[Atom, Size]) -> Size:
    """`size` with atoms replaced, also inside calls."""
    if isinstance(size, int) or not known:
        return size
    result: Size = 0
    for monomial, coefficient in size.terms:
        part: Size = coefficient
        for atom in monomial:
            part = part * _replaced(atom, known)
        result = result + part
    return result


def _replaced(atom: Atom, known: Mapping[Atom, Size]) -> Size:
    if atom in known:
        return known[atom]
    if isinstance(atom, str):
        return symbol(atom)
    args = tuple(substitute(a, known) for a in atom.args)
    if args == atom.args:
        return call(atom.op, args)
    built = rebuilt(atom.op, args)
    return substitute(built, known) if built != call(atom.op, args) else built


def rebuilt(op: str, args: tuple[Size, ...]) -> Size:
    """`op(args)`, simplified."""
    if op == FLOORDIV:
        return floordiv(args[0], args[1])
    return minimum(args) if op == MIN else maximum(args)
