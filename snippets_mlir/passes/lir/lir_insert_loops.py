"""Put markers where loops begin and end.

    %0 = lir.load %x {lir.loops = array<i64: 0>}        lir.loop_begin 0
    %1 = lir.store %0 {lir.loops = array<i64: 0>}       %0 = lir.load %x {lir.loops = array<i64: 0>}
                                             becomes    %1 = lir.store %0 {lir.loops = array<i64:
                                             0>}
                                                        lir.loop_end 0

The ids stay on the ops and have to agree with the markers (law L5). Source: the guide's
InsertLoops (reference 2.21). Refuses a kernel in which the ops of one loop do not stand together:
run lir-fuse-loops first.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from snippets_mlir.diagnostics import position_of
from snippets_mlir.dialects.lir.access import LOOPS, loop_ids
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.errors import CompileError
from snippets_mlir.passes.lir.editing import for_each_kernel


def _apply(kernel: KernelOp) -> None:
    block = kernel.block
    path: tuple[int, ...] = ()
    closed: set[int] = set()
    last: Operation | None = None
    _move_scalars_to_the_front(kernel)
    for op in list(block.ops):
        if isinstance(op, ResultOp) or LOOPS not in op.attributes:
            continue
        ids = loop_ids(op)
        common = 0
        while common < min(len(path), len(ids)) and path[common] == ids[common]:
            common += 1
        for id_ in reversed(path[common:]):
            closed.add(id_)
            assert last is not None
            last = block_insert_after(last, LoopEndOp(id_))
        for id_ in ids[common:]:
            if id_ in closed:
                raise CompileError(
                    f"in @{kernel.sym_name.data}: the ops of loop {id_} do not stand together; "
                    "run lir-fuse-loops before lir-insert-loops",
                    **position_of(kernel),
                )
            block.insert_op_before(LoopBeginOp(id_), op)
        path, last = ids, op
    for id_ in reversed(path):
        assert last is not None
        last = block_insert_after(last, LoopEndOp(id_))
    kernel.set_stage("looped")


def block_insert_after(anchor: Operation, op: Operation) -> Operation:
    """Insert `op` after `anchor` and return it."""
    block = anchor.parent
    assert block is not None
    block.insert_op_after(op, anchor)
    return op


def _move_scalars_to_the_front(kernel: KernelOp) -> None:
    """Immediates are in no loop, so they must not stand between the markers of one."""
    block = kernel.block
    first = block.first_op
    for op in list(block.ops):
        if isinstance(op, ScalarOp) and op is not first:
            op.detach()
            assert first is not None
            block.insert_op_before(op, first)


@dataclass(frozen=True)
class LirInsertLoopsPass(ModulePass):
    """Insert loop markers."""

    name = "lir-insert-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Insert the markers in every kernel at stage `accessed`."""
        for_each_kernel(op, ("accessed",), _apply)
