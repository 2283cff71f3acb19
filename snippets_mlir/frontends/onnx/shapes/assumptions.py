"""Sizes that have to be equal for a graph to be valid, and the consequences.

    x[s, 8] + y[t, 8]      s == t is recorded, and t is s from then on
    x[s, 8] @ w[768, 4]    never equal: the rule cannot say what the node gives
    x[s] + buffer[:s]      min(s, 512) == s is recorded, min(s, 512) is s from then on
    x[s] + twice (s+1)//2  2*((s + 1)//2) == s is recorded; (s + 1)//2 gets a name, d, and s is 2*d

Symbols are sizes of at least 2, so two symbols that meet in a broadcast are equal. A call may use
the inferred facts if all recorded equalities hold. Other assumptions are written as equalities: s
>= 2 is `max(2, s) == s`.
"""

from __future__ import annotations

from collections.abc import Iterable

from snippets_mlir.frontends.onnx.shapes.bounds import (
    SMALLEST,
    at_least,
    known_equal,
    known_less,
    maximum,
    minimum,
    not_zero,
    substitute,
    symbols_of,
)
from snippets_mlir.frontends.onnx.shapes.dims import Dim, Size, make, symbol, terms_of
from snippets_mlir.frontends.onnx.shapes.named_sizes import Nameable, nameable
from snippets_mlir.frontends.onnx.shapes.terms import Atom, Call, Monomial, primitive
from snippets_mlir.frontends.onnx.shapes.types import UnknownShape


