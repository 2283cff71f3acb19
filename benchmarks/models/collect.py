"""All measurements of one model, each part in separate processes."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median

from models import bars, child, store
from models.catalog import MODELS

MAKING = 1800.0
MEMORY = 300.0
PARTS = ("ours", "cached", "onnxruntime")
"""First results: compiled anew, with a warm cache, and those of onnxruntime."""

LONG_PARTS = ("decoder", "memory")
"""What only a long measurement has."""


@dataclass(frozen=True)
class Effort:
    """The extent of the measurements.

    Attributes:
        limit: seconds that a process may take.
        rounds: processes for each kind of first results; the medians count.
        long: whether decoders decode and many shapes are called.
    """

    limit: float = 300.0
    rounds: int = 3
    long: bool = True


def entry(name: str, effort: Effort) -> child.Facts:
    """Everything about a model; `state` is ok, wrong, error, crash, skip or unmade."""
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    made = _made(name)
    if made["state"] != "ok":
        return made | {"name": name, "date": date}
    found = child.run("measure", [name], effort.limit)
    found |= {"name": name, "date": date, "state": judged(name, found)}
    if found["state"] != "ok":
        return found
    if found["ratio"] > bars.RATIO:
        again = child.run("measure", [name], effort.limit)
        if again["state"] == "ok":
            found |= {"ratio_before": found["ratio"]}
            found |= {key: again[key] for key in bars.TIMED if key in again}
    found["fresh"] = first_results(name, effort)
    if effort.long:
        found |= _long(name, effort)
    return found


def judged(name: str, found: child.Facts) -> str:
    """The state of a measured model: an error above its tolerance is wrong."""
    error = found.get("error", 0.0)
    if found["state"] == "ok" and (error is None or error > MODELS[name].tolerance):
        return "wrong"
    return found["state"]


def _made(name: str) -> child.Facts:
    """Whether the model's files exist; missing files are made."""
    if store.is_made(name):
        return {"state": "ok"}
    base = MODELS[name].base
    if base is not None:
        found = _made(base)
        if found["state"] != "ok":
            return found
    found = child.run("make", [name], MAKING)
    return found if found["state"] in ("ok", "skip") else found | {"state": "unmade"}


def first_results(name: str, effort: Effort) -> child.Facts:
    """Medians of the milliseconds to first results, by part."""
    runs: dict[str, list[child.Facts]] = {part: [] for part in PARTS}
    for _ in range(effort.rounds):
        with tempfile.TemporaryDirectory() as cache:
            for part in PARTS:
                side = "onnxruntime" if part == "onnxruntime" else "ours"
                runs[part].append(child.run("fresh", [side, name], effort.limit, cache))
    return {part: medians(found) for part, found in runs.items()}


def medians(runs: Sequence[child.Facts]) -> child.Facts:
    """The median of each number, or the first run that failed."""
    for run in runs:
        if run["state"] != "ok":
            return run
    keys = [key for key in runs[0] if key.endswith("_ms")]
    return {"state": "ok", **{key: median(run[key] for run in runs) for key in keys}}


def _long(name: str, effort: Effort) -> child.Facts:
    """Tokens of a decoder, and the memory of many shapes."""
    model, found = MODELS[name], child.Facts()
    if model.decoder is not None:
        found["decoder"] = child.run("decode", [name], 2 * effort.limit)
    if model.many_shapes is not None:
        limit = MEMORY + effort.limit
        found["memory"] = {
            side: child.run("many_shapes", [side, name, str(MEMORY)], limit)
            for side in ("ours", "onnxruntime")
        }
    return found
