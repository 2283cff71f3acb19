"""Shapes that turn the reshapes and transposes between a body's ops into the identity.

    %0 = relu %x : 4x6                      4x2x3
    %1 = reshape %0 : 4x6 -> 8x3            -
    %2 = add %1, %b : 8x3, 3 -> 8x3         4x2x3, 3
    %3 = reshape %2 : 8x3 -> 4x6            -

Each dim of each value is split into factors (`dim_classes`) such that both sides of every reshape
have the same factors. Each factor gets a place in one order for all values that compute together
(`dim_orders`). The shape of a value then has its factors at their places and 1 elsewhere. Only
views of the arguments (a reshape, and a transpose if an argument has another order) and reshapes of
the results remain (`refined_bodies`). Not every reshape has common factors: 6x4 -> 4x6 has none.

Dims of unknown size are not split, and a reshape with more than one of them is refused. The cost is
linear in the number of ops times the logarithm of the sizes.

This analysis is ours; the guide has SoftmaxReshapeElimination and ExtractReshapes for single
patterns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import MappingProxyType

from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.graph.body_views import BodyViews, body_views
from snippets_mlir.analysis.graph.dim_classes import NoRefinementError, UnionFind
from snippets_mlir.analysis.graph.dim_orders import Order, common_order
from snippets_mlir.analysis.graph.dim_relations import DimRelations
from snippets_mlir.analysis.graph.eligibility import MAX_RANK
from snippets_mlir.analysis.graph.refined_bodies import Layout, Place, Refinement
from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape

_Roots = tuple[int | None, ...]
"""The classes of the dims of a value; None is a dim of size 1."""


class _Places:
    """The parts of dims, their places, and the ranks of the values.

    Attributes:
        roots: the classes of the dims of each value. Values with the same classes have the same
            order.
        orders: the places of the parts of each value, outermost first.
    """

    def __init__(self, relations: DimRelations, views: BodyViews) -> None:
        self.relations = relations
        self.views = views
        self.classes = UnionFind()
        self.first: dict[int, int] = {}
        for left, right in relations.classes.groups:
            for a, b in zip(self._parts(left), self._parts(right), strict=True):
                self.classes.unite(a, b)
        find = relations.classes.find
        self.roots = {
            value: tuple([None if item is None else find(item) for item in items])
            for value, items in relations.items.items()
        }
        orders: dict[_Roots, Order] = {}
        for value, roots in self.roots.items():
            if roots not in orders:
                orders[roots] = self._order(value)
        self.orders = {value: orders[roots] for value, roots in self.roots.items()}

    def _parts(self, items: Sequence[int]) -> list[int]:
        """The parts of `items`, outermost first."""
        classes = self.relations.classes
        parts: list[int] = []
        for item in items:
            root, count = classes.find(item), len(classes.factors(item))
            if root not in self.first:
                self.first[root] = len(self.classes)
                for _ in range(count):
                    self.classes.add()
            parts += range(self.first[root], self.first[root] + count)
        return parts

    def _order(self, value: SSAValue) -> Order:
        parts = self._parts(self.relations.present(value))
        order = tuple(self.classes.find(part) for part in parts)
        if len(set(order)) != len(order):
            raise NoRefinementError("two dims of one value would have to stand in one place")
        return order

    def columns(self) -> dict[int, list[int]]:
        """For each place, all the places of the values it computes with, outermost first."""
        required = [self.orders[value] for value in self.views.results]
        wished = [self.orders[value] for value in reversed(list(self.orders))]
        if (order := common_order(required, wished)) is None:
            raise NoRefinementError("the results need their dims in contradicting orders")
        together = UnionFind()
        for _ in range(len(self.classes)):
            together.add()
        for places in set(wished):
            for place in places[1:]:
                together.unite(places[0], place)
        columns: dict[int, list[int]] = {}
        for place in order:
            columns.setdefault(together.find(place), []).append(place)
        return {place: columns[together.find(place)] for place in order}


def _layout(places: _Places, column: Sequence[int], rank: int, value: SSAValue) -> Layout:
    """The refined form of `value` with `rank` dims, the last ones of `column`."""
    found: dict[int, Place] = {}
    order = iter(places.orders[value])
    relations = places.relations
    for dim, item in enumerate(relations.items[value]):
        if item is not None:
            for part, size in enumerate(relations.classes.factors(item)):
                found[next(order)] = Place(dim, part, size)
    padded = [None] * max(0, rank - len(column))
    return (*padded, *(found.get(place) for place in column[len(column) + len(padded) - rank :]))


def _layouts(places: _Places) -> dict[SSAValue, Layout]:
    columns = places.columns()
    ranks: dict[SSAValue, int] = {}
    layouts: dict[SSAValue, Layout] = {}
    known: dict[tuple[_Roots, Shape, int], tuple[int, Layout]] = {}

    def add(value: SSAValue, at_least: int) -> None:
        key = places.roots[value], shape_of(value), at_least
        if (found := known.get(key)) is None:
            order = places.orders[value]
            column = columns[order[0]] if order else []
            held = set(order)
            own = next((len(column) - i for i, place in enumerate(column) if place in held), 0)
            rank = max(own, at_least)
            found = known[key] = rank, _layout(places, column, rank, value)
        ranks[value], layouts[value] = found

    for value in places.views.leaves:
        add(value, 0)
    for op in places.views.between:
        add(op.results[0], max((ranks[operand] for operand in op.operands), default=0))
    return layouts


def _check_reshape(source: Shape, target: Shape) -> None:
    """NoRefinementError if the types do not determine a reshape from `source` to `target`."""
    unknown = target.count(DYNAMIC)
    if source != target and (unknown > 1 or (unknown and 0 in target)):
        raise NoRefinementError(
            f"the sizes of {format_shape(target)} do not follow from those of "
            f"{format_shape(source)}"
        )


def _check(refinement: Refinement) -> None:
    for value, layout in refinement.layouts.items():
        if len(layout) > MAX_RANK:
            found = format_shape(refinement.shape(value))
            raise NoRefinementError(f"{found} has more than {MAX_RANK} dims")
    for leaf in refinement.views.leaves.values():
        _check_reshape(shape_of(leaf.argument), refinement.view(leaf).shape)
    for value in refinement.views.results:
        _check_reshape(refinement.shape(value), shape_of(value))


def refine(
    ops: Sequence[Operation],
    outputs: Iterable[SSAValue] | None = None,
) -> Refinement:
    """The refined form of the computing ops in `ops`, which are in the order of execution.

    Args:
        ops: ops of one block; ops that compute no tensor count as outside.
        outputs: the values read outside; None: the results with a reader outside of `ops`.

    Raises:
        NoRefinementError: there is no refinement; the text says why.
    """
    views = body_views(ops, outputs)
    relations = DimRelations(views)
    relations.classes.solve()
    places = _Places(relations, views)
    refinement = Refinement(views, MappingProxyType(_layouts(places)))
    _check(refinement)
    return refinement


def plan_refinement(
    ops: Sequence[Operation],
    outputs: Iterable[SSAValue] | None = None,
) -> Refinement | None:
    """The result of `refine`, or None if there is no refined form."""
    try:
        return refine(ops, outputs)
    except NoRefinementError:
        return None
