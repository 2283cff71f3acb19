"""Print the connectors and port descriptors of every kernel on standard error.

    kernel @subgraph_0, stage looped, scratch 0
      loop 0: work 37, increment 16, dim 0, parallel
      0: lir.loop_begin, loops [0]
      1: lir.load, loops [0], count = 16 : i64
         in 0: %x, [37], sub [16], loops [0: dim 0 ptr 1 fin -37]
         out 0: %0, [37], sub [16] -> 2.0
      2: snippets.exp, loops [0]
         ...

The connector of an output lists its consumers as op and port. Buffers follow with offset, size,
cluster, register group and the ops over which they live. The module does not change. Works at every
stage of kernels. Source: the guide's `debug_print()`.
"""

import sys
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import Dim, format_size
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.debug.kernel_view import (
    KernelView,
    OpView,
    Port,
    loop_text,
    port_text,
    view_of,
)
from snippets_mlir.passes.lir.kernel_passes import EVERY_STAGE, KernelReportPass


def _described(port: Port) -> str:
    text = port_text(port.descriptor)
    return f"{port.name}, {text}" if text else port.name


def _consumers(port: Port, places: dict[Operation, int]) -> str:
    found = sorted((places[use.operation], use.index) for use in port.value.uses)
    return ", ".join(f"{op}.{index}" for op, index in found) or "nobody"


def _op_lines(view: OpView, places: dict[Operation, int]) -> list[str]:
    facts = [f"{name} = {text}" for name, text in view.properties.items()]
    head = ", ".join([view.op.name, f"loops {list(view.loops)}", *facts])
    lines = [f"  {view.index}: {head}"]
    for kind, ports in (("in", view.inputs), ("out", view.outputs)):
        for index, port in enumerate(ports):
            users = f" -> {_consumers(port, places)}" if kind == "out" else ""
            lines.append(f"     {kind} {index}: {_described(port)}{users}")
    return lines


def _shown(value: Dim | None) -> str:
    return "?" if value is None else format_size(value)


def kernel_text(view: KernelView) -> str:
    """The printed text of one kernel."""
    places = {op.op: op.index for op in view.ops}
    lines = [f"kernel @{view.name}, stage {view.stage}, scratch {format_size(view.scratch)}"]
    lines += [f"  {loop_text(loop)}" for loop in view.loops.values()]
    for argument in view.arguments:
        lines.append(f"  argument {argument.name} -> {_consumers(argument, places)}")
    for op in view.ops:
        lines += _op_lines(op, places)
    for buffer in view.buffers:
        place = (
            f"offset {_shown(buffer.offset)}, size {_shown(buffer.size)}, "
            f"cluster {_shown(buffer.cluster)}, register group {_shown(buffer.reg_group)}"
        )
        if buffer.output is not None:
            place = f"in output {buffer.output}, size {_shown(buffer.size)}"
        lines.append(f"  buffer {buffer.name}: {place}, alive {buffer.start} to {buffer.end}")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class LirDebugPrintPass(KernelReportPass):
    """Print connectors and descriptors of every kernel on standard error."""

    name = "lir-debug-print"
    STAGES: ClassVar[Stages] = EVERY_STAGE

    @override
    def report(self, kernel: KernelOp) -> None:
        sys.stderr.write(kernel_text(view_of(kernel)))
