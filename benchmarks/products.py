"""Matrix products, MLPs, attentions and encoder layers beside all peers, in minutes: one command.

    python benchmarks/products.py [--seed N] [--threads N] [--only NAME,...] [--rounds N]
        [--block SECONDS] [--quick] [--json FILE] [--document FILE]

Measures the workloads that have a bar, and products and attentions whose sizes `--seed` draws, on
one set of arrays (`worker.py`), and writes the tables into docs/product-results.md. For each
package, including ours, the best of its ways counts, into given or fresh outputs. The exit code is
1 when a result of ours is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import peers
import targets
from drawn import NAMES as DRAWN
from machine import machine, named
from programs import NAMED
from run import measured
from steps import Workload
from tables import document, duration, geometric_mean, table, write_between_marks

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "product-results.md"

PEERS = ("NumPy", "JAX", "onnxruntime", "OpenVINO", "torch eager")
LISTED = tuple(
    p.name for p in NAMED if isinstance(p, Workload) and (p.bar is not None or "product" in p.sizes)
)
ROUNDS, BLOCK = 3, 0.02

MEAN = 0.90
"""What the geometric mean over the workloads with a bar should be at most."""

WORST, APART = 1.15, 1.05
"""The same of any drawn workload, and of the mean of the drawn ones over that with a bar."""

Cell = dict[str, Any]


def times(cell: Cell) -> dict[str, float]:
    """Seconds of each package, by the best of its ways."""
    found: dict[str, float] = {}
    for column in ("hot given", "hot fresh"):
        for name, time in cell[column].items():
            found[name] = min(time["median"], found.get(name, time["median"]))
    return found


def ratio(cell: Cell) -> float | None:
    """Our time over that of the best peer; None without peers."""
    found = times(cell)
    ours = found.pop(peers.OURS)
    return ours / min(found.values()) if found else None


def _row(cell: Cell) -> list[str]:
    found, of = times(cell), ratio(cell)
    ours = found[peers.OURS]
    drawn = cell["workload"] in DRAWN
    bar: float | None = cell["bar"]
    missed = bar is not None and of is not None and of > bar
    return [
        f"{cell['formula']}" if drawn else f"`{cell['workload']}`",
        duration(ours),
        f"{2 * cell['products'] / ours / 1e9:.0f}",
        *(duration(found[name]) if name in found else "" for name in PEERS),
        "" if of is None else f"**{of:.2f}**" if missed else f"{of:.2f}",
        "" if bar is None else f"{bar:.2f}",
    ]


def _mean(cells: Sequence[Cell]) -> tuple[float, float] | None:
    """The geometric mean of the ratios, and the worst one."""
    found = [of for cell in cells if (of := ratio(cell)) is not None]
    return (geometric_mean(found), max(found)) if found else None


def _means(groups: dict[str, list[Cell]]) -> Iterator[list[str]]:
    for name, cells in groups.items():
        if (found := _mean(cells)) is not None:
            yield [name, str(len(cells)), f"{found[0]:.2f}", f"{found[1]:.2f}"]


def _groups(cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    """The groups of cells with a separate mean, by their titles on the page."""
    listed = [cell for cell in cells if cell["bar"] is not None]
    drawn = [cell for cell in cells if cell["workload"] in DRAWN]
    return {
        f"with a bar (at most {MEAN:.2f})": listed,
        "matrix products of these": [c for c in listed if c["workload"].startswith("matmul")],
        "layers of these": [c for c in listed if not c["workload"].startswith("matmul")],
        f"drawn (worst at most {WORST:.2f})": drawn,
        "products of these": [c for c in drawn if "product" in c["workload"]],
        "attentions of these": [c for c in drawn if "attention" in c["workload"]],
    }


def page(result: dict[str, Any]) -> str:
    """The tables of the page."""
    where, cells = result["machine"], result["cells"]
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    computer = f"{named(where)}, {result['threads']} threads, Python {where['python']}"
    parts = [f"Measured {result['date']} on {computer}: {versions}."]
    if result["quick"]:
        parts.append("A quick run: too short for its numbers to mean anything.")
    groups = _groups(cells)
    parts.append(table(["ours / best", "workloads", "geometric mean", "worst"], _means(groups)))
    listed, drawn = (_mean(list(groups.values())[place]) for place in (0, 3))
    if listed is not None and drawn is not None:
        over = drawn[0] / listed[0]
        parts.append(f"Mean of the drawn ones over that with a bar: {over:.2f} (bar {APART:.2f}).")
    head = ["workload", "ours", "GFLOP/s", *PEERS, "ours / best", "bar"]
    for title, inside in (("Listed", False), (f"Drawn by seed {result['seed']}", True)):
        chosen = [cell for cell in cells if (cell["workload"] in DRAWN) is inside]
        if chosen:
            parts += [f"### {title}", table(head, map(_row, chosen))]
    left_out = {f"- {name}: {why}" for name, why in result["missing"].items()}
    for cell in cells:
        for name, why in cell["left_out"].items():
            left_out.add(f"- {name}, `{cell['workload']}`: {why}")
    if left_out:
        parts += ["### Left out", "\n".join(sorted(left_out))]
    return "\n\n".join(parts) + "\n"


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in (*LISTED, *DRAWN):
            known = ", ".join((*LISTED, *DRAWN))
            raise argparse.ArgumentTypeError(f"unknown workload '{name}'; known: {known}")
    return names


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables and write them into the page."""
    parser = argparse.ArgumentParser(description="Products and layers beside all peers.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", type=_names, default=(*LISTED, *DRAWN), help="workloads")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--block", type=float, default=BLOCK)
    parser.add_argument("--quick", action="store_true", help="short blocks, to try the program")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--document", type=document(), metavar="FILE", default=DOCUMENT)
    options = parser.parse_args(arguments)
    os.environ.update(targets.variables(targets.HOST))
    part = measured(
        {
            "workloads": options.only,
            "sizes": ("product",),
            "threads": options.threads,
            "peers": (peers.OURS, *PEERS),
            "quick": options.quick,
            "rounds": options.rounds,
            "block": options.block,
            "seed": options.seed,
            "modes": ("hot",),
        }
    )
    result: dict[str, Any] = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "threads": options.threads,
        "seed": options.seed,
        "quick": options.quick,
        **part,
    }
    text = page(result)
    print(text)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    write_between_marks(options.document, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
