"""Choose the values that `lir-rematerialize` computes again, and their ops: its rules T1 to T5.

A value that later loops read is either *kept*, in a buffer that lir-insert-buffers makes, or
computed again there. This module changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from xdsl.ir import Operation, OpResult, SSAValue

from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.lir.access import (
    input_ports,
    is_array,
    loop_ids,
    output_ports,
    ports,
    scope,
    view_source,
)
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.registry import record_of
from snippets_mlir.passes.lir.kernel_passes import op_text
from snippets_mlir.passes.lir.lir_expand_math import expansion_of
from snippets_mlir.passes.lir.lir_insert_buffers import held
from snippets_mlir.passes.lir.readers import Reader, readers_of, shared_loops

MOST = 3
"""The most ops that compute one value again."""

LONGEST = 128 << 10
"""The most bytes of rows that are read again: a part of the second-level cache."""


@dataclass(frozen=True, eq=False)
class Again:
    """A value that readers compute again.

    Attributes:
        value: the value that they read.
        readers: in other loops than the value.
        ops: the ops that compute it, in order; its own op is the last one.
    """

    value: OpResult
    readers: tuple[Reader, ...]
    ops: tuple[Operation, ...]

    def __str__(self) -> str:
        readers = "; ".join(op_text(op) for op in dict.fromkeys(r.op for r in self.readers))
        ops = ", ".join(op.name for op in self.ops)
        return f"{op_text(self.value.op)}, is computed again, by {ops}, for {readers}"


@dataclass(eq=False)
class Decisions:
    """The decisions for one kernel, in progress.

    Attributes:
        table: the kernel's loops.
        arrays: the most arrays read instead of one buffer of the first loop (T2).
        later: the most arrays instead of one buffer of a later loop.
        first: the loops of the first op that reads each array.
        busy: loops that compute functions, which lir-expand-math expands.
        found: the values to compute again, in order.
        kept: values with a buffer, and the loops that it lives in.
    """

    table: dict[int, LoopInfo]
    arrays: int
    later: int
    first: Mapping[SSAValue, tuple[int, ...]]
    busy: AbstractSet[tuple[int, ...]]
    found: list[Again] = field(default_factory=list[Again])
    kept: dict[SSAValue, tuple[int, ...]] = field(default_factory=dict[SSAValue, tuple[int, ...]])

    def look_at(self, value: OpResult) -> None:
        """Decide on a value of the kernel."""
        defined = scope(value)
        readers = [
            reader
            for reader in readers_of(value)
            if reader.views or loop_ids(reader.op)[: len(defined)] != defined
        ]
        if not readers:
            return
        common = shared_loops(defined, [loop_ids(reader.op) for reader in readers])
        made = self._made(value, readers, common)
        if made is None:
            self.kept[value] = common
        else:
            self.found.append(Again(value, tuple(readers), made))

    def _made(
        self, value: OpResult, readers: Sequence[Reader], common: tuple[int, ...]
    ) -> tuple[Operation, ...] | None:
        """The ops that compute `value` again, or None (T1 to T5)."""
        port = output_ports(value.op)[value.index]
        if any(r.views or input_ports(r.op)[r.index] != port for r in readers):
            return None
        if any(self.table[id_].parallel for id_ in loop_ids(value.op)[len(common) :]):
            return None
        *outer, row = held(port, [self.table[id_] for id_ in common]).shape or (1,)
        if any(size != 1 for size in outer):
            return None
        ops: dict[Operation, None] = {}
        sources: dict[SSAValue, None] = {}
        if not self._collect(value, common, ops, sources):
            return None
        fetches = any(self.first.get(source) == loop_ids(value.op) for source in sources)
        if not fetches and loop_ids(value.op) in self.busy:
            return None
        if len(ops) > MOST or len(sources) > (self.arrays if fetches else self.later):
            return None
        read = len(sources) * row * element_bytes(value)
        return tuple(ops) if assumed(read) <= LONGEST else None

    def _collect(
        self,
        value: SSAValue,
        common: tuple[int, ...],
        ops: dict[Operation, None],
        sources: dict[SSAValue, None],
    ) -> bool:
        """Add the ops that compute `value` in loops inside of `common`, and their arrays."""
        if is_array(value):
            sources[value] = None
            return view_source(value) is value
        assert isinstance(value, OpResult)
        if isinstance(value.op, ScalarOp) or common[: len(scope(value))] == scope(value):
            return True
        kept = self.kept.get(value)
        if kept is not None and common[: len(kept)] == kept:
            sources[value] = None
            return True
        record = record_of(value.op.name)
        if record is None or not record.cheap or any(port.layout for port in ports(value.op)):
            return False
        if not all(self._collect(operand, common, ops, sources) for operand in value.op.operands):
            return False
        ops[value.op] = None
        return True


def plan_again(kernel: KernelOp, arrays: int, later: int) -> list[Again]:
    """The values to compute again, each with its ops."""
    first: dict[SSAValue, tuple[int, ...]] = {}
    for op in kernel.block.ops:
        for value in op.operands:
            if is_array(value):
                first.setdefault(value, loop_ids(op))
    busy = {loop_ids(op) for op in kernel.block.ops if expansion_of(op) is not None}
    plan = Decisions(kernel.loop_table, arrays, later, first, busy)
    for op in kernel.block.ops:
        for value in op.results:
            if not isinstance(op, ScalarOp) and not is_array(value):
                plan.look_at(value)
    return plan.found
