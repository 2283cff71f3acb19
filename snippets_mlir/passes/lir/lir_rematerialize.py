"""Compute cheap values again where later loops read them, instead of keeping rows of them.

    %d = snippets.subtract %x, %m  {lir.loops = array<i64: 0, 1>}    // %m: a number for each row
    %s = ... sum of %d * %d ...    {lir.loops = array<i64: 0, 1>}
    %y = snippets.multiply %d, %r  {lir.loops = array<i64: 0, 2>}    // needs %s

becomes

    %d = snippets.subtract %x, %m  {lir.loops = array<i64: 0, 1>}
    %s = ... sum of %d * %d ...    {lir.loops = array<i64: 0, 1>}
    %e = snippets.subtract %x, %m  {lir.loops = array<i64: 0, 2>}
    %y = snippets.multiply %e, %r  {lir.loops = array<i64: 0, 2>}

So no buffer holds a row of `%d`: a store and a load of each vector become a load of `%x`. A store
costs more than a load, and the input row is still in a cache. Rules, for a value and all of its
readers in other loops:

* T1: at most `MOST` cheap ops (by their records) compute it, and take as long as one or two of the
  loads that they replace. Their operands are arrays of the kernel, numbers that are defined in
  loops around both places (or in none), and values that later loops find in a buffer anyway;
* T2: these arrays and buffers replace one buffer. They are at most `arrays` if the value's loop is
  the first to read one of them, and at most `later` otherwise; none is read through a view or in
  another order. The first loop waits for memory, and a store makes it wait longer. In a later loop
  a store costs about as much as a second load, and next to nothing beside a function such as exp,
  so values of such a loop are kept;
* T3: no reader reads the value through a view or through another port than the value's, so the
  recomputed value has the readers' shape and lanes;
* T4: all readers are in the parallel loops of the value;
* T5: the buffer would hold a row of neighbours, and `arrays` such rows have at most `LONGEST`
  bytes: the second read finds them in a cache, and does not skip through pages;
* T6: it pays off: the arrays of the kernel have more than `least` bytes. Work in the second-level
  cache is bound by loads, and loads of arrays often cross two cache lines, loads of a buffer never.

Values are visited in order, so a value may be computed from one that is itself computed again. Dead
values and empty loops are erased. The copies get the same operands, so their bits are the same:
exact. The default, `least=-1`, is the machine's `rematerialize_from`; it does nothing if that is
None, nor in kernels with dynamic dims unless `least` is 0; `later=-1` is the machine's `rereads`.
Refuses a `least` below -1, and `arrays` and `later` below 1. docs/kernel-measurements.md has the
times.
"""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.lir.access import loop_ids, output_ports, ports
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import erase, insert_before, replace_operand
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.lir_stream_stores import is_larger
from snippets_mlir.passes.lir.rematerialization import Again, plan_again
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of


def _insert_copies(kernel: KernelOp, again: Sequence[Again]) -> None:
    """Let the readers read copies, one of each op in the same loops."""
    sources = {op: tuple(op.operands) for one in again for op in one.ops}
    wanted: dict[Operation, list[tuple[int, Again]]] = {}
    for one in again:
        for reader in one.readers:
            wanted.setdefault(reader.op, []).append((reader.index, one))
    copies: dict[tuple[SSAValue, tuple[int, ...]], SSAValue] = {}
    for anchor in list(kernel.block.ops):
        loops = loop_ids(anchor)
        for index, one in wanted.get(anchor, ()):
            for op in one.ops:
                if (op.results[0], loops) in copies:
                    continue
                # The op itself may already read copies in its own loops.
                copy = op.clone()
                copy.operands = [copies.get((value, loops), value) for value in sources[op]]
                insert_before(anchor, copy, ports(op), loops)
                copy.results[0].name_hint = op.results[0].name_hint
                copies[op.results[0], loops] = copy.results[0]
            port = output_ports(one.value.op)[one.value.index]
            replace_operand(anchor, index, copies[one.value, loops], port)


def _clean(kernel: KernelOp, ops: Container[Operation]) -> None:
    """Erase dead ops of `ops`, and empty loops."""
    for op in reversed(list(kernel.block.ops)):
        if op in ops and not any(any(result.uses) for result in op.results):
            erase(op)
    used = {id_ for op in kernel.block.ops for id_ in loop_ids(op)}
    kernel.set_loops([loop for loop in kernel.loop_table.values() if loop.id in used])


@dataclass(frozen=True, eq=False)
class Rematerialized:
    """The values of a kernel that are computed again."""

    values: tuple[Again, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.values)) or "no value is computed again"


@dataclass(frozen=True)
class LirRematerializePass(KernelPlanPass[Rematerialized]):
    """Compute cheap values again in later loops.

    Attributes:
        arrays: the most arrays that may be read instead of one buffer of the first loop.
        later: the most arrays instead of one buffer of a later loop; -1 for the machine's.
        least: bytes of a kernel's arrays above which it pays off; -1 for the machine's.
    """

    name = "lir-rematerialize"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    arrays: int = 2
    later: int = -1
    least: int = -1

    def units(self, module: ModuleOp) -> Iterable[KernelOp]:
        """The kernels at stage `marked`, if the machine gains from it."""
        if self.arrays < 1 or self.later < -1 or self.later == 0:
            found = f"arrays={self.arrays} later={self.later}"
            raise CompileError(f"expected one array or more, found {found}")
        if self.least < -1:
            raise CompileError(f"expected bytes, or -1 for the target's, found least={self.least}")
        if self.least == -1 and machine_of(module).rematerialize_from is None:
            return ()
        return super().units(module)

    def plan(self, unit: KernelOp) -> Rematerialized:
        """The values by the rules, if the kernel has enough bytes (T6)."""
        module = module_of(unit)
        least = machine_of(module).rematerialize_from if self.least == -1 else self.least
        if least is None or not is_larger(unit, least):
            return Rematerialized(())
        later = machine_of(module).rereads if self.later == -1 else self.later
        return Rematerialized(tuple(plan_again(unit, self.arrays, later)))

    def carry_out(self, unit: KernelOp, plan: Rematerialized) -> None:
        """Insert the copies, and erase dead ops."""
        if plan.values:
            _insert_copies(unit, plan.values)
            _clean(unit, {op for again in plan.values for op in again.ops})
