"""Measurements other than the speed of kernels: compile time, memory, call overhead, start-up of
tools.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import peers
import startup

HERE = Path(__file__).resolve().parent
WORKLOAD = "silu_mul"

Section = dict[str, Any]


def environment(threads: int, cache: str = "") -> dict[str, str]:
    """Variables that give every package `threads` threads, and where our objects are cached."""
    count = str(threads)
    return os.environ | {
        "OMP_NUM_THREADS": count,
        "OPENBLAS_THREAD_TIMEOUT": "26",  # 2^26 ticks: threads spin for 0.03 s, as onnxruntime's
        "NUMBA_NUM_THREADS": count,
        "NUMEXPR_MAX_THREADS": count,
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "SNIPPETS_CACHE_DIR": cache,
    }


def _probe(
    kind: str, name: str, threads: int, quick: bool, cache: str = ""
) -> dict[str, Any] | None:
    """The result of `probe.py` in a separate process; None if it fails."""
    options = [kind, name, str(threads), *(["--quick"] if quick else [])]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "probe.py"), *options],
        capture_output=True,
        env=environment(threads, cache),
        check=False,
        text=True,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        print(f"{kind} of {name} failed: {last}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def compile_times(names: list[str], threads: int, quick: bool) -> Section:
    """Import, first program, later programs, and the same program from our cache on disk."""
    rows: list[list[Any]] = []
    for name in names:
        found = _probe("compile", name, threads, quick)
        if found is None:
            continue
        cached: list[float | None] = [None, None]
        if name == peers.OURS:
            with tempfile.TemporaryDirectory() as directory:
                _probe("compile", name, threads, quick, directory)
                again = _probe("compile", name, threads, quick, directory)
            if again is not None:
                cached = [again["first"], again["warm"]]
        rows.append([name, found["import"], found["first"], found["warm"], *cached])
    return {
        "title": "Compile time",
        "note": f"`{WORKLOAD}` of 1 MiB, from the program to its first result.",
        "unit": "s",
        "head": [
            *("", "import", "first program", "warm process"),
            *("first, program on disk", "warm, program on disk"),
        ],
        "rows": rows,
    }


def memory(names: list[str], threads: int, quick: bool) -> Section:
    """Peak memory above the interpreter with its inputs."""
    rows: list[list[Any]] = []
    for name in names:
        found = _probe("memory", name, threads, quick)
        if found is not None:
            rows.append([name, found["import"], found["peak"]])
    return {
        "title": "Peak memory",
        "note": f"`{WORKLOAD}` with arrays of 64 MiB: resident memory after the import, and the "
        "peak that compiling and five calls with fresh outputs add to it.",
        "unit": "MiB",
        "head": ["", "import", "compiling and calls"],
        "rows": rows,
    }


def overhead(cell: dict[str, Any]) -> Section:
    """The section on the call overhead: calls on 64 elements."""
    names = [n for n in peers.PEERS if n in cell["hot given"] or n in cell["hot fresh"]]
    rows = [
        [
            name,
            *(
                cell[c][name]["median"] if name in cell[c] else None
                for c in ("hot given", "hot fresh")
            ),
        ]
        for name in names
    ]
    return {
        "title": "Cost of a call",
        "note": f"`{WORKLOAD}` on 64 elements.",
        "unit": "s",
        "head": ["", "into given outputs", "fresh outputs"],
        "rows": rows,
    }


def ways(threads: int, quick: bool) -> list[Section]:
    """Our ways through a call; nothing when it fails."""
    found = _probe("calls", peers.OURS, threads, quick)
    if found is None:
        return []
    return [
        {
            "title": "Cost of our calls",
            "note": f"`{WORKLOAD}` on 64 elements, by the kind of its arguments.",
            "unit": "s",
            "head": ["", "into given outputs", "fresh outputs"],
            "rows": [[way, *seconds] for way, seconds in found.items()],
        }
    ]


def tools(quick: bool) -> Section:
    """Start-up of the command-line tools on a trivial module."""
    seconds = startup.measure(1 if quick else 15)
    return {
        "title": "Start-up of tools",
        "note": "A process that reads and prints an empty module.",
        "unit": "s",
        "head": ["", "median"],
        "rows": [[name, value] for name, value in seconds.items()],
    }


def loops(quick: bool) -> list[Section]:
    """Affine loops, in a process of one thread; nothing when it fails."""
    done = subprocess.run(
        [sys.executable, str(HERE / "loops.py"), *(["--quick"] if quick else [])],
        capture_output=True,
        env=environment(1),
        check=False,
        text=True,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        print(f"loops failed: {last}", file=sys.stderr)
        return []
    return [json.loads(done.stdout.splitlines()[-1])]


def all_sections(call: dict[str, Any], names: list[str], quick: bool) -> list[Section]:
    """Every section; `call` is the measured cell of 64 elements."""
    threads = call["threads"]
    return [
        overhead(call),
        *ways(threads, quick),
        compile_times(names, threads, quick),
        memory([peers.OURS] if quick else names, threads, quick),
        tools(quick),
        *loops(quick),
    ]
