"""Our kernels beside those of other packages, by one command.

    python benchmarks/run.py [--quick] [--only NAME,...] [--sizes l1,l2,mem,product]
        [--threads 1,2] [--modes rotating,hot] [--seed N] [--target NAME] [--peers NAME,...]
        [--rounds N] [--block SECONDS] [--json FILE] [--markdown FILE] [--svg FILE]

See docs/benchmarks.md for what is measured and how. Packages that are not installed are left out
and named. A result of ours that is wrong ends the run with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import peers
import sections
import targets
from machine import machine
from outputs import add_outputs, write
from programs import ALL_NAMES, NAMES
from steps import MODES, SIZES
from timing import BLOCK, ROUNDS

from snippets_mlir.targets.host import host_target

HERE = Path(__file__).resolve().parent


def measured(spec: dict[str, Any]) -> dict[str, Any]:
    """The result of one process with one number of threads."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "worker.py"), json.dumps(spec)],
        stdout=subprocess.PIPE,
        env=sections.environment(spec["threads"]),
        check=False,
        text=True,
    )
    if done.returncode:
        sys.exit(f"the process with {spec['threads']} threads failed")
    return json.loads(done.stdout)


def _list(known: Sequence[str], what: str) -> Any:
    def parse(text: str) -> tuple[str, ...]:
        names = tuple(name.strip() for name in text.split(","))
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(
                    f"unknown {what} '{name}'; known: {', '.join(known)}"
                )
        return names

    return parse


def _threads(text: str) -> tuple[int, ...]:
    counts = tuple(int(part) for part in text.split(","))
    if any(count < 1 for count in counts):
        raise argparse.ArgumentTypeError("expected numbers of 1 or more")
    return counts


def _target(text: str) -> str:
    try:
        return targets.parsed(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _seconds(text: str) -> float:
    if not 0 < (seconds := float(text)) <= 10:
        raise argparse.ArgumentTypeError("expected seconds above 0, up to 10")
    return seconds


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description="Our kernels beside those of other packages.")
    parser.add_argument("--quick", action="store_true", help="short blocks, to try the program")
    parser.add_argument("--only", type=_list(ALL_NAMES, "workload"), default=NAMES)
    parser.add_argument("--seed", type=int, default=0, help="draws the sizes of drawn_...")
    parser.add_argument("--modes", type=_list(MODES, "mode"), default=MODES)
    parser.add_argument("--sizes", type=_list(SIZES, "size"), default=SIZES[1:])
    parser.add_argument("--threads", type=_threads, default=(1, 2))
    parser.add_argument("--peers", type=_list([*peers.PEERS], "peer"), default=(*peers.PEERS,))
    parser.add_argument("--target", type=_target, default=targets.HOST, help="of our programs")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="turns of each contender")
    parser.add_argument("--block", type=_seconds, default=BLOCK, help="seconds of a turn, about")
    parser.add_argument("--no-sections", action="store_true", help="no compile time, memory, ...")
    add_outputs(parser)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the Markdown report and write the files asked for."""
    options = options_of(arguments)
    os.environ.update(targets.variables(options.target))
    chosen = tuple(dict.fromkeys((peers.OURS, *options.peers)))
    result: dict[str, Any] = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "target": options.target,
        "host_target": host_target(),
        "quick": options.quick,
        "seed": options.seed,
        "cells": [],
        "versions": {},
        "missing": {},
        "sections": [],
    }
    for threads in options.threads:
        spec = {
            "workloads": options.only,
            "sizes": options.sizes,
            "threads": threads,
            "peers": chosen,
            "quick": options.quick,
            "rounds": options.rounds,
            "block": options.block,
            "seed": options.seed,
            "modes": options.modes,
        }
        part = measured(spec)
        result["cells"] += part["cells"]
        result["versions"] |= part["versions"]
        result["missing"] |= part["missing"]
    for name, reason in result["missing"].items():
        print(f"{name}: {reason}", file=sys.stderr)
    if not options.no_sections:
        installed = [name for name in chosen if name in result["versions"]]
        overhead = measured(
            {
                "workloads": [sections.WORKLOAD],
                "sizes": ["call"],
                "threads": max(options.threads),
                "peers": installed,
                "quick": options.quick,
                "rounds": options.rounds,
                "block": options.block,
                "seed": options.seed,
                "modes": options.modes,
            }
        )
        result["sections"] = sections.all_sections(overhead["cells"][0], installed, options.quick)
    write(result, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
