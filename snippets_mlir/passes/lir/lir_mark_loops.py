"""Group the ops of a kernel and choose the loops of each group.

    %0 = snippets.relu %x {lir.loops = array<i64>, lir.ports = [#lir.port<[4, 300]>, ...]}

becomes, on 8 lanes,

    loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 300, inc 8, dim 0>]
    %0 = snippets.relu %x {lir.loops = array<i64: 0, 1>,
                           lir.ports = [#lir.port<[4, 300], sub [8]>, ...]}

A group is a sequence of ops in which each op reads the result of the previous one (the guide's
MarkLoops); `lir-fuse-loops` does the rest. The work amounts of a group are its broadcast output
shapes. The innermost loop goes by vectors, the others by one, and a dim of size 1 takes one step. A
dim that only matrix products sum over has no loop around other ops. Kept dims are outside of
reduced and scanned ones. The loops over kept dims are parallel, except the one by vectors, unless
it is the only one. Scalars and views stay outside of loops, because they emit no code there.

A loop over a dim of size 0 never runs. So it is not parallel, and ops with work and ops without are
in different groups: `relu %y` of 1x5 does not run in the loops of `add %0, %x` of 0x5.

Options: `vector-size` (0 = lanes of the target, else a power of two of at most 256), `loop-depth`
(innermost dims that get loops; 0 = all). Refuses other vector sizes, and a depth smaller than the
rank if outer dims are larger than 1: no loop would walk them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.analysis.graph.lowerable import REDUCTIONS
from snippets_mlir.dialects.builtin.dims import Dim, format_size
from snippets_mlir.dialects.builtin.size_text import format_sizes
from snippets_mlir.dialects.lir.access import (
    is_view,
    set_loop_ids,
)
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.lir.part import is_part
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.scan import ScanOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import map_ports
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text
from snippets_mlir.passes.lir.reductions import ordered_dims, reduced_dims, walked
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of

LARGEST = 256
"""The most lanes of a vector."""


def is_scan(op: Operation) -> bool:
    """Whether `op` is a scan, whose loop runs in order."""
    return isinstance(op, ScanOp)


def chains(ops: Sequence[Operation]) -> list[list[Operation]]:
    """Maximal runs in which each op reads a result of the previous op; scalars are skipped.

    A reduction ends its run: its result exists only after the loops over its reduced dims. So does
    an op with work before one without work, and a part of an output before an op that walks more:
    the store runs once. Beside a product, a reduction is a run of its own, so that ops before it
    can join the loops of the product. A scan and a reduction are never in one run: the loop of a
    sum may be split, but not the loop of a scan.
    """
    groups: list[list[Operation]] = []
    previous: Operation | None = None
    beside = any(isinstance(op, BrgemmOp) for op in ops)
    for op in ops:
        if isinstance(op, ScalarOp | ResultOp) or is_view(op):
            continue
        follows = previous is not None and any(v.owner is previous for v in op.operands)
        follows = follows and not (beside and op.name in REDUCTIONS)
        follows = follows and not (op.name in REDUCTIONS and any(map(is_scan, groups[-1])))
        if follows and previous is not None and is_part(previous):
            follows = walked(op) == walked(previous)
        if follows and (0 in walked(op)) == (0 in walked(groups[-1][-1])):
            groups[-1].append(op)
        else:
            groups.append([op])
        previous = None if op.name in REDUCTIONS or isinstance(op, BrgemmOp) else op
    return groups


def loop_order(rank: int, own: frozenset[int], others: frozenset[int]) -> list[int]:
    """Dims, as indices into shapes, outermost first.

    Kept dims come first, then dims that other ops of the kernel reduce or scan, then dims that the
    group itself reduces. So a reduction is over the innermost loops, and the nests of a kernel
    agree on the outer ones.
    """
    return sorted(range(rank), key=lambda dim: (dim in own, dim in others, dim))


def plan_loops(
    shape: Sequence[Dim],
    first_id: int,
    vector_size: int,
    depth: int,
    own: frozenset[int] = frozenset(),
    others: frozenset[int] = frozenset(),
    left_out: frozenset[int] = frozenset(),
) -> list[LoopInfo]:
    """The loops that walk `shape`, outermost first, with ids from `first_id` up.

    Args:
        shape: the broadcast sizes of the group's ops.
        first_id: id of the outermost loop.
        vector_size: step of the loop over the last dim.
        depth: how many innermost dims get loops; 0 = all.
        own: dims that the group reduces, as indices into `shape`.
        others: dims that some op of the kernel reduces or scans.
        left_out: dims that get no loop if they have size 1.
    """
    rank = len(shape)
    depth = min(depth or rank, rank)
    if any(size != 1 for size in shape[: rank - depth]):
        raise CompileError(
            f"loop-depth={depth} leaves dims of {format_sizes(shape)} without a loop; "
            f"use {rank}, or 0 for all"
        )
    kept_outside = any(dim not in others for dim in range(rank - depth, rank - 1))
    loops: list[LoopInfo] = []
    for place in loop_order(rank, own, others):
        dim = rank - 1 - place
        if dim >= depth or (place in left_out and shape[place] == 1):
            continue
        step = vector_size if dim == 0 and shape[place] != 1 else 1
        kept = place not in others and shape[place] != 0
        parallel = kept and (dim > 0 or not kept_outside)
        loops.append(LoopInfo(first_id + len(loops), shape[place], step, dim, parallel))
    return loops


def with_lanes(port: PortDescriptor, vector_size: int) -> PortDescriptor:
    """The port with its tile: a vector of the last dim, or one element if the dim has size 1."""
    return replace(port, subtensor=(1 if port.shape[-1] == 1 else vector_size,))


@dataclass(frozen=True, eq=False)
class Marks:
    """The groups of a kernel.

    Attributes:
        groups: the ops of each group with the loops around them, outermost first.
        vector_size: lanes of a vector.
    """

    groups: tuple[tuple[tuple[Operation, ...], tuple[LoopInfo, ...]], ...]
    vector_size: int

    def __str__(self) -> str:
        lines = [f"vectors of {self.vector_size}"]
        for ops, nest in self.groups:
            steps = ", ".join(
                f"{loop.id} (work {format_size(loop.work_amount)} by {loop.increment})"
                for loop in nest
            )
            lines.append(f"loops {steps}: {'; '.join(map(op_text, ops))}")
        return "\n".join(lines)


@dataclass(frozen=True)
class LirMarkLoopsPass(KernelPlanPass[Marks]):
    """Group the ops of kernels and mark the loops of each group."""

    name = "lir-mark-loops"
    STAGES: ClassVar[Stages] = Stages(("linear",), "marked")

    vector_size: int = 0
    loop_depth: int = 0

    @override
    def units(self, module: ModuleOp) -> Iterable[KernelOp]:
        if self.vector_size < 0 or self.loop_depth < 0:
            raise CompileError("expected vector-size and loop-depth of 0 or more")
        if self.vector_size > LARGEST or self.vector_size & (self.vector_size - 1):
            raise CompileError(
                f"expected vector-size to be a power of two of at most {LARGEST}, "
                f"found {self.vector_size}"
            )
        return super().units(module)

    def plan(self, unit: KernelOp) -> Marks:
        """The loops of one group after another."""
        vector_size = self.vector_size or machine_of(module_of(unit)).lanes
        ops, count = list(unit.block.ops), 0
        others = frozenset(dim for op in ops for dim in ordered_dims(op))
        terms = others.difference(
            dim for op in ops if not isinstance(op, BrgemmOp) for dim in ordered_dims(op)
        )
        groups: list[tuple[tuple[Operation, ...], tuple[LoopInfo, ...]]] = []
        for group in chains(ops):
            shapes = [walked(op) for op in group]
            if (shape := broadcast_shapes(*shapes)) is None:
                raise CompileError(
                    "expected the ports of ops that run together to have shapes that broadcast, "
                    f"found {', '.join(map(format_sizes, shapes))}",
                    **position_of(group[-1]),
                )
            own = frozenset(reduced_dims(group[-1]))
            nest = plan_loops(shape, count, vector_size, self.loop_depth, own, others, terms)
            groups.append((tuple(group), tuple(nest)))
            count += len(nest)
        return Marks(tuple(groups), vector_size)

    def carry_out(self, unit: KernelOp, plan: Marks) -> None:
        """Write the loops, and the lanes of all ports."""
        for ops, nest in plan.groups:
            for op in ops:
                set_loop_ids(op, [loop.id for loop in nest])
        seen = [op for op in unit.block.ops if not is_view(op)]
        map_ports(seen, lambda port: with_lanes(port, plan.vector_size))
        unit.set_loops([loop for _, nest in plan.groups for loop in nest])
        unit.set_stage("marked")
