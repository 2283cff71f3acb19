"""Collapse neighbouring dims to get few loops with a long innermost one.

    #lir.port<[1, 64, 56, 56]>      becomes      #lir.port<[200704]>

Neighbouring dims collapse if every port either has both of them whole or broadcasts both; dims of
size 1 vanish. Reduced dims do not collapse with kept ones, and the dim of a scan collapses with
none. Dims of a transposed or sliced input collapse only if they are neighbours in memory, too, or
if the input broadcasts along both. If all dims collapse, one flat loop remains. Otherwise the
innermost dim, if it is kept, grows only until it holds `min-kernel-work` elements (256, the guide's
minimal kernel work amount; 0 = no limit), so that the outer dims stay large enough for threads, and
the outer dims collapse among themselves.

Deviation from the guide (its OptimizeDomain): there the outer dims are the parallel domain, so
collapsing stops when too few of them remain for the threads. Here the thread count does not matter:
a kernel runs any range of its domain, so a flat loop is as parallel as a nest.

Options: `min-kernel-work`; `rule=guide` decides as the guide does, from the module's
`snippets.threads`, and, like the guide, leaves kernels with reductions or transposed inputs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

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
from snippets_mlir.passes.lir.domain_groups import (
    collapse,
    collapse_layout,
    guide_groups,
    plan_groups,
)
from snippets_mlir.passes.lir.editing import map_ports
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.reductions import ordered_dims
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import threads_of


def _in_kernel_space(kernel: KernelOp) -> list[Operation]:
    """The ops with ports of the kernel's rank: not views, and not results of reshapes."""
    return [op for op in kernel.block.ops if not is_view(op) and not _is_reshaped(op)]


def _spaces(ops: Sequence[Operation]) -> list[list[Shape]]:
    """For each set of ops that values connect, the shapes of their ports.

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
    """Whether `op` is a result in other dims than the kernel's; a layout keeps the dims."""
    if not isinstance(op, ResultOp) or input_ports(op)[0].layout:
        return False
    value = op.values[0]
    return view_source(value) is not value and not isinstance(value.owner, PartOp)


@dataclass(frozen=True)
class Domain:
    """How the dims of a kernel collapse.

    Attributes:
        before: the shape that the loops of the kernel would walk.
        groups: dims that become one dim each, outermost first; None: the dims stay.
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
        if self.min_kernel_work < 0:
            work = self.min_kernel_work
            raise CompileError(f"expected min-kernel-work of 0 or more, found {work}")
        return super().units(module)

    def plan(self, unit: KernelOp) -> Domain:
        """The groups by the chosen rule."""
        ops = _in_kernel_space(unit)
        everything = {port for op in ops for port in ports(op)}
        if not everything:
            return Domain((), None)
        shapes = sorted({port.shape for port in everything}, key=lambda s: [*map(assumed, s)])
        ordered = [port for port in everything if port.layout]
        reduced = frozenset(dim for op in ops for dim in ordered_dims(op))
        before = broadcast_shapes(*shapes) or shapes[-1]
        if self.rule == "flat":
            slices = [port for port in everything if port.strides]
            first, *others = [shapes] if broadcast_shapes(*shapes) else _spaces(ops)
            scanned = frozenset(ordered_dims(op)[0] for op in ops if isinstance(op, ScanOp))
            facts = ordered, reduced, slices, others, scanned
            groups = plan_groups(first, self.min_kernel_work, *facts)
        elif ordered or reduced or any(port.strides for port in everything):
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
