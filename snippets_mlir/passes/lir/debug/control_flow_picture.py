"""A kernel as an SVG picture: ops in order, loops as boxes around them, buffers as lifetimes.

Time runs downwards. The scratchpad is to the right of the ops, and its bytes run to the right. Each
buffer is a box over its lifetime and its bytes, so boxes that overlap in both share memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from snippets_mlir.dialects.builtin.dims import format_size
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_facts import sum_of
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.passes.lir.debug.kernel_view import BufferView, KernelView, OpView, loop_text
from snippets_mlir.support.pictures import fitted, svg_box, svg_picture, svg_text

ROW, STEP, OPS_WIDTH, PAD_WIDTH, GAP = 20, 14, 620, 320, 24
LOOP_COLOURS = ("#e8f1fb", "#d4e6f7", "#c0daf3", "#abcfee")
BUFFER_COLOURS = ("#fdd0a2", "#c7e9c0", "#dadaeb", "#fcbba1", "#d9d9d9", "#fee391")


@dataclass(frozen=True)
class Row:
    """A line of the picture: an op, or the header of a loop (`op` is None)."""

    loops: tuple[int, ...]
    op: OpView | None


def _rows(view: KernelView) -> list[Row]:
    """The lines: a header where a loop starts, and the ops that are no begins of loops."""
    rows: list[Row] = []
    open_loops: tuple[int, ...] = ()
    for op in view.ops:
        shared = 0
        while shared < min(len(op.loops), len(open_loops)) and (
            op.loops[shared] == open_loops[shared]
        ):
            shared += 1
        rows += [Row(op.loops[: depth + 1], None) for depth in range(shared, len(op.loops))]
        open_loops = op.loops
        if not isinstance(op.op, LoopBeginOp) or op.outputs:
            rows.append(Row(op.loops, op))
        if isinstance(op.op, LoopEndOp):
            open_loops = op.loops[:-1]
    return rows


def _label(op: OpView) -> str:
    results = ", ".join(port.name for port in op.outputs)
    operands = ", ".join(port.name for port in op.inputs)
    name = op.op.name.removeprefix("snippets.")
    return f"{results} = {name} {operands}".strip() if results else f"{name} {operands}".strip()


def _loops(view: KernelView, rows: list[Row], top: int) -> list[str]:
    """A box for each loop, outer ones first, with its facts in its first row."""
    parts: list[str] = []
    for start, row in enumerate(rows):
        if row.op is not None:
            continue
        depth = len(row.loops)
        end = start
        while end + 1 < len(rows) and rows[end + 1].loops[:depth] == row.loops:
            if rows[end + 1].op is None and len(rows[end + 1].loops) == depth:
                break
            end += 1
        x, y = GAP + (depth - 1) * STEP, top + start * ROW
        loop = view.loops[row.loops[-1]]
        width = OPS_WIDTH - 2 * (depth - 1) * STEP
        colour = LOOP_COLOURS[min(depth, len(LOOP_COLOURS)) - 1]
        parts.append(f'<g id="loop{loop.id}"><title>{escape(loop_text(loop))}</title>')
        parts.append(svg_box(x, y + 2, width, (end - start + 1) * ROW - 4, colour))
        parts.append(svg_text(x + 6, y + 14, loop_text(loop), ' font-weight="bold"'))
        parts.append("</g>")
    return parts


def _ops(rows: list[Row], top: int) -> list[str]:
    parts: list[str] = []
    for place, row in enumerate(rows):
        if row.op is not None:
            x, y = GAP + len(row.loops) * STEP + 6, top + place * ROW + 13
            details = ", ".join(f"{k} = {v}" for k, v in row.op.properties.items())
            title = f"<title>{escape(f'{row.op.index}: {row.op.op.name} {details}')}</title>"
            text = escape(_label(row.op))
            parts.append(f'<text x="{x}" y="{y}">{title}{text}</text>')
    return parts


def _buffer(view: KernelView, buffer: BufferView, place: int, y: int, height: int) -> str:
    """One lifetime; buffers without an offset, or in an output, are side by side."""
    left = GAP * 2 + OPS_WIDTH
    ends = (sum_of(s for s in (b.offset, b.size) if s is not None) for b in view.buffers)
    total = max(map(assumed, (view.scratch, *ends, 1)))
    if buffer.offset is None or buffer.size is None:
        share = PAD_WIDTH // len(view.buffers)
        facts = "no offset yet" if buffer.output is None else f"in output {buffer.output}"
        x, width = left + place * share, share
    else:
        x = left + assumed(buffer.offset) * PAD_WIDTH // total
        width = max(assumed(buffer.size) * PAD_WIDTH // total, 2)
        facts = f"bytes {format_size(buffer.offset)} to {format_size(buffer.offset + buffer.size)}"
    colour = BUFFER_COLOURS[place % len(BUFFER_COLOURS)]
    title = escape(f"{buffer.name}: {facts}, alive {buffer.start} to {buffer.end}")
    return (
        f'<g id="buffer{place}"><title>{title}</title>'
        + svg_box(x, y, width, height, colour, "#8c510a")
        + svg_text(x + 4, y + 14, fitted(f"{buffer.name} {facts}", width - 8))
        + "</g>"
    )


def _scratchpad(view: KernelView, rows: list[Row], top: int) -> list[str]:
    if not view.buffers:
        return []
    left = GAP * 2 + OPS_WIDTH
    height = len(rows) * ROW
    parts = [
        svg_text(left, top - 8, f"scratchpad of a thread, {format_size(view.scratch)} bytes"),
        svg_box(left, top, PAD_WIDTH, height, "#ffffff", "#999"),
    ]
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for place, row in enumerate(rows):
        if row.op is not None:
            first.setdefault(row.op.index, place)
            last[row.op.index] = place
    for place, buffer in enumerate(view.buffers):
        start = min((p for i, p in first.items() if i >= buffer.start), default=0)
        end = max((p for i, p in last.items() if i <= buffer.end), default=start)
        y, tall = top + start * ROW + 1, (end - start + 1) * ROW - 2
        parts.append(_buffer(view, buffer, place, y, max(tall, ROW - 2)))
    return parts


def control_flow_svg(view: KernelView) -> str:
    """The picture of a kernel, self-contained."""
    rows = _rows(view)
    top = 56
    width = OPS_WIDTH + 3 * GAP + (PAD_WIDTH if view.buffers else 0)
    height = top + len(rows) * ROW + GAP
    title = f"kernel @{view.name}, stage {view.stage}, scratch {format_size(view.scratch)} bytes"
    lines = [
        svg_text(GAP, 22, title, ' font-size="14"'),
        svg_text(GAP, 40, "inputs " + ", ".join(port.name for port in view.arguments)),
        *_loops(view, rows, top),
        *_ops(rows, top),
        *_scratchpad(view, rows, top),
    ]
    return svg_picture(title, width, height, lines)
