"""Runs a compiled program: a manifest, the addresses of its kernels, its constants and executors.

One `Program` may be called from several Python threads at once: everything that a call writes
belongs to that call (its outputs, its arena, its argument blocks). Arenas are kept and used again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from ctypes import addressof, c_int64, c_void_p
from math import prod
from typing import Any

import numpy as np

from snippets_mlir.codegen.stubs.interface import aligned_word
from snippets_mlir.runtime.arrays import Array, dense, dtype_from_name, is_array, is_dense
from snippets_mlir.runtime.fault import sites_of
from snippets_mlir.runtime.manifest import Manifest, Step, is_template
from snippets_mlir.runtime.perf_counts import PerfCounts, counter_rows
from snippets_mlir.runtime.pool import OutputPool
from snippets_mlir.runtime.scratch import aligned_block
from snippets_mlir.runtime.sessions import Session, results_for
from snippets_mlir.runtime.storage import known_sizes, plan_storage, static_shape
from snippets_mlir.runtime.threads import launch, rest, team_for

Executor = Callable[[Sequence[Array]], Sequence[Array]]


def address_of(array: Array) -> int:
    """The address of an array's first element."""
    return array.__array_interface__["data"][0]


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
    return min(pieces, team_for(touched_bytes(manifest, step), threads, computing(manifest, step)))


class Arena:
    """The memory of one running call: scratchpad and intermediate values."""

    def __init__(self, program: Program) -> None:
        size = program.storage.arena
        base, self.block = aligned_block(size)  # the block: addresses keep nothing alive
        self.scratch = base if program.storage.scratch else 0
        memory = self.block[base - address_of(self.block) :][:size]
        self.arrays: dict[int, Array] = {}
        for value, slot in program.storage.slots.items():
            piece = memory[slot.offset : slot.offset + slot.size]
            described = program.manifest["values"][value]
            self.arrays[value] = piece.view(program.dtypes[value]).reshape(static_shape(described))


