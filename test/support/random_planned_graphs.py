"""Random `program.graph`s as IR, whose nodes have one op each, and edits of what passes planned.

A node is `onnx.node "Mix"`; `mix` gives its values, so that a run is a few additions. All values
are whole numbers that float32 has, and each result depends on all elements of all operands: an
operand that is poisoned, stale or half written changes what follows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from random_programs import SIZES
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    f32,
    i64,
)
from xdsl.ir import Block, Operation, Region, SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.program.attributes import Impl, Mem
from snippets_mlir.dialects.program.data import DataOp, ViewOp
from snippets_mlir.dialects.program.graph import GraphOp, OutputOp
from snippets_mlir.dialects.program.names import names_attr
from snippets_mlir.dialects.program.node import NodeOp, YieldOp
from snippets_mlir.dialects.program.schedule import LaunchOp, RecordOp, WaitOp

MODULUS = 1021
TYPES = {size: TensorType(f32, [size]) for size in SIZES}


def mix(op: Operation, operands: Sequence[Any]) -> list[Any]:
    """The results of a node: a number that depends on all elements, plus the index."""
    assert isinstance(op, OnnxNodeOp)
    total = float(op.version.value.data)
    for number, operand in enumerate(operands):
        total = (3 * total + (number + 1) * float(operand.sum(dtype=np.float64))) % MODULUS
    sizes = [tensor_of(result).get_shape()[0] for result in op.outputs]
    return [np.arange(size, dtype=np.float32) + np.float32(total) for size in sizes]


def inputs_of(graph: GraphOp) -> list[Any]:
    """Inputs for a graph."""
    return [
        np.arange(1, tensor_of(argument).get_shape()[0] + 1, dtype=np.float32)
        for argument in graph.block.args
    ]


def random_graph_of_nodes(rng: random.Random, most: int = 9) -> ModuleOp:
    """A graph at stage `selected` with up to `most` nodes and views.

    Views of views and of the input, nodes of two results, results that nothing reads, a value
    read twice by a node; outputs are any values, one maybe under several names.
    """
    block = Block(arg_types=[TYPES[rng.choice(SIZES)]])
    type_ = TYPES[rng.choice(SIZES)]
    data = DataOp("w", DenseIntOrFPElementsAttr.from_list(type_, [1.5]), type_)
    block.add_op(data)
    values: list[SSAValue] = [block.args[0], data.result]
    for index in range(rng.randint(1, most)):
        pool = values[-rng.choice((2, 4, len(values))) :]
        if rng.random() < 0.2:
            source = rng.choice(pool)
            made = ViewOp(f"v{index}", source, source.type)
        else:
            made = _node(index, rng.choices(pool, k=rng.randint(1, 3)), rng)
        block.add_op(made)
        values += made.results
    outputs = rng.choices(values, k=rng.randint(1, 3))
    block.add_op(OutputOp(outputs, [f"y{i}" for i in range(len(outputs))]))
    return ModuleOp([GraphOp("main", "selected", ["x"], Region(block))])


def _node(index: int, operands: Sequence[SSAValue], rng: random.Random) -> NodeOp:
    types = [TYPES[rng.choice(SIZES)] for _ in range(rng.choice((1, 1, 1, 2)))]
    block = Block(arg_types=[v.type for v in operands])
    op = OnnxNodeOp("Mix", block.args, types, version=index + 1)
    block.add_ops([op, YieldOp(op.outputs)])
    cost = rng.choice((None, 1, 100, 100_000))
    return NodeOp(f"n{index}", operands, types, Region(block), Impl("onnxruntime", None, cost))


def conflict_pairs(graph: GraphOp) -> set[tuple[str, str]]:
    """The pairs of results that are in conflict by the text, smaller name first."""
    found = set[tuple[str, str]]()
    for node in graph.nodes:
        for value, others in zip(node.outputs, node.conflict_ids, strict=True):
            own = graph.id_of(value)
            found |= {(min(own, other), max(own, other)) for other in others}
    return found


def without_conflict(graph: GraphOp, pair: tuple[str, str]) -> None:
    """Take a pair out of the conflicts of both results."""
    for node in graph.nodes:
        node.properties["conflicts"] = ArrayAttr(
            names_attr([o for o in others if {graph.id_of(value), o} != set(pair)])
            for value, others in zip(node.outputs, node.conflict_ids, strict=True)
        )


def edit(graph: GraphOp, rng: random.Random) -> str | None:
    """Change one decision of a planned or scheduled graph; what it was, None if there was none.

    The edit may be harmless, wrong, or against a law of the stage.
    """
    edits: list[tuple[str, Callable[[], None]]] = []
    for node in graph.nodes:
        for at, slot in enumerate(node.slots):
            if slot.pool == "arena":
                edits.append(("offset", _moved(node, at, rng.randrange(0, 12) * 64)))
            if slot.pool == "output" and len(graph.output.values) > 1:
                edits.append(("output", _output(node, at, rng.randrange(len(graph.output.values)))))
    if graph.queue == "in-order":
        edits.append(("queue", lambda: graph.attributes.update(queue=StringAttr("out-of-order"))))
    ops = list(graph.schedule.body.block.ops) if graph.schedule is not None else []
    queues = graph.number("queues") or 1
    for op in ops:
        if isinstance(op, WaitOp):
            edits.append(("wait", _erased(op)))
        if isinstance(op, LaunchOp | RecordOp | WaitOp) and queues > 1:
            edits.append((op.name, _on_queue(op, rng.randrange(queues))))
        if op.next_op is not None:
            edits.append(("order", _swapped(op, op.next_op)))
    if not edits:
        return None
    kind = rng.choice(sorted({kind for kind, _ in edits}))
    rng.choice([change for found, change in edits if found == kind])()
    return kind


def _moved(node: NodeOp, at: int, offset: int) -> Callable[[], None]:
    slot = node.slots[at]
    slots = [*node.slots[:at], Mem("arena", offset, slot.size), *node.slots[at + 1 :]]
    return lambda: node.set_slots(slots)


def _output(node: NodeOp, at: int, output: int) -> Callable[[], None]:
    slots = [*node.slots[:at], Mem("output", output), *node.slots[at + 1 :]]
    return lambda: node.set_slots(slots)


def _erased(op: WaitOp) -> Callable[[], None]:
    def erase() -> None:
        op.detach()
        op.erase()

    return erase


def _on_queue(op: LaunchOp | RecordOp | WaitOp, queue: int) -> Callable[[], None]:
    return lambda: op.properties.update(queue=IntegerAttr(queue, i64))


def _swapped(first: Operation, second: Operation) -> Callable[[], None]:
    def swap() -> None:
        block = first.parent_block()
        assert block is not None
        second.detach()
        block.insert_op_before(second, first)

    return swap
