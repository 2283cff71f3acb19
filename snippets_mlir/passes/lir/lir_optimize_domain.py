"""Collapse neighbouring dims, so that loops are few and the innermost one is long.

    #lir.port<[1, 64, 56, 56]>      becomes      #lir.port<[200704]>

Neighbouring dims collapse when every port either has both of them whole or broadcasts both; dims
of size 1 vanish. Dims that an op reduces do not collapse with kept ones, the dim of a scan with
none, and dims of a transposed or sliced input only when they are neighbours in memory, too. If all
dims collapse, one flat loop remains.
Otherwise the innermost dim, if it is kept, grows only until it holds `min-kernel-work` elements
(256, the guide's minimal kernel work amount; 0 = no limit), so that the outer dims stay large
enough to share among threads, and the outer dims collapse among themselves.

Deviation from the guide (its OptimizeDomain): there the outer dims are the parallel domain, so
collapsing stops when too few of them remain for the threads. Here a flat loop is as parallel as a
nest, because a kernel runs any range of its domain, so the thread count does not matter.

Options: `min-kernel-work`; `rule=guide` decides as the guide does, from the module's
`snippets.threads`, and leaves kernels with reductions or transposed inputs alone, as it does.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.analysis.parallel_domain import guide_domain
from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.lir.access import input_ports, is_view, ports, view_source
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.lir.part import PartOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.scan import ScanOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes, format_shape
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import map_ports
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.reductions import ordered_dims
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import threads_of

Layout = tuple[int, ...]


def _collapsible(shapes: Iterable[Shape], master: Shape, outer: int, inner: int) -> bool:
    """Whether every shape has both dims whole, or broadcasts both."""
    return all((s[outer] == master[outer]) == (s[inner] == master[inner]) for s in shapes)


def _together(layouts: Iterable[Layout], master: Shape, outer: int, inner: int) -> bool:
    """Whether in all layouts `inner` comes right after `outer`, dims of size 1 aside."""
    for layout in layouts:
        places = [dim for dim in layout if master[dim] != 1]
        if places.index(inner) != places.index(outer) + 1:
            return False
    return True


def _one_distance(port: PortDescriptor, outer: int, inner: int) -> bool:
    """Whether both dims of a slice are walked in memory as one dim."""
    is_one = port.shape[outer] == port.shape[inner] == 1
    return is_one or port.strides[outer] == port.strides[inner] * port.shape[inner]


def plan_groups(
    shapes: Sequence[Shape],
    min_kernel_work: int,
    layouts: Sequence[Layout] = (),
    reduced: frozenset[int] = frozenset(),
    strided: Sequence[PortDescriptor] = (),
    others: Sequence[Sequence[Shape]] = (),
    scanned: frozenset[int] = frozenset(),
) -> list[list[int]]:
    """Groups of dims that become one dim each, outermost first.

    Args:
        shapes: the ports' shapes, all of one rank, of ops that broadcast together.
        min_kernel_work: elements after which the innermost group stops growing; 0 = no limit.
        layouts: the orders in memory of the ports that are not planar.
        reduced: dims that some op reduces or scans; a group of them stays whole.
        strided: the ports of slices and of parts of outputs.
        others: shapes of other ops of the kernel, which have nothing to do with these: for each
            part of an output those of what computes it.
        scanned: dims that some op scans, which stay alone.
    """
    spaces = [(space, broadcast_shapes(*space)) for space in (shapes, *others)]
    masters = [(space, master) for space, master in spaces if master is not None]
    if len(masters) < len(spaces):
        return [[dim] for dim in range(len(shapes[0]))]
    groups: list[list[int]] = []
    rank = len(masters[0][1])
    for dim in (d for d in range(rank) if any(master[d] != 1 for _, master in masters)):
        last = groups[-1][-1] if groups else None
        if (
            last is not None
            and (last in reduced) == (dim in reduced)
            and scanned.isdisjoint((last, dim))
            and all(_collapsible(space, master, last, dim) for space, master in masters)
            and all(_together(layouts, master, last, dim) for _, master in masters)
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
    """The shape with each group of dims multiplied into one; `(1,)` when nothing is left."""
    return tuple(prod(shape[d] for d in group) for group in groups) or (1,)


def collapse_layout(layout: Layout, groups: Sequence[Sequence[int]]) -> Layout:
    """The order in memory of the collapsed dims; empty when it is planar."""
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


def _in_kernel_space(kernel: KernelOp) -> list[Operation]:
    """The ops whose ports have the kernel's rank: views, and results of reshapes, have not."""
    return [op for op in kernel.block.ops if not is_view(op) and not _is_reshaped(op)]


