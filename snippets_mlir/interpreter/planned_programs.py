"""Runs a `program.graph` with planned memory in one byte array under a random interleaving.

Results live where the text says: in the arena, which is one array of bytes, in an output, or in
their own memory. Queues advance in a random order that the launches, records and waits allow.
Without a schedule an in-order graph is one queue, and in an out-of-order graph a node may begin
after the nodes that it reads have ended. At its begin a node fills its results with `POISON` and
reads its operands; at its end it computes and writes. The bytes of a result are filled again after
all its readers have ended. So a plan that is wrong for some interleaving gives wrong values for
some seed. 0xFF bytes are NaN in floats and extremes in integers.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.ir import BlockArgument, OpResult, SSAValue

from snippets_mlir.dialects.builtin.dtypes import Array, numpy_dtype
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.program.attributes import Mem
from snippets_mlir.dialects.program.data import DataOp, ViewOp
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.ids import root_of
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.program.schedule import LaunchOp, RecordOp, WaitOp

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter

POISON = 0xFF


@dataclass(frozen=True)
class _Action:
    """One action of a queue: begin or end a node, record that an event happened, or wait for it."""

    kind: str
    what: Any


def _queues_of(graph: GraphOp) -> list[list[_Action]]:
    """The actions of each queue, in order."""
    if graph.schedule is not None:
        return _scheduled(graph)
    if graph.queue == "in-order":
        return [[a for node in graph.nodes for a in _run(node)]]
    queues: list[list[_Action]] = []
    for node in graph.nodes:
        writers = (root_of(value).owner for value in node.inputs)
        waits = [_Action("wait", w) for w in writers if isinstance(w, NodeOp)]
        queues.append([*waits, *_run(node), _Action("record", node)])
    return queues


def _run(node: NodeOp) -> tuple[_Action, _Action]:
    return _Action("begin", node), _Action("end", node)


def _scheduled(graph: GraphOp) -> list[list[_Action]]:
    assert graph.schedule is not None
    nodes = {node.id.data: node for node in graph.nodes}
    queues: dict[int, list[_Action]] = {}
    for op in graph.schedule.body.block.ops:
        assert isinstance(op, LaunchOp | RecordOp | WaitOp)
        actions = queues.setdefault(op.queue.value.data, [])
        match op:
            case LaunchOp():
                actions += _run(nodes[op.node.data])
            case RecordOp():
                actions.append(_Action("record", op.event))
            case WaitOp():
                actions.append(_Action("wait", op.event))
    return list(queues.values())


def interleaved(graph: GraphOp, rng: random.Random) -> Iterator[tuple[str, NodeOp]]:
    """`begin` and `end` of each node, in a random order that the queues allow."""
    queues = [actions[::-1] for actions in _queues_of(graph)]
    happened = set[Hashable]()
    while queues := [queue for queue in queues if queue]:
        free = [q for q in queues if q[-1].kind != "wait" or q[-1].what in happened]
        action = rng.choice(free).pop()
        if action.kind == "record":
            happened.add(action.what)
        elif action.kind != "wait":
            yield action.kind, action.what


@dataclass(eq=False)
class _Memory:
    """The memory of a run.

    Attributes:
        arena: the bytes of the arena.
        slots: the place of each result.
        arrays: results outside of the arena: outputs by their number, others by the result.
    """

    arena: Array
    slots: Mapping[SSAValue, Mem]
    arrays: dict[Hashable, Array] = field(default_factory=dict[Hashable, Array])

    def poison(self, value: SSAValue) -> None:
        slot = self.slots[value]
        if slot.pool == "arena":
            self.arena[slot.offset : slot.end] = POISON
        elif (array := self.arrays.get(self._key(value))) is not None:
            array.reshape(-1).view(np.uint8)[...] = POISON

    def write(self, value: SSAValue, array: Array) -> None:
        """Keep the elements of a result."""
        slot = self.slots[value]
        if slot.pool == "arena":
            data = np.frombuffer(array.tobytes(), np.uint8)
            self.arena[slot.offset : slot.offset + len(data)] = data
        else:
            self.arrays[self._key(value)] = array.copy(order="C")

    def read(self, value: SSAValue) -> Array:
        """The current elements of a result."""
        slot = self.slots[value]
        if slot.pool != "arena":
            return self.arrays[self._key(value)]
        type_ = tensor_of(value)
        dtype, shape = numpy_dtype(type_.element_type), type_.get_shape()
        stop = slot.offset + prod(shape) * dtype.itemsize
        return self.arena[slot.offset : stop].copy().view(dtype).reshape(shape)

    def _key(self, value: SSAValue) -> Hashable:
        slot = self.slots[value]
        return slot.offset if slot.pool == "output" else value


def run_planned(
    interpreter: Interpreter, graph: GraphOp, inputs: Sequence[Array], seed: int = 0
) -> tuple[Array, ...]:
    """The outputs of a graph at stage `planned` or later; each seed is another interleaving."""
    memory = _Memory(
        np.full(graph.number("arena") or 0, POISON, np.uint8),
        {v: s for n in graph.nodes for v, s in zip(n.outputs, n.slots, strict=True)},
    )

    def read(value: SSAValue) -> Any:
        if isinstance(value, BlockArgument):
            return inputs[value.index]
        assert isinstance(value, OpResult)
        if isinstance(value.op, ViewOp):
            return interpreter.evaluate(value.op, [read(value.op.operand)])[0]
        if isinstance(value.op, DataOp):
            return interpreter.evaluate(value.op, [])[0]
        return memory.read(value)

    left = _readers(graph)
    for kind, node in interleaved(graph, random.Random(seed)):
        if kind == "begin":
            for value in node.outputs:
                memory.poison(value)
            continue
        results = interpreter.evaluate(node, [read(value) for value in node.inputs])
        for value, array in zip(node.outputs, results, strict=True):
            memory.write(value, array)
        for value in {*map(root_of, node.inputs), *node.outputs}:
            if value in left:
                left[value].discard(node)
                if not left[value]:
                    memory.poison(value)
    return tuple(read(value) for value in graph.output.values)


def _readers(graph: GraphOp) -> dict[SSAValue, set[NodeOp]]:
    """The nodes that have to end before a result is dead; outputs stay to the end."""
    kept = {root_of(value) for value in graph.output.values}
    left: dict[SSAValue, set[NodeOp]] = {
        v: {n} for n in graph.nodes for v in n.outputs if v not in kept
    }
    for node in graph.nodes:
        for value in map(root_of, node.inputs):
            if value in left:
                left[value].add(node)
    return left
