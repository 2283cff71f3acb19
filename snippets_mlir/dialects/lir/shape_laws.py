"""Law L21 of a `lir.kernel`: ports have the elements of their values, and operands fit.

    %0 = snippets.relu %x {lir.ports = [#lir.port<[16, 33]>, #lir.port<[16, 33]>]}
        : tensor<16x33xf32>                                     right, as [528] for both is
    #lir.port<[16, 1]> for %x        L21: 16 elements of 528
    #lir.port<[33, 16]> for %0       L21: [16, 33] does not broadcast to it

Before `accessed`, a port without strides has as many elements as its value. Ports of partial
results and of buffers are exceptions: an enclosing loop, or the lanes, hold the rest. The result of
an elementwise op has the shape to which its operands broadcast.

Later, accesses and loops determine what is read (L4, L8, L19), and `lir-validate-shapes` checks
more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import Shape, product
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_text import format_sizes
from snippets_mlir.dialects.lir.access import is_view, ports
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.markers import LoopMarkerOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.reduction import AccumulateOp, FillOp, HorizonOp
from snippets_mlir.dialects.lir.scan import LastLaneOp, PrefixOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

if TYPE_CHECKING:
    from snippets_mlir.dialects.lir.laws import Fail

_HOLD_A_PART = (
    *(AccumulateOp, FillOp, HorizonOp, LastLaneOp, PrefixOp),
    *(BufferOp, LoopMarkerOp, MemoryAccessOp),
)


def check_shapes(ops: Iterable[Operation], fail: Fail) -> None:
    """Check the law; `fail` is called with it and a message."""
    for op in ops:
        if isinstance(op, _HOLD_A_PART):
            continue
        found = ports(op)
        for value, port in zip((*op.operands, *op.results), found, strict=False):
            shape = shape_of(value)
            if port.strides or port.shape == shape or product(port.shape) == product(shape):
                continue
            wanted = f"a port with the elements of {format_sizes(shape)}"
            fail("L21", f"expected {op.name} to have {wanted}, found {format_sizes(port.shape)}")
        if isinstance(op, ComputeOp) and not isinstance(op, WholeTensorOp) and not is_view(op):
            for port in found[:-1]:
                if not _fits(port.shape, found[-1].shape):
                    large = format_sizes(found[-1].shape)
                    wanted = f"operands of {op.name} to broadcast to {large}"
                    fail("L21", f"expected {wanted}, found {format_sizes(port.shape)}")


def _fits(small: Shape, large: Shape) -> bool:
    """Whether `small` broadcasts to `large`, which has its rank."""
    return small == large or (
        len(small) == len(large) and all(a in (1, b) for a, b in zip(small, large, strict=True))
    )
