"""The Markdown text of a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import peers
from tables import duration, geometric_mean, table

Cell = dict[str, Any]

COLUMN_TITLES = {"given": "into given outputs", "fresh": "fresh outputs"}
SIZE_TITLES = {"call": "64 elements", "l1": "8 KiB (L1)", "l2": "1 MiB (L2, L3)", "mem": "64 MiB"}


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


def limit_of(cell: Cell) -> float:
    """Bytes a second of the fastest copy, bytes read and written counted."""
    return cell["limit_bytes"] / min(t["median"] for t in cell["limit"].values())


def _row(cell: Cell, column: str, names: Sequence[str]) -> list[str]:
    times = cell[column]
    row = [f"`{cell['workload']}`"]
    for name in names:
        if name not in times:
            row.append("")
            continue
        one = times[name]
        text = f"{duration(one['median'])} ±{100 * one['spread']:.0f}%"
        row.append(f"**{text}**" if name == peers.OURS else text)
    best, found = best_peer(cell, column), ratio(cell, column)
    row.append("" if found is None else f"{found:.2f} ({best})")
    if peers.OURS in times:
        rate = cell["bytes"] / times[peers.OURS]["median"]
        row += [f"{rate / 1e9:.1f}", f"{100 * rate / limit_of(cell):.0f} %"]
    else:
        row += ["", ""]
    return row


def _limits(cells: Sequence[Cell]) -> str:
    names = list(cells[0]["limit"])
    parts: list[str] = []
    for name in names:
        rates = sorted(c["limit_bytes"] / c["limit"][name]["median"] / 1e9 for c in cells)
        parts.append(f"{name} {rates[len(rates) // 2]:.1f} GB/s")
    return f"Copying: {', '.join(parts)} (medians over the workloads)."


def _group(cells: Sequence[Cell], column: str, names: Sequence[str]) -> str:
    used = [name for name in names if any(name in cell[column] for cell in cells)]
    head = ["workload", *used, "ours / best", "GB/s", "of the copy limit"]
    text = table(head, (_row(cell, column, used) for cell in cells))
    ratios = [r for cell in cells if (r := ratio(cell, column)) is not None]
    if ratios:
        text += f"\n\nGeometric mean of ours / best: {geometric_mean(ratios):.2f}."
    return text


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
    """The whole report."""
    machine = result["machine"]
    cells: list[Cell] = result["cells"]
    names = [peers.OURS, *(n for n in peers.PEERS if n != peers.OURS)]
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    parts = [
        f"Measured {result['date']} on {machine['cpu']}, {machine['cpus']} CPUs, "
        f"Python {machine['python']}: {versions}.",
    ]
    if result["quick"]:
        parts.append("A quick run: too short for its numbers to mean anything.")
    for threads in sorted({cell["threads"] for cell in cells}):
        for size in dict.fromkeys(cell["size"] for cell in cells):
            group = [c for c in cells if c["threads"] == threads and c["size"] == size]
            if not group:
                continue
            plural = "thread" if threads == 1 else "threads"
            parts.append(f"## {SIZE_TITLES[size]}, {threads} {plural}")
            parts.append(_limits(group))
            for column, title in COLUMN_TITLES.items():
                parts += [f"### {title.capitalize()}", _group(group, column, names)]
    parts += _sections(result)
    left_out = _left_out(cells, result["missing"])
    if left_out:
        parts += ["## Left out", "\n".join(left_out)]
    return "\n\n".join(parts) + "\n"
