"""A compiled program: a manifest, the addresses of its kernels, its constants and executors.

A `Program` does not change, and several Python threads may call it at once. Memory that a call
writes belongs to a `Network` (its arena and the words of its steps). There are as many networks as
calls that ran at the same time. A network is kept for the next call. Programs without a table of
steps (`network.py` says which) run in Python.

A program whose manifest has symbols is a template, which never runs: `filled` is the program for
the sizes of a call. These programs share everything but the sizes: the form of the manifest
(`form.py`), the table, and the unused networks, which take the sizes of the next call. So the first
call for a shape does not fill in a manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

from snippets_mlir.runtime.arguments.arrays import Array, delivered, is_dense
from snippets_mlir.runtime.arguments.c_function import TAKEN
from snippets_mlir.runtime.calls.plain_launches import Plain, plain_launches
from snippets_mlir.runtime.calls.python_call import AfterStep, PythonCall
from snippets_mlir.runtime.fault import sites_of
from snippets_mlir.runtime.form import Form, Shaped, Sizes
from snippets_mlir.runtime.manifests.manifest import Manifest, is_template
from snippets_mlir.runtime.memory.arena import Arena
from snippets_mlir.runtime.memory.pool import OutputPool
from snippets_mlir.runtime.network import Network
from snippets_mlir.runtime.perf_counts import PerfCounts
from snippets_mlir.runtime.program_facts import ProgramFacts
from snippets_mlir.runtime.shared_networks import SharedNetworks, bytes_of
from snippets_mlir.runtime.steps.index_checks import IndexCheck
from snippets_mlir.runtime.steps.table import Table

Executor = Callable[[Sequence[Array]], Sequence[Array]]


class Program(ProgramFacts):
    """An executable program.

    Attributes:
        form: the form of the manifest, for all sizes.
        constants: value -> array: dense, of the type in the manifest.
        executors: `execute` step -> its executor.
        addresses: symbol -> address of a kernel; the code has to outlive the program.
        returned: the results of executors, whose memory nobody else holds.
        pool: the memory of large outputs.
        sites: for each step, the segfault detector's texts for its kernel, or None.
        perf: the counts of its kernels' counters.
        code: the object that keeps the kernels in memory.
    """

    def __init__(
        self,
        manifest: Manifest,
        addresses: Mapping[str, int],
        constants: Mapping[int, Array],
        executors: Sequence[Executor],
        threads: int,
        pool: OutputPool | None = None,
        code: object = None,
    ) -> None:
        steps = manifest["steps"]
        executed = [i for i, step in enumerate(steps) if step["kind"] == "execute"]
        self.form = Form(manifest)
        self.threads = threads
        self.constants = dict(constants)
        self.executors = dict(zip(executed, executors, strict=True))
        self._checks = {i: IndexCheck(s) for i, s in enumerate(steps) if s["kind"] == "check"}
        self.addresses = addresses
        in_python = (*self.executors, *self._checks)
        self.returned = {v for i in in_python for v in steps[i]["outputs"]}
        self.pool = pool or OutputPool(len(manifest["outputs"]))
        self.perf = PerfCounts()
        self.sites = [sites_of(step) for step in steps]
        self._is_watched = any("counters" in step or "sites" in step for step in steps)
        self.code = code
        self._shared = SharedNetworks()
        self._begin(None if is_template(manifest) else self.form.sizes((), threads))

    def _begin(self, sizes: Sizes | None) -> None:
        """Initialize the program for these sizes; None for a template."""
        self._sizes = sizes
        self._made: dict[str, Any] = {}
        self._arenas: list[Arena] = []
        self._networks: list[Network] = []

    def filled(self, symbols: Sequence[int]) -> Program:
        """The program of a template for a call in which the symbols have these values.

        Raises:
            ValueError: an array of the call would be too large.
        """
        made = copy(self)
        made._begin(self.form.sizes(symbols, self.threads))
        return made

    def executor(self, index: int) -> Executor:
        """The Python function for a step that is neither a kernel nor a view."""
        return self._checks.get(index) or self.executors[index]

    @property
    def plain(self) -> list[Plain | None]:
        """The kernels' data for calls in Python; see `plain_launches`."""
        return self._once("plain", lambda: plain_launches(self))

    @property
    def table(self) -> Table:
        """The table of its networks; it has one (`has_table`)."""
        return self._shared.table_of(self)

    def first_network(self) -> Network:
        """The network that calls try first."""
        if not self._networks:
            self._networks.append(self._network())
        return self._networks[0]

    def _network(self) -> Network:
        """An unused network, or a new one in the memory of a finished call."""
        if (network := self._shared.take()) is None:
            return Network(self, block=self.pool.block(self.sizes.places.arena))
        network.fit(self.sizes)
        return network

    def call(self, inputs: tuple[object, ...], outputs: object) -> Any:
        """Run in a free network or a new one; see `Network.run`."""
        return self._in_a_network(lambda network: network.run(inputs, outputs))

    def call_at(self, *addresses: int) -> None:
        """Run in a free network or a new one; see `Network.run_at`."""
        self._in_a_network(lambda network: network.run_at(*addresses))

    def _in_a_network(self, run: Callable[[Network], Any]) -> Any:
        for network in self._networks:
            if (found := run(network)) is not TAKEN:
                return found
        network = self._network()
        self._networks.append(network)
        return run(network)

    def call_once(self, inputs: tuple[object, ...], outputs: object) -> Any:
        """As `call`, in a network that calls of other sizes may use afterwards: `Network.call`."""
        network = self._network()
        try:
            return network.call(inputs, outputs)
        finally:
            self._shared.give_back(network)

    def call_sized(
        self, symbols: Sequence[int], inputs: tuple[object, ...], outputs: object
    ) -> Any:
        """As a call of `filled(symbols)`, in the network of a finished call.

        `outputs` are None for new ones. None: nothing was done. There is no such network, the
        machine code does not accept the arrays, or an array is given for an output of unknown size.
        """
        if outputs is not None and not self.form.fills_outputs:
            return None
        if (network := self._shared.take()) is None:
            return None
        try:
            sizes: Shaped | None = network.fit_symbols(symbols)
            if sizes is None:
                if (known := self._positive(symbols)) is None:
                    return None
                network.fit(known)
                sizes = known
            return network.call(inputs, self.new_outputs(sizes) if outputs is None else outputs)
        finally:
            self._shared.give_back(network)

    def _positive(self, symbols: Sequence[int]) -> Sizes | None:
        """The sizes of a call; None if one is 0 or an array is too large."""
        try:
            sizes = self.form.sizes(symbols, self.threads)
        except ValueError:
            return None
        return sizes if sizes.are_positive else None

    def run(self, inputs: Sequence[Array], out: Sequence[Array] | None = None) -> list[Array]:
        """Run on `inputs` (dense and checked); the outputs, which are `out` if it is given.

        Outputs never share memory with inputs, constants or each other. Raises `ValueError` for an
        output in `out` whose shape becomes known only now and differs.
        """
        call = None
        if self._networks:
            call = self.call
        elif self._shared.ran and (self.sizes.symbols or not self.fills_outputs):
            call = self.call_once
        self._shared.ran = True
        if call is not None and self.has_table:  # without networks nothing needs a stub yet
            if (found := self.run_through(call, inputs, out)) is not None:
                return found
        return self.run_in_python(inputs, out)

    def run_through(
        self,
        call: Callable[[tuple[object, ...], object], Any],
        inputs: Sequence[Array],
        out: Sequence[Array] | None,
    ) -> list[Array] | None:
        """As `run`, by `call` of a network; None: the arrays do not fit.

        This includes outputs of the caller with unknown sizes.
        """
        if not self.form.fills_outputs:
            made = None if out is not None else call(tuple(inputs), self.new_outputs(self.sizes))
            return None if made is None else [*made]
        wanted: Sequence[Array | None]
        wanted = [None] * len(self.form.outputs) if out is None else out
        given = tuple(
            self.new_output(i) if w is None or not is_dense(w) else w for i, w in enumerate(wanted)
        )
        if call(tuple(inputs), given) is None:
            return None
        return [delivered(g, w) for g, w in zip(given, wanted, strict=True)]

    def arena_bytes(self) -> int:
        """The memory of its networks, and of calls in Python."""
        networks = sum(map(bytes_of, self._networks))
        return networks + self.sizes.places.arena * len(self._arenas)

    def idle_bytes(self) -> dict[int, int]:
        """The memory of unused networks, by the shared data of a template's programs."""
        return {id(self._shared): self._shared.idle_bytes()}

    def run_in_python(
        self,
        inputs: Sequence[Array],
        out: Sequence[Array] | None = None,
        after: AfterStep | None = None,
    ) -> list[Array]:
        """As `run`, with the reference executor; `after` is called after each step."""
        try:
            arena = self._arenas.pop()
        except IndexError:
            arena = Arena(self, self.pool.block(self.sizes.places.arena))
        try:
            return PythonCall(self, arena, inputs, out, after).execute()
        finally:
            if self._may_have_table:
                self.pool.give_back_block(arena.block)
            else:
                self._arenas.append(arena)
