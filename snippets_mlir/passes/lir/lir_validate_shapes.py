"""Check that the ports of a kernel's ops have matching shapes; changes nothing.

* S1: the operand shapes of an elementwise op broadcast to its result shape.
* S2: an operand of an op has as many lanes as the result, or is an immediate.
* S3: the memory port and the value's port of a load or store agree: equal dims, or 1 in memory
  (broadcast, or walked by the loops that a buffer lives in, then of their increment).
* S4: a memory port of an input has all elements of the input (and those that pad panels).

A finding is an error that names the op, the shapes and the pass that should correct them. Source:
the guide's ValidateShapes.
"""

from dataclasses import dataclass
from math import prod
from typing import ClassVar, NoReturn

from xdsl.ir import BlockArgument, Operation

from snippets_mlir.dialects.builtin.dims import Dim, Shape, Size, format_size, known_less
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_text import format_sizes
from snippets_mlir.dialects.lir.access import input_ports, is_view, output_ports, view_source
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp, StoreOp
from snippets_mlir.dialects.lir.pointers import memory_port
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.buffer_facts import Access
from snippets_mlir.passes.lir.kernel_passes import KernelCheckPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def _refuse(op: Operation, rule: str, expected: str, found: str, hint: str) -> NoReturn:
    raise CompileError(f"{rule}: expected {expected}, found {found}; {hint}", **position_of(op))


def fits(small: Shape, large: Shape) -> bool:
    """Whether `small` broadcasts to `large`; both of one rank."""
    return len(small) == len(large) and all(a in (1, b) for a, b in zip(small, large, strict=True))


def _check_compute(op: Operation) -> None:
    (result,) = output_ports(op)
    for index, port in enumerate(input_ports(op)):
        if not fits(port.shape, result.shape):
            _refuse(
                op,
                "S1",
                f"operand {index} of {op.name} to broadcast to {format_sizes(result.shape)}",
                format_sizes(port.shape),
                "run convert-snippets-to-lir again",
            )
        scalar = isinstance(op.operands[index].owner, ScalarOp)
        if port.lanes != result.lanes and not scalar and not isinstance(op, BroadcastLikeOp):
            _refuse(
                op,
                "S2",
                f"operand {index} of {op.name} with {result.lanes} lanes",
                str(port.lanes),
                "run lir-insert-broadcast-move",
            )


def _check_access(op: Access) -> None:
    memory = memory_port(op)
    value = input_ports(op)[0] if isinstance(op, StoreOp) else output_ports(op)[0]
    same = len(memory.shape) == len(value.shape) and all(
        m == v or 1 in (m, v) or (not isinstance(m, Size) and not known_less(v, m))
        for m, v in zip(memory.shape, value.shape, strict=True)
    )
    if not same:
        _refuse(
            op,
            "S3",
            f"{op.name} to move {format_sizes(value.shape)}",
            f"{format_sizes(memory.shape)} in memory",
            "run lir-insert-load-store again",
        )
    source = None if isinstance(op, StoreOp) else view_source(op.operands[0])
    if isinstance(source, BlockArgument) and memory.strides:
        _check_slice(op, memory, prod(shape_of(source)))
    elif isinstance(source, BlockArgument):
        elements = prod(shape_of(source))
        if prod(memory.stored_shape) != elements:
            _refuse(
                op,
                "S4",
                f"a port with the {format_size(elements)} elements of the input",
                format_sizes(memory.shape),
                "run lir-optimize-domain again",
            )


def _check_slice(op: Access, memory: PortDescriptor, elements: Dim) -> None:
    """The elements of a slice are inside of the array (S4)."""
    first = last = op.distance
    for size, stride in zip(memory.shape, memory.strides, strict=True):
        end = (size - 1) * stride
        first, last = (first, last + end) if known_less(end, 0) is not True else (first + end, last)
    inside = known_less(first, 0) is not True and known_less(last, elements) is not False
    if len(memory.strides) != len(memory.shape) or not inside:
        _refuse(
            op,
            "S4",
            f"elements of the input, which has {format_size(elements)}",
            f"{format_size(first)} to {format_size(last)}",
            "run convert-snippets-to-lir again",
        )


@dataclass(frozen=True)
class LirValidateShapesPass(KernelCheckPass):
    """Check the shapes of ports."""

    name = "lir-validate-shapes"
    STAGES: ClassVar[Stages] = Stages(("accessed",))

    def check(self, kernel: KernelOp) -> None:
        """Raise at the first op of `kernel` whose shapes do not fit."""
        for op in kernel.block.ops:
            if isinstance(op, LoadOp | BroadcastLoadOp | StoreOp):
                _check_access(op)
            elif (
                isinstance(op, ComputeOp) and not isinstance(op, WholeTensorOp) and not is_view(op)
            ):
                _check_compute(op)
