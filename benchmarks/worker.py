"""The measurements of one process, which has one number of threads; `run.py` starts it.

    python benchmarks/worker.py SPEC

SPEC is a JSON object (see `Spec`); the last line of the output is the result as JSON. The output of
peers goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import peers
from chains import Chain
from limits import copies, whole_lines
from peers.base import Inputs, Peer, Unsupported, Way
from programs import programs
from reference import Mismatch, Reference
from sets import Set, make_sets, sets_for
from steps import MODES, Array, Workload
from timing import QUICK, Call, Effort, in_turn, measure, use_cpus

Program = Workload | Chain

KINDS = ("given", "fresh")
"""Calls write into arrays that exist, or return new ones."""

COLUMNS = tuple(f"{mode} {kind}" for mode in MODES for kind in KINDS)
Key = tuple[str, str, str]
"""Column, peer and label."""


@dataclass(frozen=True)
class Spec:
    """The cells to measure in one process, with their settings."""

    workloads: tuple[str, ...]
    sizes: tuple[str, ...]
    threads: int
    peers: tuple[str, ...]
    quick: bool
    rounds: int
    block: float
    seed: int
    modes: tuple[str, ...]

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
            raw["block"],
            raw["seed"],
            tuple(raw["modes"]),
        )


def ways_of(program: Program, peer: Peer, inputs: Inputs, size: str) -> tuple[Way, ...]:
    """The ways of a workload; of a chain, those of both parts with one label, one after the other.

    A chain has ways into given outputs only: the second part reads what the first has written.
    """
    if isinstance(program, Workload):
        return peer.prepare(program, inputs, size)
    chain = program
    own = {name: inputs[name] for name in chain.first.arguments}
    between = np.empty(chain.first.shape(size), chain.first.dtype)
    both = (
        peer.prepare(chain.first, own, size),
        peer.prepare(chain.second, chain.inputs_of_second(inputs, between), size),
    )
    first, second = ({way.label: way for way in ways if way.given} for ways in both)

    def joined(label: str) -> Way:
        def bind(inputs: Inputs, out: Array) -> Call:
            between = np.zeros(chain.first.shape(size), chain.first.dtype) + 1
            own = {name: inputs[name] for name in chain.first.arguments}
            call_first = first[label].bind(own, between)
            call_second = second[label].bind(chain.inputs_of_second(inputs, between), out)

            def call() -> None:
                call_first()
                call_second()

            return call

        return Way(label, True, bind)

    return tuple(joined(label) for label in first if label in second)


def bound(
    program: Program,
    sets: Sequence[Set],
    size: str,
    contenders: Sequence[Peer],
    reasons: dict[str, str],
    modes: Sequence[str],
) -> dict[Key, Call]:
    """The calls of `modes` with right results. The reasons for missing ones are recorded.

    Raises `Mismatch` when our own result is wrong.
    """
    workload = program if isinstance(program, Workload) else program.whole()
    reference = Reference(workload, sets[0][0], size)
    calls: dict[Key, Call] = {}
    for peer in contenders:
        found: dict[Key, Call] = {}
        try:
            for way in ways_of(program, peer, sets[0][0], size):
                own = [way.bind(*arrays) for arrays in sets]
                for k in {0, len(own) - 1}:
                    value = own[k]()
                    result = np.array(sets[k][1] if way.given else way.read(value))
                    reference.check(result, f"{peer.name} {way.label}".strip())
                kind = KINDS[0] if way.given else KINDS[1]
                if len(own) > 1 and "rotating" in modes:
                    found[f"rotating {kind}", peer.name, way.label] = in_turn(own)
                if "hot" in modes:
                    found[f"hot {kind}", peer.name, way.label] = own[0]
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
        if not found:
            reasons[peer.name] = "it has no calls into given outputs"
        calls |= found
    return calls


def _limits(size: int, threads: int, sets: int) -> dict[Key, Call]:
    """Copies of arrays of `size` bytes, of one pair and of several in turn."""
    pairs = [copies(size, threads) for _ in range(sets)]
    hot = {("hot limit", name, ""): call for name, call in pairs[0].items()}
    if sets == 1:
        return hot
    turns = {name: in_turn([pair[name] for pair in pairs]) for name in pairs[0]}
    return {**hot, **{("rotating limit", name, ""): call for name, call in turns.items()}}


def cell(program: Program, size: str, contenders: list[Peer], spec: Spec) -> dict[str, Any]:
    """One workload or chain in one size: times by column and peer, the best way of each."""
    chain = isinstance(program, Chain)
    workload = program.whole() if isinstance(program, Chain) else program
    parts = (program.first, program.second) if isinstance(program, Chain) else (program,)
    touched = sum(part.bytes_moved(size) for part in parts)
    alone = size == "call" or "rotating" not in spec.modes
    count = 1 if alone else sets_for(touched, spec.quick)
    sets = make_sets(workload, workload.inputs(size), size, count)
    reasons: dict[str, str] = {}
    effort = QUICK if spec.quick else Effort(spec.rounds, spec.block)
    calls = bound(program, sets, size, contenders, reasons, spec.modes)
    copied = whole_lines(workload.array_bytes(size))
    if size != "product":
        pairs = 1 if count == 1 else sets_for(2 * copied, spec.quick)
        calls |= _limits(copied, spec.threads, pairs)
    times = measure({str(k): call for k, call in enumerate(calls.values())}, effort)
    columns: dict[str, dict[str, Any]] = {
        name: {} for name in (*COLUMNS, "rotating limit", "hot limit")
    }
    for k, (column, name, label) in enumerate(calls):
        found = times[str(k)]
        known = columns[column].get(name)
        if known is None or found.median < known["median"]:
            columns[column][name] = {**asdict(found), "spread": found.spread, "variant": label}
    return {
        "workload": program.name,
        "formula": workload.formula,
        "dtype": workload.dtype,
        "size": size,
        "shape": workload.shape(size),
        "threads": spec.threads,
        "chain": chain,
        "sets": count,
        "bytes": touched,
        "limit_bytes": 2 * copied,
        "products": workload.products(size),
        "bar": workload.bar,
        **columns,
        "left_out": reasons,
    }


def run(spec: Spec) -> dict[str, Any]:
    """Measure all cells of `spec`, in turns."""
    use_cpus(spec.threads)
    contenders, missing = peers.load_installed(spec.peers, spec.threads)
    chosen = [program for program in programs(spec.seed) if program.name in spec.workloads]
    cells: list[dict[str, Any]] = []
    for program in chosen:
        for size in (size for size in spec.sizes if size in program.sizes):
            try:
                cells.append(cell(program, size, contenders, spec))
            except Mismatch as error:
                sys.exit(f"{program.name}, {size}: wrong result: {error}")
            print(f"{program.name} {size} {spec.threads} threads", file=sys.stderr, flush=True)
    versions = {peer.name: peer.version() for peer in contenders}
    return {"cells": cells, "versions": versions, "missing": missing}


def main(text: str) -> int:
    """Measure, and print JSON to the original output stream."""
    with os.fdopen(os.dup(1), "w") as answer:
        os.dup2(2, 1)
        print(json.dumps(run(Spec.read(text))), file=answer)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
