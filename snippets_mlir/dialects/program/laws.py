"""The laws of each stage of a `program.graph`, checked by its verifier.

* P1: the stage is one of the known ones, and every input has a name.
* P2: ids are unique, also as names of values (`id:1` is the second result of `id`), and two outputs
  with the same name are the same value.
* P3: the graph holds constants, nodes, views, a schedule and an output at its end; a value is
  defined before it is read.
* P4: bodies neither read nor write memory.
* P5: (topology) a node holds one op, not counting constants.
* P6: (selected) every node has an implementation; a symbol that it names is in the module.
* P7: conflicts name results of nodes, and are symmetric.
* P8: (planned) every result of a node has memory: large enough, aligned to 64 bytes, inside the
  arena, and apart from the memory of its conflicts.
* P9: (scheduled, and only there) a schedule launches each node once, on queues below `queues`.

`node_laws.py` has the laws of single nodes and of the graph's numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.traits import ConstantLike, MemoryEffectKind, get_effects

from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of
from snippets_mlir.dialects.program.attributes import Mem
from snippets_mlir.dialects.program.data import DataOp, ViewOp
from snippets_mlir.dialects.program.graph import STAGES, GraphOp, OutputOp
from snippets_mlir.dialects.program.ids import op_id
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.program.node_laws import check_names, check_nodes, check_numbers, fail
from snippets_mlir.dialects.program.schedule import LaunchOp, RecordOp, ScheduleOp, WaitOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC

ALIGNMENT = 64


def verify_graph(graph: GraphOp) -> None:
    """Check the laws of the graph's stage; the message names the law and the nodes."""
    if graph.stage.data not in STAGES:
        fail(graph, "P1", f'expected a stage of {", ".join(STAGES)}, found "{graph.stage.data}"')
    if len(graph.input_names) != len(graph.block.args):
        found = f"{len(graph.input_names)} for {len(graph.block.args)} inputs"
        fail(graph, "P1", f"expected a name for each input, found {found}")
    check_numbers(graph)
    _check_ops(graph)
    check_names(graph)
    values = _check_ids(graph)
    _check_bodies(graph)
    check_nodes(graph)
    if graph.reached("selected"):
        _check_implementations(graph)
    _check_conflicts(graph, values)
    if graph.reached("planned"):
        _check_memory(graph)
    _check_schedule(graph)


def _check_ops(graph: GraphOp) -> None:
    known = set[SSAValue](graph.block.args)
    if not isinstance(graph.block.last_op, OutputOp):
        fail(graph, "P3", "expected program.output at the end")
    for op in graph.block.ops:
        if not isinstance(op, NodeOp | ViewOp | DataOp | ScheduleOp | OutputOp):
            fail(
                graph, "P3", f"expected nodes, views, constants and a schedule, found {op.name}", op
            )
        for value in op.operands:
            if value not in known:
                source = value.owner
                id_ = op_id(source) if isinstance(source, Operation) else None
                reader = op_id(op) or "program.output"
                fail(graph, "P3", f'"{reader}" reads "{id_}" before it is defined', op)
        known.update(op.results)


def _check_ids(graph: GraphOp) -> Mapping[str, SSAValue]:
    """The values of the graph by their names."""
    values: dict[str, SSAValue] = {}
    ids = set[str]()
    for value in (*graph.block.args, *(r for op in graph.block.ops for r in op.results)):
        if (name := graph.id_of(value)) in values:
            op = value.owner if isinstance(value, OpResult) else None
            fail(graph, "P2", f'two values have the id "{name}"', op)
        values[name] = value
    for op in graph.block.ops:
        if (id_ := op_id(op)) is not None and not op.results:
            if id_ in ids or id_ in values:
                fail(graph, "P2", f'two values have the id "{id_}"', op)
            ids.add(id_)
    outputs: dict[str, SSAValue] = {}
    for name, value in zip(graph.output.output_names, graph.output.values, strict=True):
        if outputs.setdefault(name, value) is not value:
            first, second = graph.id_of(outputs[name]), graph.id_of(value)
            fail(
                graph,
                "P2",
                f'two outputs have the name "{name}": "{first}" and "{second}"',
                graph.output,
            )
    return values


def _check_bodies(graph: GraphOp) -> None:
    for node in graph.nodes:
        ops = [op for op in node.block.ops if not op.has_trait(ConstantLike)][:-1]
        for op in node.body.walk():
            kinds = {effect.kind for effect in get_effects(op) or ()}
            if kinds & {MemoryEffectKind.READ, MemoryEffectKind.WRITE, MemoryEffectKind.FREE}:
                fail(graph, "P4", f'"{node.id.data}" holds {op.name}, which touches memory', node)
        if graph.stage.data == "topology" and len(ops) != 1:
            found = ", ".join(op.name for op in ops) or "none"
            fail(graph, "P5", f'expected one op in "{node.id.data}", found {found}', node)


