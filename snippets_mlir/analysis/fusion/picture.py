"""Pictures of a fusion graph with its groups: Graphviz text, and SVG without any tool.

Both show a box for each group of several nodes, the kinds of nodes by colour, the kinds of edges
that are not elementwise as labels, and dotted lines to the immediate post-dominators. The SVG puts
nodes in rows by the longest path from the inputs.
"""

from __future__ import annotations

from html import escape

from snippets_mlir.analysis.fusion.graph import FusionGraph, Node
from snippets_mlir.analysis.fusion.rules import Fusion
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.support.pictures import svg_picture

COLOURS = {
    PatternKind.ELEMWISE: "#d9f0d3",
    PatternKind.BROADCAST: "#e6f5c9",
    PatternKind.INJECTIVE: "#fff2ae",
    PatternKind.COMM_REDUCE: "#fdd0a2",
    PatternKind.OUT_ELEMWISE_FUSABLE: "#cbd5e8",
    PatternKind.TUPLE: "#e8d6f0",
    PatternKind.OPAQUE: "#eeeeee",
}
WIDTH, HEIGHT, GAP_X, GAP_Y = 130, 40, 30, 50


def _groups(fusion: Fusion) -> list[tuple[int, list[int]]]:
    return sorted(fusion.groups.members().items())


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def as_dot(title: str, fusion: Fusion) -> str:
    """The picture as Graphviz reads it."""
    lines = [f"digraph {_quoted(title)} {{", "  node [shape=box, style=filled];"]
    for root, members in _groups(fusion):
        nodes = [_dot_node(fusion.graph.nodes[i]) for i in members]
        if len(members) > 1:
            nodes = [f"subgraph cluster_{root} {{", *(f"  {node}" for node in nodes), "}"]
        lines += [f"  {node}" for node in nodes]
    for node in fusion.graph.nodes:
        for edge in node.outputs:
            plain = edge.pattern is PatternKind.ELEMWISE
            label = "" if plain else f" [label={_quoted(edge.pattern.text)}]"
            lines.append(f"  n{node.index} -> n{edge.consumer}{label};")
        if (parent := fusion.tree.nodes[node.index].parent) is not None:
            lines.append(f"  n{node.index} -> n{parent} [style=dotted, constraint=false];")
    return "\n".join([*lines, "}"])


def _dot_node(node: Node) -> str:
    label = _quoted(f"{node.index} {node.label}")
    border = ", peripheries=2" if node.is_extern else ""
    return f'n{node.index} [label={label}, fillcolor="{COLOURS[node.pattern]}"{border}];'


def _places(graph: FusionGraph) -> dict[int, tuple[int, int]]:
    """The left upper corner of each node."""
    row = [0] * len(graph.nodes)
    for node in graph.nodes:
        for edge in node.outputs:
            row[edge.consumer] = max(row[edge.consumer], row[node.index] + 1)
    used: dict[int, int] = {}
    places: dict[int, tuple[int, int]] = {}
    for index, y in enumerate(row):
        x = used.get(y, 0)
        used[y] = x + 1
        places[index] = (GAP_X + x * (WIDTH + GAP_X), GAP_Y + y * (HEIGHT + GAP_Y))
    return places


def as_svg(title: str, fusion: Fusion) -> str:
    """The picture as a browser shows it."""
    places = _places(fusion.graph)
    width = max((x for x, _ in places.values()), default=0) + WIDTH + GAP_X
    height = max((y for _, y in places.values()), default=0) + HEIGHT + GAP_Y
    lines = [_svg_edges(node, fusion, places) for node in fusion.graph.nodes]
    for root, members in _groups(fusion):
        lines.append(f'<g id="group{root}"><title>group {root}</title>')
        lines += [_svg_node(fusion.graph.nodes[i], places[i], len(members) > 1) for i in members]
        lines.append("</g>")
    return svg_picture(title, width, height, lines)


def _svg_edges(node: Node, fusion: Fusion, places: dict[int, tuple[int, int]]) -> str:
    x, y = places[node.index]
    start = f"{x + WIDTH // 2} {y + HEIGHT}"
    parts: list[str] = []
    for edge in node.outputs:
        to_x, to_y = places[edge.consumer]
        parts.append(f'<path d="M{start} L{to_x + WIDTH // 2} {to_y}" stroke="#555"/>')
        if edge.pattern is not PatternKind.ELEMWISE:
            middle = (x + to_x + WIDTH) // 2, (y + HEIGHT + to_y) // 2
            parts.append(f'<text x="{middle[0]}" y="{middle[1]}">{edge.pattern.text}</text>')
    if (parent := fusion.tree.nodes[node.index].parent) is not None:
        to_x, to_y = places[parent]
        line = f"M{start} L{to_x + WIDTH // 2 + 8} {to_y}"
        parts.append(f'<path d="{line}" stroke="#999" stroke-dasharray="2 3"/>')
    return "\n".join(parts)


def _svg_node(node: Node, place: tuple[int, int], in_group: bool) -> str:
    x, y = place
    stroke = "#c00" if in_group else "#555"
    rounded = ' rx="12"' if node.is_extern else ""
    box = f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}"{rounded} '
    label = escape(f"{node.index} {node.label}")
    return (
        f'{box}fill="{COLOURS[node.pattern]}" stroke="{stroke}"/>'
        f'<text x="{x + 6}" y="{y + 17}">{label}</text>'
        f'<text x="{x + 6}" y="{y + 32}" fill="#555">{node.pattern.text}</text>'
    )
