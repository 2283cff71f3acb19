"""A network: the memory of a program for one request at a time, and its steps as a table.

    network = Network(program)
    network.run((x, y), out)      `out`, which is written; None: nothing was done; `TAKEN`: it runs

`codegen/stubs/call.py` walks the table in machine code, without the interpreter's lock: for each
step a kernel (or a copy, of an output that no step writes in place), the addresses of its arrays,
its domain and its team. Views cost nothing: they are addresses. Before the first step, the same
function checks the arrays of the call and writes their addresses into the table. Steps of
onnxruntime and NumPy are objects of Python (`host_steps.py`), called from the table.

The table is that of the program for all sizes (`Table`): a network copies it, and `fit` writes the
sizes and the memory of a call into the words that depend on them. So a network runs calls of other
shapes in turn.

A program has a table when the sizes of all its values are known (`Program.has_table`). What the
check refuses (a strided input, another dtype, an output that overlaps an input) goes the way of
`Compiled.execute`, which copies, or says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from snippets_mlir.codegen.stubs.interface import PLAN, STEP
from snippets_mlir.dialects.builtin.dims import MAX_SYMBOLS
from snippets_mlir.runtime import threads
from snippets_mlir.runtime.arrays import address_of
from snippets_mlir.runtime.c_function import TAKEN, Plan, run_at_addresses, run_maker
from snippets_mlir.runtime.form import Sizes
from snippets_mlir.runtime.formulas import Numbers
from snippets_mlir.runtime.host_steps import HostStep, host_step
from snippets_mlir.runtime.pool import SHRINKS, SMALL
from snippets_mlir.runtime.scratch import ALIGNMENT, Block, aligned_block
from snippets_mlir.runtime.storage import Places
from snippets_mlir.runtime.table_words import HEAD, STEP_WORDS, Launch

if TYPE_CHECKING:
    from snippets_mlir.runtime.program import Program

LOCKED_BYTES = 16 << 10
"""A program that touches fewer bytes keeps the interpreter's lock: to give it up and get it back
costs as much as the kernel, and up to 5 ms when another thread has taken it."""


class _Rest:
    """Lets a team rest, if one has run a kernel in this call."""

    def __init__(self, works: Sequence[int]) -> None:
        self._works = works
        self._needed = True

    def fit(self, teams: Sequence[int]) -> None:
        """Take the teams of a call."""
        self._needed = any(teams[work] > 1 for work in self._works)

    def __call__(self) -> None:
        if self._needed:
            threads.rest()


class Network:
    """See the module.

    Attributes:
        launches: the steps of the table.
        times: for each of them, when it began and ended in the last call, in nanoseconds of
            `time.monotonic_ns`; None unless asked for.
        words: the table, for callers other than Python.
        block: the memory of its arena.
        sizes: those of the calls that it runs.
        run: `run(inputs, outputs)` of a tuple of arrays, and a tuple or one array. Its errors are
            those of executors.
    """

    def __init__(
        self,
        program: Program,
        *,
        timed: bool = False,
        team: threads.OwnTeam | None = None,
        block: Block | None = None,
    ) -> None:
        """A network of a program with a table (`Program.has_table`).

        Args:
            program: what it runs.
            timed: whether it notes when steps begin and end.
            team: of the cores that the calling threads have for themselves.
            block: memory for the arena, which nothing else uses while it runs.
        """
        make = run_maker()
        assert make is not None, "a program without a table"
        form = program.form
        self._form, self._table, self._team = form, program.table, team
        self.words = words = self._table.words.copy().view(Plan)
        self._rows = np.zeros((len(program.sizes.rows), MAX_SYMBOLS), np.int64)
        self._hosts: list[HostStep] = []
        self._makers: dict[int, tuple[HostStep, int]] = {}  # of slots: the step, which result
        self._rests: list[_Rest] = []
        self.launches = [self._own(program, i) for i in range(len(self._table.launches))]
        self._drop_early()
        self.times = np.zeros((len(self.launches), 2), np.int64) if timed else None
        words[:HEAD] = PLAN.words(
            array_type=id(np.ndarray),
            tuple_type=id(tuple),
            none=id(None),
            taken=id(TAKEN),
            openmp=0,
            launch=0,
            forked=threads.forked_flag(),
            times=0 if self.times is None else address_of(self.times),
            release=0,
            inputs=len(form.inputs),
            arrays=len(form.inputs) + len(form.outputs),
            steps=len(self.launches),
            busy=0,
            first_step=self._table.first_step,
        )
        data, rows = self._table.data, self._table.rows
        words[data.words] = address_of(words) + 8 * data.numbers
        words[rows.words] = address_of(self._rows) + self._rows.strides[0] * rows.numbers
        self._kept = program.code, program.constants, form, self.launches, self.times, team
        self.block = block or aligned_block(program.sizes.places.arena)
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

    def _own(self, program: Program, index: int) -> Launch:
        """A step of the table, with a function of this network if Python runs it."""
        table, form, launch = self._table, self._form, self._table.launches[index]
        if launch.team:
            return launch
        made: HostStep | _Rest
        if launch.step is None or launch.number is None:
            made = _Rest(launch.works)
            self._rests.append(made)
        else:
            reads, writes = (
                [described for v in values if (described := form.values[v]) is not None]
                for values in (launch.step["inputs"], launch.step["outputs"])
            )
            made = host_step(program.executors[launch.number], reads, writes, program.sizes)
            made.bind(address_of(self.words) + 8 * table.pointers[index])
            self._hosts.append(made)
            slots = {v: slot for slot, v in enumerate(form.memory.slots)}
            for result, value in enumerate(launch.step["outputs"]):
                if (slot := slots.get(value)) is not None:
                    self._makers[slot] = made, result
        self.words[table.first_step + index * STEP_WORDS + STEP.index("kernel")] = id(made)
        return launch._replace(kernel=made)

    def _drop_early(self) -> None:
        """Have memory that executors take for a result free for those that run after its life."""
        memory = self._form.memory
        hosts = [(x.number, x.kernel) for x in self.launches if isinstance(x.kernel, HostStep)]
        for slot, (maker, result) in self._makers.items():
            if (life := memory.frame.lives.get(memory.slots[slot])) is None:
                continue
            last = max(life.readers)
            after = (host for number, host in hosts if number is not None and number > last)
            if (host := next(after, None)) is not None:
                host.drops.append((maker, result))

    def fit(self, program: Program) -> None:
        """Run calls of another program of the same form from now on; it must not run now."""
        if program.sizes is self.sizes:
            return
        arena, room = program.sizes.places.arena, self.block[1].nbytes - ALIGNMENT
        if not arena <= room <= max(SHRINKS * arena, SMALL):
            self.block = aligned_block(arena)
        self._take(program.sizes)

    def _take(self, sizes: Sizes) -> None:
        """Write all that depends on the sizes of a call into the words."""
        words, table, values = self.words, self._table, sizes.values
        words[table.sizes.words] = values[table.sizes.numbers]
        domains, least, alignments = table.alignments
        words[table.aligned.words] = np.where(values[domains] >= least, alignments, 0)
        words[PLAN.index("release")] = values[self._form.touched].sum() >= LOCKED_BYTES
        teams = self._teams(sizes.teams)
        words[table.teams.words] = teams[table.teams.numbers]
        self._rows[:] = np.array(sizes.rows, np.int64).reshape(self._rows.shape)
        self._take_places(sizes.places)
        takers: dict[HostStep, dict[int, list[int]]] = {}
        for slot in sizes.places.apart:
            maker, result = self._makers[slot]
            numbers = table.slots.words[table.slots.numbers == slot]
            takers.setdefault(maker, {})[result] = (address_of(words) + 8 * numbers).tolist()
        for host in self._hosts:
            host.fit(sizes, takers.get(host, {}))
        for rest in self._rests:
            rest.fit(teams.tolist())
        self.sizes = sizes

    def _teams(self, wanted: Numbers) -> Numbers:
        """The teams that can be: all are 1 without an OpenMP runtime."""
        if wanted.max(initial=1) < 2:
            return wanted
        if (functions := threads.aligned_team_functions()) is None:
            threads.tell_missing()
            return np.ones_like(wanted)
        openmp = functions[0] if self._team is None else self._team.address
        self.words[PLAN.index("openmp")], self.words[PLAN.index("launch")] = openmp, functions[1]
        return wanted

    def _take_places(self, places: Places) -> None:
        """Have the values of the arena in the block of the network."""
        words, table, base = self.words, self._table, self.block[0]
        words[table.slots.words] = base + places.offsets[table.slots.numbers]
        words[table.scratch.words] = base if places.scratch else 0
        words.keep = (*self._kept, self._rows, self.block)
