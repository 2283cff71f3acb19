"""A network: the memory for one request at a time, of a program with static or dynamic sizes.

For each of the last `MAX_PLANS` builds that it has run there is a table of steps; all of them share
one arena, which is as large as the largest of them needs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.driver.built import Built
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.runtime import network as runtime_network
from snippets_mlir.runtime.arrays import Array, as_array
from snippets_mlir.runtime.manifest import Step
from snippets_mlir.runtime.program import Program
from snippets_mlir.runtime.scratch import ALIGNMENT, Block, aligned_block
from snippets_mlir.runtime.streams import Stream

MAX_PLANS = 16
"""Tables that a network keeps, one for each build."""

SHRINKS = 10
"""The arena is made anew when it is so many times as large as the plans of the network need, and
has more than `SMALL` bytes."""

SMALL = 64 << 10


@dataclass(frozen=True)
class StepTime:
    """How long a step took in the last run of a network.

    Attributes:
        nodes: the nodes of the model that it computes, by name; ops where they have none.
        kind: `kernel`, `execute` (onnxruntime, NumPy), `copy` or `view`.
        symbol: the kernel; empty for other kinds.
        begin: when it began, in nanoseconds of `time.monotonic_ns`.
        end: when it ended.
        stream: the number of its stream; None: the caller's thread.
    """

    nodes: tuple[str, ...]
    kind: str
    symbol: str
    begin: int
    end: int
    stream: int | None

    @property
    def nanoseconds(self) -> int:
        """How long it took."""
        return self.end - self.begin


class Plans:
    """The tables of one network, and its arena."""

    def __init__(self, stream: Stream | None = None) -> None:
        """`stream` is the thread that runs it; None: any thread may."""
        self._stream = stream
        self._block: Block | None = None
        self._kept: OrderedDict[int, tuple[Built, runtime_network.Network]] = OrderedDict()
        self._last: tuple[Built, runtime_network.Network | list[tuple[int, int]]] | None = None

    def run(
        self, built: Built, inputs: Sequence[Array], out: Sequence[Array] | None
    ) -> list[Array]:
        """Run a build on arrays that are checked; the errors are those of its steps."""
        program = built.program
        if program.has_table:
            network = self._network(built)
            assert network.times is not None
            network.times.fill(0)
            self._last = built, network
            found = program.run_through(network.run, inputs, out)
            if found is not None:
                return found
        times: list[tuple[int, int]] = []
        self._last = built, times
        return program.run_in_python(
            inputs, out, lambda _step, begin, end, _live: times.append((begin, end))
        )

    def _network(self, built: Built) -> runtime_network.Network:
        key = id(built.program)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][1]
        while len(self._kept) >= MAX_PLANS:
            self._kept.popitem(last=False)
        wanted = max(b.program.storage.arena for b, _ in [*self._kept.values(), (built, None)])
        if self._block is None or not wanted <= self.arena <= SHRINKS * wanted + SMALL:
            self._kept.clear()  # their tables have addresses of the old one
            self._block = aligned_block(wanted)
        team = None if self._stream is None else self._stream.team
        made = runtime_network.Network(built.program, timed=True, team=team, block=self._block)
        self._kept[key] = built, made
        return made

    @property
    def arena(self) -> int:
        """Bytes of its arena."""
        return 0 if self._block is None else self._block[1].nbytes - ALIGNMENT

    def profile(self) -> tuple[StepTime, ...]:
        """The steps of the last run, in order."""
        if self._last is None:
            return ()
        built, made = self._last
        if isinstance(made, list):
            steps: Sequence[Step | None] = built.program.manifest["steps"][: len(made)]
            times = made
        else:
            assert made.times is not None
            steps, times = [launch.step for launch in made.launches], made.times.tolist()
        index = None if self._stream is None else self._stream.index
        return tuple(
            StepTime(*nodes_of(built, step), begin, end, index)
            for step, (begin, end) in zip(steps, times, strict=True)
            if end  # it ran to its end
        )


def nodes_of(built: Built, step: Step | None) -> tuple[tuple[str, ...], str, str]:
    """Nodes, kind and symbol of a step; a step that the manifest does not have is a copy."""
    if step is None:
        return (), "copy", ""
    symbol = step.get("symbol") or ""
    if (node := step.get("node")) is not None:
        return (str(node),), step["kind"], symbol
    if step["kind"] == "kernel":
        entry = next((entry for entry in built.kernels if entry.name == symbol), None)
        return (() if entry is None else tuple(entry.ops)), "kernel", symbol
    return tuple(step.get("ops") or ()), step["kind"], symbol


class Network:
    """A network of the caller's; made by `Program.network`.

    Calls run on the caller's thread, one at a time.
    """

    def __init__(self, compiled: TensorProgram) -> None:
        self._compiled = compiled
        self._plans: Plans | None = Plans()
        self._inputs: dict[str, Array] = {}
        self._results: dict[str, Array] | None = None
        self._runs = False

    def _own(self) -> Plans:
        if self._plans is None:
            raise RuntimeError("the network is closed")
        return self._plans

    def set_input(self, name: str, array: object) -> None:
        """The array of an input for the next runs; not copied.

        Raises:
            TypeError, ValueError: as a call of the program.
        """
        self._own()
        specs = {spec.name: spec for spec in self._compiled.inputs}
        if name not in specs:
            known = ", ".join(map(repr, specs)) or "none"
            raise ValueError(f"input {name!r}: no such input; inputs are {known}")
        self._inputs[name] = as_array("input", specs[name], array)

    def execute(self) -> None:
        """Run the program on the inputs.

        Raises:
            ValueError: an input is missing.
            RuntimeError: it runs in another thread, or is closed.
            Exception: what a step raises; the network may be used again.
        """
        plans, compiled = self._own(), self._compiled
        values = values_of(compiled, self._inputs)
        with KEEPING:
            if self._runs:
                raise RuntimeError("execute: the network is running in another thread")
            self._runs = True
        try:
            self._results = None
            built, held, _ = compiled.checked(values, None)
            results = plans.run(built, held, None)
            names = [spec.name for spec in compiled.outputs]
            self._results = dict(zip(names, results, strict=True))
        finally:
            self._runs = False

    def output(self, name: str) -> Array:
        """An output of the last run; the array is the caller's, the next run makes another one.

        Raises:
            RuntimeError: there was no run that ended well, or the network is closed.
            KeyError: there is no output of that name.
        """
        self._own()
        if self._results is None:
            raise RuntimeError("output: the network was not executed")
        if name not in self._results:
            known = ", ".join(map(repr, self._results))
            raise KeyError(f"no output {name!r}; outputs are {known}")
        return self._results[name]

    def profile(self) -> tuple[StepTime, ...]:
        """The steps of the last run, in order; empty before it."""
        return self._own().profile()

    @property
    def arena(self) -> int:
        """Bytes of its memory for intermediate values."""
        return 0 if self._plans is None else self._plans.arena

    def close(self) -> None:
        """Give its memory back."""
        if self._runs:
            raise RuntimeError("close: the network is running in another thread")
        self._plans, self._results = None, None
        self._inputs.clear()


def values_of(compiled: TensorProgram, arrays: Mapping[str, Any]) -> list[object]:
    """Arrays by name in the order of the inputs; ValueError for names that are wrong or missing."""
    names = [spec.name for spec in compiled.inputs]
    for name in arrays:
        if name not in names:
            known = ", ".join(map(repr, names)) or "none"
            raise ValueError(f"input {name!r}: no such input; inputs are {known}")
    for name in names:
        if name not in arrays:
            raise ValueError(f"input {name!r}: missing")
    return [arrays[name] for name in names]


def constant_bytes(programs: Sequence[Program]) -> int:
    """Bytes of the constants of programs, each array once."""
    arrays = {id(a): a.nbytes for program in programs for a in program.constants.values()}
    return sum(arrays.values())
