"""The Markdown tables of the measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from machine import named
from tables import table

from models import bars
from models.bars import Entry

KINDS = 6
"""Operators of a row that are named."""

SPEED = (
    "model",
    "state",
    "error",
    "kernels (ops)",
    "ms",
    "onnxruntime, ms",
    "ratio",
    "best with kernels",
)
LEFT = ("model", "MiB", "nodes", "ops in no kernel", "kinds")
FIRST = ("model", "compile", "first call", "onnxruntime", "from the cache", "new shape", "theirs")


def page(result: Mapping[str, Any]) -> str:
    """All tables, and below them the models that miss a bar."""
    entries: list[Entry] = list(result["entries"].values())
    parts = [
        _header(result, entries),
        "### Values and speed",
        table(SPEED, map(_speed, entries)),
        _summary(entries),
        "### First results, milliseconds",
        table(FIRST, [_first(entry) for entry in entries if "fresh" in entry]),
        "### Ops outside of kernels",
        table(LEFT, [_left(e) for e in entries if "opaque" in e]),
        *_decoders(entries),
        *_memory(entries),
        "### Bars that are missed",
        "\n".join(f"* {miss}" for miss in bars.misses(entries)) or "None.",
    ]
    return "\n\n".join(parts) + "\n"


def _header(result: Mapping[str, Any], entries: Sequence[Entry]) -> str:
    machine, versions = result["machine"], result["versions"]
    dates = sorted({entry["date"] for entry in entries}) or ["never"]
    when = " to ".join(dict.fromkeys((dates[0], dates[-1])))
    packages = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"Measured {when} on {named(machine)}, "
        f"{machine['cache']:g} MiB last-level cache, Python {machine['python']}: {packages}."
    )


def _summary(entries: Sequence[Entry]) -> str:
    states = [entry["state"] for entry in entries]
    counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    mean = bars.mean_ratio(entries)
    if mean is None:
        return f"{counts}."
    worst = max(bars.compared(entries), key=lambda entry: entry["ratio"])
    return (
        f"{counts}. Geometric mean of the ratios: {mean:.2f}; "
        f"the largest is {worst['ratio']:.2f} (`{worst['name']}`)."
    )


def _speed(entry: Entry) -> list[str]:
    name = f"`{entry['name']}`"
    if "ratio" not in entry:
        stage, message = entry.get("stage", ""), entry.get("message", "")
        reason = f"at {stage}: {message}" if stage else message
        cells = [name, f"{entry['state']} {_plain(reason)}".strip()]
        return cells + [""] * (len(SPEED) - len(cells))
    before = entry.get("ratio_before")
    ratio = f"{entry['ratio']:.2f}" + ("" if before is None else f" (before: {before:.2f})")
    return [
        name,
        entry["state"],
        "" if entry["error"] is None else f"{entry['error']:.1e}",
        f"{entry['kernels']} ({entry['ops']})",
        _number(entry["ours_ms"]),
        _number(entry["onnxruntime_ms"]),
        ratio,
        _with_kernels(entry),
    ]


def _with_kernels(entry: Entry) -> str:
    """The best program that has kernels: with the default settings if no others were tried."""
    best = entry.get("with_kernels")
    if entry["kernels"] and (best is None or entry["ratio"] <= best["ratio"]):
        return f"{entry['ratio']:.2f} ({entry['kernels']})"
    return "" if best is None else f"{best['ratio']:.2f} ({best['kernels']})"


def _first(entry: Entry) -> list[str]:
    fresh = entry["fresh"]
    return [
        f"`{entry['name']}`",
        _number(fresh["ours"].get("load_ms")),
        _number(fresh["ours"].get("first_ms")),
        _number(bars.first_result_ms(entry, "onnxruntime")),
        _number(bars.first_result_ms(entry, "cached")),
        _number(fresh["ours"].get("new_shape_ms")),
        _number(fresh["onnxruntime"].get("new_shape_ms")),
    ]


def _left(entry: Entry) -> list[str]:
    kinds: dict[str, int] = entry["opaque"]
    named = ", ".join(f"{kind} {count}" for kind, count in [*kinds.items()][:KINDS])
    more = ", ..." if len(kinds) > KINDS else ""
    size = f"{entry['megabytes']:.1f}"
    return [f"`{entry['name']}`", size, str(entry["nodes"]), str(sum(kinds.values())), named + more]


def _decoders(entries: Sequence[Entry]) -> list[str]:
    head = ("model", "tokens a second", "onnxruntime", "ratio", "slowest, ms", "error")
    rows = [
        [
            f"`{entry['name']}`",
            _number(found["tokens_per_second"]["ours"]),
            _number(found["tokens_per_second"]["onnxruntime"]),
            f"{found['ratio']:.2f}",
            _number(found["slowest_ms"]),
            f"{found['error']:.1e}",
        ]
        for entry in entries
        if "ratio" in (found := entry.get("decoder", {}))
    ]
    return ["### Tokens of a growing cache", table(head, rows)] if rows else []


def _memory(entries: Sequence[Entry]) -> list[str]:
    head = ("model", "side", "shapes", "seconds", "MiB of the process after so many shapes")
    rows = [
        [
            f"`{entry['name']}`",
            side,
            str(found["shapes"]),
            _number(found["seconds"]),
            ", ".join(f"{count}: {size:.0f}" for count, size in found["memory"].items()),
        ]
        for entry in entries
        for side, found in entry.get("memory", {}).items()
        if "memory" in found
    ]
    return ["### Memory of many shapes", table(head, rows)] if rows else []


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _plain(text: str) -> str:
    """Text that a cell of a table can hold."""
    return " ".join(text.split()).replace("|", "\\|")
