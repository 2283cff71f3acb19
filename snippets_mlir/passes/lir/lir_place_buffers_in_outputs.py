"""Place buffers in an output of their kernel, where the result is stored anyway.

    lir.loop_begin 0                                    // loop over rows
      %s = lir.store %t    {... #lir.port<[1, 768], loops [0: dim 1 fixed, 1: dim 0 ptr 1 ...]>}
    %b = lir.buffer %s     {lir.loops = array<i64: 0>}
      %l = lir.load %b     {... #lir.port<[1, 768], loops [0: dim 1 fixed, 2: dim 0 ptr 1 ...]>}
      %y = snippets.multiply %l, %r
      %o = lir.store %y    {... #lir.port<[512, 768], loops [0: dim 1 ptr 768 ..., 2: ...]>}
    lir.loop_end 0
    lir.result %o {index = 0 : i64}

becomes, with ports of the whole output instead of a row,

      %s = lir.store %t    {... #lir.port<[512, 768], loops [0: dim 1 ptr 768 ..., 1: ...]>}
    %b = lir.buffer %s     {output = 0 : i64, lir.loops = array<i64: 0>}
      %l = lir.load %b     {... #lir.port<[512, 768], loops [0: dim 1 ptr 768 ..., 2: ...]>}

The first loop that fills the buffer brings a row of the output into the caches while the row's
inputs are loaded, and nothing is held twice. A buffer lives in an output if

* O1: it has the output's element type;
* O2: it has the output's elements: its stores and loads have the shape and order of the output,
  without views, and it lives in all parallel loops of the kernel. None of these loops walks a dim
  that the output lacks. So no thread writes elements of another;
* O3: one store fills the output, in the loops that the buffer lives in. The buffer is dead in the
  loop nest of that store, or its last reads there come before the same elements are written (C2 and
  C3 of lir-define-buffer-clusters);
* O4: it is never alive together with another buffer in the output, except with one that overwrites
  it (C1 to C3);
* O5: no store of the kernel is non-temporal: align-nontemporal-stores would run iterations twice,
  and the second run would find other elements;
* O6: it pays off: the arrays of the kernel are larger than the last-level cache (`snippets.cache`,
  or the machine's default), and the machine gains from it (`TargetMachine.buffers_in_outputs`).
  Otherwise a scratchpad that stays in the first-level cache is better.

`least` is a number of bytes of arrays that replaces O6. Kernels with dynamic dimensions keep their
scratchpad, unless it is 0. Each call checks that inputs and other outputs share no memory with an
output. Refuses a `least` below -1. Exact.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import ResultOp, StoreOp
from snippets_mlir.dialects.lir.pointers import memory_port, set_memory_port
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.buffer_facts import Access, BufferFacts, scratch_facts
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text
from snippets_mlir.passes.lir.lir_define_buffer_clusters import (
    Order,
    dies_in_place,
    may_overwrite,
    order_of,
)
from snippets_mlir.passes.lir.lir_init_loops import moved
from snippets_mlir.passes.lir.lir_stream_stores import is_larger
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import cache_of, machine_of


@dataclass(frozen=True, eq=False)
class Placed:
    """A buffer that lives in an output, with the new ports in memory of its accesses."""

    buffer: BufferOp
    output: int
    accesses: tuple[tuple[Access, PortDescriptor], ...]

    def __str__(self) -> str:
        return f"{op_text(self.buffer)}, lives in output {self.output}"


@dataclass(frozen=True, eq=False)
class Places:
    """The buffers of a kernel that live in outputs."""

    buffers: tuple[Placed, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.buffers)) or "all buffers stay in the scratchpad"


@dataclass(frozen=True, eq=False)
class _Output:
    """An output with the one store that fills it."""

    index: int
    store: StoreOp

    @property
    def port(self) -> PortDescriptor:
        return memory_port(self.store)


def _outputs(kernel: KernelOp) -> Iterator[_Output]:
    """The outputs that one store fills."""
    for op in kernel.block.ops:
        if isinstance(op, ResultOp) and len(op.values) == 1:
            (target,) = op.values
            if isinstance(target.owner, StoreOp) and target.has_one_use():
                yield _Output(op.index.value.data, target.owner)


def _seen(access: Access) -> PortDescriptor:
    """The port of the value that an access stores or loads."""
    return input_ports(access)[0] if isinstance(access, StoreOp) else output_ports(access)[0]


def _fits(facts: BufferFacts, output: _Output, table: dict[int, LoopInfo]) -> bool:
    buffer, port, own = facts.buffer, output.port, loop_ids(facts.buffer)
    if any(loop.parallel and loop.id not in own for loop in table.values()):
        return False
    if tensor_of(buffer.result).element_type != tensor_of(output.store.target).element_type:
        return False
    for loop in (table[id_] for id_ in own):
        if port.shape[len(port.shape) - 1 - loop.dim] == 1 != loop.work_amount:
            return False
    return all(
        _seen(access).shape == port.shape
        and memory_port(access).layout == port.layout
        and (isinstance(access, StoreOp) or access.operands[0] is buffer.result)
        for access in facts.accesses
    )


def _ports(
    every: Sequence[BufferFacts], output: _Output, table: dict[int, LoopInfo]
) -> dict[Operation, PortDescriptor]:
    """The ports in memory of the accesses of buffers that live in `output`."""
    ports: dict[Operation, PortDescriptor] = {}
    for access in (access for facts in every for access in facts.accesses):
        port = replace(memory_port(access), shape=output.port.shape, layout=output.port.layout)
        ports[access] = moved(port, [table[id_] for id_ in loop_ids(access)])
    return ports


def _is_free(facts: BufferFacts, output: _Output, order: Order) -> bool:
    own = loop_ids(facts.buffer)
    nest = order.nest_of(output.store, len(own))
    if loop_ids(output.store)[: len(own)] != own or nest is None:
        return False
    return facts.end < nest[0] or dies_in_place(order, facts, output.store)


def _shares(facts: BufferFacts, others: Sequence[BufferFacts], order: Order) -> bool:
    """O4 for buffers that are filled later."""
    own = loop_ids(facts.buffer)
    return all(
        own == loop_ids(other.buffer)
        and (not facts.meets(other) or may_overwrite(order, facts, other))
        for other in others
    )


def plan_places(kernel: KernelOp) -> list[Placed]:
    """The buffers that may live in outputs (O1 to O5)."""
    stores = [op for op in kernel.block.ops if isinstance(op, StoreOp)]
    if any(store.nontemporal is not None for store in stores):
        return []
    table, found = kernel.loop_table, list[Placed]()
    left = scratch_facts(kernel)[::-1]
    for output in _outputs(kernel):
        inside: list[BufferFacts] = []
        fitting = [facts for facts in left if _fits(facts, output, table)]
        ports = _ports(fitting, output, table)
        order = order_of(kernel, ports)
        for facts in fitting:
            if _is_free(facts, output, order) and _shares(facts, inside, order):
                inside.append(facts)
                accesses = tuple((access, ports[access]) for access in facts.accesses)
                found.append(Placed(facts.buffer, output.index, accesses))
        left = [facts for facts in left if facts not in inside]
    return found


@dataclass(frozen=True)
class LirPlaceBuffersInOutputsPass(KernelPlanPass[Places]):
    """Let buffers live in outputs.

    Attributes:
        least: bytes of arrays above which they do; -1 for the machine's.
    """

    name = "lir-place-buffers-in-outputs"
    STAGES: ClassVar[Stages] = Stages(("looped",))

    least: int = -1

    def units(self, module: ModuleOp) -> Iterable[KernelOp]:
        """The kernels at stage `looped`, if the machine gains from it."""
        if self.least < -1:
            raise CompileError(f"expected bytes, or -1 for the target's, found least={self.least}")
        if self.least == -1 and not machine_of(module).buffers_in_outputs:
            return ()
        return super().units(module)

    def plan(self, unit: KernelOp) -> Places:
        """The places, if the kernel has enough bytes (O6)."""
        least = cache_of(module_of(unit)) if self.least == -1 else self.least
        return Places(tuple(plan_places(unit)) if is_larger(unit, least) else ())

    def carry_out(self, unit: KernelOp, plan: Places) -> None:
        """Write the outputs, and the ports of the buffers' stores and loads."""
        for placed in plan.buffers:
            for name in ("reg_group", "cluster", "offset"):
                placed.buffer.properties.pop(name, None)
            placed.buffer.decide("output", placed.output)
            for access, port in placed.accesses:
                set_memory_port(access, port)
