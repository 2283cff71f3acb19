"""A network: the memory of a program for one request at a time, and its steps as a table.

    network = Network(program)
    network.run((x, y), out)      `out`, which is written; None: nothing was done; or `TAKEN`

`codegen/stubs/call.py` walks the table in machine code, without the interpreter's lock. Each step
has a kernel (or a copy, for an output that no step writes in place), the addresses of its arrays,
its domain and its team. Views cost nothing: they are addresses. Before the first step, the same
function checks the arrays of the call and writes their addresses into the table. Steps of
onnxruntime and NumPy are Python objects (`host_steps.py`), called from the table.

A program has one table for all sizes (`Table`). A network copies it, and `fit` writes the sizes and
the memory of a call into the words that depend on them. So a network can run calls of different
shapes in turn.

A program has a table if the sizes of all values from kernels and calls are known
(`Program.has_table`). Other values go from one step to the next as Python objects
(`unsized_steps.py`); `call` returns the outputs among them. Calls that the check refuses (a strided
input, another dtype, an output that overlaps an input) go through `Compiled.execute`, which copies
or raises an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from snippets_mlir.codegen.stubs.interface import PLAN
from snippets_mlir.dialects.builtin.dims import MAX_SYMBOLS
from snippets_mlir.runtime.arguments.arrays import address_of
from snippets_mlir.runtime.arguments.c_function import TAKEN, Plan, run_at_addresses, run_maker
from snippets_mlir.runtime.form import Sizes
from snippets_mlir.runtime.manifests.formulas import Numbers
from snippets_mlir.runtime.memory.pool import SHRINKS, SMALL
from snippets_mlir.runtime.memory.scratch import ALIGNMENT, Block, aligned_block
from snippets_mlir.runtime.memory.storage import Places
from snippets_mlir.runtime.parallel import threads
from snippets_mlir.runtime.parallel.native import aligned_launch_address
from snippets_mlir.runtime.steps.fitting import Fitting, KnownSizes
from snippets_mlir.runtime.steps.host_steps import HostStep
from snippets_mlir.runtime.steps.network_steps import NetworkSteps
from snippets_mlir.runtime.steps.table_words import HEAD, LOCKED_BYTES

if TYPE_CHECKING:
    from snippets_mlir.runtime.program import Program


_RELEASE, _RUNTIME, _LAUNCH = map(PLAN.index, ("release", "runtime", "launch"))


class Network:
    """See the module.

    Attributes:
        launches: the steps of the table.
        times: for each of them, its begin and end in the last call, in nanoseconds of
            `time.monotonic_ns`; None unless requested.
        words: the table, for callers other than Python.
        block: the memory of its arena.
        sizes: the sizes of the calls that it runs; None after `fit_symbols`.
        run: `run(inputs, outputs)` of a tuple of arrays, and a tuple or one array. Its errors come
            from executors.
    """

    def __init__(
        self,
        program: Program,
        *,
        timed: bool = False,
        team: threads.OwnThreads | None = None,
        block: Block | None = None,
    ) -> None:
        """A network of a program with a table (`Program.has_table`).

        Args:
            program: its program.
            timed: whether to record when steps begin and end.
            team: the threads of a stream, if only this stream runs the network.
            block: memory for the arena, which nothing else uses during runs.
        """
        make = run_maker()
        assert make is not None, "a program without a table"
        form = program.form
        self._form, self._table, self._team = form, program.table, team
        self.words = words = self._table.words.copy().view(Plan)
        rows = len(form.slots)
        first_row = self._table.first_row
        self._rows = words[first_row : first_row + rows * MAX_SYMBOLS].reshape(rows, MAX_SYMBOLS)
        self._steps = NetworkSteps(program, words, threads.rest if team is None else team.rest)
        self._hosts, self._rests = self._steps.hosts, self._steps.rests
        self.launches = self._steps.launches
        self.times = np.zeros((len(self.launches), 2), np.int64) if timed else None
        words[:HEAD] = PLAN.words(
            array_type=id(np.ndarray),
            tuple_type=id(tuple),
            none=id(None),
            taken=id(TAKEN),
            runtime=0,
            launch=0,
            forked=threads.forked_flag(of_stream=team is not None),
            times=0 if self.times is None else address_of(self.times),
            release=0,
            inputs=len(form.inputs),
            arrays=len(form.inputs) + len(form.filled),
            steps=len(self.launches),
            busy=0,
            first_step=self._table.first_step,
        )
        for fields, first, each in (
            (self._table.data, 0, 1),
            (self._table.rows, first_row, MAX_SYMBOLS),
        ):
            words[fields.words] = address_of(words) + 8 * (first + each * fields.numbers)
        steps = self._table.steps
        self._fitting = None if steps is None else Fitting(steps, words)
        self._kept = program.code, program.constants, form, self.launches, self.times, team
        self.block = block or aligned_block(program.sizes.places.arena)
        self.sizes: Sizes | None = None
        self._take(program.sizes)
        self.run: Callable[[tuple[object, ...], object], Any] = make(words)
        self._run_at: Callable[..., Any] | None = None

    @property
    def run_at(self) -> Callable[..., Any]:
        """`run` for the addresses of all inputs, then all outputs, which the caller has checked.

        It returns None, or `TAKEN`. Nothing may write to the memory meanwhile. Made when
        first needed; threads that need it together may get two, which do the same.
        """
        if self._run_at is None:
            self._run_at = run_at_addresses(self.words)
        return self._run_at

    def call(self, inputs: tuple[object, ...], outputs: object) -> Any:
        """As `run`, with arrays for the outputs of known sizes; returns all outputs in a tuple.

        No other call may use the network meanwhile.
        """
        if self._form.fills_outputs:
            return self.run(inputs, outputs)
        try:
            found = self.run(inputs, outputs)
        except BaseException:
            self._steps.forget()
            raise
        return None if found is None else self._steps.take_outputs(found)

    def fit(self, sizes: Sizes, block: Block | None = None) -> None:
        """Prepare for calls of other sizes of the same form; the network must not be running.

        `block` is memory for the arena; without it, a network has its own, which may be replaced.
        """
        if sizes is self.sizes and (block is None or block is self.block):
            return
        arena, room = sizes.places.arena, self.block[1].nbytes - ALIGNMENT
        if block is not None:
            self.block = block
        elif not arena <= room <= max(SHRINKS * arena, SMALL):
            self.block = aligned_block(arena)
        self._take(sizes)

    def fit_symbols(self, symbols: Sequence[int]) -> KnownSizes | None:
        """As `fit` for these values of the symbols, by machine code; returns the sizes of the call,
        which are valid until the network takes other sizes.

        None: `fit` has to do it.
        """
        if (fitting := self._fitting) is None:
            return None
        self.sizes = None
        if not fitting.run(symbols):
            return None
        for host in self._hosts:
            host.fit(fitting.sizes)
        for rest in self._rests:
            rest.fit(fitting.teams)
        return fitting.sizes

    def _take(self, sizes: Sizes) -> None:
        """Write everything that depends on the sizes of a call into the words."""
        words, table, values = self.words, self._table, sizes.values
        words[table.sizes.words] = values[table.sizes.numbers]
        domains, least, alignments = table.alignments
        if len(domains):
            words[table.aligned.words] = np.where(values[domains] >= least, alignments, 0)
        words[_RELEASE] = sizes.numbers[self._form.touched] >= LOCKED_BYTES
        teams = self._teams(sizes.teams)
        words[table.teams.words] = teams[table.teams.numbers]
        self._rows[:] = np.array(sizes.rows, np.int64).reshape(self._rows.shape)
        self._take_places(sizes.places)
        if self._hosts:
            takers = self._takers(sizes.places.apart)
            for host in self._hosts:
                host.take(takers.get(host, {}))
                host.fit(sizes)
        for rest in self._rests:
            rest.fit(teams)
        self.sizes = sizes

    def _takers(self, apart: Sequence[int]) -> dict[HostStep, dict[int, list[int]]]:
        """The steps that allocate memory for results, and for each result the words with its
        address.
        """
        takers: dict[HostStep, dict[int, list[int]]] = {}
        for slot in apart:
            maker, result = self._steps.makers[slot]
            numbers = self._table.slots.words[self._table.slots.numbers == slot]
            takers.setdefault(maker, {})[result] = (address_of(self.words) + 8 * numbers).tolist()
        return takers

    def _teams(self, wanted: Numbers) -> Numbers:
        """The possible teams: all are 1 if kernels have no threads."""
        if max(wanted.tolist(), default=1) < 2:
            return wanted
        runtime = threads.shared_threads() if self._team is None else self._team.address
        if not runtime:
            threads.tell_missing()
            return np.ones_like(wanted)
        self.words[_RUNTIME], self.words[_LAUNCH] = runtime, aligned_launch_address()
        return wanted

    def _take_places(self, places: Places) -> None:
        """Write the addresses of the values in the network's block."""
        words, table, base = self.words, self._table, self.block[0]
        words[table.slots.words] = base + places.offsets[table.slots.numbers]
        words[table.scratch.words] = base if places.scratch else 0
        if self._fitting is not None and places.plan is not None:
            self._fitting.take(base, places.plan)
        words.keep = (*self._kept, self.block)
