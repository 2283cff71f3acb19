"""The Markdown text of a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

import peers
from drawn import NAMES as DRAWN
from machine import named
from tables import duration, geometric_mean, table
from targets import described

Cell = dict[str, Any]

BAR_IN_TURN = 0.05
"""What is added to a bar where sets of arrays take turns."""

COLUMN_TITLES = {
    "rotating given": "sets of arrays in turn, into given outputs",
    "rotating fresh": "sets of arrays in turn, fresh outputs",
    "hot given": "one set of arrays, into given outputs",
    "hot fresh": "one set of arrays, fresh outputs",
}
SIZE_TITLES = {
    "call": "64 elements",
    "l1": "8 KiB (L1)",
    "l2": "1 MiB (L2, L3)",
    "mem": "64 MiB",
    "product": "Matrix products and layers",
}


def best_peer(cell: Cell, column: str) -> str | None:
    """The fastest of the others, None when there is none."""
    times = {name: t["median"] for name, t in cell[column].items() if name != peers.OURS}
    return min(times, key=lambda name: times[name]) if times else None


def ratio(cell: Cell, column: str) -> float | None:
    """Our time over the best peer's."""
    name = best_peer(cell, column)
    if name is None or peers.OURS not in cell[column]:
        return None
    return cell[column][peers.OURS]["median"] / cell[column][name]["median"]


def limit_of(cell: Cell, column: str) -> float:
    """Bytes per second of the fastest copy, counting bytes read and written, in the column's
    mode.
    """
    times = cell[f"{column.partition(' ')[0]} limit"].values()
    return cell["limit_bytes"] / min(t["median"] for t in times)


def _row(cell: Cell, column: str, names: Sequence[str]) -> list[str]:
    times = cell[column]
    row = [_named(cell)]
    for name in names:
        if name not in times:
            row.append("")
            continue
        one = times[name]
        text = f"{duration(one['median'])} ±{100 * one['spread']:.0f}%"
        row.append(f"**{text}**" if name == peers.OURS else text)
    best, found = best_peer(cell, column), ratio(cell, column)
    row.append("" if found is None else f"{found:.2f} ({best})")
    if cell.get("products"):
        row.append(_bar(cell, column))
    return [*row, *(_rates(cell, column) if peers.OURS in times else ("", ""))]


def _named(cell: Cell) -> str:
    """The name; for drawn workloads, with the drawn sizes."""
    drawn = cell["workload"] in DRAWN
    return f"`{cell['workload']}`" + (f", {cell['formula']}" if drawn else "")


def _bar(cell: Cell, column: str) -> str:
    """The limit for ours / best; empty if none is set."""
    bar: float | None = cell.get("bar")
    if bar is None:
        return ""
    return f"{bar if column.startswith('hot') else bar + BAR_IN_TURN:.2f}"


def _rates(cell: Cell, column: str) -> tuple[str, ...]:
    """Our operations per second for a matrix product; for other programs the bytes."""
    seconds = cell[column][peers.OURS]["median"]
    if products := cell.get("products"):
        return (f"{2 * products / seconds / 1e9:.0f}",)
    rate = cell["bytes"] / seconds
    return f"{rate / 1e9:.1f}", f"{100 * rate / limit_of(cell, column):.0f} %"


def _limits(cells: Sequence[Cell]) -> str:
    parts: list[str] = []
    for mode, title in (("rotating", "arrays in turn"), ("hot", "one pair of arrays")):
        rates: list[str] = []
        for name in cells[0][f"{mode} limit"]:
            times = [cell[f"{mode} limit"][name]["median"] for cell in cells]
            found = median(c["limit_bytes"] / t for c, t in zip(cells, times, strict=True))
            rates.append(f"{name} {found / 1e9:.1f} GB/s")
        if rates:
            parts.append(f"{title}: {', '.join(rates)}")
    return f"Copying, {'; '.join(parts)} (medians over the workloads)." if parts else ""


