"""Place ops of later iterations beside those of the first iteration, and share its pointers.

    %x = lir.load %a {count = 8}      ->      %x = lir.load %a {count = 8}
                                              %y = lir.load %a {count = 8, offset = 8}

for a loop that moves the pointer of `%a` by 8 elements. `lir-unroll` and `lir-jam-loops` place the
ops.
"""

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, StoreOp
from snippets_mlir.dialects.lir.pointers import Pointer, memory_port, pointer_of
from snippets_mlir.dialects.lir.ports import LoopPort
from snippets_mlir.passes.lir.loop_copies import change_motions, join_targets
from snippets_mlir.support.creating import cloned, put_before


def moved_bytes(ops: Sequence[Operation], loop: int) -> dict[Pointer, Dim]:
    """The bytes by which `loop` moves each pointer of `ops` for one unit of its counter."""
    return {
        pointer_of(op): motion.pointer_increment * element_bytes(op.operands[0])
        for op in ops
        if isinstance(op, MemoryAccessOp)
        for motion in memory_port(op).loops
        if motion.loop == loop and motion.incremented
    }


def step_of(op: Operation, moved: Mapping[Pointer, Dim], increment: int) -> Dim:
    """The distance from the access `op` to that of the next iteration, in elements; else 0.

    Args:
        op: any op in a loop.
        moved: the bytes by which the loop moves pointers (`moved_bytes`).
        increment: units of the loop in an iteration.
    """
    if not isinstance(op, MemoryAccessOp):
        return 0
    return moved.get(pointer_of(op), 0) * increment // element_bytes(op.operands[0])


def repeat_op(
    op: Operation, mapping: dict[SSAValue, SSAValue], distance: Dim, loop: int, anchor: Operation
) -> None:
    """Put the `op` of a later iteration of `loop` before `anchor`; an access moves no pointer.

    Args:
        op: the op of the first iteration.
        mapping: from values of the first iteration to values of the later one.
        distance: from `op` to the later one, in elements.
        loop: the loop, which moves the pointer only once for both.
        anchor: the op after the new op.
    """
    clone = cloned(op, mapping)
    put_before(clone, anchor)
    if isinstance(clone, MemoryAccessOp):
        clone.set_distance(clone.distance + distance)
        change_motions([clone], {loop: lambda motion: LoopPort(motion.loop, motion.dim)})
    if isinstance(op, StoreOp):
        join_targets(op, mapping[op.target])
