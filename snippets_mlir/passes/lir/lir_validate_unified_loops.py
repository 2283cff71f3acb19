"""Check that the loops of a kernel are consistent before they are written out; changes nothing.

* U1: a loop is always inside of the same loops, and its ops are contiguous.
* U2: if two nested loops walk one dim, the inner one runs a block of the outer one.
* U3: in each dim that a loop walks, an access's port has size 1 or the work amount of the
  outermost loop over that dim; the loops that a buffer lives in do not count.
* U4: an access of a vector is in a loop over the last dim that steps by the vector's elements.
* U5: a parallel loop is in parallel loops only.

A finding is an error that names the op and the loop. Source: the guide's ValidateUnifiedLoops.
"""

from dataclasses import dataclass
from typing import ClassVar, NoReturn

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import format_size
from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp, StoreOp
from snippets_mlir.dialects.lir.pointers import buffer_of, memory_port
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.buffer_facts import Access
from snippets_mlir.passes.lir.kernel_passes import KernelCheckPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def _refuse(op: Operation, rule: str, message: str) -> NoReturn:
    raise CompileError(f"{rule}: {message}", **position_of(op))


def _check_nesting(kernel: KernelOp) -> None:
    """U1, U2 and U5."""
    table = kernel.loop_table
    around: dict[int, tuple[int, ...]] = {}
    closed: set[int] = set()
    path: tuple[int, ...] = ()
    for op in kernel.block.ops:
        ids = loop_ids(op)
        if not ids:
            continue
        closed.update(id_ for id_ in path if id_ not in ids)
        for place, id_ in enumerate(ids):
            outside = ids[:place]
            if around.setdefault(id_, outside) != outside:
                _refuse(
                    op,
                    "U1",
                    f"expected loop {id_} inside of loops {list(around[id_])}, found it inside of "
                    f"{list(outside)}; run lir-fuse-loops again",
                )
            if id_ in closed:
                _refuse(
                    op,
                    "U1",
                    f"expected the ops of loop {id_} to stand together, found {op.name} after "
                    "others; run lir-fuse-loops again",
                )
            if id_ not in path:
                _check_new(op, table[id_], [table[outer] for outer in outside])
        path = ids


def _check_new(op: Operation, loop: LoopInfo, outside: list[LoopInfo]) -> None:
    same = [outer for outer in outside if outer.dim == loop.dim]
    if same and loop.inner_of != same[-1].id:
        _refuse(
            op,
            "U2",
            f"expected loop {loop.id} to run a block of loop {same[-1].id}, which walks dim "
            f"{loop.dim} around it, found inner of {loop.inner_of}; run lir-split-loops",
        )
    if loop.parallel and not all(outer.parallel for outer in outside):
        _refuse(
            op,
            "U5",
            f"expected parallel loop {loop.id} in parallel loops only, found it inside of loops "
            f"{[outer.id for outer in outside if not outer.parallel]}; run lir-mark-loops again",
        )


def _check_access(op: Access, table: dict[int, LoopInfo]) -> None:
    """U3 and U4."""
    port = memory_port(op)
    buffer = buffer_of(op)
    own = loop_ids(buffer) if buffer is not None else ()
    walked: dict[int, LoopInfo] = {}
    vector_step = 0
    for loop in (table[id_] for id_ in loop_ids(op)):
        vector_step = loop.increment if loop.dim == 0 else vector_step
        first = walked.setdefault(loop.dim, loop)
        size = port.shape[len(port.shape) - 1 - loop.dim]
        if loop.id not in own and first.id not in own and size not in (1, first.work_amount):
            _refuse(
                op,
                "U3",
                f"expected the port of {op.name} to have size {format_size(first.work_amount)} "
                f"or 1 in dim "
                f"{loop.dim}, which loop {loop.id} walks, found {format_size(size)}; run "
                f"lir-mark-loops again",
            )
    if op.elements > 1 and op.elements != vector_step:
        _refuse(
            op,
            "U4",
            f"expected {op.name} of {op.elements} elements in a loop over the last dim that steps "
            f"by as many, found {vector_step or 'none'}; run lir-mark-loops again",
        )


@dataclass(frozen=True)
class LirValidateUnifiedLoopsPass(KernelCheckPass):
    """Check loops before they are expanded."""

    name = "lir-validate-unified-loops"
    STAGES: ClassVar[Stages] = Stages(("accessed",))

    def check(self, kernel: KernelOp) -> None:
        """Raise at the first op of `kernel` that contradicts its loops."""
        _check_nesting(kernel)
        for op in kernel.block.ops:
            if isinstance(op, LoadOp | BroadcastLoadOp | StoreOp):
                _check_access(op, kernel.loop_table)
