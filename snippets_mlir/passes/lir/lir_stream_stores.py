"""Mark stores of outputs that cannot stay in the caches as non-temporal.

    lir.store %v {count = 16 : i64} : tensor<16777216xf32>

becomes, for 192 MiB of arrays and a last-level cache of 32 MiB,

    lir.store %v {count = 16 : i64, nontemporal} : tensor<16777216xf32>

A plain store reads its cache line from memory before it writes it back, and evicts another line. So
a non-temporal store saves a quarter of the traffic of `z = f(x, y)`, if no op reads the result
while it would still be in a cache. Rules:

* M1: the array is an output of the program. A store that a later kernel or another op reads stays
  plain.
* M2: all arrays of the kernel together are larger than the last-level cache: `snippets.cache` of
  the module, or the default of its machine.
* M3: the machine gains from it (`TargetMachine.streams`): in flat kernels only, or also in kernels
  with a loop over rows, which store in bursts.
* M4: the store writes whole vectors of neighbours, of 16 bytes or more: law L15 of the linear IR,
  so the masked stores of tails are plain;
* M5: its loop has no scan, whose first and last vector cannot be computed twice.

`snippets.streaming` of the module overrides the rules: with `always` only M1, M4 and M5 hold, with
`never` nothing is marked. In a flat kernel whose sizes are known only at run time, the store's
`nontemporal_from` is the least number of units of a call's range: M2 in those units, divided by the
threads that share the domain. Other dynamic kernels stay plain. `align-nontemporal-stores` ensures
that addresses are aligned. Exact.
"""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import (
    IntegerAttr,
    ModuleOp,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Dim, static_size
from snippets_mlir.dialects.builtin.shaped import byte_width, element_bytes, element_of, shape_of
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.lir.access import loop_ids, output_ports
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import ResultOp, StoreOp
from snippets_mlir.dialects.lir.scan import ScanOp
from snippets_mlir.dialects.lir.streaming_laws import SMALLEST_VECTOR
from snippets_mlir.dialects.snippets.layout import LayoutOp, is_view
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPatternPass
from snippets_mlir.passes.patterns import Pattern
from snippets_mlir.support.walking import module_of, ops_inside
from snippets_mlir.targets.attributes import cache_of, machine_of, streaming_of, threads_of

SHORTEST = 16
"""The least iterations of a loop with streaming stores."""


@dataclass(frozen=True)
class Memory:
    """The module's facts about memory.

    Attributes:
        cache: bytes of the last-level cache.
        streams: kernels that may store past it: `none`, `flat` or `rows`.
        threads: how many threads share a large domain.
        always: whether sizes do not matter.
    """

    cache: int
    streams: str
    threads: int
    always: bool


def memory_of(module: ModuleOp) -> Memory:
    """The caches, streaming stores and threads that decide which stores stream."""
    always = streaming_of(module) == "always"
    return Memory(cache_of(module), machine_of(module).streams, threads_of(module), always)


def _leaves(value: SSAValue) -> bool:
    """M1: whether the host function only returns `value`."""
    for use in value.uses:
        if isinstance(use.operation, ReturnOp):
            continue
        if not isinstance(use.operation, LayoutOp) or not is_view(use.operation):
            return False
        if not _leaves(use.operation.results[0]):
            return False
    return True


def leaving_outputs(kernel: KernelOp) -> AbstractSet[int]:
    """The outputs of `kernel` that are outputs of the program in all calls."""
    calls = [
        call
        for op in module_of(kernel).ops
        if not isinstance(op, KernelOp)
        for call in ops_inside(op)
        if isinstance(call, CallOp) and call.callee.string_value() == kernel.sym_name.data
    ]
    outputs = range(len(kernel.function_type.outputs.data) if calls else 0)
    return {i for i in outputs if all(_leaves(call.outputs[i]) for call in calls)}


def arrays_of(kernel: KernelOp) -> Iterator[tuple[Dim, int]]:
    """Elements, and bytes of an element, of each array; numbers of elements may have symbols."""
    for type_ in (*kernel.function_type.inputs, *kernel.function_type.outputs):
        yield prod(shape_of(type_)), byte_width(element_of(type_))


def is_larger(kernel: KernelOp, least: int) -> bool:
    """Whether the arrays of `kernel` have more than `least` bytes.

    False for dynamic kernels, unless `least` is 0.
    """
    if kernel.dynamic and least:
        return False
    return sum(assumed(count) * size for count, size in arrays_of(kernel)) > least


def _is_flat(kernel: KernelOp) -> bool:
    """Whether results are stored while their operands are read: no loop waits for another one."""
    inner = {ids[-1] for op in kernel.block.ops if (ids := loop_ids(op))}
    return len(inner) == 1 and not any(isinstance(op, BufferOp) for op in kernel.block.ops)


def _least(kernel: KernelOp, memory: Memory) -> int | None:
    """The units of a call's range from which stores stream; 0 for always, None for never (M2, M3).

    In a static kernel the length of a range does not matter.
    """
    if memory.always:
        return 0
    flat = _is_flat(kernel)
    if memory.streams == "none" or (memory.streams == "flat" and not flat):
        return None
    if not kernel.dynamic:
        touched = sum(static_size(count) * size for count, size in arrays_of(kernel))
        return 0 if touched > memory.cache else None
    loops = list(kernel.loop_table.values())
    if not flat or len(loops) != 1:
        return None
    unit = sum(size for count, size in arrays_of(kernel) if count == loops[0].work_amount)
    return memory.cache // max(1, unit) // memory.threads + 1


def stores_whole_vectors(op: StoreOp) -> bool:
    """M4, in a loop that is long enough for its first and last vector to be stored twice."""
    kernel = op.parent_op()
    assert isinstance(kernel, KernelOp)
    port, loops = output_ports(op)[0], loop_ids(op)
    if not loops or port.lanes != op.elements or port.stride(len(port.shape) - 1) != 1:
        return False
    loop = kernel.loop_table[loops[-1]]
    long = loop.dynamic or assumed(loop.work_amount) >= SHORTEST * loop.increment
    inner = loop.dim == 0 and port.shape[-1] == loop.work_amount
    return long and inner and port.lanes * element_bytes(op.target) >= SMALLEST_VECTOR


def scans_nothing(op: StoreOp) -> bool:
    """M5: iterations of the loop can be repeated."""
    loop = loop_ids(op)[-1]
    block = op.parent
    assert block is not None
    return not any(isinstance(other, ScanOp) and loop in loop_ids(other) for other in block.ops)


class StreamStore(Pattern[StoreOp, int]):
    """A store of an output that cannot stay in the caches bypasses them."""

    name = "stream-store"
    ops = (StoreOp,)
    conditions = (stores_whole_vectors, scans_nothing)

    def __init__(self, leaving: AbstractSet[int], least: int) -> None:
        self.leaving = leaving
        self.least = least

    def match(self, op: StoreOp) -> int | None:
        """The least number of units, if it stores an output of the program (M1)."""
        for use in op.target.uses:
            result = use.operation
            if isinstance(result, ResultOp) and result.index.value.data in self.leaving:
                return self.least
        return None

    @override
    def rewrite(self, op: StoreOp, match: int, rewriter: PatternRewriter) -> None:
        op.properties["nontemporal"] = UnitAttr()
        if match:
            op.properties["nontemporal_from"] = IntegerAttr(match, i64)


@dataclass(frozen=True)
class LirStreamStoresPass(KernelPatternPass):
    """Mark the stores of large outputs that no op reads back as non-temporal."""

    name = "lir-stream-stores"
    STAGES: ClassVar[Stages] = Stages(("accessed",))
    KERNELS_APART: ClassVar[bool] = False  # it reads the calls
    PATTERNS = (StreamStore,)

    def roots(self, module: ModuleOp) -> Iterable[Operation]:
        """The kernels at stage `accessed`, unless the module forbids it."""
        return () if streaming_of(module) == "never" else super().roots(module)

    def facts(self, root: Operation) -> tuple[AbstractSet[int], int]:
        """The outputs that leave the program, if the kernel is large enough (M2, M3)."""
        assert isinstance(root, KernelOp)
        least = _least(root, memory_of(module_of(root)))
        return (frozenset(), 0) if least is None else (leaving_outputs(root), least)
