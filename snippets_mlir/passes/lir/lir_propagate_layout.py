"""Write on ports the memory layout of values that ops read through views.

    %t = snippets.transpose %x {permutation = array<i64: 1, 0>}
    %0 = snippets.relu %t {lir.ports = [#lir.port<[3, 4]>, #lir.port<[3, 4]>]}

becomes

    %0 = snippets.relu %t {lir.ports = [#lir.port<[3, 4], layout [1, 0]>, #lir.port<[3, 4]>]}

The layout names the dim of the port's shape for each place in memory; ports of values read in order
have none. Pointer increments follow from the layout. `convert-snippets-to-lir` writes the same
layouts; this pass is for kernels whose views were made or changed later. It runs before
lir-optimize-domain, which collapses dims by shapes and layouts (the guide's PropagateLayout runs
after code motion, where ports still have the shapes of the graph). Refuses a reshape of a
transposed array: its elements are not in order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.access import is_array, is_view, ports, set_ports
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPatternPass
from snippets_mlir.passes.patterns import Pattern
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

Layout = tuple[int, ...]


def transposed(layout: Sequence[int], permutation: Sequence[int]) -> Layout:
    """The layout of a transpose of an array that has `layout`: dim i of it is permutation[i]."""
    return tuple(list(permutation).index(dim) for dim in layout)


def padded(layout: Sequence[int], rank: int) -> Layout:
    """`layout` with dims of size 1 in front, up to `rank`; empty if it is the usual order."""
    pad = rank - len(layout)
    whole = (*range(pad), *(dim + pad for dim in layout))
    return () if whole == tuple(range(rank)) else whole


def layout_of(value: SSAValue) -> Layout:
    """The layout of an array, or of a view of one."""
    rank = tensor_of(value).get_num_dims()
    if not isinstance(value, OpResult) or not is_view(value.op):
        return tuple(range(rank))
    below = layout_of(value.op.operands[0])
    if isinstance(value.op, TransposeOp):
        return transposed(below, value.op.permutation)
    if below != tuple(range(len(below))):
        raise CompileError(
            f"expected {value.op.name} of an array in its usual order, found one with layout "
            f"{list(below)}; reshape before transposing, or make a copy with snippets.broadcast",
            **position_of(value.op),
        )
    return tuple(range(rank))


def is_computed(op: Operation) -> bool:
    """The op reads elements: views and results name arrays only."""
    return not isinstance(op, ResultOp) and not is_view(op)


class LayoutOfOperand(Pattern[Operation, tuple[PortDescriptor, ...]]):
    """The port of an array has the layout of the array through its views."""

    name = "layout-of-operand"
    ops = (Operation,)
    conditions = (is_computed,)

    def match(self, op: Operation) -> tuple[PortDescriptor, ...] | None:
        """The ports of the op, if they change."""
        known = ports(op)
        wanted = list(known)
        for index, value in enumerate(op.operands):
            if is_array(value):
                layout = padded(layout_of(value), len(known[index].shape))
                wanted[index] = replace(known[index], layout=layout)
        return None if tuple(wanted) == known else tuple(wanted)

    @override
    def rewrite(
        self, op: Operation, match: tuple[PortDescriptor, ...], rewriter: PatternRewriter
    ) -> None:
        set_ports(op, match)


@dataclass(frozen=True)
class LirPropagateLayoutPass(KernelPatternPass):
    """Write the layouts of views on the ports that read them."""

    name = "lir-propagate-layout"
    STAGES: ClassVar[Stages] = Stages(("linear",))
    PATTERNS = (LayoutOfOperand,)
