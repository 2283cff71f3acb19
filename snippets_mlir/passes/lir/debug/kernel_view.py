"""A view of a kernel for tools: ops in order with names, connectors and ports.

Works at every stage of the kernel. Before loops are inserted, an op names its loops. Afterwards,
its loops are those whose markers enclose it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.printer import Printer

from snippets_mlir.dialects.builtin.dims import Dim, format_size
from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.ports import PortAttr, PortDescriptor
from snippets_mlir.passes.lir.buffer_facts import facts_of


@dataclass(frozen=True)
class Port:
    """An operand or a result: the connector's name, and the descriptor if the op has one."""

    name: str
    value: SSAValue
    descriptor: PortDescriptor | None


@dataclass(frozen=True)
class OpView:
    """One op of a kernel.

    Attributes:
        index: its place in the kernel, from 0.
        op: the op itself.
        loops: ids of the loops around it, outermost first; a marker is inside of its loop.
        inputs: one for each operand.
        outputs: one for each result.
    """

    index: int
    op: Operation
    loops: tuple[int, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    @property
    def properties(self) -> dict[str, str]:
        """The other attributes of the op, beside ports and loops, as text."""
        attributes = {**self.op.properties, **self.op.attributes}
        hidden = ("lir.ports", "lir.loops", "loop_id")
        return {k: text_of(v) for k, v in attributes.items() if k not in hidden}


@dataclass(frozen=True)
class BufferView:
    """A buffer over time: alive from the op at `start` to the one at `end`; None: undecided."""

    name: str
    start: int
    end: int
    offset: Dim | None
    size: Dim | None
    cluster: int | None
    reg_group: int | None
    output: int | None


@dataclass(frozen=True)
class KernelView:
    """A kernel with names for its values."""

    name: str
    stage: str
    scratch: Dim
    loops: dict[int, LoopInfo]
    arguments: tuple[Port, ...]
    ops: tuple[OpView, ...]
    buffers: tuple[BufferView, ...]


def text_of(attr: Attribute) -> str:
    """An attribute as text of the IR."""
    stream = StringIO()
    Printer(stream=stream).print_attribute(attr)
    return stream.getvalue()


def port_text(port: PortDescriptor | None) -> str:
    """A descriptor without the name of its attribute, `` for none."""
    if port is None:
        return ""
    return text_of(PortAttr(port)).removeprefix("#lir.port<").removesuffix(">")


def loop_text(loop: LoopInfo) -> str:
    """`loop 1: work 1000, increment 16, dim 0, parallel`."""
    parts = [
        f"work {format_size(loop.work_amount)}",
        f"increment {format_size(loop.increment)}",
        f"dim {loop.dim}",
    ]
    if loop.parallel:
        parts.append("parallel")
    if loop.inner_of is not None:
        parts.append(f"inner of {loop.inner_of}")
    if loop.diagonal is not None:
        parts.append("diagonal {} of {}".format(*loop.diagonal))
    if loop.calls is not None:
        parts.append(f"for {loop.calls}")
    if loop.iteration != "unified":
        parts.append(f"{loop.iteration} of {loop.origin}")
    return f"loop {loop.id}: {', '.join(parts)}"


def _names(kernel: KernelOp) -> dict[SSAValue, str]:
    """A name for each value: its hint if no other value has it, else a number."""
    names: dict[SSAValue, str] = {}
    used: set[str] = set()
    number = 0
    results = (value for op in kernel.block.ops for value in op.results)
    for value in (*kernel.block.args, *results):
        name = value.name_hint
        if name is None or name in used:
            while (name := str(number)) in used:
                number += 1
        used.add(name)
        names[value] = f"%{name}"
    return names


def _ports(
    values: Sequence[SSAValue], ports: Sequence[PortDescriptor], names: dict[SSAValue, str]
) -> tuple[Port, ...]:
    known = ports if len(ports) == len(values) else (None,) * len(values)
    return tuple(Port(names[v], v, p) for v, p in zip(values, known, strict=True))


def _loops_around(kernel: KernelOp) -> Iterator[tuple[int, ...]]:
    """The loops around each op, from markers if there are any."""
    marked = any(isinstance(op, LoopBeginOp) for op in kernel.block.ops)
    stack: list[int] = []
    for op in kernel.block.ops:
        if isinstance(op, LoopBeginOp):
            stack.append(op.id)
        yield tuple(stack) if marked else loop_ids(op)
        if isinstance(op, LoopEndOp) and stack:
            stack.pop()


def _buffers(kernel: KernelOp, names: dict[SSAValue, str]) -> tuple[BufferView, ...]:
    if not kernel.reached("looped") or not any(isinstance(o, BufferOp) for o in kernel.block.ops):
        return ()
    return tuple(
        BufferView(
            names[facts.buffer.result],
            facts.start,
            facts.end,
            facts.buffer.decided_size("offset"),
            facts.buffer.decided_size("size"),
            facts.buffer.decided("cluster"),
            facts.buffer.decided("reg_group"),
            facts.buffer.decided("output"),
        )
        for facts in facts_of(kernel)
    )


def view_of(kernel: KernelOp) -> KernelView:
    """Everything that can be shown of a kernel."""
    names = _names(kernel)
    ops = tuple(
        OpView(
            index,
            op,
            loops,
            _ports(op.operands, input_ports(op), names),
            _ports(op.results, output_ports(op), names),
        )
        for index, (op, loops) in enumerate(
            zip(kernel.block.ops, _loops_around(kernel), strict=True)
        )
    )
    return KernelView(
        kernel.sym_name.data,
        kernel.stage.data,
        kernel.scratch,
        kernel.loop_table,
        _ports(kernel.block.args, (), names),
        ops,
        _buffers(kernel, names),
    )
