"""Runs `guard_runner.py` for each target of this computer, each kind of program, 1 and 2 threads.

Prints a line for each run: what ran, and the number of calls or the program that faulted. The exit
status is 1 when one of them did.
"""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path

from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import TARGETS, machine

RUNNER = Path(__file__).parent / "guard_runner.py"
KINDS = {"static": (1,), "dynamic": (1, 2), "products": (1, 2)}
"""Threads for each kind: static programs on two threads are the dynamic ones' code."""


def main() -> int:
    host = machine(host_target())
    failed = 0
    names = [m.name for m in TARGETS.values() if m.triple == host.triple and m.lanes <= host.lanes]
    for name, kind in product(names, KINDS):
        for threads in KINDS[kind]:
            options = [
                f"--target={name}",
                f"--kind={kind}",
                f"--threads={threads}",
                "--seeds=0:500",
            ]
            done = subprocess.run(
                [sys.executable, str(RUNNER), *options], capture_output=True, text=True, check=False
            )
            last = [line for line in done.stdout.splitlines() if not line.startswith("  ")][-1:]
            verdict = "ok" if done.returncode == 0 else f"exit status {done.returncode}"
            print(f"{' '.join(options)}: {verdict}; {''.join(last)}", flush=True)
            failed += done.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
