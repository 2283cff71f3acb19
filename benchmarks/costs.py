"""Compile time, start-up time and the cost of a call, of one checkout or of two side by side.

    python benchmarks/costs.py [--beside CHECKOUT] [--rounds N]

Each round measures every checkout once in a separate process, so that a busy machine slows all of
them. The minimum of each time is printed, and the ratio of this checkout to the other one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

HERE = Path(__file__).resolve().parents[1]
EXAMPLES = ("silu_mul", "softmax", "layer_norm", "chain20")
CALLS = 20_000
TRIVIAL = "builtin.module {\n}\n"
ADD = """func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = snippets.add %x, %y : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  func.return %0 : tensor<64xf32>
}
"""


def costs() -> dict[str, float]:
    """Seconds for each kind of work, in this process."""
    begin = perf_counter()
    import numpy as np

    import snippets_mlir

    found: dict[str, float] = {}
    add = snippets_mlir.compile(ADD, num_threads=1)
    found["import and first program"] = perf_counter() - begin
    for name in EXAMPLES:
        text = (HERE / "docs" / "examples" / f"{name}.mlir").read_text(encoding="utf-8")
        begin = perf_counter()
        snippets_mlir.compile(text, num_threads=1)
        found[f"compile {name}"] = perf_counter() - begin
    x, y, out = (np.ones(64, np.float32) for _ in range(3))
    found["call"] = min(_seconds(lambda: add(x, y, out=out)) for _ in range(5)) / CALLS
    return found


def _seconds(call: Callable[[], object]) -> float:
    begin = perf_counter()
    for _ in range(CALLS):
        call()
    return perf_counter() - begin


def measure(checkout: Path) -> dict[str, float]:
    """The costs of a checkout, in its own environment if it has one, each from an empty cache."""
    own = checkout / ".venv" / "bin" / "python"
    python = str(own) if own.exists() else sys.executable
    with TemporaryDirectory() as cache:
        environment = os.environ | {"PYTHONPATH": str(checkout), "SNIPPETS_CACHE_DIR": cache}

        def run(*words: str, text: str = "") -> str:
            done = subprocess.run(
                [python, *words],
                input=text,
                stdout=subprocess.PIPE,
                env=environment,
                cwd=checkout,
                text=True,
                check=True,
            )
            return done.stdout

        begin = perf_counter()
        run("-m", "snippets_mlir.tools.snippets_opt", "-", text=TRIVIAL)
        found = {"start-up of snippets-opt": perf_counter() - begin}
        return found | json.loads(run(str(Path(__file__).resolve()), "--here"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure compile time, start-up and calls of both checkouts, and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", type=Path, help="another checkout")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.here:
        print(json.dumps(costs()))
        return 0
    checkouts = [HERE] if options.beside is None else [HERE, options.beside.resolve()]
    rounds = [[measure(checkout) for checkout in checkouts] for _ in range(options.rounds)]
    for name in rounds[0][0]:
        times = [min(found[k][name] for found in rounds) for k in range(len(checkouts))]
        ratio = f"{times[0] / times[1]:8.3f}" if len(times) > 1 else ""
        print(f"{name:26}", *(f"{t * 1e6:14.3f} us" for t in times), ratio)
    return 0


if __name__ == "__main__":
    sys.exit(main())