class _Call:
    """One running call: the arrays that are alive, and where the outputs go."""

    def __init__(
        self,
        program: Program,
        arena: Arena,
        inputs: Sequence[Array],
        out: Sequence[Array] | None,
    ) -> None:
        manifest = program.manifest
        self.program = program
        self.arena = arena
        self.spins = False  # whether a team of several threads has run a kernel since it rested
        self.out: Sequence[Array | None] = [None] * len(manifest["outputs"]) if out is None else out
        self.live: dict[int, Any] = {**program.constants, **arena.arrays}
        for spec, array in zip(manifest["inputs"], inputs, strict=True):
            self.live[spec["value"]] = array
        for root, index in program.storage.claims.items():
            self.live[root] = self.target(root, self.out[index])

    def target(self, root: int, out: Array | None) -> Array:
        """The memory of a value that is an output: the caller's, if a kernel can write there."""
        shape = static_shape(self.program.manifest["values"][root])
        if out is None or not is_dense(out):
            return self.program.pool.empty(shape, self.program.dtypes[root])
        return out.reshape(shape)

    def execute(self) -> list[Array]:
        """Run the steps and hand the outputs over."""
        manifest = self.program.manifest
        for index, step in enumerate(manifest["steps"]):
            match step["kind"]:
                case "kernel":
                    self.launch(index, step)
                case "view":
                    self.view(step)
                case _:
                    self.rest()
                    self.run(step, self.program.executors[index])
            for value in self.program.storage.dead[index]:
                self.live.pop(value, None)
        self.rest()
        taken: set[int] = set()
        return [self.deliver(i, o["value"], taken) for i, o in enumerate(manifest["outputs"])]

    def launch(self, index: int, step: Step) -> None:
        """Run a kernel over its whole domain on its team, if there is anything to compute."""
        team = self.program.teams[index]
        domain, grain = step.get("domain"), step.get("grain")
        assert domain is not None
        assert grain is not None
        assert "symbol" in step
        if domain == 0 or all(self.live[v].size == 0 for v in step["outputs"]):
            return
        pointers = [address_of(self.live[v]) for v in (*step["inputs"], *step["outputs"])]
        counters = step.get("counters")
        rows = None if counters is None else counter_rows(step, team)
        if rows is not None:
            pointers.append(address_of(rows))
        address = self.program.addresses[step["symbol"]]
        slots = self.program.slots[index]
        rt = addressof(slots) if slots is not None else 0

        def run(*records: int) -> None:
            every = (*pointers, *records)
            data = (c_void_p * len(every))(*every)
            scratch, aligned = self.arena.scratch, aligned_word(step.get("aligned"))
            launch(address, addressof(data), rt, scratch, domain, grain, team, aligned)

        sites = self.program.sites[index]
        self.spins |= team > 1
        if sites is None:
            run()
        else:
            sites.watched(team, run)
        if counters is not None and rows is not None:
            self.program.perf.add(step["symbol"], counters, rows)

    def rest(self) -> None:
        """Leave the cores to an executor, this call's next one or the next call's first one."""
        if self.spins and self.program.executors:
            rest()
            self.spins = False

    def view(self, step: Step) -> None:
        """The same elements under another shape; at most one size follows from their number."""
        (source,), (target,) = step["inputs"], step["outputs"]
        array = self.live[source]
        sizes = known_sizes(self.program.manifest["values"][target])
        dims = step.get("dims") or [None] * len(sizes)
        known = [s if d is None else array.shape[d] for s, d in zip(sizes, dims, strict=True)]
        self.live[target] = array.reshape([-1 if s is None else s for s in known])

    def run(self, step: Step, executor: Executor) -> None:
        """Run an executor; its results are checked and owned by this call alone."""
        held = [self.live[v] for v in step["inputs"]]
        if isinstance(executor, Session):
            described = [self.program.manifest["values"][v] for v in step["outputs"]]
            dtypes = [self.program.dtypes[v] for v in step["outputs"]]
            made = results_for(described, dtypes, self.program.pool)
            if made is not None and executor.run_into(held, made):
                self.live.update(zip(step["outputs"], made, strict=True))
                return
        results = executor(held)
        for value, result in zip(step["outputs"], results, strict=True):
            self.live[value] = self.received(value, result, held)
            held.append(self.live[value])

    def received(self, value: int, result: object, held: Sequence[Any]) -> Any:
        """What an executor returned: dense, of the right type, in memory of its own.

        What is no tensor, or of a type that is known only now, crosses as it is.
        """
        dtype, sizes = self.program.dtypes[value], self.program.manifest["values"][value]["shape"]
        is_any = sizes is None and dtype == np.dtype(object)
        if is_any and not is_array(result):
            return result
        array: Array = np.asarray(result)
        fits = sizes is None or (
            len(sizes) == array.ndim
            and all(s is None or s == n for s, n in zip(sizes, array.shape, strict=True))
        )
        if not is_any and (array.dtype != dtype or not fits):
            shape = "any" if sizes is None else tuple("?" if s is None else s for s in sizes)
            raise RuntimeError(
                f"an executor returned {array.dtype} of shape {array.shape}, "
                f"the program says {dtype} of shape {shape}"
            )
        if any(is_array(other) and np.may_share_memory(array, other) for other in held):
            return array.copy(order="C")
        return dense(array)

    def deliver(self, index: int, value: int, taken: set[int]) -> Any:
        """Output `index`: written in place, an array that a step returned, or a copy."""
        array: object = self.live[value]
        out = self.out[index]
        root = self.program.storage.roots[value]
        if not is_array(array):
            return self.deliver_any(index, array, root, taken)
        if self.program.storage.claims.get(root) == index and (out is None or is_dense(out)):
            return array if out is None else out
        if out is None:
            fresh = root in self.program.returned and root not in taken
            taken.add(root)
            return array if fresh else array.copy(order="C")
        if out.shape != array.shape:
            name = self.program.manifest["outputs"][index]["name"]
            raise ValueError(f"output {name!r}: expected shape {array.shape}, found {out.shape}")
        np.copyto(out, array)
        return out

    def deliver_any(self, index: int, found: object, root: int, taken: set[int]) -> object:
        """Output `index` that is no array: a list or dict of onnxruntime's."""
        if self.out[index] is not None:
            name = self.program.manifest["outputs"][index]["name"]
            raise TypeError(f"output {name!r}: it is no tensor; call without out")
        fresh = root in self.program.returned and root not in taken
        taken.add(root)
        return found if fresh else deepcopy(found)


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
    """

    def __init__(
        self,
        manifest: Manifest,
        addresses: Mapping[str, int],
        constants: Mapping[int, Array],
        executors: Sequence[Executor],
        threads: int,
        pool: OutputPool | None = None,
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
        self.slots = [(c_int64 * len(rt))(*rt) if (rt := s.get("rt")) else None for s in steps]
        if not is_template(manifest):  # which never runs
            self.teams = [team_of(manifest, step, threads) for step in steps]
            self.storage = plan_storage(manifest, self.teams)
        self.pool = pool or OutputPool()
        self.perf = PerfCounts()
        self.sites = [sites_of(step) for step in steps]
        self._arenas: list[Arena] = []

    def run(self, inputs: Sequence[Array], out: Sequence[Array] | None = None) -> list[Array]:
        """Run on `inputs` (dense and checked); the outputs, which are `out` if it is given.

        Outputs never share memory with inputs, constants or each other. Raises `ValueError` for
        an output in `out` whose shape is only known now and is another.
        """
        try:
            arena = self._arenas.pop()
        except IndexError:
            arena = Arena(self)
        try:
            return _Call(self, arena, inputs, out).execute()
        finally:
            self._arenas.append(arena)
