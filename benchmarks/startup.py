"""Start-up time of `snippets-opt` beside `xdsl-opt` on the same trivial module.

    python benchmarks/startup.py [--runs N] [--limit RATIO]

Runs of the two alternate, so that a busy machine slows both; medians are compared. With `--limit`
the exit code is 1 when the ratio is above it.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

TRIVIAL = "builtin.module {\n}\n"
COMMANDS = {
    "xdsl-opt": ("xdsl.tools.xdsl_opt",),
    "snippets-opt": ("snippets_mlir.tools.snippets_opt",),
}


def measure(runs: int) -> dict[str, float]:
    """Median seconds of one invocation, by command."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "trivial.mlir"
        path.write_text(TRIVIAL, encoding="utf-8")
        for _ in range(runs + 1):
            for name, (module,) in COMMANDS.items():
                command = [sys.executable, "-m", module, str(path)]
                start = time.perf_counter()
                subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
                times[name].append(time.perf_counter() - start)
    return {name: statistics.median(found[1:]) for name, found in times.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--limit", type=float)
    options = parser.parse_args(arguments)
    seconds = measure(options.runs)
    ratio = seconds["snippets-opt"] / seconds["xdsl-opt"]
    for name, value in seconds.items():
        print(f"{name:14} {value * 1e3:7.1f} ms")
    print(f"{'ratio':14} {ratio:7.2f}")
    return int(options.limit is not None and ratio > options.limit)


if __name__ == "__main__":
    sys.exit(main())
