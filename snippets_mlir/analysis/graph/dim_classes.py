"""Dims that have to be split alike: classes of dims, and the factors that reshapes require.

Every dim of every value is an item. Items with the same size and meaning (the dim of an operand and
the aligned dim of the result) are united. A reshape pairs the dims of its two sides: the boundary
of a dim on one side has to be a boundary, or a cut inside a dim, on the other side.

    [4, 6] -> [24]        24 is cut at 6: factors 4, 6
    [2, 12] -> [4, 6]     12 is cut at 6: factors 2, 6; 4 is cut at 2: factors 2, 2
    [6, 4] -> [4, 6]      24 = 6 * 4 has no factors that make both: refused

Cuts propagate through all reshapes until nothing changes. A cut is the product of the sizes to its
right inside the dim. The cuts of a dim divide each other, so there are at most log2(size) of them,
and the total cost is linear in the number of dims times this number.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from snippets_mlir.dialects.builtin.dims import Dim, Shape, format_size, product
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_facts import known_multiple
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape


class NoRefinementError(Exception):
    """There are no common factors; the text says why."""


class UnionFind:
    """Classes of the integers 0, 1, ...; the smallest member represents its class."""

    def __init__(self) -> None:
        self._parent: list[int] = []

    def add(self) -> int:
        """A new item, alone in its class."""
        self._parent.append(len(self._parent))
        return len(self._parent) - 1

    def find(self, item: int) -> int:
        """The representative of the class of `item`."""
        parent = self._parent
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    def unite(self, a: int, b: int) -> None:
        """Merge the classes of `a` and `b`."""
        a, b = self.find(a), self.find(b)
        if a != b:
            self._parent[max(a, b)] = min(a, b)

    def __len__(self) -> int:
        return len(self._parent)


_Group = tuple[list[int], list[int]]
"""Dims of both sides of a reshape whose products are equal."""


@dataclass(frozen=True, eq=False)
class _Side:
    """One side of a group of a reshape: items, outermost first, with the strides in the group."""

    items: tuple[int, ...]
    strides: tuple[Dim, ...]


class DimClasses:
    """The items, their classes, and the cuts of each class.

    First `add`, `same`, `cut` and `regroup`, then `solve`, then `factors`.
    """

    def __init__(self) -> None:
        self.sizes: list[Dim] = []
        self._classes = UnionFind()
        self.groups: list[_Group] = []
        self._wanted: list[tuple[int, Dim]] = []
        self._cuts: dict[int, list[Dim]] = {}
        self._links: dict[int, list[tuple[Dim, _Side]]] = {}
        self._rigid: set[int] = set()

    def add(self, size: Dim) -> int:
        """A new item of `size` (not 1; `DYNAMIC` when unknown)."""
        self.sizes.append(size)
        return self._classes.add()

    def find(self, item: int) -> int:
        """The representative of the class of `item`."""
        return self._classes.find(item)

    def same(self, a: int, b: int) -> None:
        """`a` and `b` are split alike."""
        self._classes.unite(a, b)

    def cut(self, item: int, inner: Dim) -> None:
        """`item` has a boundary with `inner` elements to its right."""
        self._wanted.append((item, inner))

    def regroup(self, source: Sequence[int], target: Sequence[int]) -> None:
        """A reshape of the items `source` into `target`, in the order of the dims.

        NoRefinementError if it mixes dims of size 0 or unknown size with others.
        """
        left, left_rigid = self._split(source)
        right, right_rigid = self._split(target)
        sizes = self.sizes
        if (
            [sizes[i] for i in left_rigid] != [sizes[i] for i in right_rigid]
            or sum(sizes[i] == DYNAMIC for i in left_rigid) > 1
            or [product(sizes[i] for i in run) for run in left]
            != [product(sizes[i] for i in run) for run in right]
        ):
            raise self._failure(source, target)
        for a, b in zip(left_rigid, right_rigid, strict=True):
            self.same(a, b)
        for run, other in zip(left, right, strict=True):
            for group in self._finest(run, other):
                if len(group[0]) == len(group[1]) == 1:
                    self.same(group[0][0], group[1][0])
                else:
                    self.groups.append(group)

    def solve(self) -> None:
        """Find the cuts. NoRefinementError if no cuts fit all reshapes."""
        self._rigid = {self.find(i) for i, size in enumerate(self.sizes) if size in (0, DYNAMIC)}
        work = [(self.find(item), inner) for item, inner in self._wanted]
        for left, right in self.groups:
            sides = self._side(left), self._side(right)
            for this, other in (sides, sides[::-1]):
                for item, stride in zip(this.items, this.strides, strict=True):
                    self._links.setdefault(self.find(item), []).append((stride, other))
                    work += self._project(stride, other)
        while work:
            root, inner = work.pop()
            if self._insert(root, inner):
                for stride, other in self._links.get(root, ()):
                    work += self._project(stride * inner, other)

    def factors(self, item: int) -> Shape:
        """The sizes that `item` is split into, outermost first."""
        cuts = self._cuts.get(self.find(item))
        if not cuts:
            return (self.sizes[item],)
        bounds: list[Dim] = [1, *cuts, self.sizes[item]]
        return tuple(b // a for a, b in pairwise(bounds))[::-1]

    def _failure(self, source: Sequence[int], target: Sequence[int]) -> NoRefinementError:
        left = format_shape([self.sizes[i] for i in source])
        right = format_shape([self.sizes[i] for i in target])
        return NoRefinementError(f"a reshape from {left} to {right} has no common factors")

    def _split(self, items: Sequence[int]) -> tuple[list[list[int]], list[int]]:
        """The items between the dims of size 0 or unknown size, and these dims."""
        runs: list[list[int]] = [[]]
        rigid: list[int] = []
        for item in items:
            if self.sizes[item] in (0, DYNAMIC):
                rigid.append(item)
                runs.append([])
            else:
                runs[-1].append(item)
        return runs, rigid

    def _finest(
        self, source: list[int], target: list[int]
    ) -> Iterator[tuple[list[int], list[int]]]:
        """Groups of dims with equal products, as small as possible; the products are equal."""
        left, right = list(source), list(target)
        while left:
            group = [left.pop()], [right.pop()]
            a, b = self.sizes[group[0][0]], self.sizes[group[1][0]]
            while a != b:
                if assumed(a) < assumed(b):
                    group[0].append(left.pop())
                    a = a * self.sizes[group[0][-1]]
                else:
                    group[1].append(right.pop())
                    b = b * self.sizes[group[1][-1]]
            yield group[0][::-1], group[1][::-1]

    def _side(self, items: list[int]) -> _Side:
        strides: list[Dim] = [1]
        for item in reversed(items[1:]):
            strides.append(strides[-1] * self.sizes[item])
        return _Side(tuple(items), tuple(reversed(strides)))

    def _project(self, boundary: Dim, side: _Side) -> list[tuple[int, Dim]]:
        """The cut that a boundary of the other side requires; none if it is a boundary here."""
        place = bisect_left(side.strides, -assumed(boundary), key=lambda stride: -assumed(stride))
        stride, item = side.strides[place], side.items[place]
        if boundary == stride:
            return []
        if not known_multiple(boundary, stride):
            raise self._no_factors(side, boundary)
        return [(self.find(item), boundary // stride)]

    def _no_factors(self, side: _Side, boundary: Dim) -> NoRefinementError:
        shape = format_shape([self.sizes[i] for i in side.items])
        elements = format_size(boundary)
        return NoRefinementError(f"{shape} has no boundary with {elements} elements to its right")

    def _insert(self, root: int, inner: Dim) -> bool:
        """Cut a class; False when it is cut there already."""
        size = self.sizes[root]
        if root in self._rigid:
            raise NoRefinementError("a dim of size 0 or unknown cannot be split")
        cuts = self._cuts.setdefault(root, [])
        place = bisect_left(cuts, assumed(inner), key=assumed)
        if place < len(cuts) and cuts[place] == inner:
            return False
        below = cuts[place - 1] if place else 1
        above = cuts[place] if place < len(cuts) else size
        if not (known_multiple(inner, below) and known_multiple(above, inner)):
            other = above if known_multiple(inner, below) else below
            cut, beside, whole = map(format_size, (inner, other, size))
            at = cut if other == size else f"both {cut} and {beside}"
            raise NoRefinementError(f"a dim of {whole} cannot be split at {at}")
        cuts.insert(place, inner)
        return True
