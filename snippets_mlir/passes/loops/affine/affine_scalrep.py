"""Hand on what is stored to the loads behind it, under upstream's name.

    affine.store %x, %T[%i] : memref<64xf32>          affine.store %x, %T[%i] : memref<64xf32>
    %0 = affine.load %T[%i] : memref<64xf32>  becomes %1 = arith.addf %x, %c : f32
    %1 = arith.addf %0, %c : f32

In one block, from the top: a load of a cell that is known from a store, or from a load, takes the
value. A store forgets the cells that it may change: those of memrefs that may share memory with its
own, but for subscripts that differ by a constant. Ops with accesses inside forget what they may
write; an op whose effects are not known makes everything forgotten. Memory that is allocated in the
function and only stored to, then, is removed with its stores. Exact. Refuses nothing; subscripts
that are not affine are never the same. Source: MLIR's AffineScalarReplacement.cpp, without its
search across blocks.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import affine, func, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from snippets_mlir.analysis.affine_access import Access, access_of
from snippets_mlir.analysis.aliasing import Alias, alias
from snippets_mlir.analysis.loop_bodies import is_harmless
from snippets_mlir.analysis.loop_fusion import accesses_in, conflict
from snippets_mlir.passes.loops.affine.distinct_arguments import mark_distinct

Known = list[tuple[Access, SSAValue]]


def _is_same(left: Access, right: Access) -> bool:
    """Whether two accesses of one block are surely of one cell."""
    if left.indices is None or alias(left.memref, right.memref) is not Alias.SAME:
        return False
    return left.indices == right.indices


def _may_meet(left: Access, right: Access) -> bool:
    """Whether two accesses of one block may be of one cell."""
    how = alias(left.memref, right.memref)
    if how is not Alias.SAME or left.indices is None or right.indices is None:
        return how is not Alias.NONE
    differences = (a - b for a, b in zip(left.indices, right.indices, strict=True))
    return not any(d.is_constant() and d.constant for d in differences)


def _plan(block: Block) -> Iterator[tuple[affine.LoadOp, SSAValue]]:
    """Loads of a block with the value that each of them has; values may be loads of this list."""
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


def _unread(op: Operation) -> list[Operation] | None:
    """The ops to erase with an allocation that nothing reads, None when something does."""
    if not isinstance(op, memref.AllocOp | memref.AllocaOp):
        return None
    users = [use.operation for use in op.memref.uses]
    for user in users:
        stores = isinstance(user, affine.StoreOp) and user.value is not op.memref
        if not stores and not isinstance(user, memref.DeallocOp):
            return None
    return list(dict.fromkeys(users))


def _apply(loads: list[tuple[affine.LoadOp, SSAValue]]) -> None:
    replaced: dict[SSAValue, SSAValue] = {}
    for load, value in loads:
        replaced[load.result] = value = replaced.get(value, value)
        Rewriter.replace_op(load, [], [value])


@dataclass(frozen=True)
class AffineScalrepPass(ModulePass):
    """Hand on what is stored to the loads behind it."""

    name = "affine-scalrep"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace loads in every block, then remove memory that nothing reads."""
        for function in [inner for inner in op.walk() if isinstance(inner, func.FuncOp)]:
            regions = [region for inner in function.walk() for region in inner.regions]
            for block in [block for region in regions for block in region.blocks]:
                if loads := list(_plan(block)):
                    _apply(loads)
                    mark_distinct(function)
        for inner in list(op.walk()):
            if (users := _unread(inner)) is not None:
                for user in users:
                    Rewriter.erase_op(user)
                Rewriter.erase_op(inner)
