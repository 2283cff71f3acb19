"""A network: the memory of a program for one request at a time, and its steps as a table.

    network = Network(program)
    network.run((x, y), out)      `out`, which is written; None: nothing was done; `TAKEN`: it runs

`codegen/stubs/call.py` walks the table in machine code, without the interpreter's lock: for each
step a kernel (or a copy, of an output that no step writes in place), the addresses of its arrays,
its domain and its team. Views cost nothing: they are addresses. Before the first step, the same
function checks the arrays of the call and writes their addresses into the table. Steps of
onnxruntime and NumPy are objects of Python (`host_steps.py`), called from the table.

A program has a table when the sizes of all its values are known (`Program.has_table`). What the
check refuses (a strided input, another dtype, an output that overlaps an input) goes the way of
`Compiled.execute`, which copies, or says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from snippets_mlir.codegen.stubs.interface import PLAN
from snippets_mlir.runtime import threads
from snippets_mlir.runtime.arena import Arena
from snippets_mlir.runtime.arrays import address_of
from snippets_mlir.runtime.c_function import TAKEN, run_maker
from snippets_mlir.runtime.host_steps import HostStep
from snippets_mlir.runtime.scratch import Block
from snippets_mlir.runtime.storage import byte_size
from snippets_mlir.runtime.table import HEAD, Launch, first_step, launches_of, places_of, words_of

if TYPE_CHECKING:
    from snippets_mlir.runtime.program import Program

LOCKED_BYTES = 16 << 10
"""A program that touches fewer bytes keeps the interpreter's lock: to give it up and get it back
costs as much as the kernel, and up to 5 ms when another thread has taken it."""


class Network:
    """See the module.

    Attributes:
        launches: the steps of the table.
        times: for each of them, when it began and ended in the last call, in nanoseconds of
            `time.monotonic_ns`; None unless asked for.
        words: the table, for callers other than Python.
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
        arena = Arena(program, block)
        self.launches = launches_of(program, places_of(program, arena))
        self.times = np.zeros((len(self.launches), 2), np.int64) if timed else None
        words = self.words = words_of(program, self.launches, arena.scratch)
        words[:HEAD] = PLAN.words(
            array_type=id(np.ndarray),
            tuple_type=id(tuple),
            none=id(None),
            taken=id(TAKEN),
            forked=threads.forked_flag(),
            times=0 if self.times is None else address_of(self.times),
            release=int(_releases(program)),
            inputs=len(program.manifest["inputs"]),
            arrays=len(program.manifest["inputs"]) + len(program.manifest["outputs"]),
            steps=len(self.launches),
            busy=0,
            first_step=first_step(program),
            **_team(self.launches, team),
        )
        words.keep = (
            program.code,
            program.constants,
            program.slots,
            program.dtypes,
            arena.block,
            self.launches,
            self.times,
            team,
        )
        for launch in self.launches:
            if isinstance(launch.kernel, HostStep):
                launch.kernel.bind(address_of(words))
        self.run: Callable[[tuple[object, ...], object], Any] = make(words)


def _releases(program: Program) -> bool:
    """Whether a call gives up the interpreter's lock."""
    manifest = program.manifest
    touched = (v for s in manifest["steps"] for v in (*s["inputs"], *s["outputs"]))
    return sum(byte_size(manifest["values"][v]) for v in touched) >= LOCKED_BYTES


def _team(launches: Sequence[Launch], own: threads.OwnTeam | None) -> dict[str, int]:
    """The functions that start teams; zeros where no step has one."""
    functions = threads.aligned_team_functions()
    if functions is None or max((launch.team for launch in launches), default=1) < 2:
        return {"openmp": 0, "launch": 0}
    openmp, launch = functions
    return {"openmp": openmp if own is None else own.address, "launch": launch}
