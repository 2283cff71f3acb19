"""Make memory accesses explicit: a load before what reads an input, a store after what makes an
output.

    %0 = snippets.relu %x                        %l = lir.load %x {count = 8 : i64}
    lir.result %0 {index = 0 : i64}    becomes   %0 = snippets.relu %l
                                                 %s = lir.store %0 {count = 8 : i64}
                                                 lir.result %s {index = 0 : i64}

A load and a store take the loops of their consumer and producer. The count is the port's tile: a
vector, or 1 when the last dim has size 1. One load serves all consumers in the same loops that see
the input in the same shape and order. What an accumulator gives is stored behind its loop. A view
of an output vanishes: the store's target has the type of the output. Loads and stores that stand
there already, those of buffers, stay as they are. Source: the guide's InsertLoadStore (reference
2.18).
"""

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import OpResult, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import (
    input_ports,
    is_array,
    is_view,
    loop_ids,
    output_ports,
    scope,
    view_source,
)
from snippets_mlir.dialects.lir.attributes import PortDescriptor
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp, ResultOp, StoreOp
from snippets_mlir.passes.lir.editing import (
    end_of_scope,
    erase,
    insert_after,
    insert_before,
    replace_operand,
)


def _insert_loads(kernel: KernelOp) -> None:
    loads: dict[tuple[SSAValue, PortDescriptor, tuple[int, ...]], LoadOp] = {}
    for op in list(kernel.block.ops):
        if isinstance(op, LoadOp | BroadcastLoadOp) or is_view(op):
            continue
        for index, value in enumerate(op.operands):
            if not is_array(value):
                continue
            port, loops = input_ports(op)[index], loop_ids(op)
            load = loads.get((value, port, loops))
            if load is None:
                load = LoadOp(value, port.lanes)
                insert_before(op, load, [port, replace(port, layout=())], loops)
                loads[value, port, loops] = load
            replace_operand(op, index, load.result, replace(port, layout=()))


def _insert_stores(kernel: KernelOp) -> None:
    for op in list(kernel.block.ops):
        if not isinstance(op, ResultOp):
            continue
        (target,) = op.values
        value = view_source(target)
        assert isinstance(value, OpResult)
        if isinstance(value.op, StoreOp):
            continue
        port = output_ports(value.op)[value.index]
        store = StoreOp(value, port.lanes, target.type)
        insert_after(end_of_scope(value), store, [port, port], scope(value))
        replace_operand(op, 0, store.target, port)
        if target is not value and isinstance(target, OpResult) and target.first_use is None:
            erase(target.op)


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
