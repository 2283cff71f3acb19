"""The ops in the loops of a kernel, one vector at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.lir.access import input_ports, is_view, output_ports, ports
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp, ResultOp, StoreOp
from snippets_mlir.dialects.lir.perf_count import PerfCountOp
from snippets_mlir.dialects.lir.reduction import FillOp, HorizonOp
from snippets_mlir.dialects.lir.scan import LastLaneOp, PrefixOp
from snippets_mlir.dialects.lir.spills import RegisterMoveOp, RegSpillOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.dialects.snippets.values.evaluate import VALUES
from snippets_mlir.dialects.snippets.values.gathering import inside
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.interpreter.lir_memory import KernelMemory, dtype_of
from snippets_mlir.interpreter.lir_scans import prefixes
from snippets_mlir.interpreter.lir_state import Access, VectorState
from snippets_mlir.interpreter.lir_sums import combine, fold_lanes, number
from snippets_mlir.interpreter.poison import any_poison, data_of, defined, poison_of, with_poison
from snippets_mlir.support.errors import CompileError

Action = Callable[[], None]

_SILENT = (ScalarOp, ResultOp, BufferOp, PerfCountOp, RegSpillOp)
"""Ops that compute nothing."""


class VectorOps(VectorState):
    """Executes ops on vectors of `lanes` elements, each prepared once."""

    def __init__(self, kernel: KernelOp, memory: KernelMemory) -> None:
        super().__init__(kernel, memory)
        self._actions: dict[Operation, Action] = {}

    def execute(self, op: Operation) -> None:
        """Execute an op that is not a marker."""
        action = self._actions.get(op)
        if action is None:
            action = self._actions[op] = self._prepare(op)
        action()

    def _prepare(self, op: Operation) -> Action:
        if isinstance(op, _SILENT) or is_view(op):
            return _nothing
        if isinstance(op, LoadOp):
            return partial(self._load, op, self._access(op), output_ports(op)[0].lanes)
        if isinstance(op, BroadcastLoadOp):
            return partial(self._broadcast_load, op, self._access(op), output_ports(op)[0].lanes)
        if isinstance(op, GatherOp):
            return partial(self._gather, op, self._access(op), output_ports(op)[0].lanes)
        if isinstance(op, StoreOp):
            return partial(self._store, op, self._access(op), input_ports(op)[0].lanes)
        if isinstance(op, RegisterMoveOp):
            return partial(self._move_value, op)
        if isinstance(op, FillOp):
            return partial(self._fill, op, output_ports(op)[0].lanes)
        if isinstance(op, HorizonOp):
            return partial(self._horizon, op)
        if isinstance(op, PrefixOp):
            return partial(self._prefix, op, output_ports(op)[0].lanes)
        if isinstance(op, LastLaneOp):
            return partial(self._last_lane, op, output_ports(op)[0].lanes)
        if isinstance(op, BroadcastLikeOp):
            return partial(self._broadcast, op, output_ports(op)[0].lanes)
        function = VALUES.get(op.name)
        if function is None or isinstance(op, WholeTensorOp):
            raise CompileError("it has no value inside of loops, element by element")
        operands = range(len(op.operands))
        dtype = dtype_of(op.results[0])
        return partial(self._compute, op, operands, ports(op)[-1].lanes, function, dtype)

    def _load(self, op: LoadOp, access: Access, lanes: int) -> None:
        count = self._count(op, lanes)
        place = access.place
        found = place.memory.load(self._address(access, count), access.dtype, place.buffer)
        if count == lanes:
            self.write(op, found)
            return
        data = np.zeros(lanes, access.dtype)
        data[:count] = found
        self.write(op, with_poison(data, np.arange(lanes) >= count))

    def _broadcast_load(self, op: BroadcastLoadOp, access: Access, lanes: int) -> None:
        place = access.place
        found = place.memory.load(self._address(access, 1), access.dtype, place.buffer)
        self.write(op, np.broadcast_to(found, (lanes,)))

    def _gather(self, op: GatherOp, access: Access, lanes: int) -> None:
        count = self._count(op, lanes)
        width = access.dtype.itemsize
        offsets = access.stride * np.arange(count)
        for index, (limit, step) in enumerate(zip(op.limits, op.steps, strict=True), start=1):
            value = defined(self._lanes_of(op, index, count), "a place")
            found = inside(value, static_size(limit), op.from_end is not None)
            offsets = offsets + found * (static_size(step) * width)
        place = access.place
        first = self.pointers.get(place.key, 0) + access.offset + offsets
        if count and (first.min() < 0 or first.max() + width > place.size):
            raise CompileError(
                f"reads bytes {first.min()} to {first.max() + width} of an array of {place.size}"
            )
        found = place.memory.load(place.start + first, access.dtype, place.buffer)
        data = np.zeros(lanes, access.dtype)
        data[:count] = found
        self.write(op, with_poison(data, np.arange(lanes) >= count))

    def _lanes_of(self, op: GatherOp, index: int, count: int) -> Any:
        """The first `count` lanes of a place, or its one element."""
        value = self.read(op, index)
        data, poison = data_of(value), poison_of(value)
        if data.size == 1 or input_ports(op)[index].shape[-1] == 1:
            count = 1
        return with_poison(data.reshape(-1)[:count], None if poison is None else poison[:count])

    def _store(self, op: StoreOp, access: Access, lanes: int) -> None:
        count = self._count(op, lanes)
        value = self.operand(op, 0, lanes)
        poison = poison_of(value)
        kept = with_poison(data_of(value)[:count], None if poison is None else poison[:count])
        offsets = self._address(access, count)
        place, stored = access.place, defined(kept, "the stored value")
        if op.accumulate is not None:
            held = place.memory.load(offsets, access.dtype, place.buffer)
            add = combine(op, "sum", access.dtype)
            stored = add(defined(held, "what a store adds to"), stored)
        place.memory.store(offsets, stored, place.buffer)

    def _move_value(self, op: RegisterMoveOp) -> None:
        self.write(op, self.read(op, 0))

    def _fill(self, op: FillOp, lanes: int) -> None:
        value = self.operand(op, 0, lanes)
        data, poison = np.array(data_of(value)), poison_of(value)
        first = self._handled(op, op.first_filled)
        data[first:] = number(op.value, data.dtype)
        if poison is not None:
            poison = poison & (np.arange(lanes) < first)
        self.write(op, with_poison(data, poison))

    def _horizon(self, op: HorizonOp) -> None:
        source, target = input_ports(op)[0].lanes, output_ports(op)[0].lanes
        value = self.operand(op, 0, source)
        if source > target:
            join = combine(op, op.kind.data, dtype_of(op.operand))
            value = fold_lanes(join, defined(value, "what is folded into one element"))
        self.write(op, value)

    def _prefix(self, op: PrefixOp, lanes: int) -> None:
        value = self.operand(op, 0, lanes)
        join = combine(op, op.kind.data, dtype_of(op.operand))
        with np.errstate(all="ignore"):
            found = prefixes(op, join, data_of(value))
        poison = poison_of(value)
        self.write(
            op, with_poison(found, None if poison is None else np.logical_or.accumulate(poison))
        )

    def _last_lane(self, op: LastLaneOp, lanes: int) -> None:
        value = self.operand(op, 0, lanes)
        data, poison = data_of(value), poison_of(value)
        spread = None if poison is None else np.broadcast_to(poison[-1], (lanes,))
        self.write(op, with_poison(np.broadcast_to(data[-1], (lanes,)), spread))

    def _broadcast(self, op: BroadcastLikeOp, lanes: int) -> None:
        vector = self.read(op, 0)
        data, poison = data_of(vector), poison_of(vector)
        if data.size != lanes:
            first = None if poison is None else np.broadcast_to(poison[0], (lanes,))
            vector = with_poison(np.broadcast_to(data.reshape(-1)[0], (lanes,)), first)
        self.write(op, vector)

    def _compute(
        self,
        op: Operation,
        operands: range,
        lanes: int,
        function: Callable[..., Array],
        dtype: np.dtype[Any],
    ) -> None:
        values = [self.operand(op, i, lanes) for i in operands]
        result = np.asarray(function(op, dtype, *map(data_of, values)))
        if result.shape != (lanes,):
            result = np.broadcast_to(result, (lanes,))
        self.write(op, with_poison(result, any_poison(values, (lanes,))))


def _nothing() -> None:
    """Immediates, views, buffers, results and counters compute nothing."""
