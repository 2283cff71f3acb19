"""Find neighbouring dims of a kernel that become one dim, from shapes and orders in memory.

`lir-optimize-domain` takes the facts from a kernel's ports and changes the ports.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import prod

from snippets_mlir.analysis.kernels.parallel_domain import guide_domain
from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes

Layout = tuple[int, ...]


def _collapsible(shapes: Iterable[Shape], master: Shape, outer: int, inner: int) -> bool:
    """Whether every shape has both dims whole, or broadcasts both."""
    return all((s[outer] == master[outer]) == (s[inner] == master[inner]) for s in shapes)


def _in_order(port: PortDescriptor, outer: int, inner: int) -> bool:
    """Whether `inner` comes right after `outer` in memory, apart from dims of size 1.

    A port with size 1 in both dims broadcasts, so its order does not matter. If only one dim has
    size 1 in some parts of a kernel, the dims stay apart.
    """
    if port.shape[outer] == port.shape[inner] == 1:
        return True
    return (outer, inner) in pairwise(dim for dim in port.layout if port.shape[dim] != 1)


def _one_distance(port: PortDescriptor, outer: int, inner: int) -> bool:
    """Whether both dims of a slice are walked in memory as one dim."""
    is_one = port.shape[outer] == port.shape[inner] == 1
    return is_one or port.strides[outer] == port.strides[inner] * port.shape[inner]


def plan_groups(
    shapes: Sequence[Shape],
    min_kernel_work: int,
    ordered: Sequence[PortDescriptor] = (),
    reduced: frozenset[int] = frozenset(),
    strided: Sequence[PortDescriptor] = (),
    others: Sequence[Sequence[Shape]] = (),
    scanned: frozenset[int] = frozenset(),
) -> list[list[int]]:
    """Groups of dims that become one dim each, outermost first.

    If the shapes do not broadcast together, only dims of size 1 in all of them vanish.

    Args:
        shapes: the ports' shapes, all of one rank, of ops that broadcast together.
        min_kernel_work: elements after which the innermost group stops growing; 0 = no limit.
        ordered: the ports with a layout, which are not planar.
        reduced: dims that some op reduces or scans; a group of them stays whole.
        strided: the ports of slices and of parts of outputs.
        others: shapes of independent other ops of the kernel: for each part of an output the shapes
            of the ops that compute it.
        scanned: dims that some op scans, which stay alone.
    """
    spaces = [(space, broadcast_shapes(*space)) for space in (shapes, *others)]
    masters = [(space, master) for space, master in spaces if master is not None]
    if len(masters) < len(spaces):
        sizes = zip(*(shape for space, _ in spaces for shape in space), strict=True)
        return [[dim] for dim, known in enumerate(sizes) if set(known) != {1}]
    groups: list[list[int]] = []
    rank = len(masters[0][1])
    for dim in (d for d in range(rank) if any(master[d] != 1 for _, master in masters)):
        last = groups[-1][-1] if groups else None
        if (
            last is not None
            and (last in reduced) == (dim in reduced)
            and scanned.isdisjoint((last, dim))
            and all(_collapsible(space, master, last, dim) for space, master in masters)
            and all(_in_order(port, last, dim) for port in ordered)
            and all(_one_distance(port, last, dim) for port in strided)
        ):
            groups[-1].append(dim)
        else:
            groups.append([dim])
    if len(groups) > 1 and min_kernel_work and groups[-1][-1] not in reduced:
        last_group = groups.pop()
        inner = [last_group.pop()]
        while last_group and _most(masters, inner) < min_kernel_work:
            inner.insert(0, last_group.pop())
        groups += [last_group, inner] if last_group else [inner]
    return groups


def _most(masters: Sequence[tuple[Sequence[Shape], Shape]], dims: Sequence[int]) -> int:
    """Elements along `dims` in the largest of the shapes that loops walk."""
    return max(assumed(prod(master[d] for d in dims)) for _, master in masters)


def collapse(shape: Shape, groups: Sequence[Sequence[int]]) -> Shape:
    """The shape with each group of dims multiplied into one; `(1,)` if no dim is left."""
    return tuple(prod(shape[d] for d in group) for group in groups) or (1,)


def collapse_layout(layout: Layout, groups: Sequence[Sequence[int]]) -> Layout:
    """The order in memory of the collapsed dims; empty if it is planar."""
    group_of = {group[0]: index for index, group in enumerate(groups)}
    places = tuple(group_of[dim] for dim in layout if dim in group_of)
    return () if places == tuple(range(len(groups))) else places


def guide_groups(shapes: Sequence[Shape], threads: int, min_kernel_work: int) -> list[list[int]]:
    """The groups of the guide's rule: the last dims that collapse, every other dim alone."""
    rank = len(shapes[0])
    if broadcast_shapes(*shapes) is None:
        return [[dim] for dim in range(rank)]
    collapsed = guide_domain(shapes, threads, min_kernel_work).collapsed
    outer = rank - 1 - collapsed
    return [*([dim] for dim in range(outer)), list(range(outer, rank))]