def _spaces(ops: Sequence[Operation]) -> list[list[Shape]]:
    """The shapes of the ports of ops that values connect, for each such set of ops.

    A result of parts and a scalar connect nothing: each part has loops of its own.
    """
    ops = [op for op in ops if not isinstance(op, ScalarOp)]
    space_of: dict[Operation, set[Operation]] = {op: {op} for op in ops}
    for op in ops:
        for value in () if _has_parts(op) else op.operands:
            producer = view_source(value).owner
            if isinstance(producer, Operation) and producer in space_of:
                joined = space_of[producer] | space_of[op]
                space_of.update(dict.fromkeys(joined, joined))
    spaces: list[list[Shape]] = []
    for op in ops:
        if op is next(other for other in ops if other in space_of[op]) and not _has_parts(op):
            shapes = {port.shape for inner in space_of[op] for port in ports(inner)}
            spaces.append(sorted(shapes, key=lambda s: [*map(assumed, s)]))
    return spaces


def _has_parts(op: Operation) -> bool:
    """Whether `op` is the result of several parts."""
    return isinstance(op, ResultOp) and any(isinstance(v.owner, PartOp) for v in op.values)


def _is_reshaped(op: Operation) -> bool:
    """Whether `op` is a result that is seen in other dims; a layout is one of the kernel's dims."""
    if not isinstance(op, ResultOp) or input_ports(op)[0].layout:
        return False
    value = op.values[0]
    return view_source(value) is not value and not isinstance(value.owner, PartOp)


@dataclass(frozen=True)
class Domain:
    """How the dims of a kernel collapse.

    Attributes:
        before: the shape that the loops of the kernel would walk.
        groups: dims that become one dim each, outermost first; None: they stay as they are.
    """

    before: Shape
    groups: tuple[tuple[int, ...], ...] | None

    def __str__(self) -> str:
        if self.groups is None:
            return f"{format_shape(self.before)} stays"
        names = " ".join(f"({', '.join(map(str, group))})" for group in self.groups)
        after = collapse(self.before, self.groups)
        return f"{format_shape(self.before)} -> {format_shape(after)}, of dims {names or 'none'}"


@dataclass(frozen=True)
class LirOptimizeDomainPass(KernelPlanPass[Domain]):
    """Collapse neighbouring dims of kernels."""

    name = "lir-optimize-domain"
    STAGES: ClassVar[Stages] = Stages(("linear",))

    min_kernel_work: int = 256
    rule: str = "flat"

    def units(self, module: ModuleOp) -> Iterable[KernelOp]:
        """The kernels at stage `linear`."""
        if self.rule not in ("flat", "guide"):
            raise CompileError(f'expected rule=flat or rule=guide, found "{self.rule}"')
        return super().units(module)

    def plan(self, unit: KernelOp) -> Domain:
        """The groups by the rule that is chosen."""
        ops = _in_kernel_space(unit)
        everything = {port for op in ops for port in ports(op)}
        if not everything:
            return Domain((), None)
        shapes = sorted({port.shape for port in everything}, key=lambda s: [*map(assumed, s)])
        layouts = sorted({port.layout for port in everything if port.layout})
        reduced = frozenset(dim for op in ops for dim in ordered_dims(op))
        before = broadcast_shapes(*shapes) or shapes[-1]
        if self.rule == "flat":
            slices = [port for port in everything if port.strides]
            first, *others = [shapes] if broadcast_shapes(*shapes) else _spaces(ops)
            scanned = frozenset(ordered_dims(op)[0] for op in ops if isinstance(op, ScanOp))
            facts = layouts, reduced, slices, others, scanned
            groups = plan_groups(first, self.min_kernel_work, *facts)
        elif layouts or reduced or any(port.strides for port in everything):
            return Domain(before, None)
        else:
            threads = threads_of(module_of(unit))
            groups = guide_groups(shapes, threads, self.min_kernel_work)
        return Domain(before, tuple(map(tuple, groups)))

    def carry_out(self, unit: KernelOp, plan: Domain) -> None:
        """Collapse the shapes and layouts of all ports."""
        if (groups := plan.groups) is None:
            return

        @cache
        def collapsed(port: PortDescriptor) -> PortDescriptor:
            shape, layout = collapse(port.shape, groups), collapse_layout(port.layout, groups)
            strides = tuple(port.strides[group[-1]] for group in groups) if port.strides else ()
            return replace(port, shape=shape, layout=layout, strides=strides or port.strides[-1:])

        for op in unit.block.ops:
            if isinstance(op, ScanOp):
                place = ordered_dims(op)[0]
                group = next(index for index, group in enumerate(groups) if place in group)
                op.set_dim(len(groups) - 1 - group)
        map_ports(_in_kernel_space(unit), collapsed)
