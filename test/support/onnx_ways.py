"""Random ONNX models in other ways: by streams, from the cache, with forced implementations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import onnx
import pytest
from onnx_agreement import MODES, Feeds, calls_of, check_results, results_of, threads_of
from random_onnx_models import Graph, random_model, session
from random_onnx_values import Array

import snippets_mlir
from snippets_mlir.support.errors import CompileError

KINDS = (("snippets", "onnxruntime"), ("snippets", "reference"), ("inside", "onnxruntime"))
"""Kinds that are forced together: kernels inside are in a model that nothing cuts."""
REFUSALS = ("is forced", "force: ")
"""What messages say of implementations that cannot be forced."""


class Known:
    """A random model that onnxruntime runs, and what it gives.

    Attributes:
        graph: what it was made from.
        model: the model.
        names: of its outputs.
        calls: inputs that onnxruntime takes, with its results.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.graph, self.model = random_model(seed)
        self.names = [output.name for output in self.model.graph.output]
        self.calls: list[tuple[Feeds, list[Array]]] = []
        try:
            engine = session(self.model)
        except Exception:
            return
        for call in calls_of(self.graph):
            if (results := results_of(engine, self.names, call)) is not None:
                self.calls.append((call, results))

    def check(self, found: dict[str, Array], index: int, way: str) -> int:
        """Compare the results of a call; the number of arrays."""
        place = f"seed {self.seed}, {way}, call {index}"
        return check_results(self.graph, found, self.names, self.calls[index][1], place)


def check_streams(seed: int) -> int:
    """Each request gets the results of its own inputs, in any order; as a network does."""
    known, random = Known(seed), Random(seed)
    if not known.calls:
        return 0
    order = [*range(len(known.calls))] * 3
    random.shuffle(order)
    mode, streams = random.choice(MODES), random.choice([1, 2])
    way = f"{streams} streams, {mode}"
    compared = 0
    with snippets_mlir.compile_program(
        known.model, streams=streams, threads_per_stream=1, **mode
    ) as program:
        with program.queue(requests=random.choice([1, 3, 8])) as queue:
            futures = [(i, queue.submit(known.calls[i][0])) for i in order]
        for i, future in futures:
            compared += known.check(future.result(), i, way)
        network = program.network()
        for i in order[: len(known.calls)]:
            for name, array in known.calls[i][0].items():
                network.set_input(name, array)
            network.execute()
            found = {name: network.output(name) for name in known.names}
            compared += known.check(found, i, f"network, {mode}")
    return compared


def check_cached(seed: int, folder: Path) -> int:
    """A program from the cache gives the bits of the one that was compiled."""
    known, random = Known(seed), Random(seed)
    if not known.calls:
        return 0
    mode = random.choice(MODES)
    threads = threads_of(seed, mode)
    file = folder / f"{seed}.onnx"
    onnx.save_model(known.model, file)  # pyright: ignore[reportUnknownMemberType]
    compared = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SNIPPETS_CACHE_DIR", str(folder / "cache"))
        first: dict[int, dict[str, Array]] = {}
        for way in ("cold", "warm", "warm again"):
            program = snippets_mlir.compile(file, num_threads=threads, **mode)
            for i, (call, _) in enumerate(known.calls):
                found = program.run(call)
                compared += known.check(found, i, f"{way}, {mode}")
                before = first.setdefault(i, found)
                for name in known.names:
                    _equal_bits(found[name], before[name], f"seed {seed}, {way}, {mode}, {name}")
    return compared


def check_forced(seed: int) -> int:
    """A model with forced implementations gives the same, or says why they cannot be forced."""
    known, random = Known(seed), Random(seed)
    if not known.calls:
        return 0
    kinds = random.choice(KINDS)
    pairs = [
        f"{_pattern(known.graph, random)}:{random.choice(kinds)}"
        for _ in range(random.choice([1, 2]))
    ]
    compared = 0
    for mode in MODES[:2]:
        way = f"force_impl={pairs}, {mode}"
        try:
            program = snippets_mlir.compile(known.model, num_threads=1, force_impl=pairs, **mode)
            for i, (call, _) in enumerate(known.calls):
                compared += known.check(program.run(call), i, way)
        except CompileError as error:
            if not any(part in str(error) for part in REFUSALS):
                raise AssertionError(f"seed {seed}, {way}: {error}") from error
    return compared


def _pattern(graph: Graph, random: Random) -> str:
    names = [name for node in graph.nodes for name in node.output if name]
    name = random.choice(names or ["x"])
    return random.choice([name, name, name, "*"])


def _equal_bits(found: Array, wanted: Array, place: str) -> None:
    assert found.dtype == wanted.dtype, place
    assert found.shape == wanted.shape, place
    if found.dtype.kind == "O":
        assert (found == wanted).all(), place
        return
    assert found.tobytes() == wanted.tobytes(), place


def run_all(seeds: Sequence[int], folder: Path) -> int:
    """Check models in all ways; the number of arrays that were compared."""
    return sum(
        check_streams(seed) + check_forced(seed) + check_cached(seed, folder) for seed in seeds
    )