def _check_implementations(graph: GraphOp) -> None:
    module = graph.parent_op()
    around = list(module.regions[0].block.ops) if isinstance(module, ModuleOp) else []
    names = [op.get_attr_or_prop("sym_name") for op in around]
    symbols = {name.data for name in names if isinstance(name, StringAttr)}
    for node in graph.nodes:
        if node.impl is None:
            fail(graph, "P6", f'"{node.id.data}" has no implementation', node)
        symbol = node.impl.data.symbol
        if symbol is not None and around and symbol not in symbols:
            fail(graph, "P6", f'"{node.id.data}" runs @{symbol}, which is not in the module', node)


def _check_conflicts(graph: GraphOp, values: Mapping[str, SSAValue]) -> None:
    conflicts = {
        graph.id_of(value): set(ids)
        for node in graph.nodes
        for value, ids in zip(node.outputs, node.conflict_ids, strict=False)
    }
    nodes = {graph.id_of(value): node for node in graph.nodes for value in node.outputs}
    for name, ids in conflicts.items():
        for other in sorted(ids):
            if other not in values or not isinstance(values[other].owner, NodeOp):
                fail(
                    graph,
                    "P7",
                    f'"{name}" conflicts with "{other}", which is no result',
                    nodes[name],
                )
            if name not in conflicts.get(other, ()):
                fail(
                    graph,
                    "P7",
                    f'"{name}" conflicts with "{other}", but not the other way',
                    nodes[name],
                )


def _check_memory(graph: GraphOp) -> None:
    arena = graph.number("arena") or 0
    slots: dict[str, Mem] = {}
    for node in graph.nodes:
        if len(node.slots) != len(node.outputs):
            fail(graph, "P8", f'"{node.id.data}" has no memory', node)
        for value, slot in zip(node.outputs, node.slots, strict=True):
            name = graph.id_of(value)
            slots[name] = slot
            needed = value_bytes(value)
            if slot.pool == "output":
                if slot.offset >= len(graph.output.values):
                    fail(
                        graph,
                        "P8",
                        f'"{name}" is in output {slot.offset}, which does not exist',
                        node,
                    )
            elif needed is not None and (slot.size or 0) < needed:
                found = f"expected {needed} bytes, found {slot.size or 0}"
                fail(graph, "P8", f'"{name}": {found}', node)
            elif slot.offset % ALIGNMENT:
                fail(graph, "P8", f'"{name}" is at {slot.offset}, no multiple of {ALIGNMENT}', node)
            elif slot.pool == "arena" and slot.end > arena:
                fail(
                    graph,
                    "P8",
                    f'"{name}" {slot.range} ends after the arena of {arena} bytes',
                    node,
                )
    for node in graph.nodes:
        for value, ids in zip(node.outputs, node.conflict_ids, strict=False):
            name = graph.id_of(value)
            for other in ids:
                if slots[name].overlaps(slots[other]):
                    ranges = f'{slots[name].range} overlaps "{other}" {slots[other].range}'
                    fail(graph, "P8", f'"{name}" {ranges} of the arena: they conflict', node)


def value_bytes(value: SSAValue) -> int | None:
    """Bytes of a value of static shape; None for any other, and for strings."""
    if not is_tensor(type_ := value.type):
        return None
    sizes = [size for size in shape_of(type_) if isinstance(size, int) and size != DYNAMIC]
    element: Attribute = type_.element_type
    if len(sizes) != len(shape_of(type_)) or not isinstance(
        element, AnyFloat | IntegerType | IndexType
    ):
        return None
    return prod(sizes) * numpy_dtype(type_.element_type).itemsize


def _check_schedule(graph: GraphOp) -> None:
    schedules = [op for op in graph.block.ops if isinstance(op, ScheduleOp)]
    if len(schedules) != graph.reached("scheduled"):
        expected = "one schedule" if graph.reached("scheduled") else "no schedule yet"
        fail(
            graph,
            "P9",
            f"expected {expected} at this stage, found {len(schedules)}",
            *schedules[:1],
        )
    if not schedules:
        return
    queues, launched = graph.number("queues") or 1, set[str]()
    nodes = {node.id.data for node in graph.nodes}
    recorded = set[SSAValue]()
    for op in schedules[0].body.block.ops:
        if not isinstance(op, LaunchOp | RecordOp | WaitOp):
            fail(graph, "P9", f"expected launches, records and waits, found {op.name}", op)
        if not 0 <= (queue := op.queue.value.data) < queues:
            fail(graph, "P9", f"{op.name} on queue {queue} of {queues}", op)
        if isinstance(op, LaunchOp):
            if op.node.data not in nodes or op.node.data in launched:
                why = "twice" if op.node.data in launched else "and is no node"
                fail(graph, "P9", f'"{op.node.data}" is launched {why}', op)
            launched.add(op.node.data)
        elif isinstance(op, RecordOp):
            recorded.add(op.event)
        elif op.event not in recorded:
            fail(graph, "P9", f"queue {queue} waits for an event that is not recorded before", op)
    if left := sorted(nodes - launched):
        fail(graph, "P9", f'"{left[0]}" is not launched', schedules[0])
