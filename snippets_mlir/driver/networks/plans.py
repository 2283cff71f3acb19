"""The memory of a network: its arena, and a table of steps for each build that it has run.

Each of the last `MAX_PLANS` builds that have run twice has a table. Builds of one template for
different sizes share a table, which takes the sizes of the next call, so calls with new sizes
create no tables. All builds share one arena, which is as large as the largest build needs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import takewhile
from time import monotonic_ns
from typing import TYPE_CHECKING, NamedTuple

from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.networks.step_times import StepTime, described_launches, described_steps
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.runtime import network as runtime_network
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.calls.engine_call import only_session
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.runtime.memory.scratch import ALIGNMENT, Block, aligned_block
from snippets_mlir.runtime.queues.streams import Stream

if TYPE_CHECKING:
    from snippets_mlir.driver.networks.execution_graph import ExecutionGraph

MAX_PLANS = 16
"""Tables that a network keeps, one for each build."""

SHRINKS = 10
"""The arena is replaced if it is this many times larger than the plans of the network need, and has
more than `SMALL` bytes.
"""

SMALL = 64 << 10


class _Ready(NamedTuple):
    """The table of the last run of a network, which the next run takes without a lookup.

    Python code that runs after a kernel is cold: each function call takes three times as long as in
    a loop.
    """

    built: Built
    table: Callable[[tuple[object, ...], object], tuple[Array, ...] | None]
    clear: Callable[[int], None]
    outputs: tuple[Callable[[], Array], ...]

    @staticmethod
    def of(built: Built, network: runtime_network.Network) -> _Ready:
        assert network.times is not None
        program = built.program
        makers = (program.output_maker(i) for i in program.form.filled)
        return _Ready(built, network.call, network.times.fill, tuple(makers))

    def run(self, inputs: Sequence[Array]) -> list[Array] | None:
        """The outputs; None: the arrays do not fit the table."""
        self.clear(0)
        found = self.table(tuple(inputs), tuple([make() for make in self.outputs]))
        return None if found is None else [*found]


class _Whole(NamedTuple):
    """The session of a last run that was only this session: it gets the arrays unchanged, as in a
    call.
    """

    built: Built
    session: Session
    times: list[tuple[int, int]]

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """The outputs; errors come from the session."""
        self.times.clear()
        feed = dict(zip(self.session.inputs, inputs, strict=True))
        begin = monotonic_ns()
        found = self.session.run(feed)
        self.times.append((begin, monotonic_ns()))
        return found


class Plans:
    """The tables of one network, and its arena."""

    def __init__(self, stream: Stream | None = None) -> None:
        """`stream` is the thread that runs it; None: any thread may."""
        self._stream = stream
        self._block: Block | None = None
        self._kept: OrderedDict[int, tuple[Built, runtime_network.Network]] = OrderedDict()
        self._new: OrderedDict[int, Built] = OrderedDict()  # that have run once
        # By the form of the template: the last run on its table.
        self._shared: dict[int, tuple[Built, runtime_network.Network]] = {}
        self._ready: _Ready | _Whole | None = None  # for the build of `_last`
        self._last: tuple[Built, runtime_network.Network | list[tuple[int, int]]] | None = None

    def run(
        self, built: Built, inputs: Sequence[Array], out: Sequence[Array] | None
    ) -> list[Array]:
        """Run a build on checked arrays; errors come from its steps."""
        ready = self._ready
        if ready is not None and ready.built is built and out is None:
            if (found := ready.run(inputs)) is not None:
                return found
        return self._run(built, inputs, out)

    def _run(
        self, built: Built, inputs: Sequence[Array], out: Sequence[Array] | None
    ) -> list[Array]:
        program = built.program
        self._ready = None
        if program.has_table:
            network = self._network(built)
            assert network.times is not None
            network.times.fill(0)
            self._last = built, network
            found = program.run_through(network.call, inputs, out)
            if found is not None:
                self._ready = _Ready.of(built, network)
                return found
        times: list[tuple[int, int]] = []
        self._last = built, times
        found = program.run_in_python(
            inputs, out, lambda _step, begin, end, _live: times.append((begin, end))
        )
        if not program.has_table and (session := only_session(program)) is not None:
            self._ready = _Whole(built, session, times)
        return found

    def _network(self, built: Built) -> runtime_network.Network:
        key, form = id(built.program), id(built.program.form)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][1]
        first = bool(built.program.sizes.symbols) and self._new.get(key) is not built
        if first:
            self._new[key] = built
            while len(self._new) > MAX_PLANS:
                self._new.popitem(last=False)
        while len(self._kept) >= MAX_PLANS:
            _, (_, oldest) = self._kept.popitem(last=False)
            self._forget([oldest])
        block = self._block_for(built)
        if first and (known := self._shared.get(form)) is not None:
            network = known[1]
            self._forget([network])
            network.fit(built.program.sizes, block)
        else:
            team = None if self._stream is None else self._stream.team
            network = runtime_network.Network(built.program, timed=True, team=team, block=block)
        if first:
            self._shared = {form: (built, network)}
        else:
            self._kept[key] = built, network
        return network

    def _block_for(self, built: Built) -> Block:
        """The arena, with room for a build."""
        tables = [*self._kept.values(), *self._shared.values()]
        wanted = max(b.program.sizes.places.arena for b in (built, *(b for b, _ in tables)))
        if self._block is None or not wanted <= self.arena <= SHRINKS * wanted + SMALL:
            self._forget([old for _, old in tables])
            self._kept.clear()  # their tables have addresses of the old one
            self._block = aligned_block(wanted)
        return self._block

    def _forget(self, networks: Sequence[runtime_network.Network]) -> None:
        if self._stream is not None:
            self._stream.forget(networks)

    @property
    def network(self) -> runtime_network.Network | None:
        """The network that ran the last build; None: Python ran it, or nothing has run."""
        network = None if self._last is None else self._last[1]
        return network if isinstance(network, runtime_network.Network) else None

    @property
    def arena(self) -> int:
        """The size of the arena in bytes."""
        return 0 if self._block is None else self._block[1].nbytes - ALIGNMENT

    def profile(self) -> tuple[StepTime, ...]:
        """The steps of the last run, in order."""
        last = self._latest()
        if last is None:
            return ()
        built, made = last
        numbers: Sequence[int | None]
        if isinstance(made, list):
            described = described_steps(built)[: len(made)]
            numbers, times = range(len(made)), made
        else:
            assert made.times is not None
            described = described_launches(built, made.launches)
            numbers = [launch.number for launch in made.launches]
            times = made.times.tolist()
        index = None if self._stream is None else self._stream.index
        rows = zip(described, numbers, times, strict=True)
        ran = takewhile(lambda row: 0 < row[2][0] <= row[2][1], rows)  # to its end, in this run
        return tuple(
            StepTime(*of_step, begin, end, index, number) for of_step, number, (begin, end) in ran
        )

    def ran(self) -> Built | None:
        """The build of the last run; None before it."""
        last = self._latest()
        return None if last is None else last[0]

    def _latest(self) -> tuple[Built, runtime_network.Network | list[tuple[int, int]]] | None:
        """The last build that ran, and its network, or its times if Python ran it."""
        made = None if self._stream is None else self._stream.network
        if made is None:
            return self._last
        tables = [*self._kept.values(), *self._shared.values()]
        return next((table for table in tables if table[1] is made), self._last)


def graph_of(compiled: TensorProgram, plans: Plans | None) -> ExecutionGraph:
    """The execution graph of the last run of `plans`, else of the latest build."""
    with COMPILING:
        from snippets_mlir.driver.networks.execution_graph import execution_graph

        ran = None if plans is None else plans.ran()
        if plans is None or ran is None:
            return execution_graph(compiled, compiled.built())
        return execution_graph(compiled, ran, plans.profile())
