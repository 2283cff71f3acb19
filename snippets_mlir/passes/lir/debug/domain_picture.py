"""The parallel domain of a kernel as an SVG picture: the units of each thread."""

from __future__ import annotations

from snippets_mlir.passes.lir.debug.control_flow_picture import BUFFER_COLOURS
from snippets_mlir.support.pictures import svg_picture, svg_text

LEFT, WIDTH, ROW, TOP, GAP = 120, 640, 34, 56, 24


def ranges(domain: int, grain: int, threads: int) -> list[tuple[int, int]]:
    """The range of each thread: whole chunks of the grain, the first ones get one more.

    The launcher (`codegen/stubs/launch.py`) computes the same in machine code.
    """
    chunks = -(-domain // grain)
    each, left = divmod(chunks, threads)
    found: list[tuple[int, int]] = []
    for thread in range(threads):
        begin = (each * thread + min(thread, left)) * grain
        length = (each + (thread < left)) * grain
        found.append((min(begin, domain), min(begin + length, domain)))
    return found


def domain_svg(name: str, domain: int, grain: int, threads: int) -> str:
    """The picture of a kernel's domain, self-contained; `name` is that of the kernel."""
    width, height = LEFT + WIDTH + 2 * GAP, TOP + threads * ROW + GAP
    title = f"domain of kernel @{name}: {domain} units, grain {grain}, {threads} threads"
    lines = [
        svg_text(GAP, 22, title, ' font-size="14"'),
    ]
    for thread, (begin, end) in enumerate(ranges(domain, grain, threads)):
        x, y = LEFT + begin * WIDTH // domain, TOP + thread * ROW
        colour = BUFFER_COLOURS[thread % len(BUFFER_COLOURS)]
        lines += [
            svg_text(GAP, y + 18, f"thread {thread}"),
            f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="{ROW - 8}" fill="#f4f4f4"/>',
            f'<rect x="{x}" y="{y}" width="{(end - begin) * WIDTH // domain}" height="{ROW - 8}" '
            f'rx="3" fill="{colour}" stroke="#8c510a"/>',
            svg_text(x + 6, y + 18, f"{begin} to {end}"),
        ]
    return svg_picture(title, width, height, lines, size=12)
