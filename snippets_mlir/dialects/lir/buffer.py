"""`lir.buffer`: memory of a thread, for values that cross the end of a loop.

    %s = lir.store %v {count = 16 : i64, lir.loops = array<i64: 0, 1>, ...} : tensor<4x64xf32>
    %b = lir.buffer %s {size = 256 : i64, reg_group = 0 : i64, cluster = 0 : i64, offset = 0 : i64,
                        lir.loops = array<i64: 0>, ...} : tensor<4x64xf32>
    %l = lir.load %b {count = 16 : i64, lir.loops = array<i64: 0, 2>, ...} : tensor<4x64xf32>

The operands of a buffer are the results of the stores that fill it: one store, or one per part of a
split loop. Its result is the source of the loads that read it. Its `lir.loops` are the loops it
lives in: each of their iterations fills it anew, and they do not move its pointer. The result's
port has the shape of the contents: size 1 in the dims that only those loops walk.

It is a piece of the thread's scratchpad. With `output = 0 : i64` it is instead the elements of
output 0 that each iteration of its loops stores at the end. Its accesses then have ports of the
whole output and share the output's pointer (`lir-place-buffers-in-outputs`). Source: the guide's
Buffer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import HasParent, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.sizes import SizeAttr, is_size, size_attr, size_in
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import StoreOp
from snippets_mlir.dialects.snippets.typed_op import TypedOp

CLUSTERS = "lir.clusters"
"""On a kernel: the bytes of each cluster of buffers in the scratchpad."""
SCRATCH_BOUND = "lir.scratch_bound"
"""On a kernel: a lower bound in bytes for every placement of its buffers."""


@irdl_op_definition
class BufferOp(TypedOp):
    """A piece of the scratchpad, or of an output. Facts that are not decided yet have no attribute.

    Attributes:
        size: bytes (lir-compute-buffer-allocation-size).
        reg_group: buffers of one group share a pointer register (lir-set-buffer-reg-group).
        cluster: buffers of one cluster share memory (lir-define-buffer-clusters).
        offset: bytes from the thread's scratchpad (lir-solve-buffer-memory).
        output: the output that it lives in (lir-place-buffers-in-outputs); it then has no group,
            cluster or offset.
    """

    name = "lir.buffer"
    stores = var_operand_def(TensorType)
    result = result_def(TensorType)
    size = opt_prop_def(IntegerAttr | SizeAttr)
    reg_group = opt_prop_def(IntegerAttr)
    cluster = opt_prop_def(IntegerAttr)
    offset = opt_prop_def(IntegerAttr | SizeAttr)
    output = opt_prop_def(IntegerAttr)
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))

    def __init__(self, stores: Sequence[SSAValue | Operation]) -> None:
        values = [SSAValue.get(s) for s in stores]
        super().__init__(operands=[values], result_types=[values[0].type])

    def decided(self, name: Literal["reg_group", "cluster", "output"]) -> int | None:
        """The value of `reg_group`, `cluster` or `output`, or None."""
        attr = self.properties.get(name)
        return attr.value.data if isinstance(attr, IntegerAttr) else None

    def decided_size(self, name: Literal["size", "offset"]) -> Dim | None:
        """The value of `size` or `offset`, or None."""
        attr = self.properties.get(name)
        return size_in(attr) if is_size(attr) else None

    def decide(self, name: str, value: Dim) -> None:
        """Write `size`, `reg_group`, `cluster`, `offset` or `output`."""
        self.properties[name] = size_attr(value)

    def verify_(self) -> None:
        """Check that the operands are targets of stores, of one type, and that it has one place."""
        if self.output is not None and self.offset is not None:
            raise VerifyException("expected lir.buffer with `offset` or `output`, found both")
        stores = [value.owner for value in self.stores if isinstance(value.owner, StoreOp)]
        if stores and all(store.accumulate is not None for store in stores):
            raise VerifyException(
                "expected a store in lir.buffer that fills it, found only some with `accumulate`"
            )
        for value in self.stores:
            if not isinstance(value.owner, StoreOp):
                found = value.owner.name if isinstance(value.owner, Operation) else "an argument"
                raise VerifyException(
                    f"expected lir.buffer to take the targets of lir.store ops, found {found}"
                )
            if value.type != self.result.type:
                raise VerifyException(
                    f"expected stores of {self.result.type} in lir.buffer, found {value.type}"
                )