class Assumptions:
    """The assumptions about sizes of one graph.

    A closed one accepts no assumptions, and a rule that needs one fails: its facts are then valid
    for every call. The body of a `Loop` and the branches of an `If` may not run: their assumptions
    are closed, and include those of the outer graph.
    """

    def __init__(self, outer: Assumptions | None = None, *, closed: bool = False) -> None:
        self._outer = outer
        self.closed = closed or outer is not None
        self._order: dict[str, int] = {}
        self._named: dict[str, Size] = {}
        self._pairs: dict[tuple[Size, Size], None] = {}
        self._known: dict[Atom, Size] = {}
        self._resolved: dict[Dim, Size] = {}
        self._fitting: dict[Size, Size] = {}

    @property
    def pairs(self) -> tuple[tuple[Size, Size], ...]:
        """The recorded equalities as pairs of sizes, in the symbols of inputs."""
        return tuple((self._spelt_out(a), self._spelt_out(b)) for a, b in self._pairs)

    @property
    def definitions(self) -> dict[str, Size]:
        """The formulas of named sizes, in the symbols of inputs."""
        return {name: self._spelt_out(size) for name, size in self._named.items()}

    @property
    def learnt(self) -> int:
        """How many atoms have been replaced."""
        return len(self._known)

    def declare(self, name: str) -> None:
        """Later declared symbols are replaced by earlier ones."""
        self._order.setdefault(name, len(self._order))

    def resolve(self, size: Size) -> Size:
        """`size` as the assumptions so far have it."""
        if self._outer is not None:
            return self._outer.resolve(size)
        if isinstance(size, int) or not self._known:
            return size
        found = self._resolved.get(size)
        if found is None:
            try:
                found = substitute(size, self._known)
            except OverflowError:
                found = size
            self._resolved[size] = found
        return found

    def require(self, a: Size, b: Size) -> None:
        """Record that `a == b`, and conclude nothing from it."""
        if self.closed:
            raise UnknownShape
        self._pairs[a, b] = None

    def equal(self, a: Size, b: Size) -> Size:
        """The one size that `a` and `b` are."""
        a, b = self.resolve(a), self.resolve(b)
        if a == b:
            return a
        if self.closed or known_equal(a, b) is False:
            raise UnknownShape
        difference = primitive(terms_of(a - b))
        left = make({m: c for m, c in difference if c > 0})
        right = make({m: -c for m, c in difference if c < 0})
        self._pairs[left, right] = None
        self._learn(difference)
        return self.resolve(a)

    def must_equal(self, a: Size, b: Size) -> Size:
        """Like `equal`, of sizes that differ in no call that succeeds."""
        if not self.closed:
            return self.equal(a, b)
        a, b = self.resolve(a), self.resolve(b)
        if known_equal(a, b, 0) is False:
            raise UnknownShape
        return b if isinstance(b, int) else a

    def is_equal(self, a: Size, b: Size) -> bool:
        """Whether `a == b`; UnknownShape if undecided."""
        return self._decided(known_equal(a, b, 0), known_equal(a, b), a - b)

    def is_less(self, a: Size, b: Size) -> bool:
        """Whether `a < b`; UnknownShape if undecided."""
        return self._decided(known_less(a, b, 0), known_less(a, b), a - b)

    def not_negative(self, size: Size) -> Size:
        """max(0, size), written as `size` when sizes of 2 and more allow it."""
        return size if self.is_at_least(size, 0) else maximum((0, size))

    def fits(self, slack: Size) -> Size:
        """max(0, slack), written as `slack`: 0 <= slack is assumed for sizes of any kind.

        The windows of a model often leave the same slack.
        """
        found = self._fitting.get(slack)
        if found is None:
            found = self._fitting[slack] = self._fitted(slack)
        return found

    def _fitted(self, slack: Size) -> Size:
        best = maximum((0, slack))
        if best == slack or self.closed or isinstance(slack, int):
            return best
        self._require_at_least(slack, 0)
        return slack

    def at_most(self, size: Size, limit: Size) -> Size:
        """min(size, limit), written as `size` or `limit` when sizes of 2 and more allow it."""
        best = minimum((size, limit))
        if best in (size, limit):
            return best
        for one, other in ((size, limit), (limit, size)):
            if self.is_at_least(other - one, 0):
                return one
        return best

    def is_at_least(self, size: Size, bound: int) -> bool:
        """Whether `size >= bound`, which is recorded when only sizes of 2 and more allow it."""
        if at_least(size, bound, 0):
            return True
        if self.closed or not at_least(size, bound):
            return False
        self._require_at_least(size, bound)
        return True

    def is_positive(self, size: Size) -> bool:
        """Whether the size of a tensor is not 0; this is recorded if undecided."""
        if self.is_at_least(size, 1):
            return True
        if self.closed or isinstance(size, int):
            return False
        self._require_at_least(size, 1)
        return True

    def at_least_two(self, size: Size) -> None:
        """Record that `size` is not 0 or 1; UnknownShape if sizes of 2 and more allow it."""
        if not self.is_at_least(size, SMALLEST):
            raise UnknownShape

    def _require_at_least(self, size: Size, bound: int) -> None:
        """Record a bound: that some symbols are not 0, if that is all that it takes."""
        least = {name: (maximum((1, symbol(name))), symbol(name)) for name in symbols_of(size)}
        known = frozenset(name for name, pair in least.items() if pair in self._pairs)
        if (needed := not_zero(size, bound, known)) is None:
            self.require(maximum((bound, size)), size)
        for name in needed or ():
            self.require(*least[name])

    def _decided(self, always: bool | None, usually: bool | None, difference: Size) -> bool:
        if always is not None:
            return always
        if usually is None or isinstance(difference, int):
            raise UnknownShape
        for name in sorted(difference.symbols):
            self.at_least_two(symbol(name))
        return usually

    def _learn(self, difference: Iterable[tuple[Monomial, int]]) -> None:
        """Replace one atom, using that the difference is 0."""
        terms = dict(difference)
        best: tuple[tuple[bool, bool, int], Atom, Size] | None = None
        for monomial, coefficient in terms.items():
            if len(monomial) != 1 or abs(coefficient) != 1:
                continue
            atom = monomial[0]
            others = {m: -coefficient * c for m, c in terms.items() if m != monomial}
            solution = make(others)
            if isinstance(solution, Dim) and atom in solution.atoms:
                continue
            negative = any(c < 0 for c in others.values())
            age = self._order.get(atom, 0) if isinstance(atom, str) else 0
            rank = (negative, isinstance(atom, str), -age)
            if best is None or rank < best[0]:
                best = rank, atom, solution
        if best is not None:
            self._replace(best[1], best[2])
        elif (found := nameable(terms)) is not None:
            self._name(found)

    def _name(self, found: Nameable) -> None:
        """Give a call a name, and replace the atom that it says something about."""
        name = str(found.size)
        while name in self._order:
            name += "_"
        if (solution := found.solution(name)) is not None:
            self.declare(name)
            self._named[name] = found.size
            self._replace(found.inner, symbol(name))
            self._replace(found.outer, solution)

    def _spelt_out(self, size: Size) -> Size:
        """`size` without names for sizes that are no symbol of an input."""
        for name in reversed(self._named):
            size = substitute(size, {name: self._named[name]})
        return size

    def _replace(self, atom: Atom, solution: Size) -> None:
        new = {atom: solution}
        for key, size in list(self._known.items()):
            if isinstance(size, Dim) and atom in size.atoms:
                self._known[key] = substitute(size, new)
            if isinstance(key, Call):
                self._rekey(key, new)
        self._known[atom] = solution
        self._resolved.clear()

    def _rekey(self, key: Call, new: dict[Atom, Size]) -> None:
        """A replaced call is also replaced under its new arguments."""
        changed = terms_of(substitute(Dim((((key,), 1),)), new))
        if len(changed) == 1 and changed[0][1] == 1 and len(changed[0][0]) == 1:
            renamed, solution = changed[0][0][0], self._known[key]
            if isinstance(solution, int) or renamed not in solution.atoms:
                self._known.setdefault(renamed, solution)
