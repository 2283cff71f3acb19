"""An SVG picture of a result, without a plotting library: our time over the best peer's."""

from __future__ import annotations

import math
from typing import Any
from xml.sax.saxutils import escape

from report import COLUMN_TITLES, SIZE_TITLES, best_peer, ratio

LABEL, BAR, HEIGHT, GAP = 300, 420, 16, 6
LOW, HIGH = 1 / 8, 8.0
COLOURS = {"rotating given": "#1b6ca8", "hot given": "#8fbcdb"}
WORSE = {"rotating given": "#b5482a", "hot given": "#e0a593"}


def _x(value: float) -> float:
    """The place of a ratio on the logarithmic axis."""
    clipped = min(max(value, LOW), HIGH)
    return LABEL + BAR * math.log(clipped / LOW) / math.log(HIGH / LOW)


def _text(x: float, y: float, text: str, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">'
        f"{escape(text)}</text>"
    )


def _bar(y: float, value: float, column: str, note: str) -> str:
    start, end = sorted((_x(1.0), _x(value)))
    colour = (COLOURS if value <= 1 else WORSE)[column]
    return (
        f'<rect x="{start:.1f}" y="{y:.1f}" width="{max(end - start, 1):.1f}" '
        f'height="{HEIGHT / 2}" fill="{colour}"><title>{escape(note)}</title></rect>'
    )


def svg(result: dict[str, Any]) -> str:
    """One row for each workload, size and number of threads, one bar for each column; left of 1 we
    are faster.
    """
    parts: list[str] = []
    y = 64.0
    group = ""
    for cell in sorted(
        result["cells"], key=lambda c: (c["threads"], [*SIZE_TITLES].index(c["size"]))
    ):
        title = f"{SIZE_TITLES[cell['size']]}, {cell['threads']} thread(s)"
        if title != group:
            group = title
            y += 14
            parts.append(_text(8, y, title, weight="bold"))
            y += 8
        parts.append(_text(LABEL - 8, y + 12, cell["workload"], "end"))
        for k, column in enumerate(COLOURS):
            value = ratio(cell, column)
            if value is not None:
                best = best_peer(cell, column)
                note = f"{cell['workload']}, {COLUMN_TITLES[column]}: {value:.2f} of {best}"
                parts.append(_bar(y + k * HEIGHT / 2, value, column, note))
        shown = [f"{r:.2f}" for c in COLOURS if (r := ratio(cell, c)) is not None]
        parts.append(_text(LABEL + BAR + 12, y + 12, ", ".join(shown)))
        y += HEIGHT + GAP
    bottom = y + 4
    ticks = [2.0**k for k in range(-3, 4)]
    lines = [
        f'<line x1="{_x(t):.1f}" y1="56" x2="{_x(t):.1f}" y2="{bottom:.1f}" '
        f'stroke="{"#333" if t == 1 else "#ddd"}"/>'
        for t in ticks
    ]
    lines += [_text(_x(t), 50, f"{t:g}", "middle") for t in ticks]
    width, height = LABEL + BAR + 100, bottom + 16
    head = [
        _text(8, 18, "snippets_mlir: time over the best peer's (log scale; left of 1 is faster)"),
        _text(8, 34, f"{result['date']}, {result['machine']['cpu']}; dark: sets of arrays in turn, "
              "light: one set"),
    ]  # fmt: skip
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" '
            f'width="{width}" height="{height:.0f}" font-family="sans-serif" font-size="12">',
            f'<rect width="{width}" height="{height:.0f}" fill="white"/>',
            *head,
            *lines,
            *parts,
            "</svg>",
            "",
        ]
    )
