"""The measurements of one process, which has one number of threads; `run.py` starts it.

    python benchmarks/worker.py SPEC

SPEC is a JSON object (see `Spec`); the last line of the output is the result as JSON. What peers
print goes to the error stream.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import peers
from limits import copies
from peers.base import Peer, Unsupported, Variant
from reference import Mismatch, Reference
from steps import Array, Workload
from timing import QUICK, Call, Effort, measure, use_cpus
from workloads import WORKLOADS

COLUMNS = ("given", "fresh")


@dataclass(frozen=True)
class Spec:
    """What to measure."""

    workloads: tuple[str, ...]
    sizes: tuple[str, ...]
    threads: int
    peers: tuple[str, ...]
    quick: bool
    rounds: int

    @staticmethod
    def read(text: str) -> Spec:
        """From JSON."""
        raw: dict[str, Any] = json.loads(text)
        return Spec(
            tuple(raw["workloads"]),
            tuple(raw["sizes"]),
            raw["threads"],
            tuple(raw["peers"]),
            raw["quick"],
            raw["rounds"],
        )


def variants(
    workload: Workload,
    inputs: dict[str, Array],
    size: str,
    contenders: list[Peer],
    reasons: dict[str, str],
) -> dict[tuple[str, str, str], Call]:
    """The calls with right results, by column, peer and label. Why others are missing is noted.

    Raises `Mismatch` when our own result is wrong.
    """
    reference = Reference(workload, inputs, size)
    calls: dict[tuple[str, str, str], Call] = {}
    for peer in contenders:
        try:
            prepared = peer.prepare(workload, inputs, size)
            for variant in prepared:
                _check(reference, peer, variant)
        except Unsupported as error:
            reasons[peer.name] = str(error)
            continue
        except Exception as error:
            # A peer may fail in any way; ours may not.
            if peer.name == peers.OURS:
                raise
            lines = str(error).strip().splitlines() or [""]
            reasons[peer.name] = f"{type(error).__name__}: {lines[0][:160]}"
            continue
        for variant in prepared:
            column = COLUMNS[0] if variant.given else COLUMNS[1]
            calls[column, peer.name, variant.label] = variant.call
    return calls


def _check(reference: Reference, peer: Peer, variant: Variant) -> None:
    result = np.array(variant.result(variant.call()))
    who = f"{peer.name} {variant.label}".strip()
    reference.check(result, who)


def cell(workload: Workload, size: str, contenders: list[Peer], spec: Spec) -> dict[str, Any]:
    """One workload in one size: times by column and peer, the best variant of each."""
    inputs = workload.inputs(size)
    reasons: dict[str, str] = {}
    effort = QUICK if spec.quick else Effort(spec.rounds)
    calls = variants(workload, inputs, size, contenders, reasons)
    limit = {
        ("limit", name, ""): call
        for name, call in copies(workload.array_bytes(size), spec.threads).items()
    }
    keys = [*calls, *limit]
    both: list[Call] = [*calls.values(), *limit.values()]
    times = measure({str(k): call for k, call in enumerate(both)}, effort)
    columns: dict[str, dict[str, Any]] = {name: {} for name in (*COLUMNS, "limit")}
    for k, (column, name, label) in enumerate(keys):
        found = times[str(k)]
        known = columns[column].get(name)
        if known is None or found.median < known["median"]:
            columns[column][name] = {**asdict(found), "spread": found.spread, "variant": label}
    return {
        "workload": workload.name,
        "formula": workload.formula,
        "dtype": workload.dtype,
        "size": size,
        "shape": workload.shape(size),
        "threads": spec.threads,
        "bytes": workload.bytes_moved(size),
        "limit_bytes": 2 * workload.array_bytes(size),
        **columns,
        "left_out": reasons,
    }


def run(spec: Spec) -> dict[str, Any]:
    """All cells of `spec`."""
    use_cpus(spec.threads)
    contenders, missing = peers.load_installed(spec.peers, spec.threads)
    chosen = [w for w in WORKLOADS if w.name in spec.workloads]
    cells: list[dict[str, Any]] = []
    for workload in chosen:
        for size in spec.sizes:
            try:
                cells.append(cell(workload, size, contenders, spec))
            except Mismatch as error:
                sys.exit(f"{workload.name}, {size}: wrong result: {error}")
            print(f"{workload.name} {size} {spec.threads} threads", file=sys.stderr, flush=True)
    versions = {peer.name: peer.version() for peer in contenders}
    return {"cells": cells, "versions": versions, "missing": missing}


def main(text: str) -> int:
    """Measure, and print JSON to what was the output stream."""
    with os.fdopen(os.dup(1), "w") as answer:
        os.dup2(2, 1)
        print(json.dumps(run(Spec.read(text))), file=answer)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
