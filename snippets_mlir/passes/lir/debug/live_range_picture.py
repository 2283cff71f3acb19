"""The registers of a kernel over time as an SVG picture: ops downwards, a column for each register.

A box is a value in its register, from the middle of its defining op to the middle of its last
reader. If the reader is in a loop and the value is defined outside, the box ends at the end of the
loop. A value that a loop carries has one register, so its boxes touch: before the loop, in each
iteration, and after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape

from xdsl.ir import Block, SSAValue

from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.passes.lir.debug.control_flow_picture import BUFFER_COLOURS
from snippets_mlir.passes.lir.debug.kernel_view import KernelView, OpView, Port
from snippets_mlir.support.pictures import svg_picture, svg_text

ROW, COLUMN, LABELS, TOP, GAP = 20, 58, 420, 64, 24


@dataclass(frozen=True)
class Held:
    """A value in a register, from the op at `start` to the one at `end`."""

    register: str
    name: str
    start: int
    end: int


def held_values(view: KernelView) -> list[Held]:
    """The values that have registers, and the pointers, in the order of their first op."""
    found = [*_values(view), *_pointers(view)]
    return sorted(found, key=lambda held: (held.start, held.register))


def _values(view: KernelView) -> Iterator[Held]:
    known = {op.op: op for op in view.ops}
    ends = {op.loops[-1]: op.index for op in view.ops if isinstance(op.op, LoopEndOp)}
    for op in view.ops:
        for port in op.outputs:
            register = None if port.descriptor is None else port.descriptor.register
            if register is None or register.startswith("gpr"):
                continue
            readers = [known[use.operation] for use in port.value.uses if use.operation in known]
            around = len(op.loops) - isinstance(op.op, LoopEndOp)
            last = [_end(reader, around, ends) for reader in readers if reader.index > op.index]
            yield Held(register.partition("/")[0], port.name, op.index, max(last, default=op.index))


def _end(reader: OpView, around: int, ends: Mapping[int, int]) -> int:
    """The end of a value's life for a reader: the end of the first loop that it enters."""
    depth = len(reader.loops) - isinstance(reader.op, LoopBeginOp)
    return reader.index if depth <= around else ends[reader.loops[around]]


def _pointers(view: KernelView) -> Iterator[Held]:
    """The registers of pointers, from the first access through them to the last one."""
    names = {port.value: port.name for op in view.ops for port in op.outputs}
    first: dict[str, tuple[int, str]] = {}
    last: dict[str, int] = {}
    for op in view.ops:
        for port in (*op.inputs, *op.outputs):
            register = None if port.descriptor is None else port.descriptor.register
            if register is not None and register.startswith("gpr"):
                first.setdefault(register, (op.index, _array(port, names)))
                last[register] = op.index
    for register, (start, name) in first.items():
        yield Held(register, f"pointer: {name}", start, last[register])


def _array(port: Port, names: Mapping[SSAValue, str]) -> str:
    """The target of an access's pointer: an input, a buffer by its name, or an output."""
    if isinstance(port.value.owner, Block | BufferOp):
        return port.name
    buffers = [use.operation for use in port.value.uses if isinstance(use.operation, BufferOp)]
    return names[buffers[0].result] if buffers else "output"


def _order(register: str) -> tuple[str, int]:
    letters = register.rstrip("0123456789")
    return letters, int(register[len(letters) :] or 0)


def live_range_svg(view: KernelView) -> str:
    """The picture of a kernel with registers, self-contained."""
    held = held_values(view)
    registers = sorted({one.register for one in held}, key=_order)
    columns = {register: LABELS + place * COLUMN for place, register in enumerate(registers)}
    width, height = LABELS + len(registers) * COLUMN + GAP, TOP + len(view.ops) * ROW + GAP
    title = f"registers of kernel @{view.name}, stage {view.stage}"
    lines = [
        svg_text(GAP, 22, title, ' font-size="14"'),
        *(svg_text(x + 4, TOP - 8, register) for register, x in columns.items()),
    ]
    for op in view.ops:
        y = TOP + op.index * ROW
        colour = "#f4f4f4" if op.index % 2 else "#ffffff"
        lines.append(f'<rect x="0" y="{y}" width="{width}" height="{ROW}" fill="{colour}"/>')
        results = ", ".join(port.name for port in op.outputs)
        label = f"{results} = {op.op.name}" if results else op.op.name
        lines.append(svg_text(GAP + 14 * len(op.loops), y + 14, label))
    for place, one in enumerate(held):
        y, tall = TOP + one.start * ROW + ROW // 2, max(one.end - one.start, 1) * ROW - 2
        colour = BUFFER_COLOURS[place % len(BUFFER_COLOURS)]
        facts = f"{one.register}: {one.name}, ops {one.start} to {one.end}"
        lines += [
            f"<g><title>{escape(facts)}</title>",
            f'<rect x="{columns[one.register] + 3}" y="{y + 1}" width="{COLUMN - 6}" '
            f'height="{tall}" rx="3" fill="{colour}" fill-opacity="0.8" stroke="#8c510a"/>',
            svg_text(columns[one.register] + 7, y + 13, one.name.removeprefix("pointer: ")[:7]),
            "</g>",
        ]
    return svg_picture(title, width, height, lines)
