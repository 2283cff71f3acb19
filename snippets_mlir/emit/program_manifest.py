"""The program of a `program.graph` as JSON, which the runtime executes step by step.

    %0 = program.node "c0" (%a = %x) impl<"snippets", @k0> mem<arena, 0, 64> : (...) -> ... {
      %1 = lir.call @k0(%a) : (tensor<16xf32>) -> tensor<16xf32>
      program.yield %1 : tensor<16xf32>
    }

becomes the step

    {"kind": "kernel", "symbol": "k0", "node": "c0", "impl": "snippets", "queue": 0, "waits": [],
     "fused": [], "inputs": [0], "outputs": [1], "domain": 16, ...}

and its value `{"shape": [16], "dtype": "float32", "mem": ["arena", 0, 64]}`.

A manifest of a graph has all fields of a host function's manifest (`manifest.py`) and more. A step
also has the `node` (its id), the `impl` that runs it, the `queue`, the earlier steps of other
queues for which its queue `waits`, and the other ops of the model that it computes (`fused`). A
value has its `mem`, if it is planned. The program has the order (`queue`: `in-order` or
`out-of-order`), the number of `queues`, the bytes of the `arena`, if planned, and whether no
session has work for several threads (`sessions_alone`).

A node whose body is one `lir.call` is a `kernel` step, a node whose body is a
`snippets.check_indices` a `check` step, and any other node an `execute` step. Constants that only
onnxruntime reads are in the functions of its steps, because it packs known constants. A graph
before the stage `selected` is refused.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.integers import integer_in
from snippets_mlir.dialects.program.data import DataOp, ViewOp
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.program.schedule import LaunchOp, RecordOp, ScheduleOp, WaitOp
from snippets_mlir.emit.kernel_steps import kernel_facts
from snippets_mlir.emit.manifest import (
    SESSIONS_ALONE,
    VERSION,
    called,
    constant_data,
    described,
    symbol_name,
)
from snippets_mlir.emit.program_nodes import (
    REFERENCE,
    call_of,
    check_of,
    constant_of_data,
    constants_of,
    function_of_node,
    inputs_of,
    is_constant,
)
from snippets_mlir.support.attribute_names import THREADS
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def build_program_manifest(
    module: ModuleOp, graph: GraphOp, *, with_text: bool = True, named: bool = True
) -> dict[str, Any]:
    """The program of a graph, as a dict for `json.dumps`.

    Args:
        module: contains the graph and its kernels.
        graph: at the stage `selected` or later.
        with_text: whether the text of the `execute` steps and the data of constants are in it.
        named: whether steps have the ids of their nodes.
    """
    if not graph.reached("selected"):
        raise CompileError(
            f'@{graph.sym_name.data}: expected stage "selected" or later, '
            f'found "{graph.stage.data}"; run program-select-implementations',
            **position_of(graph),
        )
    builder = _Builder(module, with_text=with_text, named=named)
    for argument in graph.block.args:
        builder.define(argument)
    held = set(constants_of(graph))
    for op in graph.block.ops:
        if isinstance(op, DataOp) and op in held:
            data = constant_data(constant_of_data(op)) if with_text else {}
            builder.constants.append({"value": builder.define(op.result), **data})
        elif isinstance(op, ViewOp):
            builder.steps.append(builder.view_step(op))
        elif isinstance(op, NodeOp):
            builder.steps.append(builder.node_step(op))
    if graph.schedule is not None:
        _schedule(graph.schedule, builder.steps)
    target = module.attributes.get("snippets.target")
    numbers = {name: graph.number(name) for name in ("queues", "arena")}
    return {
        "version": VERSION,
        "entry": graph.sym_name.data,
        "target": target.data if isinstance(target, StringAttr) else None,
        "threads": integer_in(module.attributes.get(THREADS)),
        "queue": graph.queue,
        **({"sessions_alone": True} if SESSIONS_ALONE in module.attributes else {}),
        **{name: number for name, number in numbers.items() if number is not None},
        "values": builder.values,
        "inputs": builder.interface(graph.input_names, graph.block.args),
        "outputs": builder.interface(graph.output.output_names, graph.output.values),
        "constants": builder.constants,
        "steps": builder.steps,
    }


class _Builder:
    """Builds the manifest: each value of the graph gets a number."""

    def __init__(self, module: ModuleOp, *, with_text: bool, named: bool) -> None:
        self.symbols = {name: op for op in module.ops if (name := symbol_name(op)) is not None}
        self.with_text = with_text
        self.named = named
        self.ids: dict[SSAValue, int] = {}
        self.values: list[dict[str, Any]] = []
        self.constants: list[dict[str, Any]] = []
        self.steps: list[dict[str, Any]] = []

    def define(self, value: SSAValue) -> int:
        self.ids[value] = len(self.values)
        self.values.append(described(value.type))
        return self.ids[value]

    def view_step(self, op: ViewOp) -> dict[str, Any]:
        named = {"node": op.id.data} if self.named else {}
        step: dict[str, Any] = {"kind": "view", **named, "inputs": [self.ids[op.operand]]}
        if op.source_dims is not None:
            step["dims"] = [None if dim < 0 else dim for dim in op.source_dims]
        return {**step, "outputs": [self.define(op.result)]}

    def node_step(self, node: NodeOp) -> dict[str, Any]:
        facts = self.facts_of(node)
        inputs = [self.ids[v] for v in inputs_of(node)]
        outputs = [self.define(v) for v in node.outputs]
        for number, slot in zip(outputs, node.slots, strict=False):
            self.values[number]["mem"] = [slot.pool, slot.offset, slot.size]
        names: dict[str, Any] = {}
        if self.named:
            fused = [name for name in node.origin_names if name != node.id.data]
            names = {"node": node.id.data, "fused": fused}
        return {
            **facts,
            **names,
            "impl": REFERENCE if facts["kind"] == "execute" and is_constant(node) else node.kind,
            "queue": 0,
            "waits": [],
            "inputs": inputs,
            "outputs": outputs,
        }

    def facts_of(self, node: NodeOp) -> dict[str, Any]:
        if (call := call_of(node)) is not None:
            return kernel_facts(call, self.symbols)
        if (check := check_of(node)) is not None:
            facts = {"axis": check.axis, "from_end": check.from_end is not None}
            return {"kind": "check", **facts, "ops": [called(check)]}
        if node.kind == "snippets" and not is_constant(node):
            raise CompileError(
                f'"{node.id.data}": impl<"snippets"> has no kernel; lower it first, with '
                "-p program-to-llvm",
                **position_of(node),
            )
        name = f"region_{sum(step['kind'] == 'execute' for step in self.steps)}"
        text = {"text": str(function_of_node(name, node))} if self.with_text else {}
        ops = list(node.block.ops)[:-1]
        return {"kind": "execute", "ops": [called(op) for op in ops], **text}

    def interface(self, names: tuple[str, ...], values: Any) -> list[dict[str, Any]]:
        return [
            {"name": name, "value": self.ids[value], **described(value.type)}
            for name, value in zip(names, values, strict=True)
        ]


def _schedule(schedule: ScheduleOp, steps: list[dict[str, Any]]) -> None:
    """Order the steps by launches, with their queues and waits.

    A view comes right after the step that makes its source.
    """
    by_node = {step["node"]: step for step in steps}
    last: dict[int, str] = {}  # queue -> what was launched there last
    recorded: dict[SSAValue, str | None] = {}
    waiting: dict[int, list[str]] = {}
    launched: list[str] = []
    for op in schedule.body.block.ops:
        if isinstance(op, LaunchOp):
            queue, node = op.queue.value.data, op.node.data
            by_node[node]["queue"] = queue
            by_node[node]["waits"] = waiting.pop(queue, [])
            last[queue] = node
            launched.append(node)
        elif isinstance(op, RecordOp):
            recorded[op.event] = last.get(op.queue.value.data)
        elif isinstance(op, WaitOp) and (node := recorded[op.event]) is not None:
            waiting.setdefault(op.queue.value.data, []).append(node)
    place = {node: index for index, node in enumerate(launched)}
    made: dict[int, int] = {}  # value -> the place of the step that makes it
    for step in steps:  # the place of a view is that of its source
        place.setdefault(step["node"], made.get(step["inputs"][0], -1) if step["inputs"] else -1)
        made |= dict.fromkeys(step["outputs"], place[step["node"]])
    steps.sort(key=lambda step: place[step["node"]])
    numbers = {step["node"]: index for index, step in enumerate(steps)}
    for step in steps:
        if "waits" in step:
            step["waits"] = sorted(numbers[node] for node in step["waits"])
