"""A compiled program: a manifest, the addresses of its kernels, its constants and executors.

A `Program` does not change, and several Python threads may call it at once: what a call writes
belongs to a `Network` (its arena and the words of its steps), of which there are as many as calls
that ran at one time. A network is kept for the next call. Programs that have no table of steps
(`network.py` says which) run in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from ctypes import Array as CArray
from ctypes import c_int64
from math import prod
from typing import Any

import numpy as np

from snippets_mlir.runtime.arena import Arena
from snippets_mlir.runtime.arrays import Array, dtype_from_name, is_dense
from snippets_mlir.runtime.c_function import TAKEN, run_maker
from snippets_mlir.runtime.fault import sites_of
from snippets_mlir.runtime.manifest import Manifest, Step, is_template
from snippets_mlir.runtime.network import Network
from snippets_mlir.runtime.perf_counts import PerfCounts
from snippets_mlir.runtime.pool import OutputPool
from snippets_mlir.runtime.python_call import AfterStep, Plain, PythonCall, plain_launches
from snippets_mlir.runtime.storage import Plans, known_sizes, plan_storage, static_shape
from snippets_mlir.runtime.threads import team_for

Executor = Callable[[Sequence[Array]], Sequence[Array]]


def touched_bytes(manifest: Manifest, step: Step) -> int:
    """The bytes of the arrays that a step reads and writes; unknown sizes count as 1."""
    values = [manifest["values"][v] for v in (*step["inputs"], *step["outputs"])]
    return sum(
        dtype_from_name(v["dtype"]).itemsize * prod(s or 1 for s in v["shape"] or ())
        for v in values
    )


def computing(manifest: Manifest, step: Step) -> float:
    """Nanoseconds that one thread computes for a kernel, as the compiler estimates them."""
    touched = (*step["inputs"], *step["outputs"])
    shapes = (manifest["values"][v]["shape"] or () for v in touched)
    elements = max((prod(s or 1 for s in shape) for shape in shapes), default=0)
    return elements * (step.get("cost") or 0) / 1000


def team_of(manifest: Manifest, step: Step, threads: int) -> int:
    """How many of `threads` threads may share a step: 1 unless it is a kernel with work for more.

    A kernel is never shared by more threads than its domain has pieces of the grain.
    """
    domain, grain = step.get("domain"), step.get("grain")
    if step["kind"] != "kernel" or domain is None or grain is None:
        return 1
    pieces = max(1, -(-domain // max(1, grain)))
    if min(pieces, threads) == 1:
        return 1
    return min(pieces, team_for(touched_bytes(manifest, step), threads, computing(manifest, step)))


def _slots_of(steps: Sequence[Step]) -> list[CArray[c_int64] | None]:
    """The runtime slots of each step; steps with equal ones share them."""
    made: dict[tuple[int, ...], CArray[c_int64]] = {}
    found: list[CArray[c_int64] | None] = []
    for step in steps:
        slots = tuple(step.get("rt") or ())
        if slots and slots not in made:
            made[slots] = (c_int64 * len(slots))(*slots)
        found.append(made.get(slots))
    return found


def has_static_values(manifest: Manifest) -> bool:
    """Whether all values are arrays of sizes and element types that are known."""
    return all(
        value["shape"] is not None
        and None not in value["shape"]
        and not dtype_from_name(value["dtype"]).hasobject
        for value in manifest["values"]
    )


class Program:
    """An executable program.

    Attributes:
        manifest: the steps; every kernel's facts are known.
        storage: where each value lives.
        dtypes: for each value, its dtype.
        constants: value -> array: dense, of the type that the manifest says.
        executors: step -> what runs it.
        addresses: symbol -> address of a kernel; the code has to outlive the program.
        returned: the values that executors give: no one else holds their memory.
        teams: for each step, how many threads may share it.
        slots: for each step, the values that a kernel reads from `rt`, or None.
        pool: the memory of large outputs.
        sites: for each step, what the segfault detector says of its kernel, or None.
        perf: what the counters of its kernels have counted.
        code: what keeps the kernels in memory.
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
        plans: Plans | None = None,
    ) -> None:
        steps = manifest["steps"]
        executed = [i for i, step in enumerate(steps) if step["kind"] == "execute"]
        self.manifest = manifest
        self.threads = threads
        self.dtypes: list[np.dtype[Any]] = [dtype_from_name(v["dtype"]) for v in manifest["values"]]
        self.constants = dict(constants)
        self.executors = dict(zip(executed, executors, strict=True))
        self.addresses = addresses
        self.returned = {v for i in executed for v in steps[i]["outputs"]}
        self.slots = _slots_of(steps)
        if not is_template(manifest):  # which never runs
            self.teams = [team_of(manifest, step, threads) for step in steps]
            self._is_static = has_static_values(manifest)
            self.storage = plan_storage(manifest, self.teams, self._is_static, plans)
        self.pool = pool or OutputPool()
        self._output_types: dict[int, tuple[tuple[int, ...], np.dtype[Any]]] = {}
        self.perf = PerfCounts()
        self.sites = [sites_of(step) for step in steps]
        self._is_watched = any("counters" in step or "sites" in step for step in steps)
        self.code = code
        self._plans = Plans()  # of a template
        self._arenas: list[Arena] = []
        self._networks: list[Network] = []
        self._plain: list[Plain | None] = []

    @property
    def plain(self) -> list[Plain | None]:
        """What calls in Python know of kernels; see `plain_launches`."""
        self._plain = self._plain or plain_launches(self)
        return self._plain

    def filled(
        self, manifest: Manifest, executors: Sequence[Executor], pool: OutputPool
    ) -> Program:
        """The program of a template for a call that has filled in its manifest."""
        addresses, constants, threads = self.addresses, self.constants, self.threads
        return Program(
            manifest, addresses, constants, executors, threads, pool, self.code, self._plans
        )

    @property
    def has_table(self) -> bool:
        """Whether networks run it: all sizes are known, and nothing is counted or watched."""
        return self._may_have_table and run_maker() is not None

    @property
    def _may_have_table(self) -> bool:
        return self._is_static and not self._is_watched

    def first_network(self) -> Network:
        """A network, which is the first one that calls try."""
        if not self._networks:
            self._networks.append(self._network())
        return self._networks[0]

    def _network(self) -> Network:
        """A network, in the memory of a call that has ended if there is some."""
        return Network(self, block=self.pool.block(self.storage.arena))

    def call(self, inputs: tuple[object, ...], outputs: object) -> Any:
        """Run in a network that is free, or in a new one; see `Network.run`."""
        for network in self._networks:
            if (found := network.run(inputs, outputs)) is not TAKEN:
                return found
        network = self._network()
        self._networks.append(network)
        return network.run(inputs, outputs)

    def run(self, inputs: Sequence[Array], out: Sequence[Array] | None = None) -> list[Array]:
        """Run on `inputs` (dense and checked); the outputs, which are `out` if it is given.

        Outputs never share memory with inputs, constants or each other. Raises `ValueError` for
        an output in `out` whose shape is only known now and is another.
        """
        if self._networks and self.has_table:  # without networks nothing needs a stub yet
            if (found := self.run_through(self.call, inputs, out)) is not None:
                return found
        return self.run_in_python(inputs, out)

    def run_through(
        self,
        call: Callable[[tuple[object, ...], object], object],
        inputs: Sequence[Array],
        out: Sequence[Array] | None,
    ) -> list[Array] | None:
        """As `run`, by `call` of a network; None: it took the arrays for others than it wants."""
        wanted: Sequence[Array | None]
        wanted = [None] * len(self.manifest["outputs"]) if out is None else out
        given = tuple(
            self.new_output(i) if w is None or not is_dense(w) else w for i, w in enumerate(wanted)
        )
        if call(tuple(inputs), given) is None:
            return None
        return [_delivered(g, w) for g, w in zip(given, wanted, strict=True)]

    def arena_bytes(self) -> int:
        """The memory of its networks, and of calls in Python."""
        return self.storage.arena * (len(self._networks) + len(self._arenas))

    def writes_nothing(self, step: Step) -> bool:
        """Whether the results of a kernel have no elements."""
        values = self.manifest["values"]
        return all(0 in known_sizes(values[v]) for v in step["outputs"])

    def new_output(self, index: int) -> Array:
        """Memory for an output of known sizes."""
        known = self._output_types.get(index)
        if known is None:
            described = self.manifest["outputs"][index]
            known = static_shape(described), dtype_from_name(described["dtype"])
            self._output_types[index] = known
        return self.pool.empty(*known)

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
            arena = Arena(self, self.pool.block(self.storage.arena))
        try:
            return PythonCall(self, arena, inputs, out, after).execute()
        finally:
            if self._may_have_table:
                self.pool.give_back_block(arena.block)
            else:
                self._arenas.append(arena)


def _delivered(given: Array, wanted: Array | None) -> Array:
    """The array of the caller with the elements of `given`."""
    if wanted is None or wanted is given:
        return given
    np.copyto(wanted, given)
    return wanted
