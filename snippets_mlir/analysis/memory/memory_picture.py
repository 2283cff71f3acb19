"""The arena of a planned `program.graph` over time, as text and as an SVG picture.

In the picture time runs downwards, with a row for each node in text order, and the bytes of the
arena run to the right. Each result is a box over the rows from its writer to its last reader, and
over its bytes, so two boxes that share a column share memory. The bar to the left of a row is the
sum of the live bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from snippets_mlir.analysis.memory.graph_lives import graph_lives
from snippets_mlir.dialects.program.attributes import Mem
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.support.pictures import fitted, svg_box, svg_picture

ROW, NAMES, BAR, ARENA, GAP, TOP = 22, 180, 120, 640, 20, 62
COLOURS = ("#fdd0a2", "#c7e9c0", "#dadaeb", "#fcbba1", "#d9d9d9", "#fee391")


@dataclass(frozen=True)
class Held:
    """A result in the arena, live from row `first` to row `last`."""

    name: str
    slot: Mem
    first: int
    last: int


@dataclass(frozen=True)
class MemoryOverTime:
    """The arena of a graph.

    Attributes:
        title: the graph and its queue.
        arena: bytes.
        rows: the ids of the nodes, in text order.
        held: the results in the arena, in the order of their writers.
    """

    title: str
    arena: int
    rows: tuple[str, ...]
    held: tuple[Held, ...]

    def live(self, row: int) -> tuple[Held, ...]:
        """What is live while a node runs."""
        return tuple(h for h in self.held if h.first <= row <= h.last)


def memory_over_time(graph: GraphOp) -> MemoryOverTime:
    """The arena of a graph at stage `planned` or later, for the order of its text."""
    lives = graph_lives(graph)
    rows = [place for place, step in enumerate(lives.steps) if not step.view]
    row_of = {place: row for row, place in enumerate(rows)} | {len(lives.steps): len(rows) - 1}
    slots = {
        graph.id_of(value): slot
        for node in graph.nodes
        for value, slot in zip(node.outputs, node.slots, strict=True)
    }
    return MemoryOverTime(
        f"graph @{graph.sym_name.data}, {graph.queue} queue",
        graph.number("arena") or 0,
        tuple(lives.step_ids[place] for place in rows),
        tuple(
            Held(name, slots[name], row_of[life.writer], row_of[max(life.readers)])
            for name, life in zip(lives.ids, lives.lives, strict=True)
            if slots[name].pool == "arena"
        ),
    )


def as_text(memory: MemoryOverTime) -> str:
    """A line for each node: the live bytes while it runs, and the places of values."""
    lines: list[str] = []
    most = 0
    for row, name in enumerate(memory.rows):
        live = memory.live(row)
        size = sum(held.slot.size or 0 for held in live)
        most = max(most, size)
        where = "".join(f' "{h.name}" [{h.slot.offset}, {h.slot.end})' for h in live)
        lines.append(f'"{name}": {size} bytes live:{where}' if live else f'"{name}": nothing live')
    head = f"{memory.title}: an arena of {memory.arena} bytes, {most} live at most"
    return "\n".join([head, *lines])


def as_svg(memory: MemoryOverTime) -> str:
    """The picture as an SVG document that loads no other file."""
    left = 2 * GAP + NAMES + BAR
    width, height = left + ARENA + GAP, TOP + max(len(memory.rows), 1) * ROW + GAP
    total = max(memory.arena, 1)
    title = f"{memory.title}, an arena of {memory.arena} bytes"
    lines = [
        f'<text x="{GAP}" y="22" font-size="14">{escape(title)}</text>',
        f'<text x="{GAP + NAMES}" y="48">live</text><text x="{left}" y="48">the arena</text>',
        svg_box(left, TOP, ARENA, height - TOP - GAP, "#ffffff", "#999"),
    ]
    for row, name in enumerate(memory.rows):
        size = sum(held.slot.size or 0 for held in memory.live(row))
        y = TOP + row * ROW
        lines += [
            f'<text x="{GAP}" y="{y + 15}">{escape(fitted(name, NAMES - 4))}</text>',
            f'<g id="live{row}"><title>{escape(f"{name}: {size} bytes live")}</title>'
            + svg_box(GAP + NAMES, y + 3, size * BAR // total, ROW - 6, "#abcfee", "#5b7ea4")
            + "</g>",
        ]
    for place, held in enumerate(memory.held):
        x = left + held.slot.offset * ARENA // total
        wide = max((held.slot.size or 0) * ARENA // total, 1)
        y, tall = TOP + held.first * ROW + 1, (held.last - held.first + 1) * ROW - 2
        facts = f"{held.name} [{held.slot.offset}, {held.slot.end})"
        label = facts if fitted(facts, wide - 8) == facts else fitted(held.name, wide - 8)
        when = f"{memory.rows[held.first]} to {memory.rows[held.last]}"
        lines.append(
            f'<g id="result{place}"><title>{escape(f"{facts}, live from {when}")}</title>'
            + svg_box(x, y, wide, tall, COLOURS[place % len(COLOURS)], "#8c510a")
            + f'<text x="{x + 4}" y="{y + 14}">{escape(label)}</text></g>'
        )
    return svg_picture(title, width, height, lines)
