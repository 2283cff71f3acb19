"""The cost model's prediction for each candidate for a kernel, and the measured savings.

    python benchmarks/cuts.py [--limit N] [--rounds N] [--builds N] [--threads N] [--fastest]
        [--cpu] [--json FILE] [--tables] [NAME...]

A row is a candidate in a model of `make models`: calls of the model with only this kernel alternate
with calls of the model as one session. Of candidates with equal estimates, the first is measured,
and at most `--limit` candidates in a model, evenly distributed over the predicted gains. Then the
program with all kernels that pay off by the model, and the program with all kernels that pay off by
measurement, alternate with the session. Each program is built `--builds` times: two builds of one
program differ by some percent.

With `--cpu` the CPU time of the calling thread is measured, without the time in which it waits for
a processor: for one thread (`--threads 1`) on a machine that others use. Two threads need an idle
machine.

Entries of models that are not named stay in the JSON file. `--tables` measures nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from models import store
from models.catalog import MODELS
from models.feeds import Array, Feed
from models.onnxruntime_session import THREADS
from ranks import rank_correlation
from savings import Effort, saved
from timing import use_cpus

from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts
from snippets_mlir.driver.onnx.programs import OnnxPrograms
from snippets_mlir.driver.programs.kinds import tensor_program
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.driver.settings import Settings, default_context
from snippets_mlir.driver.sources.load import load_source
from snippets_mlir.support.errors import CompileError

Facts = dict[str, Any]
Call = Callable[[], object]


def program(path: Path, feed: Feed, chosen: Sequence[int] | None, threads: int) -> TensorProgram:
    """The model with the kernels of the chosen candidates, called once; no cache on disk.

    None: the compiler chooses.
    """
    places = None if chosen is None else tuple(chosen)
    settings = replace(Settings.filled(num_threads=threads), chosen_cuts=places)
    made = tensor_program(load_source(path, None, default_context()), settings, default_context())
    call(made, feed)()
    return made


def call(made: TensorProgram, feed: Feed) -> Call:
    """A call with the arrays of a feed."""
    arrays: list[Array] = [feed[spec.name] for spec in made.inputs]
    return lambda: made(*arrays)


def different(estimates: Sequence[Any], limit: int) -> list[int]:
    """The indices of different candidates, at most `limit`, evenly over the predicted gains."""
    first: dict[object, int] = {}
    for place, estimate in enumerate(estimates):
        first.setdefault(estimate, place)
    places = sorted(first.values(), key=lambda p: estimates[p].cut - estimates[p].gain)
    if len(places) > limit > 1:
        step = (len(places) - 1) / (limit - 1)
        places = [places[round(k * step)] for k in range(limit)]
    return sorted(places)


def model_facts(name: str, limit: int, effort: Effort) -> Facts:
    """The rows of the table for one model."""
    path, feed = store.model_path(name), store.feeds_of(name)[0]
    session = program(path, feed, (), effort.threads)
    cuts = _cuts(session)
    if cuts is None:
        return {"name": name, "rows": []}
    wholes = [call(made, feed) for made in (session, *_builds(path, feed, (), effort, 1))]
    rows: list[Facts] = []
    for place in different(cuts.candidates, limit):
        estimate = cuts.candidates[place]
        row: Facts = {"place": place, "ops": estimate.ops, "gain": estimate.gain / 1e3}
        row |= {"cut": estimate.cut / 1e3, "kernel": estimate.kernel / 1e3}
        try:
            builds = _builds(path, feed, [place], effort)
        except CompileError as error:
            rows.append(row | {"failed": str(error)})
            continue
        row["cut"] += _rest(builds[0]) / 1e3 if estimate.cut else 0.0
        rows.append(row | _measured(wholes, builds, feed, effort))
        print(name, json.dumps(rows[-1]), flush=True)
    facts: Facts = {"name": name, "candidates": len(cuts.candidates), "rows": rows}
    best = [
        p
        for p, c in enumerate(cuts.candidates)
        for row in rows
        if cuts.candidates[row["place"]] == c and row.get("clear") and row["saved"] > 0
    ]
    least = [max(rows, key=lambda row: row.get("saved", float("-inf")))["place"]] if rows else []
    for key, chosen in (("default", None), ("best", best or least)):
        builds = _builds(path, feed, chosen, effort)
        if kernels := builds[0].kernels:
            found = _measured(wholes, builds, feed, effort)
            facts[key] = {"kernels": len(kernels)} | found
    return facts


def _cuts(made: TensorProgram) -> Cuts | None:
    return made.maker.cuts if isinstance(made.maker, OnnxPrograms) else None


def _rest(made: TensorProgram) -> float:
    """The additional nanoseconds of the first cut of a program."""
    cuts = _cuts(made)
    return 0.0 if cuts is None else cuts.rest


def _builds(
    path: Path, feed: Feed, chosen: Sequence[int] | None, effort: Effort, made: int = 0
) -> list[TensorProgram]:
    """The builds of `program` that are measured, without those in `made`."""
    return [program(path, feed, chosen, effort.threads) for _ in range(made, effort.builds)]


def _measured(
    wholes: Sequence[Call], builds: Sequence[TensorProgram], feed: Feed, effort: Effort
) -> Facts:
    others = [call(made, feed) for made in builds]
    found = saved(list(zip(wholes, others, strict=True)), effort)
    whole = found.whole
    return {
        "saved": found.saved,
        "error": found.error,
        "clear": found.is_clear,
        "whole": whole,
        "ratio": (whole - found.saved) / whole,
    }


def clear_rows(entries: Mapping[str, Facts]) -> list[Facts]:
    """The rows of all models whose measured effect is above the noise."""
    return [row for entry in entries.values() for row in entry["rows"] if row.get("clear")]


def table(entries: Mapping[str, Facts]) -> str:
    """The table in Markdown, and the correlation."""
    lines = ["| model | candidate | gain, us | cut, us | predicted, us | measured, us |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for name, entry in entries.items():
        for row in entry["rows"]:
            ops = ", ".join(op.removeprefix("snippets.") for op in row["ops"][:4])
            more = f" and {len(row['ops']) - 4}" if len(row["ops"]) > 4 else ""
            gain, cut = row["gain"], row["cut"]
            measured = (
                f"{row['saved']:.0f} ± {row['error']:.0f}" if "saved" in row else row["failed"]
            )
            lines.append(
                f"| {name} | {ops}{more} | {gain:.0f} | {cut:.0f} | {gain - cut:.0f} | {measured} |"
            )
    lines += ["", "| model | default: kernels | ratio | best with kernels | ratio |"]
    lines.append("| --- | --- | --- | --- | --- |")
    for name, entry in entries.items():
        cells = [
            f"{entry[key]['kernels']} | {entry[key]['ratio']:.3f}" if key in entry else "0 | 1"
            for key in ("default", "best")
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    rows = clear_rows(entries)
    predicted = [row["gain"] - row["cut"] for row in rows]
    found = rank_correlation(predicted, [row["saved"] for row in rows])
    right = sum((p > 0) == (row["saved"] > 0) for p, row in zip(predicted, rows, strict=True))
    lines += ["", f"{len(rows)} candidates above the noise; rank correlation {found:.3f};"]
    lines += [f"the decision is right for {right}."]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Measure, save and print."""
    parser = argparse.ArgumentParser(description="predicted and measured gain of each cut")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--limit", type=int, default=12, help="candidates of a model")
    parser.add_argument("--rounds", type=int, default=3, help="blocks of each build")
    parser.add_argument("--builds", type=int, default=3, help="builds of each program")
    parser.add_argument("--threads", type=int, default=THREADS)
    parser.add_argument(
        "--fastest",
        action="store_true",
        help="take the fastest call of a block, not the median: for a machine that others use",
    )
    parser.add_argument("--cpu", action="store_true", help="count the time of the thread alone")
    parser.add_argument("--json", type=Path, default=Path("cuts.json"))
    parser.add_argument("--tables", action="store_true", help="print what was measured before")
    options = parser.parse_args(arguments)
    use_cpus(THREADS)
    entries: dict[str, Facts] = {}
    if options.json.exists():
        entries = json.loads(options.json.read_text(encoding="utf-8"))
    names = [] if options.tables else options.names or [n for n in MODELS if store.is_made(n)]
    if options.cpu and options.threads != 1:
        parser.error("--cpu needs --threads 1: other threads spin while they wait")
    middle = min if options.fastest else median
    clock = time.thread_time if options.cpu else time.perf_counter
    effort = Effort(options.rounds, options.builds, options.threads, middle, clock)
    for name in names:
        entries[name] = model_facts(name, options.limit, effort)
        options.json.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    print(table(entries))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
