"""The reference executor: a loop over the steps of a program, in Python.

It runs the calls that a network has no table for (`network.py`): programs whose inputs are not
tensors of numbers, calls with sizes of 0, and kernels with counters or the segfault detector. It is
also the reference for the results of networks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import deepcopy
from ctypes import addressof, c_void_p
from time import monotonic_ns
from typing import TYPE_CHECKING, Any

import numpy as np

from snippets_mlir.codegen.stubs.interface import aligned_word
from snippets_mlir.runtime.arguments.arrays import Array, address_of, is_array, is_dense
from snippets_mlir.runtime.calls.plain_launches import Plain
from snippets_mlir.runtime.engine.sessions import Session, results_for
from snippets_mlir.runtime.engine.taken_results import Wanted
from snippets_mlir.runtime.manifests.manifest import Step
from snippets_mlir.runtime.memory.arena import Arena
from snippets_mlir.runtime.memory.storage import known_sizes, static_shape
from snippets_mlir.runtime.parallel.threads import launch, rest
from snippets_mlir.runtime.perf_counts import counter_rows
from snippets_mlir.runtime.steps.results import checked_result, received_result, viewed

if TYPE_CHECKING:
    from snippets_mlir.runtime.program import Executor, Program

AfterStep = Callable[[int, int, int, Mapping[int, Any]], None]
"""Called with the number of a step, when it began and ended, in nanoseconds of `monotonic_ns`, and
the values that are alive."""


class PythonCall:
    """One running call: the live arrays, and the places of outputs."""

    def __init__(
        self,
        program: Program,
        arena: Arena,
        inputs: Sequence[Array],
        out: Sequence[Array] | None,
        after: AfterStep | None,
    ) -> None:
        """`after` is called after each step."""
        self.after = after
        manifest = program.manifest
        self.program = program
        self.arena = arena
        self.spins = False  # whether a team of several threads has run a kernel since it rested
        self.out: Sequence[Array | None] = [None] * len(manifest["outputs"]) if out is None else out
        self.live: dict[int, Any] = {**program.constants, **arena.arrays(program)}
        self.addresses = dict(arena.addresses)  # of values of `live`, added on demand
        for spec, array in zip(manifest["inputs"], inputs, strict=True):
            self.live[spec["value"]] = array
        for root, index in program.storage.claims.items():
            self.live[root] = self.target(root, self.out[index])

    def target(self, root: int, out: Array | None) -> Array:
        """The memory of an output value: the caller's, if a kernel can write there."""
        shape = static_shape(self.program.manifest["values"][root])
        if out is None or not is_dense(out):
            return self.program.pool.empty(shape, self.program.dtypes[root])
        return out.reshape(shape)

    def execute(self) -> list[Array]:
        """Run the steps and hand the outputs over."""
        manifest, plain = self.program.manifest, self.program.plain
        for index, step in enumerate(manifest["steps"]):
            begin = 0 if self.after is None else monotonic_ns()
            match step["kind"]:
                case "kernel":
                    if (facts := plain[index]) is None:
                        self.launch(index, step)
                    else:
                        self.launch_plain(facts)
                case "view":
                    self.view(step)
                case _:
                    self.rest()
                    self.run(step, self.program.executor(index))
            if self.after is not None:
                self.after(index, begin, monotonic_ns(), self.live)
            for value in self.program.storage.dead[index]:
                self.live.pop(value, None)
        self.rest()
        taken: set[int] = set()
        return [self.deliver(i, o["value"], taken) for i, o in enumerate(manifest["outputs"])]

    def launch_plain(self, facts: Plain) -> None:
        """Run a kernel as `launch` does, quickly."""
        kernel, rt, domain, grain, team, aligned, touched, pointers = facts
        data = pointers(*[self.address(v) for v in touched])
        self.spins |= team > 1
        launch(kernel, addressof(data), rt, self.arena.scratch, domain, grain, team, aligned)

    def launch(self, index: int, step: Step) -> None:
        """Run a kernel over its whole domain on its team, if there is anything to compute."""
        team = self.program.teams[index]
        domain, grain = step.get("domain"), step.get("grain")
        assert domain is not None
        assert grain is not None
        assert "symbol" in step
        if domain == 0 or self.program.writes_nothing(step):
            return
        pointers = [self.address(v) for v in (*step["inputs"], *step["outputs"])]
        counters = step.get("counters")
        rows = None if counters is None else counter_rows(step, team)
        if rows is not None:
            pointers.append(address_of(rows))
        address = self.program.addresses[step["symbol"]]
        slots = self.program.slots[index]
        rt = addressof(slots) if slots is not None else 0

        def run(*records: int) -> None:
            data = (c_void_p * (len(pointers) + len(records)))(*pointers, *records)
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

    def address(self, value: int) -> int:
        """The address of a value's elements."""
        if (found := self.addresses.get(value)) is None:
            found = self.addresses[value] = address_of(self.live[value])
        return found

    def rest(self) -> None:
        """Let the team rest, so that the next executor, of this call or the next one, has its
        cores.
        """
        alone = self.program.manifest.get("sessions_alone", False)
        if self.spins and self.program.executors and not alone:
            rest()
            self.spins = False

    def view(self, step: Step) -> None:
        """The same elements under another shape."""
        (source,), (target,) = step["inputs"], step["outputs"]
        array = self.live[source]
        sizes = known_sizes(self.program.manifest["values"][target])
        self.live[target] = viewed(array, sizes, step.get("dims"))

    def run(self, step: Step, executor: Executor) -> None:
        """Run an executor; its results are checked and owned only by this call."""
        held = [self.live[v] for v in step["inputs"]]
        storage = self.program.storage
        planned = {v for v in step["outputs"] if v in storage.slots or v in storage.claims}
        if isinstance(executor, Session):
            wanted = self.results_of(step, planned)
            made = None if wanted is None else executor.run_into(held, wanted)
            if made is not None:
                self.live.update(zip(step["outputs"], made, strict=True))
                return
        results = executor(held)
        for value, result in zip(step["outputs"], results, strict=True):
            if value in planned:
                array = checked_result(self.sizes_of(value), self.program.dtypes[value], result)
                np.copyto(self.live[value], array)
            else:
                dtype = self.program.dtypes[value]
                self.live[value] = received_result(self.sizes_of(value), dtype, result, held)
                held.append(self.live[value])

    def results_of(self, step: Step, planned: Collection[int]) -> Sequence[Array | Wanted] | None:
        """Memory for the results of a session: as planned, or else new."""
        described = [self.program.manifest["values"][v] for v in step["outputs"]]
        storage = self.program.storage
        if all(v in planned or v in storage.apart for v in step["outputs"]):
            shapes = {v: static_shape(d) for v, d in zip(step["outputs"], described, strict=True)}
            types = self.program.dtypes
            return [self.live[v] if v in planned else Wanted(shapes[v], types[v]) for v in shapes]
        dtypes = [self.program.dtypes[v] for v in step["outputs"]]
        return results_for(described, dtypes, self.program.pool)

    def sizes_of(self, value: int) -> Sequence[int | None] | None:
        """The sizes of a value; None: also its rank is not known."""
        return self.program.manifest["values"][value]["shape"]

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
        """Output `index` that is not an array: a list or dict from onnxruntime."""
        if self.out[index] is not None:
            name = self.program.manifest["outputs"][index]["name"]
            raise TypeError(f"output {name!r}: it is not a tensor; call without out")
        fresh = root in self.program.returned and root not in taken
        taken.add(root)
        return found if fresh else deepcopy(found)
