"""Check that the buffers of a kernel are allocated and do not conflict.

* V1: a buffer is filled by a store and read by a load, both in the loops that it lives in.
* V2: its size is its port's, its offset is a multiple of 64, and it ends inside of the scratchpad,
  whose size is also a multiple of 64.
* V3: buffers of one cluster have one offset; others that are alive together share no bytes.
* V4: in each loop, all accesses of one register group that move the pointer move it by the same
  number of bytes.
* V5: the accesses of a buffer in an output have ports of the shape and order of that output; V2 to
  V4 are about the other buffers.

Changes nothing; a finding is an error that names the buffer, the numbers and the pass that should
correct them. Source: the guide's ValidateBuffers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NoReturn, TypeVar

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import Dim, Size, format_size, known_less
from snippets_mlir.dialects.builtin.size_text import format_sizes
from snippets_mlir.dialects.lir.access import input_ports, loop_ids
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.lir.pointers import memory_port
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.buffer_facts import (
    ALIGNMENT,
    BufferFacts,
    buffer_bytes,
    byte_motions,
    facts_of,
)
from snippets_mlir.passes.lir.kernel_passes import KernelCheckPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

T = TypeVar("T")

HINT = "run lir-allocate-buffers again"


@dataclass(frozen=True, eq=False)
class _Allocated:
    """A buffer with the decisions for it."""

    facts: BufferFacts
    size: Dim
    offset: Dim
    cluster: int
    group: int


def _refuse(op: Operation, rule: str, message: str, hint: str = HINT) -> NoReturn:
    raise CompileError(f"{rule}: {message}; {hint}", **position_of(op))


def _decided(op: BufferOp, name: str, value: T | None) -> T:
    if value is None:
        _refuse(op, "V2", f"expected lir.buffer to have `{name}`, found none")
    return value


def _is_aligned(bytes_: Dim) -> bool:
    """Whether a place is a multiple of the alignment; symbols of offsets are."""
    return isinstance(bytes_, Size) or bytes_ % ALIGNMENT == 0


def _fits(buffer: _Allocated, scratch: Dim) -> bool:
    """Whether a buffer is inside of the scratchpad; a dynamic one is large enough by itself."""
    if isinstance(scratch, Size):
        return not known_less(buffer.offset, 0)
    end = buffer.offset + buffer.size
    return not known_less(buffer.offset, 0) and known_less(scratch, end) is False


def _apart(a: _Allocated, b: _Allocated) -> bool:
    """Whether buffers share no bytes; clusters with symbols as offsets are one after another."""
    if isinstance(a.offset, Size) and isinstance(b.offset, Size):
        return a.offset != b.offset
    return (
        known_less(b.offset, a.offset + a.size) is False
        or known_less(a.offset, b.offset + b.size) is False
    )


def _check_one(kernel: KernelOp, facts: BufferFacts) -> _Allocated | None:
    """V1 and V2; None for a buffer in an output."""
    op = facts.buffer
    if not facts.stores or not facts.loads:
        missing = "load" if facts.stores else "store"
        _refuse(op, "V1", f"expected a {missing} of lir.buffer, found none", "remove the buffer")
    own = loop_ids(op)
    for access in facts.accesses:
        if loop_ids(access)[: len(own)] != own:
            _refuse(
                access,
                "V1",
                f"expected {access.name} in the loops {list(own)} of its buffer, found "
                f"{list(loop_ids(access))}",
                "run lir-insert-buffers again",
            )
    if (output := op.decided("output")) is not None:
        _check_placed(kernel, facts, output)
        return None
    found = _Allocated(
        facts,
        _decided(op, "size", op.decided_size("size")),
        _decided(op, "offset", op.decided_size("offset")),
        _decided(op, "cluster", op.decided("cluster")),
        _decided(op, "reg_group", op.decided("reg_group")),
    )
    if found.size != buffer_bytes(op):
        _refuse(
            op,
            "V2",
            f"expected a size of {format_size(buffer_bytes(op))} bytes, found "
            f"{format_size(found.size)}",
        )
    if not (_is_aligned(found.offset) and _is_aligned(kernel.scratch)):
        _refuse(
            op,
            "V2",
            f"expected offsets and scratchpad to be multiples of {ALIGNMENT}, found "
            f"{format_size(found.offset)} and {format_size(kernel.scratch)}",
        )
    if not _fits(found, kernel.scratch):
        _refuse(
            op,
            "V2",
            f"expected {format_size(found.size)} bytes at {format_size(found.offset)} inside "
            f"of the scratchpad, found it to have {format_size(kernel.scratch)}",
        )
    return found


def _check_placed(kernel: KernelOp, facts: BufferFacts, output: int) -> None:
    """V5."""
    results = [op for op in kernel.block.ops if isinstance(op, ResultOp)]
    (result,) = [op for op in results if op.index.value.data == output]
    (port, *_) = input_ports(result)
    for access in facts.accesses:
        found = memory_port(access)
        if (found.shape, found.layout) != (port.shape, port.layout):
            _refuse(
                access,
                "V5",
                f"expected the port of output {output}, {format_sizes(port.shape)}, for a "
                f"buffer in it, found {format_sizes(found.shape)}",
                "run lir-place-buffers-in-outputs again",
            )


def _check_pairs(buffers: Sequence[_Allocated]) -> None:
    """V3."""
    for place, later in enumerate(buffers):
        for earlier in buffers[:place]:
            if later.cluster == earlier.cluster:
                if later.offset != earlier.offset:
                    _refuse(
                        later.facts.buffer,
                        "V3",
                        f"expected the buffers of cluster {later.cluster} at one offset, found "
                        f"{format_size(earlier.offset)} and {format_size(later.offset)}",
                    )
                continue
            if not _apart(earlier, later) and later.facts.meets(earlier.facts):
                _refuse(
                    later.facts.buffer,
                    "V3",
                    f"expected buffers that are alive together to share no bytes, found bytes "
                    f"{format_size(later.offset)} to {format_size(later.offset + later.size)} "
                    f"and {format_size(earlier.offset)} to "
                    f"{format_size(earlier.offset + earlier.size)}",
                )


def _check_groups(buffers: Sequence[_Allocated]) -> None:
    """V4."""
    moved: dict[tuple[int, int], tuple[Dim, Dim]] = {}
    for buffer in buffers:
        for access in buffer.facts.accesses:
            for loop, motion in byte_motions(access).items():
                if motion == (0, 0):
                    continue
                known = moved.setdefault((buffer.group, loop), motion)
                if known != motion:
                    _refuse(
                        access,
                        "V4",
                        f"expected register group {buffer.group} to move by {known[0]} bytes per "
                        f"unit of loop {loop}, found {motion[0]}",
                    )


@dataclass(frozen=True)
class LirValidateBuffersPass(KernelCheckPass):
    """Check the allocation of buffers."""

    name = "lir-validate-buffers"
    STAGES: ClassVar[Stages] = Stages(("looped",))

    def check(self, kernel: KernelOp) -> None:
        """Raise at the first buffer with a wrong allocation."""
        every = [_check_one(kernel, facts) for facts in facts_of(kernel)]
        buffers = [buffer for buffer in every if buffer is not None]
        _check_pairs(buffers)
        _check_groups(buffers)
