"""The refined form of a body: the parts of each value, and the remaining views.

Each dim of an original value is split into parts. A refined value has its parts at their places in
an order that all values share, and 1 elsewhere; `reshape_refinement.py` computes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xdsl.ir import SSAValue

from snippets_mlir.analysis.graph.body_views import BodyViews, Leaf
from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.snippets.layout import permuted


@dataclass(frozen=True)
class Place:
    """The place of a part of a dim of the original value: part 0 is the outermost of the dim."""

    dim: int
    part: int
    size: Dim


Layout = tuple[Place | None, ...]
"""For each dim of a refined value its part; None for a dim of size 1."""


@dataclass(frozen=True)
class View:
    """A view of an argument: a reshape to `shape`, then a transpose unless it is None."""

    shape: Shape
    permutation: tuple[int, ...] | None

    @property
    def result(self) -> Shape:
        """The shape of the view's result."""
        return self.shape if self.permutation is None else permuted(self.shape, self.permutation)


@dataclass(frozen=True, eq=False)
class Refinement:
    """The refined form of a body.

    Attributes:
        views: the ops, sorted.
        layouts: for each leaf and each result of an op between, its refined form.
    """

    views: BodyViews
    layouts: Mapping[SSAValue, Layout]

    def shape(self, value: SSAValue) -> Shape:
        """The shape of `value` in the common dims: factors at their places, else 1."""
        return tuple(1 if place is None else place.size for place in self.layouts[value])

    def axes(self, value: SSAValue, dims: Iterable[int]) -> tuple[int, ...]:
        """The refined dims that hold parts of the dims `dims` of `value`."""
        wanted = set(dims)
        places = enumerate(self.layouts[value])
        return tuple(i for i, place in places if place is not None and place.dim in wanted)

    def view(self, leaf: Leaf) -> View:
        """How a leaf is made from its argument."""
        return _view(leaf, self.layouts[leaf.value])


def _view(leaf: Leaf, layout: Layout) -> View:
    dims = leaf.permutation or tuple(range(len(leaf.shape)))
    places = [(dims[p.dim], p.part, p.size) for p in layout if p is not None]
    natural = sorted(places)
    if places == natural:
        return View(tuple(1 if p is None else p.size for p in layout), None)
    ones = len(layout) - len(places)
    where = {place: ones + i for i, place in enumerate(natural)}
    free, held = iter(range(ones)), iter(places)
    permutation = tuple(next(free) if p is None else where[next(held)] for p in layout)
    return View((1,) * ones + tuple(size for _, _, size in natural), permutation)
