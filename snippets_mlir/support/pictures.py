"""Shared parts of SVG pictures: the frame, boxes and lines of text."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

MARGIN = 24


def svg_picture(title: str, width: int, height: int, parts: Iterable[str], size: int = 11) -> str:
    """A self-contained picture on white, which pages with a dark background show as it is.

    Args:
        title: the text alternative of the picture; most parts show it as a headline of 14 pixels,
            for which the picture is wide enough.
        width: in pixels.
        height: in pixels.
        parts: the elements; text is in a monospaced font unless they say otherwise.
        size: of the text, in pixels.
    """
    width = max(width, 2 * MARGIN + int(0.6 * 14 * len(title)))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="monospace" font-size="{size}">'
    )
    ground = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", ground, *parts, "</svg>", ""])


def svg_box(x: int, y: int, width: int, height: int, fill: str, stroke: str = "#5b7ea4") -> str:
    """A transparent box with round corners."""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="3" '
        f'fill="{fill}" fill-opacity="0.8" stroke="{stroke}"/>'
    )


def svg_text(x: int, y: int, text: str, extra: str = "") -> str:
    """A line of text that starts at a point; `extra` are attributes."""
    return f'<text x="{x}" y="{y}"{extra}>{escape(text)}</text>'


def fitted(text: str, width: int) -> str:
    """As much of a monospaced text of 11 pixels as `width` pixels hold, with an ellipsis."""
    most = max(int(width / (0.6 * 11)), 0)
    return text if len(text) <= most else f"{text[: most - 1]}…" if most > 1 else ""
