"""A kernel's values as an SVG picture: a box for each op, below the boxes of its operands."""

from __future__ import annotations

from html import escape

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.passes.lir.debug.kernel_view import KernelView, Port, port_text
from snippets_mlir.passes.lir.debug.openvino_xml import source_of
from snippets_mlir.support.pictures import fitted, svg_picture

WIDTH, HEIGHT, GAP_X, GAP_Y = 150, 36, 20, 44
COLOURS = {"lir": "#fff2ae", "snippets": "#d9f0d3"}

Node = tuple[str, str, tuple[Port, ...], tuple[Port, ...]]
"""Label, colour, operands, results."""


def _nodes(view: KernelView) -> list[Node]:
    nodes: list[Node] = [(f"{a.name}", "#eeeeee", (), (a,)) for a in view.arguments]
    for op in view.ops:
        if not isinstance(op.op, LoopBeginOp | LoopEndOp):
            dialect, _, name = op.op.name.partition(".")
            colour = COLOURS.get(dialect, "#eeeeee")
            nodes.append((f"{op.index} {name}", colour, op.inputs, op.outputs))
    return nodes


def _rows(nodes: list[Node], made: dict[SSAValue, int]) -> list[int]:
    """For each node its row: after its operands, and right before its first reader.

    Arguments, which are first in `nodes`, are in the first row.
    """
    sources = [[made[source_of(port.value)] for port in inputs] for _, _, inputs, _ in nodes]
    rows: list[int] = []
    for above in sources:
        rows.append(max((rows[i] for i in above), default=-1) + 1)
    below = [len(nodes)] * len(nodes)
    for index in reversed(range(len(nodes))):
        if below[index] < len(nodes) and isinstance(nodes[index][3][0].value.owner, Operation):
            rows[index] = below[index] - 1
        for source in sources[index]:
            below[source] = min(below[source], rows[index])
    return rows


def data_flow_svg(view: KernelView) -> str:
    """The picture of a kernel's values, self-contained."""
    nodes = _nodes(view)
    made = {port.value: i for i, (_, _, _, outputs) in enumerate(nodes) for port in outputs}
    used: dict[int, int] = {}
    places: list[tuple[int, int]] = []
    for row in _rows(nodes, made):
        column = used.get(row, 0)
        used[row] = column + 1
        places.append((GAP_X + column * (WIDTH + GAP_X), 40 + row * (HEIGHT + GAP_Y)))
    width = GAP_X + max(used.values(), default=1) * (WIDTH + GAP_X)
    height = 40 + len(used) * (HEIGHT + GAP_Y)
    heading = f"kernel @{view.name}, stage {view.stage}"
    lines = [
        f'<text x="{GAP_X}" y="22" font-size="14">{escape(heading)}</text>',
    ]
    for index, (_, _, inputs, _) in enumerate(nodes):
        for port in inputs:
            from_x, from_y = places[made[source_of(port.value)]]
            to_x, to_y = places[index]
            title = escape(f"{port.name} {port_text(port.descriptor)}")
            lines.append(
                f'<path d="M{from_x + WIDTH // 2} {from_y + HEIGHT} L{to_x + WIDTH // 2} {to_y}" '
                f'stroke="#555"><title>{title}</title></path>'
            )
    for (label, colour, _, outputs), (x, y) in zip(nodes, places, strict=True):
        shape = port_text(outputs[0].descriptor) if outputs else ""
        label, shape = (escape(fitted(text, WIDTH - 12)) for text in (label, shape))
        lines.append(
            f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="3" fill="{colour}" '
            f'stroke="#555"/><text x="{x + 6}" y="{y + 15}">{label}</text>'
            f'<text x="{x + 6}" y="{y + 29}" fill="#555">{shape}</text>'
        )
    return svg_picture(heading, width, height, lines)
