"""Collapse neighbouring dims, so that loops are few and the innermost one is long.

    #lir.port<[1, 64, 56, 56]>      becomes      #lir.port<[200704]>

Neighbouring dims collapse when every port either has both of them whole or broadcasts both; dims
of size 1 vanish. If all dims collapse, one flat loop remains. Otherwise the innermost dim grows
only until it holds `min-kernel-work` elements (256, the guide's minimal kernel work amount; 0 = no
limit), so that the outer dims stay large enough to share among threads, and the outer dims
collapse among themselves.

Deviation from the guide (its OptimizeDomain): there the outer dims are the parallel domain, so
collapsing stops when too few of them remain for the threads. Here a flat loop is as parallel as a
nest, because a kernel runs any range of its domain, so the thread count does not matter.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import ports
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes
from snippets_mlir.passes.lir.editing import for_each_kernel, map_ports

Shape = tuple[int, ...]


def _collapsible(shapes: Iterable[Shape], master: Shape, outer: int, inner: int) -> bool:
    """Whether every shape has both dims whole, or broadcasts both."""
    return all((s[outer] == master[outer]) == (s[inner] == master[inner]) for s in shapes)


def plan_groups(shapes: Sequence[Shape], min_kernel_work: int) -> list[list[int]]:
    """Groups of dims that become one dim each, outermost first.

    Args:
        shapes: the ports' shapes, all of one rank. Shapes that do not broadcast together (parts
            of the kernel that have nothing to do with each other) are left as they are.
        min_kernel_work: elements after which the innermost group stops growing; 0 = no limit.
    """
    master = broadcast_shapes(*shapes)
    if master is None:
        return [[dim] for dim in range(len(shapes[0]))]
    groups: list[list[int]] = []
    for dim in (d for d, size in enumerate(master) if size != 1):
        if groups and _collapsible(shapes, master, groups[-1][-1], dim):
            groups[-1].append(dim)
        else:
            groups.append([dim])
    if len(groups) > 1 and min_kernel_work:
        last = groups.pop()
        inner = [last.pop()]
        while last and prod(master[d] for d in inner) < min_kernel_work:
            inner.insert(0, last.pop())
        groups += [last, inner] if last else [inner]
    return groups


def collapse(shape: Shape, groups: Sequence[Sequence[int]]) -> Shape:
    """The shape with each group of dims multiplied into one; `(1,)` when nothing is left."""
    return tuple(prod(shape[d] for d in group) for group in groups) or (1,)


def _apply(kernel: KernelOp, min_kernel_work: int) -> None:
    shapes = sorted({port.shape for op in kernel.block.ops for port in ports(op)})
    if not shapes:
        return
    groups = plan_groups(shapes, min_kernel_work)
    collapsed = {shape: collapse(shape, groups) for shape in shapes}
    map_ports(kernel.block.ops, lambda port: replace(port, shape=collapsed[port.shape]))


@dataclass(frozen=True)
class LirOptimizeDomainPass(ModulePass):
    """Collapse neighbouring dims of kernels."""

    name = "lir-optimize-domain"

    min_kernel_work: int = 256

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Collapse the dims of every kernel at stage `linear`."""
        for_each_kernel(op, ("linear",), lambda k: _apply(k, self.min_kernel_work))
