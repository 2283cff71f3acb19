"""Forward stored values to later loads, under upstream's name.

    affine.store %x, %T[%i] : memref<64xf32>          affine.store %x, %T[%i] : memref<64xf32>
    %0 = affine.load %T[%i] : memref<64xf32>  becomes %1 = arith.addf %x, %c : f32
    %1 = arith.addf %0, %c : f32

In one block, from the top: if an earlier store or load gives the value of a cell, a load of the
cell takes this value. A store invalidates the cells that it may change: those of memrefs that may
share memory with its own, except for subscripts that differ by a constant. Ops with accesses inside
invalidate the cells that they may write, and an op of unknown effects invalidates all. Afterwards,
memory of the function that is only stored to is removed with its stores. Exact. Refuses nothing;
non-affine subscripts are never the same. Source: MLIR's AffineScalarReplacement.cpp, without its
search across blocks.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects import affine, func, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from snippets_mlir.analysis.loops.affine_access import Access, access_of
from snippets_mlir.analysis.loops.aliasing import Alias, alias
from snippets_mlir.analysis.loops.loop_bodies import is_harmless
from snippets_mlir.analysis.loops.loop_fusion import accesses_in, conflict
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.loops.affine.distinct_arguments import mark_distinct
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.support.diagnostics import describe_value

Known = list[tuple[Access, SSAValue]]


def _is_same(left: Access, right: Access) -> bool:
    """Whether two accesses of one block certainly access one cell."""
    if left.indices is None or alias(left.memref, right.memref) is not Alias.SAME:
        return False
    return left.indices == right.indices


def _may_meet(left: Access, right: Access) -> bool:
    """Whether two accesses of one block may access one cell."""
    how = alias(left.memref, right.memref)
    if how is not Alias.SAME or left.indices is None or right.indices is None:
        return how is not Alias.NONE
    differences = (a - b for a, b in zip(left.indices, right.indices, strict=True))
    return not any(d.is_constant() and d.constant for d in differences)


@dataclass(frozen=True)
class Forwarding:
    """The plan for the loads of a function, and for its memory.

    Attributes:
        loads: loads to remove, in order, each with its value.
        unread: allocations to remove, each after the stores and deallocations to remove with it.
    """

    loads: tuple[tuple[affine.LoadOp, SSAValue], ...]
    unread: tuple[tuple[Operation, ...], ...]

    def __str__(self) -> str:
        lines = [
            f"a load of {describe_value(load.memref)} is {describe_value(value)}"
            for load, value in self.loads
        ]
        lines += [
            f"{describe_value(alloc.results[0])} is not read any more: remove it, and its stores"
            for *_, alloc in self.unread
        ]
        return "\n".join(lines) or "every load stays"


def _known_loads(block: Block) -> Iterator[tuple[affine.LoadOp, SSAValue]]:
    """Loads of a block with their values, which may be loads of this list."""
    known: Known = []
    for op in block.ops:
        match op:
            case affine.LoadOp():
                access = access_of(op)
                value = next((v for other, v in known if _is_same(access, other)), None)
                if value is None:
                    known.append((access, op.result))
                else:
                    yield op, value
            case affine.StoreOp():
                access = access_of(op)
                known = [(o, v) for o, v in known if not _may_meet(access, o)]
                known.append((access, op.value))
            case _ if op.regions:
                inside = accesses_in(op)
                writes = [a for a in inside or () if a.writes]
                known = [] if inside is None else [k for k in known if not conflict(writes, k[:1])]
            case _ if not is_harmless(op):
                known = []
            case _:
                pass


def _unread(op: Operation, values: dict[SSAValue, SSAValue]) -> tuple[Operation, ...] | None:
    """The ops to remove with an allocation without reads; None if it has reads.

    `values` are the removed loads with their values.
    """
    if not isinstance(op, memref.AllocOp | memref.AllocaOp) or op.memref in values.values():
        return None
    users = [
        use.operation for use in op.memref.uses if values.keys().isdisjoint(use.operation.results)
    ]
    for user in users:
        stores = isinstance(user, affine.StoreOp) and user.value is not op.memref
        if not stores and not isinstance(user, memref.DeallocOp):
            return None
    return (*dict.fromkeys(users), op)


@dataclass(frozen=True)
class AffineScalrepPass(PlanPass[func.FuncOp, Forwarding]):
    """Forward stored values to later loads."""

    name = "affine-scalrep"
    STAGES: ClassVar[Stages] = Stages(("loops",))

    @override
    def units(self, module: ModuleOp) -> Iterable[func.FuncOp]:
        return [op for op in module.walk() if isinstance(op, func.FuncOp)]

    def plan(self, unit: func.FuncOp) -> Forwarding:
        """Block by block, then the memory that only these loads read."""
        ops, values = [*unit.walk()], dict[SSAValue, SSAValue]()
        loads: list[tuple[affine.LoadOp, SSAValue]] = []
        for block in [block for op in ops for region in op.regions for block in region.blocks]:
            for load, value in _known_loads(block):
                values[load.result] = value = values.get(value, value)
                loads.append((load, value))
        unread = (_unread(op, values) for op in ops)
        return Forwarding(tuple(loads), tuple(found for found in unread if found is not None))

    def carry_out(self, unit: func.FuncOp, plan: Forwarding) -> None:
        """Replace the loads, mark the arguments, then remove the memory."""
        for load, value in plan.loads:
            Rewriter.replace_op(load, [], [value])
        if plan.loads:
            mark_distinct(unit)
        for op in [op for group in plan.unread for op in group]:
            Rewriter.erase_op(op)
