"""The limits that the project has set for itself (bars), and the entries that miss them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tables import geometric_mean

Entry = dict[str, Any]

RATIO, MEAN_RATIO = 1.05, 1.0
COLD, COLD_KERNEL_MS = 3.0, 60.0
CACHED, CACHED_MS = 1.2, 10.0
NEW_SHAPE_MS = 100.0
TOKEN = 1.2
SHAPES = 1000
GROWTH_MIB = 64.0
"""Memory that the last three quarters of many shapes may add."""

TIMED = ("ours_ms", "onnxruntime_ms", "spread", "ratio", "with_kernels")
"""What a second process measures again when `ratio` is above its bar."""


def first_result_ms(entry: Entry, part: str) -> float | None:
    """Milliseconds of loading and the first call, of `ours`, `cached` or `onnxruntime`."""
    found = entry.get("fresh", {}).get(part, {})
    return found["load_ms"] + found["first_ms"] if "first_ms" in found else None


def growth(memory: Entry) -> float | None:
    """MiB from a quarter of the shapes to the last one; None when there were fewer than four."""
    marks = {int(count): size for count, size in memory.get("memory", {}).items()}
    total = max(marks, default=0)
    early = [count for count in marks if count <= total / 4]
    return marks[total] - marks[max(early)] if early else None


def compared(entries: Sequence[Entry]) -> list[Entry]:
    """The entries with our time and onnxruntime's."""
    return [entry for entry in entries if "ratio" in entry]


def mean_ratio(entries: Sequence[Entry]) -> float | None:
    """The geometric mean of ours / onnxruntime."""
    ratios = [entry["ratio"] for entry in compared(entries)]
    return geometric_mean(ratios) if ratios else None


def misses(entries: Sequence[Entry]) -> list[str]:
    """A line for each bar that an entry misses, then for those of all entries."""
    found = [f"`{e['name']}`: {miss}" for e in entries for miss in _misses_of(e)]
    mean = mean_ratio(entries)
    if mean is not None and mean > MEAN_RATIO:
        found.append(f"all models: a geometric mean of {mean:.2f}, at most {MEAN_RATIO:.2f}")
    return found


def _misses_of(entry: Entry) -> list[str]:
    if entry["state"] == "skip":
        return []
    if entry["state"] != "ok":
        return [_failure(entry)]
    return [*_speed(entry), *_first_results(entry), *_decoder(entry), *_memory(entry)]


def _failure(found: Entry) -> str:
    stage = found.get("stage")
    return f"{found['state']} at {stage}" if stage else found["state"]


def _speed(entry: Entry) -> list[str]:
    ratio = entry["ratio"]
    return [f"{ratio:.2f} of onnxruntime's time, at most {RATIO}"] if ratio > RATIO else []


def _first_results(entry: Entry) -> list[str]:
    found = [
        f"{part}, in a new process: {_failure(run)}"
        for part, run in entry.get("fresh", {}).items()
        if run["state"] != "ok"
    ]
    theirs = first_result_ms(entry, "onnxruntime")
    if theirs is not None:
        kernels = COLD_KERNEL_MS * entry["distinct_kernels"]
        for part, what, most in (
            ("ours", "compiling and the first call", COLD * theirs + kernels),
            ("cached", "the same from the cache", CACHED * theirs + CACHED_MS),
        ):
            ms = first_result_ms(entry, part)
            if ms is not None and ms > most:
                found.append(f"{ms:.0f} ms for {what}, at most {most:.0f}")
    new_shape = entry.get("fresh", {}).get("ours", {}).get("new_shape_ms")
    if new_shape is not None and new_shape > NEW_SHAPE_MS:
        found.append(f"{new_shape:.0f} ms for a new shape, at most {NEW_SHAPE_MS:.0f}")
    return found


def _decoder(entry: Entry) -> list[str]:
    found = entry.get("decoder")
    if found is None:
        return []
    if found["state"] != "ok":
        return [f"decoder: {_failure(found)}"]
    ratio = found["ratio"]
    return [f"a token takes {ratio:.2f} of onnxruntime's, at most {TOKEN}"] if ratio > TOKEN else []


def _memory(entry: Entry) -> list[str]:
    if "memory" not in entry:
        return []
    found = entry["memory"]["ours"]
    if found["state"] != "ok":
        return [f"many shapes: {_failure(found)}"]
    late, shapes = growth(found), found["shapes"]
    if shapes < SHAPES:
        return [f"{shapes} shapes in {found['seconds']:.0f} s, {SHAPES} expected"]
    if late is not None and late > GROWTH_MIB:
        return [
            f"{late:.0f} MiB more at {shapes} shapes than at a quarter, at most {GROWTH_MIB:.0f}"
        ]
    return []
