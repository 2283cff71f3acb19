"""Stores that write a stack: each one every n-th element, and together all elements.

    lir.store %a {count = 8}               // #lir.port<[6400], strides [2], sub [8]>
    %b = snippets.negative %1
    lir.store %b {count = 8, offset = 1}

write elements 0, 2, 4, ... and 1, 3, 5, ... of one output. Together they are 16 neighbours: two
stores of vectors with alternating lanes from %a and %b replace 16 stores of one element. They form
a stack if they are in one iteration of the same loops, without a load of the output between them,
so that the first stores may wait for the last one. The emitter uses this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.ir import Operation

from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports
from snippets_mlir.dialects.lir.markers import LoopMarkerOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, StoreOp
from snippets_mlir.dialects.lir.pointers import buffer_of, pointer_of

WIDTHS = (2, 4)
"""How many stores may make a stack: lanes of two vectors are put in turn, once or twice."""

Stack = tuple[StoreOp, ...]
"""The stores of a stack by their place in memory."""


def width_of(store: StoreOp) -> int | None:
    """How many stores like `store` make a stack; None if there is no stack."""
    port, lanes = output_ports(store)[0], input_ports(store)[0].lanes
    stride = port.stride(len(port.shape) - 1)
    if not isinstance(stride, int) or not isinstance(store.distance, int):
        return None
    if lanes == 1 or stride not in WIDTHS or buffer_of(store) is not None:
        return None
    return stride


def stacks_of(ops: Iterable[Operation]) -> Mapping[StoreOp, Stack]:
    """For each store of a kernel in a stack, all stores of the stack."""
    found: dict[StoreOp, Stack] = {}
    together: list[MemoryAccessOp] = []
    for op in ops:
        if isinstance(op, LoopMarkerOp):
            found.update(_stacks(together))
            together = []
        elif isinstance(op, MemoryAccessOp):
            together.append(op)
    found.update(_stacks(together))
    return found


def _stacks(accesses: Sequence[MemoryAccessOp]) -> dict[StoreOp, Stack]:
    """The stacks among the accesses between two markers."""
    read = {pointer_of(op) for op in accesses if not isinstance(op, StoreOp)}
    alike: dict[tuple[object, ...], list[StoreOp]] = {}
    for op in accesses:
        if isinstance(op, StoreOp) and (width := width_of(op)) and pointer_of(op) not in read:
            lanes = input_ports(op)[0].lanes
            key = pointer_of(op), output_ports(op)[0].register, loop_ids(op)
            alike.setdefault((*key, op.elements, lanes, width), []).append(op)
    found: dict[StoreOp, Stack] = {}
    for (*_, width), stores in alike.items():
        assert isinstance(width, int)
        left = sorted(stores, key=_place)
        while len(left) >= width:
            first = _place(left[0])
            stack = tuple(left[:width])
            if [_place(store) for store in stack] == list(range(first, first + width)):
                found.update(dict.fromkeys(stack, stack))
                del left[:width]
            else:
                del left[0]
    return found


def _place(store: StoreOp) -> int:
    assert isinstance(store.distance, int)
    return store.distance