def _group(cells: Sequence[Cell], column: str, names: Sequence[str]) -> str:
    used = [name for name in names if any(name in cell[column] for cell in cells)]
    products = cells[0].get("products")
    rates = ["bar", "GFLOP/s"] if products else ["GB/s", "of the copy limit"]
    head = ["workload", *used, "ours / best", *rates]
    text = table(head, (_row(cell, column, used) for cell in cells))
    ratios = [r for cell in cells if (r := ratio(cell, column)) is not None]
    if ratios:
        text += f"\n\nGeometric mean of ours / best: {geometric_mean(ratios):.2f}."
    return text


def _summary(cells: Sequence[Cell]) -> str:
    """For each size, number of threads and column: the mean of the ratios, and the worst one."""
    rows: list[list[str]] = []
    for cells_of in _groups(cells):
        for chain in (False, True):
            group = [cell for cell in cells_of if cell["chain"] is chain]
            ratios = [
                [r for cell in group if (r := ratio(cell, column)) is not None]
                for column in COLUMN_TITLES
            ]
            if any(ratios):
                what = _title(group[0]) + (", chains" if chain else "")
                texts = [f"{geometric_mean(r):.2f}, {max(r):.2f}" if r else "" for r in ratios]
                rows.append([what, *texts])
    head = ["ours / best peer: geometric mean, worst", *COLUMN_TITLES.values()]
    return table(head, rows)


def _title(cell: Cell) -> str:
    plural = "thread" if cell["threads"] == 1 else "threads"
    return f"{SIZE_TITLES[cell['size']]}, {cell['threads']} {plural}"


def _groups(cells: Sequence[Cell]) -> Iterator[list[Cell]]:
    """The cells of each number of threads and size."""
    for threads in sorted({cell["threads"] for cell in cells}):
        for size in dict.fromkeys(cell["size"] for cell in cells):
            group = [c for c in cells if c["threads"] == threads and c["size"] == size]
            if group:
                yield group


def _sets(cells: Sequence[Cell]) -> str:
    """The number of alternating sets of arrays."""
    counts = sorted({cell["sets"] for cell in cells})
    many = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
    return f"Sets of arrays in turn: {many}."


def _left_out(cells: Sequence[Cell], missing: dict[str, str]) -> list[str]:
    found = {f"- {name}: {reason}" for name, reason in missing.items()}
    for cell in cells:
        for name, reason in cell["left_out"].items():
            found.add(f"- {name}, `{cell['workload']}`: {reason}")
    return sorted(found)


def _sections(result: dict[str, Any]) -> list[str]:
    parts: list[str] = []
    for section in result["sections"]:
        rows = [
            [row[0], *(_number(v, section["unit"]) for v in row[1:])] for row in section["rows"]
        ]
        parts += [f"## {section['title']}", section["note"], table(section["head"], rows)]
    return parts


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    return duration(value) if unit == "s" else f"{value:.1f} {unit}"


def markdown(result: dict[str, Any]) -> str:
    """The whole report as Markdown text."""
    machine = result["machine"]
    cells: list[Cell] = result["cells"]
    names = [peers.OURS, *(n for n in peers.PEERS if n != peers.OURS)]
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    parts = [
        f"Measured {result['date']} on {named(machine)}, Python {machine['python']}: {versions}.",
    ]
    if target := described(result):
        parts.append(target)
    if any(cell["workload"] in DRAWN for cell in cells):
        parts.append(f"Seed {result['seed']} has drawn sizes.")
    if result["quick"]:
        parts.append("A quick run: too short for its numbers to mean anything.")
    if any(ratio(cell, column) is not None for cell in cells for column in COLUMN_TITLES):
        parts.append(_summary(cells))
    for group in _groups(cells):
        parts += [f"## {_title(group[0])}", f"{_sets(group)} {_limits(group)}".strip()]
        for chain in (False, True):
            found = [cell for cell in group if cell["chain"] is chain]
            for column, title in COLUMN_TITLES.items():
                if any(cell[column] for cell in found):
                    heading = f"Two kernels: {title}" if chain else title.capitalize()
                    parts += [f"### {heading}", _group(found, column, names)]
    parts += _sections(result)
    left_out = _left_out(cells, result["missing"])
    if left_out:
        parts += ["## Left out", "\n".join(left_out)]
    return "\n\n".join(parts) + "\n"
