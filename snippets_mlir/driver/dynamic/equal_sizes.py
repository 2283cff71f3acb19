"""Relations between the dynamic dims of inputs: equal dims, and dims that follow from others.

    x[1:-1] + y     ?0 + -2 meets ?1: the size of x is ?0 + 2, that of y ?0
    x + y, x of 8   ?0 meets 8: the size of y is 8

Two sizes that meet have to be equal. This equation is solved for a symbol that stands alone in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets_mlir.dialects.builtin.dims import Dim, Size, format_size, product, symbol, terms_of

Place = tuple[int, int]
"""Input and dim."""

_Formula = tuple[tuple[int, tuple[Place, ...]], ...]
"""A sum of products; each is a number and the places whose sizes it is multiplied with."""


class Known:
    """The known sizes of dynamic dims.

    Attributes:
        classes: places of equal size; each class has a symbol.
    """

    def __init__(self, places: Sequence[Place]) -> None:
        """All sizes are different at first."""
        self.classes: list[list[Place]] = [[place] for place in places]
        self._tied: list[tuple[list[Place], _Formula]] = []

    def sizes(self) -> Mapping[Place, Dim]:
        """The size of each place, a number or a formula over the symbols."""
        found: dict[Place, Dim] = {}
        for index, members in enumerate(self.classes):
            found.update(dict.fromkeys(members, symbol(index)))
        for members, formula in reversed(self._tied):  # earlier ones are about what later ones say
            size: Dim = 0
            for factor, places in formula:
                size = size + product(found[place] for place in places) * factor
            found.update(dict.fromkeys(members, size))
        return found

    def equate(self, first: Dim, second: Dim) -> bool:
        """Record that two sizes are equal; False if this does not determine a symbol."""
        solved = _solved(first - second)
        if solved is None:
            return False
        index, size = solved
        formula = tuple(
            (factor, tuple(self.classes[other][0] for other in monomial))
            for monomial, factor in terms_of(size)
        )
        members = self.classes.pop(index)
        match formula:
            case ((1, (place,)),):
                next(c for c in self.classes if place in c).extend(members)
            case _:
                self._tied.append((members, formula))
        return True

    def told(
        self,
    ) -> tuple[
        tuple[tuple[Place, ...], ...],
        tuple[tuple[Place, int], ...],
        tuple[tuple[Place, str], ...],
    ]:
        """The classes, the places with a number, and the places with a formula."""
        sizes = self.sizes()
        tied = [(place, sizes[place]) for members, _ in self._tied for place in members]
        return (
            tuple(map(tuple, self.classes)),
            tuple((place, size) for place, size in tied if isinstance(size, int)),
            tuple((place, format_size(size)) for place, size in tied if isinstance(size, Size)),
        )


def _solved(zero: Dim) -> tuple[int, Dim] | None:
    """A symbol and its value if `zero` is 0, as a sum without subtractions if possible."""
    terms = terms_of(zero)
    found: list[tuple[int, Dim]] = []
    for monomial, factor in terms:
        among = [other for other, _ in terms if set(monomial) & set(other)]
        if len(monomial) == 1 and abs(factor) == 1 and among == [monomial]:
            found.append((monomial[0], symbol(monomial[0]) - zero * factor))
    plain = [(i, size) for i, size in found if all(f > 0 for _, f in terms_of(size))]
    return next(iter([*plain, *found]), None)
