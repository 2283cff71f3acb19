"""Make memory accesses explicit: a load before what reads an input, a store after what makes an
output.

    %0 = snippets.relu %x                        %l = lir.load %x {count = 8 : i64}
    lir.result %0 {index = 0 : i64}    becomes   %0 = snippets.relu %l
                                                 %s = lir.store %0 {count = 8 : i64}
                                                 lir.result %s {index = 0 : i64}

A load and a store take the loops of their consumer and producer. The count is the port's tile: a
vector, or 1 when the last dim has size 1. One load serves all consumers in the same loops. Source:
the guide's InsertLoadStore (reference 2.18).
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, OpResult, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import LoadOp, ResultOp, StoreOp
from snippets_mlir.passes.lir.editing import (
    for_each_kernel,
    insert_after,
    insert_before,
    replace_operand,
)


def _insert_loads(kernel: KernelOp) -> None:
    loads: dict[tuple[SSAValue, tuple[int, ...]], LoadOp] = {}
    for op in list(kernel.block.ops):
        for index, value in enumerate(op.operands):
            if not isinstance(value, BlockArgument):
                continue
            port, loops = input_ports(op)[index], loop_ids(op)
            load = loads.get((value, loops))
            if load is None:
                load = LoadOp(value, port.lanes)
                insert_before(op, load, [port, port], loops)
                loads[value, loops] = load
            replace_operand(op, index, load.result, port)


def _insert_stores(kernel: KernelOp) -> None:
    for op in list(kernel.block.ops):
        if not isinstance(op, ResultOp):
            continue
        (value,) = op.values
        assert isinstance(value, OpResult)
        producer = value.op
        port = output_ports(producer)[value.index]
        store = StoreOp(value, port.lanes)
        insert_after(producer, store, [port, port], loop_ids(producer))
        replace_operand(op, 0, store.target, port)


def _apply(kernel: KernelOp) -> None:
    _insert_loads(kernel)
    _insert_stores(kernel)
    kernel.set_stage("accessed")


@dataclass(frozen=True)
class LirInsertLoadStorePass(ModulePass):
    """Insert loads of inputs and stores of outputs."""

    name = "lir-insert-load-store"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Insert the memory accesses of every kernel at stage `marked`."""
        for_each_kernel(op, ("marked",), _apply)
